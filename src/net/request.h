// SPDX-License-Identifier: GPL-3.0-only
/*
 * request: the head of what a client sends to the proxy: CONNECT, an absolute-form HTTP request, or
 * a SOCKS5 negotiation.
 *
 * Fed incrementally, the same result at whatever byte the reads are cut; reads nothing behind the
 * head. Pure: no socket.
 */
#pragma once

#include "base/buf.h"
#include "net/refusal.h"

#define REQUEST_HEAD_MAX (8 * KIB)

enum request_kind { REQUEST_UNKNOWN, REQUEST_CONNECT, REQUEST_HTTP, REQUEST_SOCKS };

enum request_state {
    REQUEST_MORE,    /* needs more bytes */
    REQUEST_REPLY,   /* SOCKS: reply has bytes for the client; then feed on */
    REQUEST_DONE,    /* target is known */
    REQUEST_REFUSED, /* reason; target if has_target */
    REQUEST_CLOSE,   /* no answer is possible: close (SOCKS4, TLS to the proxy ...) */
};

struct request {
    enum request_kind kind;
    enum request_state state;
    enum refusal_reason reason;
    bool has_target;
    struct target target;
    struct buf head;    /* bytes of the head so far */
    struct buf reply;   /* SOCKS: method answer */
    struct buf forward; /* REQUEST_HTTP: the head for the origin server, in origin form */
    /* REQUEST_HTTP: what follows the head. */
    bool is_chunked;
    bool has_length;
    uint64_t length;
    unsigned socks_step;
    bool is_inner;        /* of request_init_inner() */
    const char *password; /* borrowed; that it must show, NULL: none (request_login.h) */
    int socks_code; /* REQUEST_REFUSED over SOCKS: the reply, where it is not the reason's; 0: it is */
};

void request_init(struct request *request);
/* The head of an HTTP/1 request in a tunnel to target, in origin form: judged and written anew as an
 * absolute-form one is. */
void request_init_inner(struct request *request, const struct target *target);
void request_free(struct request *request);
/* Takes bytes of the head; returns how many were taken (what is behind the head stays the
 * caller's). request->state says how it stands. */
size_t request_feed(struct request *request, const uint8_t *bytes, size_t len);

/* SOCKS5 replies (RFC 1928, 6) with the bound address 0.0.0.0:0. */
void request_socks_reply(struct buf *out, int code);

/*
 * The first bytes of a tunnel to port 80: an HTTP/1.x head whose Host is the tunnel's host. 1 it
 * fits, 0 more bytes are needed, -EPERM another host, -EINVAL neither.
 */
int request_check_host(const uint8_t *bytes, size_t len, const struct target *target);
/* Length of a body that is copied: how many of the next len bytes belong to it; the state is kept in
 * the struct. */
struct request_body {
    bool is_chunked;
    uint64_t left; /* of the body, or of the chunk */
    unsigned step; /* of the chunked coding */
    bool is_done;
    bool is_broken;
};
void request_body_init(struct request_body *body, const struct request *request);
size_t request_body_feed(struct request_body *body, const uint8_t *bytes, size_t len);
/* How many of the next bytes are content; 0: the next one belongs to the coding, or to nothing. */
uint64_t request_body_content(const struct request_body *body);
