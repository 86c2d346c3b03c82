// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_net: the network of a run: the proxy on the jail's listener, and what it asks of the
 * launcher.
 */
#pragma once

#include "backend/json_report.h"
#include "net/proxy.h"
#include "pty/control.h"
#include "pty/start.h"

/* A port of the jail's loopback that a connection wants. */
struct session_net_asked {
    uint32_t id;
    uint16_t port;
};

struct session_net {
    unsigned refused;    /* connections, for the status row */
    struct proxy *proxy; /* NULL: nothing is to be accepted */
    int control;         /* borrowed */
    struct audit *audit; /* the same, set by the caller; or NULL */
    struct session_net_asked asked[PROXY_CONNECTIONS_MAX]; /* in order; not sent yet */
    size_t asked_count;
    struct strv told; /* what there was a line about */
    bool is_asking;   /* the launcher has not answered the last one */
};

/* Starts the proxy if anything listens. But for audit, net is zero. 0 or -errno. */
int session_net_open(struct session_net *net, uv_loop_t *loop, struct jail *jail,
                     struct error *error);
/* True if the message was for the network; its descriptor is taken then. */
bool session_net_takes(struct session_net *net, const struct control_message *message, int *fd);
/* Closes every handle; the loop has to run on until they are closed. Idempotent. */
void session_net_close(struct session_net *net);
/* What was refused, most frequent first; flags and hosts are borrowed until session_net_finish(). Their
 * number. */
#define SESSION_NET_REFUSED_MAX 64
size_t session_net_refused(const struct session_net *net,
                           struct run_refused refused[SESSION_NET_REFUSED_MAX]);
/* After the loop: says what was refused, and frees. */
void session_net_finish(struct session_net *net);
