// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_unix: unix sockets of the host, abstract and by path. The harness listens on them.
 */
#include "probe.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static socklen_t address_make(struct sockaddr_un *address, const char *name)
{
    size_t len = strlen(name);

    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (len >= sizeof address->sun_path)
        len = sizeof address->sun_path - 1;
    memcpy(address->sun_path, name, len);
    /* '@' stands for the leading zero byte of an abstract name. */
    if (name[0] == '@')
        address->sun_path[0] = '\0';
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + (name[0] != '@'));
}

static long connect_to(const char *name, int type)
{
    struct sockaddr_un address;
    socklen_t len = address_make(&address, name);
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    long rc;

    if (fd < 0)
        return -errno;
    rc = RESULT(connect(fd, (struct sockaddr *)&address, len));
    close(fd);
    return rc;
}

static long send_to(const char *name)
{
    struct sockaddr_un address;
    socklen_t len = address_make(&address, name);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    long rc;

    if (fd < 0)
        return -errno;
    rc = RESULT(sendto(fd, "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&address, len));
    close(fd);
    return rc;
}

static void abstract_names(struct trial *t)
{
    static const char *const facts[] = {"abstract_stream", "abstract_dgram", "abstract_seqpacket"};
    static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};

    for (size_t i = 0; i < 3; i++)
        trial_call(t, 0, connect_to(fact(facts[i]), types[i]), "connect(%s)", facts[i]);
    trial_call(t, 0, send_to(fact("abstract_dgram")), "sendto(abstract_dgram)");
}

static void known_abstract_names(struct trial *t)
{
    char name[128];
    size_t at = 0;

    while (fact_each("abstract_known", &at, name, sizeof name))
        trial_call(t, 0, connect_to(name, SOCK_STREAM), "connect(%s)", name);
}

static void path_names(struct trial *t)
{
    char path[PATH_MAX];
    size_t at = 0;

    while (fact_each("sockets_planted", &at, path, sizeof path))
        trial_call(t, 0, connect_to(path, SOCK_STREAM), "connect(%s)", path);
    at = 0;
    while (!t->control && fact_each("sockets_other", &at, path, sizeof path))
        trial_call(t, 0, connect_to(path, SOCK_STREAM), "connect(%s)", path);
}

static void own_socket(struct trial *t, const char *name)
{
    struct sockaddr_un address;
    socklen_t len = address_make(&address, name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    long rc = RESULT(bind(fd, (struct sockaddr *)&address, len));

    trial_call(t, 0, rc, "bind(%s)", name);
    trial_must(t, rc < 0 || listen(fd, 1) == 0, "listen(%s)", name);
    if (rc >= 0)
        trial_call(t, 0, connect_to(name, SOCK_STREAM), "connect(%s)", name);
    if (name[0] != '@')
        unlink(name);
    close(fd);
}

static void own_sockets(struct trial *t)
{
    char path[PATH_MAX];

    trial_go_where_writable(t);
    own_socket(t, "./escape.sock");
    own_socket(t, "/tmp/escape.sock");
    snprintf(path, sizeof path, "%s/e.sock", fact("home"));
    own_socket(t, path);
    own_socket(t, "@escape-own");
}

const struct probe probes_unix[] = {
    {"E-UNX-01", abstract_names, "ECONNREFUSED EPERM", ONLY_DEFAULT, CONTROL_ALL, NULL,
     "ECONNREFUSED EPERM"},
    {"E-UNX-01", abstract_names, "EPERM", ONLY_NETWORK, CONTROL_ALL, "EPERM OK", "EPERM"},
    {"E-UNX-02", known_abstract_names, "ECONNREFUSED EPERM", ONLY_DEFAULT, CONTROL_ALL, NULL,
     "ECONNREFUSED EPERM"},
    {"E-UNX-02", known_abstract_names, "EPERM", ONLY_NETWORK, CONTROL_ALL, "EPERM OK", "EPERM"},
    {"E-UNX-03", path_names, "ENOENT", EVERY, CONTROL_ALL, NULL, "ENOENT"},
    {"E-UNX-04", own_sockets, "OK", EVERY, CONTROL_NONE, NULL, "OK"},
    {0},
};
