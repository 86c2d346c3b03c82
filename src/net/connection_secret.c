// SPDX-License-Identifier: GPL-3.0-only
/*
 * connection_secret: requests to a host that credentials are for, and placeholders in the others.
 *
 *   PHASE_TLS    the upstream is connected; the handshake proves who it is
 *   PHASE_CHECK  in a tunnel: it is told to the client as open, and the request's head is read
 *   PHASE_FLOW   the body goes up, the answer comes down, both through TLS
 *
 * Nothing of the request is sent before the server has proved its name. The values are in memory of
 * the heap only from the moment the head is written until TLS has taken it, and wiped then.
 */
#include "net/connection_secret.h"

#include "base/os.h"
#include "net/connection_tunnel.h"
#include "net/credential.h"
#include "net/tls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define TLS_MS      10000
#define CHECK_MS    10000
#define HTTP_PORT   80
#define HTTPS_PORT  443
#define PIECE_BYTES (16 * KIB) /* of a record of TLS */
#define CIPHER_MAX  (2 * FLOW_SIZE + CREDENTIAL_REQUEST_MAX)
/* Of what TLS itself answers during one connection, such as updates of keys: nobody waits until the
 * server has read it. */
#define ANSWERED_MAX (64 * KIB)

struct secret_leg {
    struct tls_session *tls;
    const char *fault;
    struct request inner; /* in a tunnel */
    struct buf cipher;    /* of the body that has just arrived, for the server */
    size_t answered;      /* bytes that TLS itself had to say since the request */
    uint8_t piece[PIECE_BYTES];
};

void secret_free(struct secret_leg *leg)
{
    if (!leg)
        return;
    tls_close(leg->tls);
    request_free(&leg->inner);
    buf_free(&leg->cipher);
    free(leg);
}

const char *secret_fault(const struct secret_leg *leg)
{
    return leg ? leg->fault : NULL;
}

/* ---- placeholders that are not for this host ---- */

static const struct credentials *credentials_of(const struct connection *connection)
{
    return proxy_facts(connection->proxy).credentials;
}

/* The host whose placeholders may be in the request, or NULL. */
static const char *own_host(const struct connection *connection)
{
    return connection->leg ? connection->request.target.name : NULL;
}

/* The client hears why if it has not begun to hear something else. */
static void refuse_stray(struct connection *connection, const struct credential *stray)
{
    proxy_note_secret(connection->proxy, stray, &connection->request.target, false);
    if (connection->phase == PHASE_FLOW) {
        uv_read_stop((uv_stream_t *)&connection->upstream);
        if (connection->down.bytes) {
            connection_reset(&connection->client);
            connection_close(connection);
            return;
        }
    }
    connection_refuse(connection, REFUSAL_PLACEHOLDER, false);
}

static bool allows(struct connection *connection, const struct credential *stray)
{
    if (stray)
        refuse_stray(connection, stray);
    return !stray;
}

bool secret_allows_head(struct connection *connection, const void *bytes, size_t len)
{
    const struct credentials *list = credentials_of(connection);

    return !list || allows(connection, credentials_stray(list, own_host(connection), bytes, len));
}

bool secret_allows_tunnel(struct connection *connection, const uint8_t *bytes, size_t len)
{
    const struct credentials *list = credentials_of(connection);

    return !list || connection->request.target.port != HTTP_PORT ||
           allows(connection, credential_scan(list, &connection->scan, NULL, bytes, len));
}

/* Of a chunked body the content alone: what stands between two chunks is not between two bytes. */
bool secret_allows_body(struct connection *connection, const uint8_t *bytes, size_t len)
{
    const struct credentials *list = credentials_of(connection);
    struct credential_scan *scan = &connection->scan;
    struct request_body body = connection->body; /* a copy: the caller feeds the true one */
    const struct credential *stray = NULL;

    while (list && len > 0 && !stray && scan->seen < CREDENTIAL_BODY_MAX && !body.is_done &&
           !body.is_broken) {
        uint64_t content = request_body_content(&body);
        size_t part = content == 0 ? 1 : content < len ? (size_t)content : len;

        if (content)
            stray = credential_scan(list, scan, own_host(connection), bytes, part);
        request_body_feed(&body, bytes, part);
        bytes += part;
        len -= part;
    }
    return allows(connection, stray);
}

/* ---- what goes to the server ---- */

struct sending {
    uv_write_t write;
    struct buf bytes;
};

static void on_sent(uv_write_t *write, int status)
{
    struct sending *sending = write->data;

    (void)status; /* what fails is seen by whoever reads */
    buf_free(&sending->bytes);
    free(sending);
}

/* Sends what TLS has ready, behind everything that was sent before. How many bytes, or -EPROTO. */
static int send_ready(struct connection *connection)
{
    struct sending *sending = xcalloc(1, sizeof(*sending));
    int len;
    uv_buf_t bytes;

    buf_init(&sending->bytes, CIPHER_MAX);
    sending->write.data = sending;
    if (tls_take(connection->leg->tls, &sending->bytes) < 0 || sending->bytes.len == 0) {
        bool is_full = sending->bytes.overflow;

        on_sent(&sending->write, 0);
        return is_full ? -EPROTO : 0;
    }
    len = (int)sending->bytes.len;
    bytes = uv_buf_init((char *)sending->bytes.data, (unsigned)len);
    if (uv_write(&sending->write, (uv_stream_t *)&connection->upstream, &bytes, 1, on_sent) == 0)
        return len;
    on_sent(&sending->write, 0);
    return -EPROTO;
}

/* ---- the flows ---- */

static ssize_t on_body(struct flow *flow, const uint8_t *bytes, size_t len)
{
    struct connection *connection = flow->owner;
    struct secret_leg *leg = connection->leg;
    size_t taken;

    buf_reset(&leg->cipher);
    flow->instead = &leg->cipher;
    if (!secret_allows_body(connection, bytes, len))
        return 0;
    taken = request_body_feed(&connection->body, bytes, len);
    if (connection->body.is_broken || tls_write(leg->tls, bytes, taken) < 0 ||
        tls_take(leg->tls, &leg->cipher) < 0)
        return -EPROTO;
    return (ssize_t)taken;
}

/* The server has said everything; it may keep the socket open for an answer to that. */
static void end_upstream(struct connection *connection)
{
    uv_os_fd_t fd;

    if (uv_fileno((uv_handle_t *)&connection->upstream, &fd) == 0)
        shutdown(fd, SHUT_RDWR);
}

/* What the server's bytes made TLS say. A server that wants more of it than any would has broken the
 * connection. */
static int answer_server(struct connection *connection)
{
    int len = send_ready(connection);

    if (len > 0)
        connection->leg->answered += (size_t)len;
    return len < 0 || connection->leg->answered > ANSWERED_MAX ? -EPROTO : 0;
}

static ssize_t on_answer(struct flow *flow, const uint8_t *bytes, size_t len)
{
    struct connection *connection = flow->owner;
    struct secret_leg *leg = connection->leg;
    ssize_t n;

    buf_reset(&connection->answer);
    flow->instead = &connection->answer;
    if (tls_feed(leg->tls, bytes, len) < 0)
        return -EPROTO;
    while ((n = tls_read(leg->tls, leg->piece, sizeof(leg->piece))) > 0)
        response_feed(&connection->response, leg->piece, (size_t)n, &connection->answer);
    if (n == -EPIPE)
        end_upstream(connection);
    else if (n < 0 || answer_server(connection) < 0)
        return -EPROTO;
    return connection->response.is_broken || connection->answer.overflow ? -EPROTO : 0;
}

static const struct flow_events body_events = {
    .on_bytes = on_body, .on_end = tunnel_on_body_end, .on_error = tunnel_on_error};
static const struct flow_events answer_events = {
    .on_bytes = on_answer, .on_end = tunnel_on_answer_end, .on_error = tunnel_on_error};

/* ---- the request ---- */

static void note_used(struct connection *connection, uint32_t used)
{
    const struct credentials *list = credentials_of(connection);

    for (size_t i = 0; i < list->n; i++)
        if (used & 1u << i)
            proxy_note_secret(connection->proxy, &list->v[i], &connection->request.target, true);
}

/* The head with its values, into TLS. 0, -ENOSPC or -EPROTO. */
static int write_head(struct connection *connection, const struct buf *head)
{
    struct buf plain;
    uint32_t used;
    int r;

    buf_init(&plain, CREDENTIAL_REQUEST_MAX);
    buf_reserve(&plain, CREDENTIAL_REQUEST_MAX); /* at once: a buffer that moves leaves copies */
    r = credentials_insert(credentials_of(connection), own_host(connection),
                           (const char *)head->data, head->len, &plain, &used);
    if (r == 0)
        r = tls_write(connection->leg->tls, plain.data, plain.len);
    if (r == 0)
        note_used(connection, used);
    os_wipe(plain.data, plain.cap);
    buf_free(&plain);
    return r;
}

/* request was judged; what came behind its head is in early. */
static void start_request(struct connection *connection, const struct request *request)
{
    struct buf *early = &connection->early;
    size_t body;
    int r;

    request_body_init(&connection->body, request);
    if (!secret_allows_head(connection, request->head.data, request->head.len) ||
        !secret_allows_body(connection, early->data, early->len))
        return;
    body = request_body_feed(&connection->body, early->data, early->len);
    if (connection->body.is_broken) {
        connection_refuse(connection, REFUSAL_MALFORMED, false);
        return;
    }
    r = write_head(connection, &request->forward);
    if (r == 0)
        r = tls_write(connection->leg->tls, early->data, body);
    if (r == 0)
        r = send_ready(connection);
    if (r < 0) {
        connection_refuse(connection,
                          r == -ENOSPC ? REFUSAL_HEAD_TOO_LARGE : REFUSAL_CONNECT_FAILED, false);
        return;
    }
    connection->up.keeps_open = true;
    tunnel_start_flows(connection, &body_events, &answer_events);
}

/* ---- in a tunnel ---- */

static void take_inner(struct connection *connection)
{
    struct request *inner = &connection->leg->inner;
    struct buf *early = &connection->early;

    buf_consume(early, request_feed(inner, early->data, early->len));
    if (inner->state == REQUEST_REFUSED)
        connection_refuse(connection, inner->reason, false);
    else if (inner->state == REQUEST_CLOSE)
        connection_refuse(connection, REFUSAL_MALFORMED, false);
    else if (inner->state == REQUEST_DONE)
        start_request(connection, inner);
}

static void on_inner(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct connection *connection = stream->data;

    if (n < 0) {
        connection_close(connection);
    } else if (n > 0) {
        uv_read_stop(stream);
        if (buf_append(&connection->early, buf->base, (size_t)n) < 0)
            connection_refuse(connection, REFUSAL_HEAD_TOO_LARGE, false);
        else
            take_inner(connection);
        if (connection->phase == PHASE_CHECK)
            uv_read_start(stream, connection_on_alloc, on_inner);
    }
}

static void on_inner_timeout(uv_timer_t *timer)
{
    connection_refuse(timer->data, REFUSAL_HEAD_TIMEOUT, false);
}

static void start_inner(struct connection *connection)
{
    connection->phase = PHASE_CHECK;
    uv_timer_start(&connection->timer, on_inner_timeout, CHECK_MS, 0);
    take_inner(connection);
    if (connection->phase != PHASE_CHECK)
        return;
    connection->client.data = connection;
    if (uv_read_start((uv_stream_t *)&connection->client, connection_on_alloc, on_inner) < 0)
        connection_close(connection);
}

/* ---- the handshake ---- */

static void on_proved(struct connection *connection)
{
    uv_read_stop((uv_stream_t *)&connection->upstream);
    uv_timer_stop(&connection->timer);
    if (connection->request.kind == REQUEST_HTTP)
        start_request(connection, &connection->request);
    else if (tunnel_say_open(connection))
        start_inner(connection);
    else
        connection_close(connection);
}

static void fail(struct connection *connection, const char *fault)
{
    uv_read_stop((uv_stream_t *)&connection->upstream);
    uv_timer_stop(&connection->timer);
    connection->leg->fault = fault;
    proxy_note_unproved(connection->proxy, &connection->request.target, fault);
    connection_refuse(connection, REFUSAL_UPSTREAM_TLS, false);
}

static void shake_hands(struct connection *connection)
{
    struct tls_session *tls = connection->leg->tls;
    int r = tls_handshake(tls);
    int sent = send_ready(connection); /* also what the server is to hear of a failure */

    if (r < 0)
        fail(connection, tls_fault(tls));
    else if (sent < 0)
        fail(connection, "the connection broke");
    else if (r == 1)
        on_proved(connection);
}

static void on_shake(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct connection *connection = stream->data;

    if (connection->phase != PHASE_TLS)
        return;
    if (n < 0)
        fail(connection, "the server ended the handshake");
    else if (n > 0 && tls_feed(connection->leg->tls, buf->base, (size_t)n) < 0)
        fail(connection, "out of memory");
    else if (n > 0)
        shake_hands(connection);
}

static void on_shake_timeout(uv_timer_t *timer)
{
    fail(timer->data, "no handshake within 10 s");
}

void secret_open(struct connection *connection)
{
    connection->phase = PHASE_TLS;
    connection->timer.data = connection;
    connection->upstream.data = connection;
    uv_timer_start(&connection->timer, on_shake_timeout, TLS_MS, 0);
    if (uv_read_start((uv_stream_t *)&connection->upstream, connection_on_alloc, on_shake) < 0)
        fail(connection, "the connection broke");
    else
        shake_hands(connection);
}

struct target secret_prepare(struct connection *connection)
{
    struct proxy_facts facts = proxy_facts(connection->proxy);
    struct target target = connection->request.target;
    struct secret_leg *leg;

    if (!facts.credentials || target.kind != TARGET_NAME || target.port != HTTP_PORT ||
        !credentials_have_host(facts.credentials, target.name))
        return target;
    leg = xcalloc(1, sizeof(*leg));
    leg->tls = tls_open(facts.tls, target.name);
    assert(leg->tls); /* memory alone can be the reason */
    request_init_inner(&leg->inner, &target);
    buf_init(&leg->cipher, CIPHER_MAX);
    /* What one read may become: a head that was kept, and records that were not whole. */
    connection->answer.max = 2 * (FLOW_SIZE + RESPONSE_HEAD_MAX);
    connection->leg = leg;
    target.port = HTTPS_PORT;
    return target;
}
