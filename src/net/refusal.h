// SPDX-License-Identifier: GPL-3.0-only
/*
 * refusal: why the proxy says no, and how it says so to a program, a person and a model.
 */
#pragma once

#include "base/buf.h"
#include "net/target.h"

enum refusal_reason {
    REFUSAL_NONE,
    REFUSAL_HOST_NOT_LISTED,
    REFUSAL_PORT_NOT_LISTED,
    REFUSAL_ADDRESS,
    REFUSAL_LOOPBACK_CLOSED,
    REFUSAL_SNI_MISSING,
    REFUSAL_SNI_MISMATCH,
    REFUSAL_NOT_TLS,
    REFUSAL_HOST_HEADER,
    REFUSAL_PLACEHOLDER,
    REFUSAL_MALFORMED,
    REFUSAL_METHOD,
    REFUSAL_HEAD_TOO_LARGE,
    REFUSAL_HEAD_TIMEOUT,
    REFUSAL_NAME_UNKNOWN,
    REFUSAL_NAME_TIMEOUT,
    REFUSAL_CONNECT_FAILED,
    REFUSAL_CONNECT_TIMEOUT,
    REFUSAL_UPSTREAM_TLS,  /* of a host that credentials are for */
    REFUSAL_PARENT_FAILED, /* the proxy of the host */
    REFUSAL_TOO_MANY,
    REFUSAL_LOGIN, /* the client shows no password, or another one */
    REFUSAL_COUNT
};

struct refusal_row {
    const char *id; /* "host-not-listed" ... */
    int status;     /* of HTTP; 0: no HTTP answer is possible (TLS) */
    int socks;      /* reply code of RFC 1928 */
};
/* Indexed by enum refusal_reason. */
extern const struct refusal_row refusal_rows[REFUSAL_COUNT];

/* Where the jail finds the proxy: a port of its loopback. */
#define PROXY_PORT 15919
/* Who a client is to a proxy that wants a password. */
#define PROXY_USER "ai-jail"

/* The flag that would allow it ("--allow-host example.org:8080"), or "" if none would. size >=
 * REFUSAL_FLAG_MAX. private_only: every answer was a private address. */
#define REFUSAL_FLAG_MAX (TARGET_TEXT_MAX + 48)
void refusal_flag(enum refusal_reason reason, const struct target *target, bool private_only,
                  char *text, size_t size);

/* Appends a whole HTTP/1.1 answer: status, X-Ai-Jail, and a body of four lines, at most 512 bytes.
 * target may be NULL (malformed). */
void refusal_http(struct buf *out, enum refusal_reason reason, const struct target *target,
                  bool private_only);
/* The same; detail (NULL: none) is said behind the reason. Nothing in it comes from outside. */
void refusal_http_detail(struct buf *out, enum refusal_reason reason, const struct target *target,
                         bool private_only, const char *detail);
/* Appends a TLS alert record (RFC 8446, 6): unrecognized_name or handshake_failure. */
void refusal_tls_alert(struct buf *out, enum refusal_reason reason);
