// SPDX-License-Identifier: GPL-3.0-only
/*
 * launcher_net: sockets of the jail's own loopback, made in its network namespace.
 *
 * A socket belongs to the namespace in which it was made, whoever holds it later: the supervisor
 * accepts outside on what is opened here, and nothing that serves the network runs inside.
 */
#include "backend/launcher.h"

#include "base/own_peer.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 128

static socklen_t make_address(struct sockaddr_storage *address, uint16_t port, bool is_v6)
{
    struct sockaddr_in v4 = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};

    memset(address, 0, sizeof(*address));
    if (is_v6)
        memcpy(address, &v6, sizeof(v6));
    else
        memcpy(address, &v4, sizeof(v4));
    return is_v6 ? sizeof(v6) : sizeof(v4);
}

static int open_socket(bool is_v6)
{
    int fd = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    return fd < 0 ? -errno : fd;
}

int net_listen(uint16_t port, bool is_v6)
{
    struct sockaddr_storage address;
    socklen_t len = make_address(&address, port, is_v6);
    _cleanup_close_ int fd = open_socket(is_v6);

    if (fd < 0)
        return fd;
    /* The other address may be listened on by somebody else. */
    if (is_v6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int){1}, sizeof(int)) < 0)
        return -errno;
    if (bind(fd, (const struct sockaddr *)&address, len) < 0 || listen(fd, BACKLOG) < 0)
        return -errno;
    return steal_fd(&fd);
}

/* Loopback answers at once, unless the listener's queue is full. */
static int wait_connected(int fd)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t len = sizeof(error);

    if (poll(&room, 1, NET_CONNECT_MS) != 1)
        return -ETIMEDOUT;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 ? -errno : -error;
}

static int connect_family(uint16_t port, bool is_v6)
{
    struct sockaddr_storage address;
    socklen_t len = make_address(&address, port, is_v6);
    _cleanup_close_ int fd = open_socket(is_v6);
    const struct linger reset = {.l_onoff = 1};
    int r = 0;

    if (fd < 0)
        return fd;
    if (connect(fd, (const struct sockaddr *)&address, len) < 0)
        r = errno == EINPROGRESS ? wait_connected(fd) : -errno;
    if (r == 0 && socket_is_own_peer(fd)) {
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
        r = -ECONNREFUSED;
    }
    return r < 0 ? r : steal_fd(&fd);
}

int net_connect(uint16_t port)
{
    int fd = connect_family(port, false);
    int second = fd == -ECONNREFUSED ? connect_family(port, true) : fd;

    return second >= 0 ? second : fd;
}
