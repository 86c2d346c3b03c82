// SPDX-License-Identifier: GPL-3.0-only
/*
 * connection: one client of the proxy, from its first byte to its last.
 *
 *   HEAD      the request is read (request.c)
 *   DIAL      its target is decided on, resolved and dialled (dial.c); or INSIDE: the launcher makes
 *             a socket of the jail's own loopback
 *   TLS       the target is one that credentials are for (connection_secret.c)
 *   CHECK     the tunnel is open for the client; its first bytes are judged (hello.c) before any of
 *             them goes out
 *   FLOW      bytes go both ways (flow.c)
 *   At the door of a forwarded or published port there is no head, and nothing to judge: DIAL or INSIDE
 *   is the first phase.
 *
 *   REFUSING  an answer is written, then it is closed
 *
 * Private to the proxy: proxy.c makes them and counts them.
 */
#pragma once

#include "net/credential.h"
#include "net/dial.h"
#include "net/flow.h"
#include "net/hello.h"
#include "net/proxy.h"
#include "net/request.h"
#include "net/response.h"

enum connection_phase {
    PHASE_HEAD,
    PHASE_DIAL,
    PHASE_INSIDE,
    PHASE_TLS,
    PHASE_CHECK,
    PHASE_FLOW,
    PHASE_REFUSING,
    PHASE_CLOSED,
};

struct connection {
    struct proxy *proxy;
    const struct door *door; /* where it came in */
    struct connection *next; /* list of the proxy */
    struct connection *previous;
    uint32_t id;
    enum connection_phase phase;
    enum refusal_reason refused; /* REFUSAL_NONE: nothing was refused */
    uint64_t began_ms;           /* uv_now() */
    unsigned pending;            /* handles and requests that still need the struct */
    uv_tcp_t client;
    uv_tcp_t upstream;
    bool has_upstream;
    uv_timer_t timer;
    struct request request;
    struct hello hello; /* of early */
    struct request_body body;
    struct response response;
    struct dial dial;
    struct buf early; /* sent by the client before it may go out */
    struct buf answer;
    uv_write_t write;
    struct secret_leg *leg;      /* to a host that credentials are for; NULL: none */
    struct credential_scan scan; /* of what the client sends */
    struct flow up;
    struct flow down;
};

/* A client that was accepted at a door; fd is the connection's from now on. */
void connection_accept(struct proxy *proxy, const struct door *door, int fd);
void connection_close(struct connection *connection);
/* A socket of the jail's own loopback, or -1 and an errno. */
void connection_inside(struct connection *connection, int fd, int error);

/* proxy.c, for its connections. */
struct proxy_facts {
    uv_loop_t *loop;
    struct resolver *resolver;
    const struct allow_list *list;
    const struct parents *parents;
    struct own_addresses *own;
    struct silent_names *silent;
    const struct credentials *credentials; /* NULL: none */
    const char *password;                  /* the same */
    struct tls *tls;                       /* where there are credentials, or parents want it */
    struct dial_tls **tls_legs;
    bool has_inside; /* the jail's own loopback can be asked for */
};
struct proxy_facts proxy_facts(struct proxy *proxy);
void proxy_add(struct proxy *proxy, struct connection *connection);
void proxy_remove(struct proxy *proxy, struct connection *connection);
size_t proxy_count(const struct proxy *proxy);
struct rooms *proxy_rooms(struct proxy *proxy);
void proxy_ask_inside(struct proxy *proxy, uint32_t id, uint16_t port);
/* Nothing answers behind the door. */
void proxy_note_closed(struct proxy *proxy, const struct door *door);
/* A credential was put in, or its placeholder went to another host. */
void proxy_note_secret(struct proxy *proxy, const struct credential *credential,
                       const struct target *target, bool is_inserted);
/* A host that credentials are for did not prove its name. why: static text. */
void proxy_note_unproved(struct proxy *proxy, const struct target *target, const char *why);
void proxy_note_refusal(struct proxy *proxy, const struct target *target,
                        enum refusal_reason reason, bool private_only);
