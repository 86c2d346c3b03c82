// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_net: the network of a run: the proxy on the jail's listener, and what it asks of the
 * launcher.
 */
#pragma once

#include "net/proxy.h"
#include "pty/control.h"
#include "pty/start.h"

/* A port of the jail's loopback that a connection wants. */
struct session_net_asked {
    uint32_t id;
    uint16_t port;
};

struct session_net {
    struct proxy *proxy;                                   /* NULL: nothing is to be accepted */
    int control;                                           /* borrowed */
    struct session_net_asked asked[PROXY_CONNECTIONS_MAX]; /* in order; not sent yet */
    size_t asked_count;
    bool is_asking; /* the launcher has not answered the last one */
};

/* Starts the proxy if anything listens. net is zero. 0 or -errno. */
int session_net_open(struct session_net *net, uv_loop_t *loop, struct jail *jail,
                     struct error *error);
/* True if the message was for the network; its descriptor is taken then. */
bool session_net_takes(struct session_net *net, const struct control_message *message, int *fd);
/* Closes every handle; the loop has to run on until they are closed. Idempotent. */
void session_net_close(struct session_net *net);
/* After the loop: says what was refused, and frees. */
void session_net_finish(struct session_net *net);
