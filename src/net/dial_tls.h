// SPDX-License-Identifier: GPL-3.0-only
/*
 * dial_tls: TLS with a proxy of the host, for whoever talks to that proxy as if there were none.
 *
 *   dial, connection ══ plain socket ══ dial_tls ══ TLS over TCP ══ proxy
 *
 * A pair of local sockets stands where the connection would be: everything that is said to a proxy
 * of http:// is said to one of https:// by the same code, and what goes on inside (a tunnel, a
 * request, TLS to the origin) need not know. Nothing is read of the plain side before the proxy has
 * proved its name.
 */
#pragma once

#include "net/tls.h"

#include <uv.h>

struct dial_tls;

/* Everything is over: the handshake failed (why: static text), or what was open broke off. The
 * struct is gone for the caller. */
typedef void dial_tls_broken_fn(void *arg, const char *why);

/*
 * Speaks TLS to the proxy of that name over fd, which is connected and becomes its own, also on
 * failure. *plain: a stream socket, the caller's, whose other end is in here. list: of those that
 * are alive, for dial_tls_close_all(); NULL in the beginning. NULL: no memory or descriptors.
 */
struct dial_tls *dial_tls_open(struct dial_tls **list, uv_loop_t *loop, struct tls *tls,
                               const char *host, int fd, int *plain, dial_tls_broken_fn *on_broken,
                               void *arg);
/* The proxy has proved its name. */
bool dial_tls_is_proved(const struct dial_tls *leg);
/* The caller closes plain now, and hears nothing more. What was written to it still goes out, for a
 * few seconds; with is_abort nothing does, and the connection is reset. */
void dial_tls_leave(struct dial_tls *leg, bool is_abort);
/* Without waiting for anything; the loop has to run until their handles are closed. */
void dial_tls_close_all(struct dial_tls **list);
