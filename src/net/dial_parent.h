// SPDX-License-Identifier: GPL-3.0-only
/*
 * dial_parent: dialling through a proxy of the host. Private to dial.c.
 */
#pragma once

#include "net/dial.h"

/* The target was decided on: finds the addresses of dial->through and connects. Nothing is judged:
 * whoever set the variable meant that proxy. */
void dial_parent_start(struct dial *dial);
/* Connected with the proxy: asks it for the target, by TLS where it wants that, then finishes. */
void dial_parent_connected(struct dial *dial);

/* dial.c, for this file. */
void dial_finish(struct dial *dial, enum refusal_reason reason);
/* Connects with one of the addresses that the struct has. */
void dial_connect(struct dial *dial);
/* Adds one of them as it is; what is no IP address or too many is left out. */
void dial_add_address(struct dial *dial, const struct sockaddr *address, size_t size,
                      uint16_t port);
/* The same with an address that was named; target is no name. */
void dial_add_literal(struct dial *dial, const struct target *target);
