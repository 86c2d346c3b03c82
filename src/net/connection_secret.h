// SPDX-License-Identifier: GPL-3.0-only
/*
 * connection_secret: requests to a host that credentials are for, and placeholders in the others.
 *
 * A request by plain HTTP, in absolute form or in a tunnel to port 80, to a host that a credential is
 * bound to goes out by TLS to port 443 of that host: the server proves who it is before it is sent
 * anything, and only then values take the place of placeholders in the head. One request for each
 * connection, as everywhere in this proxy.
 *
 * Wherever else a request can be read, a placeholder in it that is not for its host ends it.
 */
#pragma once

#include "net/connection.h"

struct secret_leg; /* what such a request needs beside the connection */

/* The target to dial: of a host that credentials are bound to port 443, and the connection has a leg
 * from now on; else the request's own. */
struct target secret_prepare(struct connection *connection);
/* The connection with a leg is connected: handshake, then the request. */
void secret_open(struct connection *connection);
/* NULL is fine. */
void secret_free(struct secret_leg *leg);
/* Why TLS failed, for a refusal: static text, or NULL. */
const char *secret_fault(const struct secret_leg *leg);

/* Looks at the raw head of a request. False: it held a placeholder for another host, and has been
 * refused. */
bool secret_allows_head(struct connection *connection, const void *bytes, size_t len);
/* The same for the next bytes of a body that belongs to connection->body, before they are fed to it. */
bool secret_allows_body(struct connection *connection, const uint8_t *bytes, size_t len);
/* The same for the next bytes of a tunnel to port 80, in which requests follow one another. */
bool secret_allows_tunnel(struct connection *connection, const uint8_t *bytes, size_t len);
