// SPDX-License-Identifier: GPL-3.0-only
/*
 * dial_parent: dialling through a proxy of the host. Private to dial.c.
 */
#pragma once

#include "net/dial.h"

/* The target was decided on: finds the addresses of dial->through and connects. Nothing is judged:
 * whoever set the variable meant that proxy. */
void dial_parent_start(struct dial *dial);
/* Connected with the proxy: asks it for the target, then finishes. */
void dial_parent_talk(struct dial *dial);

/* dial.c, for this file. */
void dial_finish(struct dial *dial, enum refusal_reason reason);
/* Connects with one of the addresses that the struct has. */
void dial_connect(struct dial *dial);
/* Adds one of them as it is; what is no IP address or too many is left out. */
void dial_add_address(struct dial *dial, const struct sockaddr *address, size_t size,
                      uint16_t port);
/* In both families, at most 10 s. */
void dial_resolve(struct dial *dial, const char *name, resolve_done_fn *done,
                  uv_timer_cb on_timeout);
