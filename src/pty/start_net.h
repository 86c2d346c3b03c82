// SPDX-License-Identifier: GPL-3.0-only
/*
 * start_net: the listening sockets of a run, until the proxy takes them: of the jail, which the
 * launcher makes and hands out, and of the host, for published ports.
 */
#pragma once

#include "net/proxy.h"
#include "net/tls.h"
#include "policy/policy.h"
#include "pty/control.h"

struct start_net_listener {
    enum door_kind kind;
    uint16_t port;     /* where the door leads (door.h) */
    uint16_t own_port; /* that is listened on */
    bool is_v6;
    int fd;
};

struct start_net {
    struct start_net_listener v[PROXY_DOORS_MAX];
    size_t n;
    struct tls *tls; /* where something needs it; NULL: not loaded */
};

/* Loads the TLS library and the trust store if the policy has credentials, or hosts are reached through
 * a proxy of https://. 0, or -errno. */
int start_net_load_tls(struct start_net *net, const struct policy *policy, struct error *error);

/* Listens on the host's loopback for every published port. A port that the kernel has chosen is said
 * in notes. 0, or -errno: it is taken, or not permitted. */
int start_net_publish(struct start_net *net, const struct policy *policy, struct notes *notes,
                      struct error *error);
/* Takes the socket of a LISTENER message. 0, or -EBADMSG: nobody ordered it; *fd stays the caller's. */
int start_net_take(struct start_net *net, const struct policy *policy,
                   const struct control_message *message, int *fd);
/* Listens for the proxy on a socket that is bound already; it stays the caller's. 0 or -errno. */
int start_net_listen_proxy(struct start_net *net, int fd);
/* Closes what nobody has taken, and frees. */
void start_net_close(struct start_net *net);
