// SPDX-License-Identifier: GPL-3.0-only
/*
 * connection: one client of the proxy: its request, its answer, its end.
 *
 * A connection is freed when nothing of libuv needs it any more: every open handle and every request
 * that may still call back counts in pending. What happens once the target is connected is
 * connection_tunnel.c.
 */
#include "net/connection.h"

#include "net/connection_secret.h"
#include "net/connection_tunnel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_MS     10000
#define LINGER_MS   1000 /* for the client to read a refusal */
#define ANSWER_MAX  (4 * KIB)
#define KEEPALIVE_S 60
/* That are told that there are too many; more are closed without a word. */
#define TURNED_AWAY_MAX 64

/* ---- the end ---- */

static void release(struct connection *connection)
{
    if (--connection->pending)
        return;
    request_free(&connection->request);
    response_free(&connection->response);
    secret_free(connection->leg);
    buf_free(&connection->early);
    buf_free(&connection->answer);
    free(connection);
}

static void on_handle_closed(uv_handle_t *handle)
{
    release(handle->data);
}

static void on_dial_idle(struct dial *dial)
{
    release(dial->owner);
}

static void close_handle(struct connection *connection, uv_handle_t *handle)
{
    handle->data = connection;
    uv_close(handle, on_handle_closed);
}

void connection_close(struct connection *connection)
{
    bool is_abort = connection->phase == PHASE_FLOW && !connection->up.is_ended;
    bool dial_pends;

    if (connection->phase == PHASE_CLOSED)
        return;
    proxy_remove(connection->proxy, connection);
    /* A handle between two attempts closes by itself; one that is open is ours to close. */
    dial_pends = connection->dial.owner && dial_cancel(&connection->dial, is_abort);
    if (dial_pends)
        connection->pending++;
    else if (connection->dial.has_handle)
        connection->has_upstream = true;
    connection->phase = PHASE_CLOSED;
    if (connection->has_upstream) {
        connection->pending++;
        close_handle(connection, (uv_handle_t *)&connection->upstream);
    }
    close_handle(connection, (uv_handle_t *)&connection->client);
    close_handle(connection, (uv_handle_t *)&connection->timer);
}

static void on_timeout(uv_timer_t *timer)
{
    connection_close(timer->data);
}

void connection_set_timer(struct connection *connection, unsigned ms)
{
    connection->timer.data = connection;
    uv_timer_start(&connection->timer, on_timeout, ms, 0);
}

/* ---- refusing ---- */

void connection_on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct connection *connection = handle->data;
    size_t size;
    uint8_t *bytes = rooms_lend(proxy_rooms(connection->proxy), &size);

    (void)suggested;
    *buf = uv_buf_init((char *)bytes, FLOW_SIZE);
}

/* Bytes that nobody reads would turn the end into a reset, and the answer would be lost. */
static void on_discard(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    (void)buf;
    if (n < 0)
        connection_close(stream->data);
}

void connection_linger(struct connection *connection)
{
    uv_os_fd_t fd;

    connection->phase = PHASE_REFUSING;
    if (connection->has_upstream) {
        connection->has_upstream = false;
        connection->dial.has_handle = false;
        connection->pending++;
        close_handle(connection, (uv_handle_t *)&connection->upstream);
    }
    if (uv_fileno((uv_handle_t *)&connection->client, &fd) < 0) {
        connection_close(connection);
        return;
    }
    shutdown(fd, SHUT_WR);
    connection_set_timer(connection, LINGER_MS);
    uv_read_stop((uv_stream_t *)&connection->client);
    connection->client.data = connection;
    uv_read_start((uv_stream_t *)&connection->client, connection_on_alloc, on_discard);
}

static void on_answered(uv_write_t *write, int status)
{
    struct connection *connection = write->data;

    if (connection->phase == PHASE_CLOSED)
        return;
    if (status < 0)
        connection_close(connection);
    else
        connection_linger(connection);
}

/* Sends what is in answer and closes. */
static void send_answer(struct connection *connection)
{
    uv_buf_t bytes = uv_buf_init((char *)connection->answer.data, (unsigned)connection->answer.len);

    connection->phase = PHASE_REFUSING;
    uv_read_stop((uv_stream_t *)&connection->client);
    uv_timer_stop(&connection->timer);
    connection->write.data = connection;
    if (uv_write(&connection->write, (uv_stream_t *)&connection->client, &bytes, 1, on_answered) <
        0)
        connection_close(connection);
}

void connection_reset(uv_tcp_t *tcp)
{
    const struct linger reset = {.l_onoff = 1};
    uv_os_fd_t fd;

    if (uv_fileno((uv_handle_t *)tcp, &fd) == 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
}

void connection_refuse(struct connection *connection, enum refusal_reason reason, bool as_tls)
{
    const struct request *request = &connection->request;
    const struct target *target = request->has_target ? &request->target : NULL;
    bool private_only = connection->dial.private_only && reason == REFUSAL_ADDRESS;
    char detail[DIAL_DETAIL_MAX];

    connection->refused = reason;
    if (connection->door->kind != DOOR_PROXY) { /* there are no words for it */
        if (reason != REFUSAL_TOO_MANY)
            proxy_note_closed(connection->proxy, connection->door);
        connection_reset(&connection->client);
        connection_close(connection);
        return;
    }
    if (reason != REFUSAL_LOGIN) /* some clients are asked for it each time */
        proxy_note_refusal(connection->proxy, target, reason, private_only);
    buf_reset(&connection->answer);
    if (as_tls)
        refusal_tls_alert(&connection->answer, reason);
    else if (request->kind == REQUEST_SOCKS && connection->phase < PHASE_CHECK)
        request_socks_reply(&connection->answer,
                            request->socks_code ? request->socks_code : refusal_rows[reason].socks);
    else
        refusal_http_detail(&connection->answer, reason, target, private_only,
                            reason == REFUSAL_PARENT_FAILED
                                ? dial_detail(&connection->dial, detail, sizeof(detail))
                            : reason == REFUSAL_UPSTREAM_TLS ? secret_fault(connection->leg)
                                                             : NULL);
    send_answer(connection);
}

/* ---- the target ---- */

static void on_dialled(struct dial *dial, enum refusal_reason reason)
{
    struct connection *connection = dial->owner;

    if (reason != REFUSAL_NONE) {
        connection_refuse(connection, reason, false);
        return;
    }
    connection->has_upstream = true;
    if (connection->leg)
        secret_open(connection);
    else
        tunnel_open(connection, dial->decision.is_raw);
}

static void on_dial_broken(struct dial *dial, enum refusal_reason reason)
{
    struct connection *connection = dial->owner;
    bool is_refused = reason == REFUSAL_ADDRESS;

    if (connection->phase == PHASE_FLOW && !is_refused)
        tunnel_on_error(&connection->up, UV_ECONNRESET);
    if (!is_refused || connection->phase < PHASE_TLS || connection->phase > PHASE_FLOW)
        return;
    connection->refused = reason;
    proxy_note_refusal(connection->proxy, &connection->request.target, reason, dial->private_only);
    connection_reset(&connection->client);
    connection_reset(&connection->upstream);
    connection_close(connection);
}

static void prepare_dial(struct connection *connection)
{
    struct proxy_facts facts = proxy_facts(connection->proxy);

    connection->phase = PHASE_DIAL;
    connection->dial = (struct dial){
        .loop = facts.loop,
        .resolver = facts.resolver,
        .list = facts.list,
        .parents = facts.parents,
        .own = facts.own,
        .silent = facts.silent,
        .tls = facts.tls,
        .tls_legs = facts.tls_legs,
        .upstream = &connection->upstream,
        .timer = &connection->timer,
        .on_done = on_dialled,
        .on_broken = on_dial_broken,
        .on_idle = on_dial_idle,
        .owner = connection,
    };
}

/* Where the door leads: to that port and no other. */
static void pass_door(struct connection *connection)
{
    if (connection->door->kind == DOOR_PUBLISH) {
        connection->phase = PHASE_INSIDE;
        proxy_ask_inside(connection->proxy, connection->id, connection->door->port);
        return;
    }
    prepare_dial(connection);
    dial_start_loopback(&connection->dial, connection->door->port);
}

static void find_target(struct connection *connection)
{
    const struct target *target = &connection->request.target;
    struct target dialled;

    uv_read_stop((uv_stream_t *)&connection->client);
    uv_timer_stop(&connection->timer);
    if (target_is_own_loopback(target)) {
        connection->phase = PHASE_INSIDE;
        if (target->port == PROXY_PORT || !proxy_facts(connection->proxy).has_inside)
            connection_refuse(connection, REFUSAL_LOOPBACK_CLOSED, false);
        else
            proxy_ask_inside(connection->proxy, connection->id, target->port);
        return;
    }
    dialled = secret_prepare(connection);
    if (!connection->leg && connection->request.kind == REQUEST_HTTP &&
        !secret_allows_head(connection, connection->request.head.data,
                            connection->request.head.len))
        return;
    prepare_dial(connection);
    dial_start(&connection->dial, &dialled);
}

void connection_inside(struct connection *connection, int fd, int error)
{
    struct proxy_facts facts = proxy_facts(connection->proxy);

    if (connection->phase != PHASE_INSIDE || fd < 0) {
        if (fd >= 0)
            close(fd);
        if (connection->phase == PHASE_INSIDE)
            connection_refuse(connection,
                              error == ETIMEDOUT ? REFUSAL_CONNECT_TIMEOUT : REFUSAL_CONNECT_FAILED,
                              false);
        return;
    }
    uv_tcp_init(facts.loop, &connection->upstream);
    connection->has_upstream = true;
    if (uv_tcp_open(&connection->upstream, fd) < 0) {
        close(fd);
        connection_refuse(connection, REFUSAL_CONNECT_FAILED, false);
        return;
    }
    tunnel_open(connection, true);
}

/* ---- the head ---- */

static void on_head_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    connection_on_alloc(handle, suggested, buf);
    /* Half of it: the head is written anew, perhaps longer, and goes out with what came behind. */
    buf->len /= 2;
}

/* The method answer of SOCKS: two bytes into an empty socket. */
static bool send_reply(struct connection *connection)
{
    struct buf *reply = &connection->request.reply;
    uv_buf_t bytes = uv_buf_init((char *)reply->data, (unsigned)reply->len);
    bool sent = uv_try_write((uv_stream_t *)&connection->client, &bytes, 1) == (int)reply->len;

    buf_reset(reply);
    return sent;
}

static void take_head(struct connection *connection, const uint8_t *bytes, size_t len)
{
    struct request *request = &connection->request;

    while (len > 0) {
        size_t taken = request_feed(request, bytes, len);

        bytes += taken;
        len -= taken;
        if (request->reply.len && !send_reply(connection))
            request->state = REQUEST_CLOSE;
        if (request->state != REQUEST_REPLY)
            break;
    }
    if (request->state == REQUEST_CLOSE) {
        proxy_note_refusal(connection->proxy, NULL, REFUSAL_MALFORMED, false);
        connection_close(connection);
    } else if (request->state == REQUEST_REFUSED) {
        connection_refuse(connection, request->reason, false);
    } else if (request->state == REQUEST_DONE) {
        if (buf_append(&connection->early, bytes, len) < 0)
            connection_refuse(connection, REFUSAL_MALFORMED, false);
        else
            find_target(connection);
    }
}

static void on_head(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct connection *connection = stream->data;

    if (n < 0)
        connection_close(connection);
    else if (n > 0)
        take_head(connection, (const uint8_t *)buf->base, (size_t)n);
}

static void on_head_timeout(uv_timer_t *timer)
{
    struct connection *connection = timer->data;

    if (connection->request.kind == REQUEST_UNKNOWN)
        connection_close(connection);
    else
        connection_refuse(connection, REFUSAL_HEAD_TIMEOUT, false);
}

static struct connection *make(struct proxy *proxy)
{
    struct connection *connection = xcalloc(1, sizeof(*connection));
    struct proxy_facts facts = proxy_facts(proxy);

    connection->proxy = proxy;
    connection->pending = 2; /* client and timer */
    connection->began_ms = uv_now(facts.loop);
    uv_tcp_init(facts.loop, &connection->client);
    uv_timer_init(facts.loop, &connection->timer);
    connection->client.data = connection;
    connection->timer.data = connection;
    request_init(&connection->request);
    connection->request.password = facts.password;
    response_init(&connection->response);
    buf_init(&connection->early, FLOW_SIZE);
    buf_init(&connection->answer, FLOW_SIZE + RESPONSE_HEAD_MAX + ANSWER_MAX);
    return connection;
}

void connection_accept(struct proxy *proxy, const struct door *door, int fd)
{
    size_t others = proxy_count(proxy);
    struct connection *connection;

    if (others >= PROXY_CONNECTIONS_MAX + TURNED_AWAY_MAX) {
        close(fd);
        return;
    }
    connection = make(proxy);
    connection->door = door;
    proxy_add(proxy, connection);
    if (uv_tcp_open(&connection->client, fd) < 0) {
        close(fd);
        connection_close(connection);
        return;
    }
    uv_tcp_nodelay(&connection->client, 1);
    uv_tcp_keepalive(&connection->client, 1, KEEPALIVE_S);
    if (others >= PROXY_CONNECTIONS_MAX) {
        connection->request.kind = REQUEST_HTTP;
        connection_refuse(connection, REFUSAL_TOO_MANY, false);
        return;
    }
    if (door->kind != DOOR_PROXY) {
        pass_door(connection);
        return;
    }
    uv_timer_start(&connection->timer, on_head_timeout, HEAD_MS, 0);
    if (uv_read_start((uv_stream_t *)&connection->client, on_head_alloc, on_head) < 0)
        connection_close(connection);
}
