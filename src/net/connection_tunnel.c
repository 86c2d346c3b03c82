// SPDX-License-Identifier: GPL-3.0-only
/*
 * connection_tunnel: what happens once the target is connected.
 *
 * A tunnel to port 443 or 80 is told to the client as open, and the client's first bytes are held
 * until they have said whom they are for: the server name of TLS, or the Host of HTTP. Only then do
 * bytes go out. An absolute-form request was judged by its head already.
 */
#include "net/connection_tunnel.h"

#include "net/connection_secret.h"
#include "net/hello.h"

#include <errno.h>
#include <string.h>

#define CHECK_MS    10000
#define KEEPALIVE_S 60
#define TLS_RECORD  22

/* ---- both ways ---- */

static void on_flow_end(struct flow *flow)
{
    struct connection *connection = flow->owner;

    if (connection->up.is_ended && connection->down.is_ended)
        connection_close(connection);
}

/* What breaks off on one side breaks off on the other. But a client that was answered and went on
 * talking must be able to read the answer. */
void tunnel_on_error(struct flow *flow, int error)
{
    struct connection *connection = flow->owner;

    (void)error;
    if (connection->phase != PHASE_FLOW)
        return;
    if (flow == &connection->up && connection->down.is_ended) {
        connection_linger(connection);
        return;
    }
    if (!connection->down.is_ended)
        connection_reset(&connection->client);
    if (!connection->up.is_ended)
        connection_reset(&connection->upstream);
    connection_close(connection);
}

/* Where requests can be read. */
static ssize_t on_readable(struct flow *flow, const uint8_t *bytes, size_t len)
{
    return secret_allows_tunnel(flow->owner, bytes, len) ? (ssize_t)len : 0;
}

static const struct flow_events tunnel_events = {.on_end = on_flow_end,
                                                 .on_error = tunnel_on_error};
static const struct flow_events readable_events = {
    .on_bytes = on_readable, .on_end = on_flow_end, .on_error = tunnel_on_error};

static void start_flows(struct connection *connection, const struct flow_events *up,
                        const struct flow_events *down, uint8_t *first, size_t len)
{
    uv_stream_t *client = (uv_stream_t *)&connection->client;
    uv_stream_t *upstream = (uv_stream_t *)&connection->upstream;

    connection->phase = PHASE_FLOW;
    uv_timer_stop(&connection->timer);
    connection->up.from = connection->down.to = client;
    connection->up.to = connection->down.from = upstream;
    connection->up.events = up;
    connection->down.events = down;
    connection->up.owner = connection->down.owner = connection;
    connection->up.rooms = connection->down.rooms = proxy_rooms(connection->proxy);
    flow_start(&connection->down, NULL, 0);
    if (connection->phase == PHASE_FLOW)
        flow_start(&connection->up, first, len);
}

void tunnel_start_flows(struct connection *connection, const struct flow_events *up,
                        const struct flow_events *down)
{
    start_flows(connection, up, down, NULL, 0);
}

/* A tunnel whose first bytes were a request that can be read. */
static void start_readable(struct connection *connection)
{
    const struct buf *early = &connection->early;

    if (secret_allows_tunnel(connection, early->data, early->len))
        start_flows(connection, &readable_events, &tunnel_events, early->data, early->len);
}

static void start_tunnel(struct connection *connection)
{
    start_flows(connection, &tunnel_events, &tunnel_events, connection->early.data,
                connection->early.len);
}

/* ---- one request ---- */

static ssize_t on_body(struct flow *flow, const uint8_t *bytes, size_t len)
{
    struct connection *connection = flow->owner;
    size_t taken;

    if (!secret_allows_body(connection, bytes, len))
        return 0;
    taken = request_body_feed(&connection->body, bytes, len);
    /* What stands behind the body belongs to a second request, which is not served. */
    return connection->body.is_broken ? -EPROTO : (ssize_t)taken;
}

/* The client has nothing more to say; it waits for the answer. */
void tunnel_on_body_end(struct flow *flow)
{
    struct connection *connection = flow->owner;

    if (!connection->body.is_done || connection->down.is_ended)
        connection_close(connection);
}

static ssize_t on_answer(struct flow *flow, const uint8_t *bytes, size_t len)
{
    struct connection *connection = flow->owner;

    if (connection->response.is_body) {
        flow->instead = NULL;
        return (ssize_t)len;
    }
    buf_reset(&connection->answer);
    response_feed(&connection->response, bytes, len, &connection->answer);
    flow->instead = &connection->answer;
    return connection->response.is_broken ? -EPROTO : 0;
}

void tunnel_on_answer_end(struct flow *flow)
{
    connection_linger(flow->owner);
}

static const struct flow_events body_events = {
    .on_bytes = on_body, .on_end = tunnel_on_body_end, .on_error = tunnel_on_error};
static const struct flow_events answer_events = {
    .on_bytes = on_answer, .on_end = tunnel_on_answer_end, .on_error = tunnel_on_error};

/* The head, and of what came behind it what belongs to the body. */
static void start_request(struct connection *connection)
{
    struct buf *forward = &connection->request.forward;
    struct buf *early = &connection->early;
    size_t body;

    request_body_init(&connection->body, &connection->request);
    if (!secret_allows_body(connection, early->data, early->len))
        return;
    body = request_body_feed(&connection->body, early->data, early->len);
    if (connection->body.is_broken) {
        connection_refuse(connection, REFUSAL_MALFORMED, false);
        return;
    }
    connection->up.keeps_open = true;
    forward->max += early->len;
    buf_append(forward, early->data, body);
    if (forward->len > FLOW_SIZE) { /* a head and as many bytes as were read at once */
        connection_refuse(connection, REFUSAL_HEAD_TOO_LARGE, false);
        return;
    }
    start_flows(connection, &body_events, &answer_events, forward->data, forward->len);
}

/* ---- the content rule ---- */

static bool is_expected(const struct target *target, enum hello_verdict verdict, const char *name)
{
    if (verdict == HELLO_NO_NAME)
        return target->kind != TARGET_NAME;
    return verdict == HELLO_NAME && str_eq(name, target->name);
}

static void judge_hello(struct connection *connection)
{
    char name[TARGET_NAME_MAX + 1] = "";
    enum hello_verdict verdict = hello_judge(&connection->hello, connection->early.data,
                                             connection->early.len, name, sizeof(name));

    if (verdict == HELLO_MORE)
        return;
    if (is_expected(&connection->request.target, verdict, name))
        start_tunnel(connection);
    else
        connection_refuse(connection,
                          verdict == HELLO_NOT_TLS   ? REFUSAL_NOT_TLS
                          : verdict == HELLO_NO_NAME ? REFUSAL_SNI_MISSING
                                                     : REFUSAL_SNI_MISMATCH,
                          true);
}

/* What greets with a line of its own waits for an answer and sends no head. */
static bool begins_as_http(const struct buf *early)
{
    const uint8_t *end = memchr(early->data, '\n', early->len);

    return !end || memmem(early->data, (size_t)(end - early->data), " HTTP/1.", 8);
}

static void judge_host(struct connection *connection)
{
    int r = request_check_host(connection->early.data, connection->early.len,
                               &connection->request.target);

    if (r == 0 && !begins_as_http(&connection->early))
        r = -EINVAL;
    if (r == 1)
        start_readable(connection);
    else if (r < 0)
        connection_refuse(connection, r == -EPERM ? REFUSAL_HOST_HEADER : REFUSAL_MALFORMED, false);
}

static void judge(struct connection *connection)
{
    const struct buf *early = &connection->early;

    if (early->len == 0)
        return;
    if (connection->request.target.port == 443 || early->data[0] == TLS_RECORD)
        judge_hello(connection);
    else
        judge_host(connection);
}

static void on_check(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct connection *connection = stream->data;

    if (n < 0) {
        connection_close(connection);
    } else if (n > 0) {
        size_t room = FLOW_SIZE - connection->early.len;

        /* What does not fit is more than any first message: it is no ClientHello then. */
        if ((size_t)n > room) {
            connection_refuse(connection, REFUSAL_NOT_TLS, true);
            return;
        }
        buf_append(&connection->early, buf->base, (size_t)n);
        uv_read_stop(stream);
        judge(connection);
        if (connection->phase == PHASE_CHECK)
            uv_read_start(stream, connection_on_alloc, on_check);
    }
}

static void start_check(struct connection *connection)
{
    connection->phase = PHASE_CHECK;
    connection_set_timer(connection, CHECK_MS);
    judge(connection);
    if (connection->phase != PHASE_CHECK)
        return;
    connection->client.data = connection;
    if (uv_read_start((uv_stream_t *)&connection->client, connection_on_alloc, on_check) < 0)
        connection_close(connection);
}

/* The client may go on: a few bytes into a socket that has taken at most two so far. */
bool tunnel_say_open(struct connection *connection)
{
    static const char established[] = "HTTP/1.1 200 Connection established\r\n\r\n";
    struct buf *answer = &connection->answer;
    uv_buf_t bytes;

    buf_reset(answer);
    if (connection->request.kind == REQUEST_SOCKS)
        request_socks_reply(answer, 0);
    else
        buf_append_str(answer, established);
    bytes = uv_buf_init((char *)answer->data, (unsigned)answer->len);
    return uv_try_write((uv_stream_t *)&connection->client, &bytes, 1) == (int)answer->len;
}

void tunnel_open(struct connection *connection, bool is_free)
{
    uint16_t port = connection->request.target.port;

    uv_tcp_nodelay(&connection->upstream, 1);
    uv_tcp_keepalive(&connection->upstream, 1, KEEPALIVE_S);
    if (connection->door->kind != DOOR_PROXY)
        start_tunnel(connection);
    else if (connection->request.kind == REQUEST_HTTP)
        start_request(connection);
    else if (!tunnel_say_open(connection))
        connection_close(connection);
    else if (is_free || (port != 80 && port != 443))
        start_tunnel(connection);
    else
        start_check(connection);
}
