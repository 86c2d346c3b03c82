// SPDX-License-Identifier: GPL-3.0-only
/*
 * connection_tunnel: a connection whose target is connected. Private to connection*.c.
 */
#pragma once

#include "net/connection.h"

/* The upstream is connected. is_free: no content rule. */
void tunnel_open(struct connection *connection, bool is_free);

/* For connection_secret.c. The two directions of one request, the client's bytes first; the head has
 * been sent. */
void tunnel_start_flows(struct connection *connection, const struct flow_events *up,
                        const struct flow_events *down);
/* Of a CONNECT or a SOCKS request: the client may go on. False: it is not there. */
bool tunnel_say_open(struct connection *connection);
/* What happens at the ends of those directions. */
void tunnel_on_error(struct flow *flow, int error);
void tunnel_on_body_end(struct flow *flow);
void tunnel_on_answer_end(struct flow *flow);

/* connection.c, for both. as_tls: a TLS alert instead of an answer in words. */
void connection_refuse(struct connection *connection, enum refusal_reason reason, bool as_tls);
/* What is closed from now on is closed with a reset. */
void connection_reset(uv_tcp_t *tcp);
/* The client has got its answer, perhaps before it had said everything: lets it read that, then
 * closes. The upstream is closed at once. */
void connection_linger(struct connection *connection);
/* Memory for a read of one of its streams: FLOW_SIZE. */
void connection_on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf);
/* Closes the connection after so many milliseconds. */
void connection_set_timer(struct connection *connection, unsigned ms);
