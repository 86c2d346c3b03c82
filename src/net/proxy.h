// SPDX-License-Identifier: GPL-3.0-only
/*
 * proxy: the only way out of a jail with a filtered network.
 *
 * Accepts on a socket that was made inside the jail's network namespace and runs outside of it: one
 * port for CONNECT, absolute-form HTTP and SOCKS5, one decision for all three. Nothing of it lives
 * in the jail. Ports that are forwarded into the jail or published from it are doors beside that
 * one, without a decision: each leads to one port of the other loopback.
 */
#pragma once

#include "base/error.h"
#include "net/allow.h"
#include "net/audit.h"
#include "net/credential.h"
#include "net/door.h"
#include "net/parent.h"

#include <uv.h>

#define PROXY_CONNECTIONS_MAX 1024
/* The proxy's own, and both families of 31 ports each way. */
#define PROXY_DOORS_MAX (1 + 2 * 2 * 31)

struct proxy_options {
    uv_loop_t *loop;
    const struct allow_list *list; /* borrowed, both */
    const struct parents *parents; /* NULL: none */
    struct audit *audit;           /* the same; gets a record of each connection at its end */
    /* Asks for a socket connected to a port of the jail's own loopback; proxy_connected() answers,
     * once for each id. NULL: none of it is reached, nor is anything published. */
    void (*connect_inside)(void *arg, uint32_t id, uint16_t port);
    /* Something was refused by rule, for the status row. May be NULL. */
    void (*on_refused)(void *arg, const struct target *target, enum refusal_reason reason);
    const struct credentials *credentials; /* borrowed; NULL: none */
    const char *password; /* borrowed; that every client must show, NULL: none (request_login.h) */
    struct tls *tls;      /* the same, where there are credentials or parents want it */
    /* A credential was put into a request, or its placeholder went to a host that it is not for (the
     * request is refused). May be NULL. */
    void (*on_secret)(void *arg, const char *key, const struct target *target, bool is_inserted);
    /* A host that credentials are for did not prove its name; why is static. May be NULL. */
    void (*on_unproved)(void *arg, const struct target *target, const char *why);
    /* Nothing answers at the port of a door; once for each door. May be NULL. */
    void (*on_closed)(void *arg, enum door_kind kind, uint16_t port);
    void *arg;
};

/* What was refused, for the summary. */
struct proxy_refused {
    struct target target;
    enum refusal_reason reason;
    bool private_only;
    uint64_t count;
};

struct proxy;

/* 0 or -errno. */
int proxy_new(struct proxy **proxy, const struct proxy_options *options, struct error *error);
/* Accepts on fd, which is listening and the proxy's from now on, also on failure. port: see door.h.
 * 0 or -errno. */
int proxy_add_door(struct proxy *proxy, enum door_kind kind, uint16_t port, int fd,
                   struct error *error);
/* The answer to connect_inside: a socket, or -1 and an errno. */
void proxy_connected(struct proxy *proxy, uint32_t id, int fd, int error);
/* Closes every connection; the loop must run once more until its handles are closed. */
void proxy_close(struct proxy *proxy);
/* After the loop has ended. */
void proxy_free(struct proxy *proxy);

/* Most frequent first; *n of them, borrowed. *more: refusals beyond what is kept. */
const struct proxy_refused *proxy_refusals(struct proxy *proxy, size_t *n, uint64_t *more);
