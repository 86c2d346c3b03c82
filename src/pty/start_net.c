// SPDX-License-Identifier: GPL-3.0-only
/*
 * start_net: made and checked before the supervisor confines itself.
 *
 * Never anything but a loopback address is listened on. Both families have the same port, so that
 * "localhost" works whichever comes first.
 */
#include "pty/start_net.h"

#include "base/fd.h"
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG     128
#define CHOICES_MAX 8 /* ports that the kernel chooses and the other family does not have free */

static void add_listener(struct start_net *net, enum door_kind kind, uint16_t port,
                         uint16_t own_port, bool is_v6, int fd)
{
    assert(net->n < PROXY_DOORS_MAX);
    net->v[net->n++] = (struct start_net_listener){
        .kind = kind, .port = port, .own_port = own_port, .is_v6 = is_v6, .fd = fd};
}

int start_net_load_tls(struct start_net *net, const struct policy *policy, struct error *error)
{
    const struct host *host = policy->host;
    _cleanup_free_ char *through = NULL;
    struct error why = {0};
    int r;

    if (policy->credentials.n == 0 && !parents_want_tls(&policy->parents))
        return 0;
    r = tls_load(&net->tls, host_getenv(host, "SSL_CERT_FILE"), host_getenv(host, "SSL_CERT_DIR"),
                 &why);
    if (r == 0)
        return 0;
    if (policy->credentials.n)
        return error_set(error, -r, "--%s: %s", settings[SET_SECRET_HOSTS].flag, why.text);
    through = parents_describe(&policy->parents);
    return error_set(error, -r, "hosts are reached %s: %s", through, why.text);
}

/* ---- of the host ---- */

static int bind_loopback(int fd, uint16_t port, bool is_v6)
{
    const struct sockaddr_in v4 = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct sockaddr_in6 v6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};

    return is_v6 ? bind(fd, (const struct sockaddr *)(const void *)&v6, sizeof(v6))
                 : bind(fd, (const struct sockaddr *)(const void *)&v4, sizeof(v4));
}

static int listen_loopback(uint16_t port, bool is_v6)
{
    _cleanup_close_ int fd = os_stream_socket(is_v6 ? AF_INET6 : AF_INET);
    const int on = 1;

    if (fd < 0)
        return fd;
    /* Ends of earlier connections do not keep the port. */
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
        (is_v6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) < 0) ||
        bind_loopback(fd, port, is_v6) < 0 || listen(fd, BACKLOG) < 0)
        return -errno;
    return steal_fd(&fd);
}

static uint16_t chosen_port(int fd)
{
    struct sockaddr_in name = {0};
    socklen_t len = sizeof(name);

    return getsockname(fd, (struct sockaddr *)(void *)&name, &len) == 0 ? ntohs(name.sin_port) : 0;
}

static bool has_no_v6(int r)
{
    return r == -EAFNOSUPPORT || r == -EADDRNOTAVAIL;
}

/* Both families of one port; the second is -1 on a machine without IPv6. */
static int listen_pair(uint16_t port, int fds[2])
{
    int r = 0;

    for (int i = 0; i < (port ? 1 : CHOICES_MAX); i++) {
        fds[0] = listen_loopback(port, false);
        if (fds[0] < 0)
            return fds[0];
        r = listen_loopback(port ? port : chosen_port(fds[0]), true);
        fds[1] = r < 0 ? -1 : r;
        if (r >= 0 || has_no_v6(r))
            return 0;
        close(steal_fd(&fds[0]));
        if (r != -EADDRINUSE)
            break;
    }
    return r;
}

static int publish(struct start_net *net, const struct port_pair *pair, struct notes *notes,
                   struct error *error)
{
    int fds[2] = {-1, -1};
    int r = listen_pair(pair->host, fds);
    uint16_t port;

    if (r < 0)
        return error_set(error, -r, "--%s: port %u of this machine cannot be listened on: %s%s",
                         settings[SET_PUBLISH_PORTS].flag, pair->host, strerror(-r),
                         r == -EADDRINUSE ? "; take another one with JAILPORT:HOSTPORT" : "");
    port = pair->host ? pair->host : chosen_port(fds[0]);
    if (!pair->host)
        notes_add(notes, NOTE_INFO, "port %u of the jail is port %u of this machine", pair->jail,
                  port);
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0)
            add_listener(net, DOOR_PUBLISH, pair->jail, port, i == 1, fds[i]);
    return 0;
}

int start_net_publish(struct start_net *net, const struct policy *policy, struct notes *notes,
                      struct error *error)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < policy->publish.n; i++)
        r = publish(net, &policy->publish.v[i], notes, error);
    return r;
}

int start_net_listen_proxy(struct start_net *net, int fd)
{
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);

    if (own < 0)
        return -errno;
    add_listener(net, DOOR_PROXY, 0, 0, false, own);
    return listen(own, BACKLOG) < 0 ? -errno : 0;
}

/* ---- of the jail ---- */

static bool is_listening(int fd)
{
    int listens = 0;
    socklen_t len = sizeof(listens);

    return fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) == 0 && listens;
}

static bool is_known(const struct start_net *net, uint16_t own_port, bool is_v6)
{
    for (size_t i = 0; i < net->n; i++)
        if (net->v[i].kind != DOOR_PUBLISH && net->v[i].own_port == own_port &&
            net->v[i].is_v6 == is_v6)
            return true;
    return false;
}

int start_net_take(struct start_net *net, const struct policy *policy,
                   const struct control_message *message, int *fd)
{
    uint16_t port = (uint16_t)message->a;
    bool is_v6 = message->b == 1;

    if (port != message->a || (message->b != 0 && !is_v6) || !is_listening(*fd) ||
        is_known(net, port, is_v6))
        return -EBADMSG;
    if (port == PROXY_PORT && policy->network == NETWORK_FILTERED && !is_v6) {
        add_listener(net, DOOR_PROXY, 0, port, false, steal_fd(fd));
        return 0;
    }
    for (size_t i = 0; i < policy->forward.n; i++)
        if (policy->forward.v[i].jail == port) {
            add_listener(net, DOOR_FORWARD, policy->forward.v[i].host, port, is_v6, steal_fd(fd));
            return 0;
        }
    return -EBADMSG;
}

void start_net_close(struct start_net *net)
{
    for (size_t i = 0; i < net->n; i++)
        close(net->v[i].fd);
    net->n = 0;
    tls_free(net->tls);
    net->tls = NULL;
}
