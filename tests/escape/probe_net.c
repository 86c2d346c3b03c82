// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_net: ways out without a proxy. The harness runs the jails in a network namespace whose
 * other end holds canary servers, and searches their logs: here only the answers are judged.
 */
#include "probe.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef TCP_FASTOPEN_CONNECT
#define TCP_FASTOPEN_CONNECT 30
#endif
/* For controls: in a jail the answer is there at once. */
#define CONNECT_LIMIT_MS 15000
#define LOOKUP_LIMIT_MS  15000
/* A resolver that waits for a server that is not there waits for so long; one that cannot send is
 * done at once, which on a busy machine may still take a moment. */
#define RESOLVER_OPTIONS "timeout:30 attempts:1"
#define AT_ONCE_MS       20000

struct endpoint {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address;
    socklen_t len;
};

static struct endpoint endpoint_make(const char *host, unsigned port)
{
    struct endpoint e;

    memset(&e, 0, sizeof e);
    if (inet_pton(AF_INET6, host, &e.address.v6.sin6_addr) == 1) {
        e.address.v6.sin6_family = AF_INET6;
        e.address.v6.sin6_port = htons((uint16_t)port);
        e.len = sizeof e.address.v6;
    } else {
        e.address.v4.sin_family = AF_INET;
        e.address.v4.sin_port = htons((uint16_t)port);
        inet_pton(AF_INET, host, &e.address.v4.sin_addr);
        e.len = sizeof e.address.v4;
    }
    return e;
}

/* Waits for a connection that is on its way. */
static long connect_finish(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int error = ETIMEDOUT;
    socklen_t len = sizeof error;

    if (poll(&wait, 1, CONNECT_LIMIT_MS) == 1)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
    return -error;
}

static long tcp_connect(const char *host, unsigned port, int protocol)
{
    struct endpoint e = endpoint_make(host, port);
    int fd = socket(e.address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    long rc;

    if (fd < 0)
        return -errno;
    rc = RESULT(connect(fd, &e.address.any, e.len));
    if (rc == -EINPROGRESS)
        rc = connect_finish(fd);
    close(fd);
    return rc;
}

static long tcp_connect_blocking(const char *host, unsigned port)
{
    struct endpoint e = endpoint_make(host, port);
    int fd = socket(e.address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval limit = {.tv_sec = CONNECT_LIMIT_MS / 1000};
    long rc;

    if (fd < 0)
        return -errno;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    rc = RESULT(connect(fd, &e.address.any, e.len));
    close(fd);
    return rc;
}

static long tcp_fast_open(const char *host, unsigned port)
{
    struct endpoint e = endpoint_make(host, port);
    int fd = socket(e.address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    long rc;

    if (fd < 0)
        return -errno;
    rc = RESULT(sendto(fd, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, &e.address.any, e.len));
    if (rc == -EINPROGRESS)
        rc = connect_finish(fd);
    close(fd);
    return rc;
}

static void tcp_out(struct trial *t)
{
    static const char *const facts[] = {"public4", "public6"};

    for (size_t i = 0; i < 2; i++) {
        const char *host = fact(facts[i]);
        if (host[0] == '\0') {
            trial_blind(t, "no canary servers");
            continue;
        }
        trial_call(t, 0, tcp_connect(host, 443, 0), "connect(%s, 443)", host);
        trial_call(t, 0, tcp_connect_blocking(host, 80), "blocking connect(%s, 80)", host);
        trial_call(t, 0, tcp_fast_open(host, 443), "sendto(%s, FASTOPEN)", host);
        /* A kernel without MPTCP has no such way out. */
        long rc = tcp_connect(host, 443, IPPROTO_MPTCP);
        if (rc != -EPROTONOSUPPORT && rc != -ENOPROTOOPT)
            trial_call(t, 0, rc, "MPTCP connect(%s)", host);
    }
}

static long udp_send(const char *host, unsigned port)
{
    struct endpoint e = endpoint_make(host, port);
    int fd = socket(e.address.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;
    const char *token = fact_token();
    long rc;

    if (fd < 0)
        return -errno;
    setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof on);
    rc = RESULT(sendto(fd, token, strlen(token), MSG_DONTWAIT, &e.address.any, e.len));
    close(fd);
    return rc;
}

static void udp_out(struct trial *t)
{
    static const unsigned ports[] = {53, 123, 443};
    static const char *const others[] = {"224.0.0.251", "255.255.255.255"};
    static const char *const facts[] = {"public4", "public6"};

    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 3; k++)
            if (fact(facts[i])[0] != '\0')
                trial_call(t, 0, udp_send(fact(facts[i]), ports[k]), "udp(%s, %u)", facts[i],
                           ports[k]);
    for (size_t i = 0; i < 2; i++)
        trial_call(t, 0, udp_send(others[i], 5353), "udp(%s)", others[i]);
    if (t->calls < 8)
        trial_blind(t, "no canary servers");
}

/* Result of a ping socket: 0 if an answer came. */
static long ping(const char *host)
{
    struct endpoint e = endpoint_make(host, 0);
    char request[8] = {8}, answer[64];
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_ICMP);
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    long rc;

    if (fd < 0)
        return -errno;
    rc = RESULT(sendto(fd, request, sizeof request, 0, &e.address.any, e.len));
    if (rc >= 0)
        rc = poll(&wait, 1, CONNECT_LIMIT_MS) == 1 ? RESULT(recv(fd, answer, sizeof answer, 0))
                                                   : -ETIMEDOUT;
    close(fd);
    return rc;
}

static void icmp_out(struct trial *t)
{
    char host[64];

    snprintf(host, sizeof host, "%s", fact("public4"));
    if (host[0] == '\0') {
        trial_blind(t, "no canary servers");
        return;
    }
    const char *const argv[] = {"ping", "-c1", "-W1", host, NULL};
    long rc = program_run(argv);
    trial_call(t, 0, ping(host), "ping socket to %s", host);
    trial_call(t, 0, rc > 0 || rc == -ENOENT ? -ENETUNREACH : rc, "ping");
}

static long milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A question for TOKEN.example, typed A. */
static long dns_ask(const char *server, unsigned port)
{
    unsigned char question[512] = {0, 1, 1, 0, 0, 1};
    const char *token = fact_token();
    size_t len = 12, part = strlen(token);
    struct endpoint e = endpoint_make(server, port);
    int fd = socket(e.address.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    long rc;

    if (fd < 0)
        return -errno;
    question[len++] = (unsigned char)part;
    memcpy(question + len, token, part);
    len += part;
    memcpy(question + len, "\7example\0\0\1\0\1", 13);
    len += 13;
    rc = RESULT(sendto(fd, question, len, 0, &e.address.any, e.len));
    if (rc >= 0)
        rc = poll(&wait, 1, LOOKUP_LIMIT_MS) == 1 ? RESULT(recv(fd, question, sizeof question, 0))
                                                  : -ETIMEDOUT;
    close(fd);
    return rc;
}

static void names_out(struct trial *t)
{
    char name[256], server[64];
    size_t at = 0;
    long started, rc;

    snprintf(name, sizeof name, "%s.example", fact_token());
    const char *const argv[] = {"getent", "hosts", name, NULL};
    if (!t->control)
        setenv("RES_OPTIONS", RESOLVER_OPTIONS, 1);
    started = milliseconds();
    rc = program_run(argv);
    trial_call(t, 0, rc > 0 ? -ENETUNREACH : rc, "getent hosts TOKEN.example");
    trial_must(t, t->control || milliseconds() - started < AT_ONCE_MS, "the lookup took %ld ms",
               milliseconds() - started);
    while (fact_each("nameservers", &at, server, sizeof server))
        trial_call(t, 0, dns_ask(server, 53), "query to %s", server);
    if (t->control)
        return;
    trial_call(t, 0, dns_ask("224.0.0.251", 5353), "mDNS query");
    trial_call(t, 0, dns_ask("224.0.0.252", 5355), "LLMNR query");
}

static void host_loopback(struct trial *t)
{
    char host[64];
    size_t at = 0;
    unsigned port = (unsigned)fact_number("listener_port");

    while (fact_each("listener_v4", &at, host, sizeof host))
        trial_call(t, 0, tcp_connect(host, port, 0), "connect(%s)", host);
    if (fact("listener_v6")[0] != '\0') {
        trial_call(t, 0, tcp_connect("::1", port, 0), "connect(::1)");
        trial_call(t, 0, tcp_connect("::", port, 0), "connect(::)");
    }
    trial_call(t, 0, tcp_connect("0.0.0.0", port, 0), "connect(0.0.0.0)");
    trial_call(t, 0, tcp_connect("::ffff:127.0.0.1", port, 0), "connect(::ffff:127.0.0.1)");
}

static void metadata(struct trial *t)
{
    static const char *const hosts[] = {"169.254.169.254", "fd00:ec2::254", "100.100.100.200"};

    if (fact("public4")[0] == '\0') {
        trial_blind(t, "no canary servers");
        return;
    }
    for (size_t i = 0; i < 3; i++)
        trial_call(t, 0, tcp_connect(hosts[i], 80, 0), "connect(%s, 80)", hosts[i]);
}

#define NO_WAY "ENETUNREACH EACCES EPERM"

const struct probe probes_net[] = {
    {"E-NET-01", tcp_out, NO_WAY, ONLY_DEFAULT, CONTROL_SAME, NULL, NO_WAY},
    {"E-NET-02", udp_out, NO_WAY, ONLY_DEFAULT, CONTROL_SAME, NULL, NO_WAY},
    {"E-NET-03", icmp_out, NO_WAY, ONLY_DEFAULT, CONTROL_SAME, NULL, NO_WAY},
    {"E-NET-04", names_out, NO_WAY, ONLY_DEFAULT, CONTROL_SAME, NULL, NO_WAY},
    {"E-NET-05", host_loopback, "ECONNREFUSED ENETUNREACH EACCES", ONLY_DEFAULT, CONTROL_ALL, NULL,
     "ECONNREFUSED ENETUNREACH EACCES"},
    {"E-NET-06", metadata, "ENETUNREACH EACCES", ONLY_DEFAULT, CONTROL_SAME, NULL,
     "ENETUNREACH EACCES"},
    {0},
};
