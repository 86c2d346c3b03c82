// SPDX-License-Identifier: GPL-3.0-only
/*
 * dial: from a target that was allowed by name to a connected socket.
 *
 * The name is resolved once, outside the jail. Each address is judged; exactly those that passed are
 * dialled, in the resolver's order, until one connects. The name is never looked up again, so what
 * was judged is what is reached. Where the host has a proxy for the target, that one is dialled
 * instead and asked for the name: every rule stands before it, but a name that this host cannot
 * resolve is resolved there. A resolver that is silent is not waited for long then; if it speaks
 * later, and of an address that is refused, the connection is ended.
 */
#pragma once

#include "net/allow.h"
#include "net/dial_tls.h"
#include "net/parent_talk.h"
#include "net/resolve.h"
#include "net/silent.h"

#include <uv.h>

#define DIAL_ADDRESSES_MAX 16

/* Addresses of this machine, looked at again when they are older than a few seconds. */
struct own_addresses {
    struct net_address *v;
    size_t n;
    uint64_t read_ms; /* 0: never */
};
void own_addresses_free(struct own_addresses *own);

struct dial {
    uv_loop_t *loop; /* the caller's, up to owner */
    struct resolver *resolver;
    const struct allow_list *list;
    const struct parents *parents; /* NULL: everything is dialled directly */
    struct own_addresses *own;
    struct silent_names *silent;
    struct tls *tls;            /* where a parent wants it */
    struct dial_tls **tls_legs; /* those that are alive */
    uv_tcp_t
        *upstream; /* not initialized yet; done here for each attempt. Where TLS is in between it
                         * has the plain side: a local socket */
    void (*on_done)(struct dial *dial, enum refusal_reason reason); /* REFUSAL_NONE: connected */
    /* After that: the connection broke off where upstream does not show it (REFUSAL_PARENT_FAILED),
     * or must be ended (REFUSAL_ADDRESS). */
    void (*on_broken)(struct dial *dial, enum refusal_reason reason);
    void *owner;

    struct target target;
    struct allow_decision decision;
    bool private_only; /* every refused address was private: a flag would lift it */
    bool has_refused;  /* an address was refused */
    enum address_class worst;
    const struct parent *through; /* the proxy that is asked for the target; NULL: none */
    struct parent_talk talk;
    uint8_t answer[256];      /* of that proxy, one read */
    int parent_status;        /* what it answered; 0: nothing that can be read */
    const char *parent_fault; /* why it did not come to an answer: static; NULL: it did */
    struct lookup *lookup;    /* of the target, under way; NULL: none */
    bool is_late;             /* it is not waited for any more */
    struct lookup *parent_lookup;
    struct dial_tls *tls_leg; /* with the proxy; NULL: none */
    int handed_over;          /* its socket, on the way there */
    uint64_t began_ms;
    bool is_at_parent;        /* what is dialled now is that proxy */
    bool has_parent_answered; /* it took the connection */
    bool has_handle;          /* upstream is initialized; it may be closing between two attempts */
    bool resets;              /* the attempt that is given up */
    bool is_over;             /* on_done has been called, or dial_cancel() */
    bool is_cancelled;        /* dial_cancel() has said that on_idle will come */
    struct sockaddr_storage addresses[DIAL_ADDRESSES_MAX];
    size_t count;
    size_t next;
    uint64_t deadline_ms;
    int last_error;
    uv_connect_t connect;
    uv_timer_t *timer;                  /* the caller's, free for use meanwhile */
    void (*on_idle)(struct dial *dial); /* after dial_cancel(): what was pending has ended */
};

/* Decides by name and port, then resolves and dials. on_done may come before this returns. */
void dial_start(struct dial *dial, const struct target *target);
/* The port of this machine's loopback: 127.0.0.1, then ::1. Nothing is judged. */
void dial_start_loopback(struct dial *dial, uint16_t port);
/* What the parent proxy answered, for REFUSAL_PARENT_FAILED: static, or in text of size
 * DIAL_DETAIL_MAX; NULL: none was asked. */
#define DIAL_DETAIL_MAX 128
const char *dial_detail(const struct dial *dial, char *text, size_t size);
/* No more callbacks but one on_idle, if a handle that is being closed still needs the struct. An open
 * upstream (has_handle, not closing) is the caller's to close; is_abort: what was written to it need
 * not arrive. True: on_idle will come. */
bool dial_cancel(struct dial *dial, bool is_abort);
