// SPDX-License-Identifier: GPL-3.0-only
/*
 * Requests to the proxy: each is fed whole, byte by byte and cut in two at every place, and always
 * means the same; hostile heads mean nothing (P-NET-6, P-NET-9, P-NET-16).
 */
#include "net/request.h"

#include "support/test.h"

#include <errno.h>
#include <string.h>

#define BYTES(text) text, sizeof(text) - 1

/* What one way of feeding led to. */
struct outcome {
    enum request_state state;
    enum refusal_reason reason;
    size_t taken;
    char target[TARGET_TEXT_MAX]; /* "" if there is none */
    int socks_code;
    char reply[64];
    size_t reply_len;
    char forward[16 * KIB];
    uint64_t length;
    bool has_length;
    bool is_chunked;
};

/* Parts of exactly these bytes, each in memory of its own. */
static void feed_part(struct request *request, struct outcome *outcome, const char *bytes,
                      size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);
    size_t at = 0;

    memcpy(copy, bytes, len);
    while (at < len && (request->state == REQUEST_MORE || request->state == REQUEST_REPLY)) {
        size_t taken = request_feed(request, copy + at, len - at);

        assert_true(taken <= len - at);
        assert_true(taken > 0 || request->state == REQUEST_CLOSE);
        at += taken;
        outcome->taken += taken;
    }
    free(copy);
}

static void finish(struct request *request, struct outcome *outcome)
{
    outcome->state = request->state;
    outcome->reason = request->reason;
    outcome->socks_code = request->socks_code;
    if (request->has_target)
        target_format(&request->target, outcome->target, sizeof(outcome->target));
    outcome->reply_len = request->reply.len;
    if (request->reply.len)
        memcpy(outcome->reply, request->reply.data, request->reply.len);
    assert_true(request->forward.len < sizeof(outcome->forward));
    strcpy(outcome->forward, buf_cstr(&request->forward));
    outcome->has_length = request->has_length;
    outcome->is_chunked = request->is_chunked;
    outcome->length = request->length;
    request_free(request);
}

static const char *password; /* that requests must show */

/* The first cut bytes, then the others; step 1: byte by byte. */
static struct outcome feed(const char *bytes, size_t len, size_t cut, size_t step)
{
    struct request request;
    struct outcome outcome;

    memset(&outcome, 0, sizeof(outcome));
    request_init(&request);
    request.password = password;
    feed_part(&request, &outcome, bytes, cut);
    for (size_t at = cut; at < len; at += step)
        feed_part(&request, &outcome, bytes + at, step < len - at ? step : len - at);
    finish(&request, &outcome);
    return outcome;
}

static struct outcome feed_all_ways(const char *label, const char *bytes, size_t len)
{
    struct outcome whole = feed(bytes, len, len, 1);

    for (size_t cut = 0; cut <= len; cut++) {
        struct outcome cut_once = feed(bytes, len, cut, cut ? len : 1);

        if (memcmp(&whole, &cut_once, sizeof(whole)) != 0)
            fail_msg("%s: another result when it is cut at %zu", label, cut);
    }
    return whole;
}

/* ---- CONNECT ---- */

static void tunnels_are_asked_for(void **state)
{
    static const struct {
        const char *head;
        size_t len;
        const char *target;         /* NULL: refused */
        enum refusal_reason reason; /* REFUSAL_NONE with no target: not whole */
    } rows[] = {
        {BYTES("CONNECT example.org:443 HTTP/1.1\r\n\r\n"), "example.org:443", 0},
        {BYTES("CONNECT example.org:443 HTTP/1.0\r\n\r\n"), "example.org:443", 0},
        {BYTES("CONNECT EXAMPLE.org.:443 HTTP/1.1\r\nHost: x\r\n\r\n"), "example.org:443", 0},
        {BYTES("CONNECT 192.0.2.1:22 HTTP/1.1\r\n\r\n"), "192.0.2.1:22", 0},
        {BYTES("CONNECT [::1]:65535 HTTP/1.1\r\n\r\n"), "[::1]:65535", 0},
        /* headers do not matter to it */
        {BYTES("CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 5\r\n"
               "Transfer-Encoding: chunked\r\n\r\n"),
         "example.org:443", 0},
        /* but must be some */
        {BYTES("CONNECT example.org:443 HTTP/1.1\r\nHost : a\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:443 HTTP/1.1\r\na\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org: HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:0 HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:65536 HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:00443 HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT user@example.org:443 HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:443/ HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT 0x7f.1:443 HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org\0.evil:443 HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT ex%61mple.org:443 HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT \xC3\xBC.org:443 HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT * HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT / HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT http://example.org:443 HTTP/1.1\r\n\r\n"), NULL, REFUSAL_METHOD},
        {BYTES("CONNECT https://example.org/ HTTP/1.1\r\n\r\n"), NULL, REFUSAL_METHOD},
        /* three words, one blank between them */
        {BYTES("CONNECT  example.org:443 HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:443  HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:443 HTTP/1.1 \r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT\texample.org:443 HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:443\tHTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:443\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:443 a HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:443 HTTP/1.2\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:443 HTTP/2.0\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:443 HTTP/1.11\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:443 http/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("Connect example.org:443 HTTP/1.1\r\n\r\n"), NULL, REFUSAL_MALFORMED},
        {BYTES("CONNECT example.org:443 HTTP/1.1\r\n\r"), NULL, REFUSAL_NONE},
        {BYTES("CONNECT example.org:443 HTTP/1.1\n\n"), NULL, REFUSAL_NONE},
        {BYTES("CONNECT example.org:443 HTTP/1.1\nA: b\r\n\r\n"), NULL, REFUSAL_MALFORMED},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct outcome outcome = feed_all_ways(rows[i].head, rows[i].head, rows[i].len);

        if (outcome.reason != rows[i].reason)
            fail_msg("%s: %s", rows[i].head, refusal_rows[outcome.reason].id);
        assert_string_equal(outcome.target, rows[i].target ? rows[i].target : "");
        assert_int_equal(outcome.state, rows[i].target   ? REQUEST_DONE
                                        : rows[i].reason ? REQUEST_REFUSED
                                                         : REQUEST_MORE);
        assert_int_equal(outcome.taken, rows[i].len);
        assert_string_equal(outcome.forward, "");
    }
}

static void other_first_bytes_are_closed(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
    } rows[] = {
        {BYTES("\4\1\0\x50\1\2\3\4\0")}, /* SOCKS4 */
        {BYTES("\x16\3\1\2\0\1\0")},     /* TLS */
        {BYTES("get http://a.test/ HTTP/1.1\r\n")},
        {BYTES("\r\nGET http://a.test/ HTTP/1.1\r\n")},
        {BYTES("\0")},
        {BYTES(" GET")},
        {BYTES("@")},
        {BYTES("[")},
        {BYTES("\xC7"
               "ET")},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct outcome outcome = feed_all_ways("first byte", rows[i].bytes, rows[i].len);

        assert_int_equal(outcome.state, REQUEST_CLOSE);
        assert_int_equal(outcome.taken, 0);
        assert_int_equal(outcome.reply_len, 0);
    }
}

/* ---- absolute form ---- */

#define GET "GET http://a.test/ HTTP/1.1\r\n"

static void requests_are_written_anew(void **state)
{
    static const struct {
        const char *head;
        const char *target;
        const char *forward;
    } rows[] = {
        {GET "\r\n", "a.test:80", "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"},
        {"GET http://a.test/ HTTP/1.0\r\n\r\n", "a.test:80",
         "GET / HTTP/1.0\r\nHost: a.test\r\nConnection: close\r\n\r\n"},
        {"GET HTTP://A.Test. HTTP/1.1\r\nHost: a.TEST\r\n\r\n", "a.test:80",
         "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"},
        {"GET http://a.test:8080/b?c=d HTTP/1.1\r\nHost: a.test:8080\r\n\r\n", "a.test:8080",
         "GET /b?c=d HTTP/1.1\r\nHost: a.test:8080\r\nConnection: close\r\n\r\n"},
        {"GET http://a.test:80/ HTTP/1.1\r\nHost: a.test\r\n\r\n", "a.test:80",
         "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"},
        {"GET http://a.test?b HTTP/1.1\r\nhost:a.test:80\r\n\r\n", "a.test:80",
         "GET /?b HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"},
        {"GET http://a.test//b@c:d HTTP/1.1\r\n\r\n", "a.test:80",
         "GET //b@c:d HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"},
        {"GET http://[FD12::1]:8080/ HTTP/1.1\r\nHost: [fd12:0::1]:8080\r\n\r\n", "[fd12::1]:8080",
         "GET / HTTP/1.1\r\nHost: [fd12::1]:8080\r\nConnection: close\r\n\r\n"},
        {"OPTIONS http://a.test HTTP/1.1\r\n\r\n", "a.test:80",
         "OPTIONS * HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"},
        {"OPTIONS http://a.test/ HTTP/1.1\r\n\r\n", "a.test:80",
         "OPTIONS / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"},
        {"PROPFIND http://a.test/ HTTP/1.1\r\n\r\n", "a.test:80",
         "PROPFIND / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"},
        /* headers: blanks around the value, order and case kept */
        {GET "X-B:  b c\t\r\nx-a:\r\nX-B: \xC3\xBC\r\n\r\n", "a.test:80",
         "GET / HTTP/1.1\r\nHost: a.test\r\nX-B: b c\r\nx-a: \r\nX-B: \xC3\xBC\r\n"
         "Connection: close\r\n\r\n"},
        /* for one connection alone */
        {GET "Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic eA==\r\nproxy-x: 1\r\n"
             "Keep-Alive: 5\r\nTE: trailers\r\nTrailer: X\r\nUPGRADE: h2c\r\nConnection: close\r\n"
             "A: b\r\n\r\n",
         "a.test:80", "GET / HTTP/1.1\r\nHost: a.test\r\nA: b\r\nConnection: close\r\n\r\n"},
        {GET
         "Connection: X-A , x-b\r\nX-A: 1\r\nX-B: 2\r\nX-C: 3\r\nCONNECTION: ,x-c,\r\nX-D: 4\r\n"
         "\r\n",
         "a.test:80", "GET / HTTP/1.1\r\nHost: a.test\r\nX-D: 4\r\nConnection: close\r\n\r\n"},
        {GET "Connection: X-A B\r\nX-A: 1\r\n\r\n", "a.test:80",
         "GET / HTTP/1.1\r\nHost: a.test\r\nX-A: 1\r\nConnection: close\r\n\r\n"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct outcome outcome = feed_all_ways(rows[i].head, rows[i].head, strlen(rows[i].head));

        if (outcome.state != REQUEST_DONE)
            fail_msg("%s: %s", rows[i].head, refusal_rows[outcome.reason].id);
        assert_string_equal(outcome.target, rows[i].target);
        assert_string_equal(outcome.forward, rows[i].forward);
    }
}

static const struct {
    const char *head;
    size_t len;
    enum refusal_reason reason;
} hostile_rows[] = {
    /* the target */
    {BYTES("GET https://a.test/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET ftp://a.test/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http:/a.test/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http:a.test HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET //a.test/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET /http://a.test/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET a.test HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET a.test:80 HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("OPTIONS * HTTP/1.1\r\nHost: a.test\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http:// HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http:/// HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://:80/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://u@a.test/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://u:p@a.test/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a.test\\@b.test/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a.test#@b.test/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a.test/#b HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a.test:0/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a.test:/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a.test:080/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a%2etest/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://0177.1/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://[::1%25lo]/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a.test/\0 HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a.test/\xC3\xBC HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a.test/a b HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    /* the version */
    {BYTES("GET http://a.test/\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a.test/ HTTP/0.9\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a.test/ HTTP/2.0\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("PRI * HTTP/2.0\r\n\r\n"), REFUSAL_MALFORMED},
    /* the method */
    {BYTES("TRACE http://a.test/ HTTP/1.1\r\n\r\n"), REFUSAL_METHOD},
    {BYTES("TRACK http://a.test/ HTTP/1.1\r\n\r\n"), REFUSAL_METHOD},
    {BYTES("Trace http://a.test/ HTTP/1.1\r\n\r\n"), REFUSAL_METHOD},
    {BYTES("G@T http://a.test/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("G\0T http://a.test/ HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    /* Host */
    {BYTES(GET "Host: a.test\r\nHost: a.test\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Host: a.test\r\nhOST: b.test\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Host: b.test\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Host: a.test:8080\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Host: u@a.test\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Host: a.test, b.test\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Host: a.test b.test\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Host:\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Host: http://a.test\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://1.2.3.4/ HTTP/1.1\r\nHost: 1.2.3.5\r\n\r\n"), REFUSAL_MALFORMED},
    /* how long the body is */
    {BYTES(GET "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Content-Length: 1\r\nContent-Length: 1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Content-Length: 1, 1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Content-Length: +1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Content-Length: -1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Content-Length: 0x1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Content-Length: 1 2\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Content-Length:\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Content-Length: 18446744073709551617\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Transfer-Encoding: gzip, chunked\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Transfer-Encoding: chunked, identity\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Transfer-Encoding: xchunked\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Transfer-Encoding: \"chunked\"\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Transfer-Encoding: \x0B"
               "chunked\r\n\r\n"),
     REFUSAL_MALFORMED},
    {BYTES(GET "Transfer-Encoding: identity\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Transfer-Encoding:\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
     REFUSAL_MALFORMED},
    {BYTES("GET http://a.test/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Connection: Content-Length\r\nContent-Length: 1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Connection: close, transfer-encoding\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Connection: host\r\n\r\n"), REFUSAL_MALFORMED},
    /* lines */
    {BYTES(GET "A: b\r\n c\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "A: b\r\n\tc: d\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET " A: b\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "A : b\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "A\t: b\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "Content-Length : 5\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET ": b\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "A\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "A(b): c\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "A\xC3\xBC: c\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "A: b\rc\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "A: b\r\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "A: b\nHost: b.test\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "A: b\0c\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "A\0: b\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "A: b\x1B[0m\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES(GET "A: b\x7F\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a.test/ HTTP/1.1\rA: b\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a.test/ HTTP/1.1\nA: b\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("GET http://a.test/\r HTTP/1.1\r\n\r\n"), REFUSAL_MALFORMED},
    {BYTES("G\r\n\r\n"), REFUSAL_MALFORMED},
};

static void hostile_requests_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(hostile_rows); i++) {
        struct outcome outcome =
            feed_all_ways(hostile_rows[i].head, hostile_rows[i].head, hostile_rows[i].len);

        if (outcome.state != REQUEST_REFUSED || outcome.reason != hostile_rows[i].reason)
            fail_msg("%s: state %d, %s", hostile_rows[i].head, outcome.state,
                     refusal_rows[outcome.reason].id);
        assert_int_equal(outcome.taken, hostile_rows[i].len);
        assert_string_equal(outcome.forward, "");
    }
}

static void bodies_are_announced(void **state)
{
    static const struct {
        const char *head;
        bool has_length;
        uint64_t length;
        bool is_chunked;
        const char *kept;
    } rows[] = {
        {GET "\r\n", false, 0, false, "Host"},
        {GET "Content-Length: 0\r\n\r\n", true, 0, false, "Content-Length: 0\r\n"},
        {GET "content-length: 0012\r\n\r\n", true, 12, false, "content-length: 0012\r\n"},
        {GET "Content-Length: 999999999999999999\r\n\r\n", true, 999999999999999999, false,
         "Content-Length: 999999999999999999\r\n"},
        {GET "Transfer-Encoding: Chunked\r\n\r\n", false, 0, true,
         "Transfer-Encoding: Chunked\r\n"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct outcome outcome = feed_all_ways(rows[i].head, rows[i].head, strlen(rows[i].head));

        assert_int_equal(outcome.state, REQUEST_DONE);
        assert_int_equal(outcome.has_length, rows[i].has_length);
        assert_true(outcome.length == rows[i].length);
        assert_int_equal(outcome.is_chunked, rows[i].is_chunked);
        assert_non_null(strstr(outcome.forward, rows[i].kept));
    }
}

/* A body, a second request, a ClientHello: not the head's. */
static void bytes_behind_the_head_are_not_taken(void **state)
{
    static const char *const heads[] = {GET "\r\n", "CONNECT a.test:443 HTTP/1.1\r\n\r\n"};
    static const char behind[] = "GET http://b.test/ HTTP/1.1\r\n\r\n";

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
        char both[256];
        struct outcome outcome;

        snprintf(both, sizeof(both), "%s%s", heads[i], behind);
        outcome = feed_all_ways("behind", both, strlen(both));
        assert_int_equal(outcome.state, REQUEST_DONE);
        assert_int_equal(outcome.taken, strlen(heads[i]));
        assert_null(strstr(outcome.forward, "b.test"));
    }
}

/* A head of exactly size bytes, filled up by one long header. */
static char *make_head(size_t size)
{
    static const char front[] = GET "A: ";
    char *head = malloc(size + 1);

    memset(head, 'x', size);
    memcpy(head, front, strlen(front));
    memcpy(head + size - 4, "\r\n\r\n", 5);
    return head;
}

static void heads_have_a_limit(void **state)
{
    static const struct {
        size_t size;
        enum request_state state;
        enum refusal_reason reason;
    } rows[] = {
        {REQUEST_HEAD_MAX - 1, REQUEST_DONE, REFUSAL_NONE},
        {REQUEST_HEAD_MAX, REQUEST_DONE, REFUSAL_NONE},
        {REQUEST_HEAD_MAX + 1, REQUEST_REFUSED, REFUSAL_HEAD_TOO_LARGE},
        {REQUEST_HEAD_MAX + 4, REQUEST_REFUSED, REFUSAL_HEAD_TOO_LARGE},
        {REQUEST_HEAD_MAX * 3, REQUEST_REFUSED, REFUSAL_HEAD_TOO_LARGE},
    };
    static const size_t cuts[] = {0, 1, 100, REQUEST_HEAD_MAX - 5, REQUEST_HEAD_MAX - 1};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(cuts); i++) {
        size_t size = rows[i % ARRAY_SIZE(rows)].size;
        size_t cut = cuts[i / ARRAY_SIZE(rows)];
        char *head = make_head(size);
        struct outcome outcome = feed(head, size, cut, cut ? size : 1);

        assert_int_equal(outcome.state, rows[i % ARRAY_SIZE(rows)].state);
        assert_int_equal(outcome.reason, rows[i % ARRAY_SIZE(rows)].reason);
        assert_true(outcome.taken <= REQUEST_HEAD_MAX);
        free(head);
    }
}

static void many_headers_are_refused(void **state)
{
    struct buf head CLEANUP(buf_free);
    struct outcome outcome;

    (void)state;
    buf_init(&head, REQUEST_HEAD_MAX);
    buf_append_str(&head, GET);
    for (int i = 0; i < 201; i++)
        buf_append_str(&head, "A:b\r\n");
    buf_append_str(&head, "\r\n");
    outcome = feed((const char *)head.data, head.len, head.len, 1);
    assert_int_equal(outcome.reason, REFUSAL_MALFORMED);
    buf_consume(&head, 0);
    memmove(head.data + strlen(GET), head.data + strlen(GET) + 5, head.len - strlen(GET) - 5);
    outcome = feed((const char *)head.data, head.len - 5, head.len - 5, 1);
    assert_int_equal(outcome.state, REQUEST_DONE);
}

/* ---- SOCKS5 ---- */

#define HELLO5 "\5\1\0"

static void socks_targets_are_read(void **state)
{
    static const struct {
        const char *label;
        const char *bytes;
        size_t len;
        const char *target;
        enum refusal_reason reason;
        int code;
    } rows[] = {
        {"IPv4", BYTES(HELLO5 "\5\1\0\1\1\2\3\4\1\xBB"), "1.2.3.4:443", 0, 0},
        {"IPv6", BYTES(HELLO5 "\5\1\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\x50"), "[::1]:80", 0, 0},
        {"mapped", BYTES(HELLO5 "\5\1\0\4\0\0\0\0\0\0\0\0\0\0\xFF\xFF\x7F\0\0\1\0\x50"),
         "[::ffff:127.0.0.1]:80", 0, 0},
        {"name",
         BYTES(HELLO5 "\5\1\0\3\x06"
                      "A.test"
                      "\x1F\x90"),
         "a.test:8080", 0, 0},
        {"literal as a name",
         BYTES(HELLO5 "\5\1\0\3\x07"
                      "1.2.3.4"
                      "\0\x50"),
         "1.2.3.4:80", 0, 0},
        {"methods",
         BYTES("\5\3\2\1\0"
               "\5\1\0\3\1"
               "a"
               "\0\x16"),
         "a:22", 0, 0},
        {"port 0", BYTES(HELLO5 "\5\1\0\1\1\2\3\4\0\0"), NULL, REFUSAL_MALFORMED, 1},
        {"empty name", BYTES(HELLO5 "\5\1\0\3\0\0\x50"), NULL, REFUSAL_MALFORMED, 1},
        {"NUL",
         BYTES(HELLO5 "\5\1\0\3\x09"
                      "a.test\0.b"
                      "\0\x50"),
         NULL, REFUSAL_MALFORMED, 1},
        {"port in the name",
         BYTES(HELLO5 "\5\1\0\3\x04"
                      "a:80"
                      "\0\x50"),
         NULL, REFUSAL_MALFORMED, 1},
        {"UTF-8", BYTES(HELLO5 "\5\1\0\3\2\xC3\xBC\0\x50"), NULL, REFUSAL_MALFORMED, 1},
        {"octal",
         BYTES(HELLO5 "\5\1\0\3\6"
                      "0177.1"
                      "\0\x50"),
         NULL, REFUSAL_MALFORMED, 1},
        {"zone",
         BYTES(HELLO5 "\5\1\0\3\x08"
                      "[::1%lo]"
                      "\0\x50"),
         NULL, REFUSAL_MALFORMED, 1},
        {"BIND", BYTES(HELLO5 "\5\2\0\1\1\2\3\4\0\x50"), NULL, REFUSAL_METHOD, 7},
        {"UDP", BYTES(HELLO5 "\5\3\0\1\0\0\0\0\0\0"), NULL, REFUSAL_METHOD, 7},
        {"command 0", BYTES(HELLO5 "\5\0\0\1\1\2\3\4\0\x50"), NULL, REFUSAL_METHOD, 7},
        {"address type 2", BYTES(HELLO5 "\5\1\0\2\1"), NULL, REFUSAL_MALFORMED, 8},
        {"address type 0", BYTES(HELLO5 "\5\1\0\0\1"), NULL, REFUSAL_MALFORMED, 8},
        {"version 4 in the request", BYTES(HELLO5 "\4\1\0\1\1\2\3\4\0\x50"), NULL,
         REFUSAL_MALFORMED, 1},
        {"reserved byte", BYTES(HELLO5 "\5\1\1\1\1\2\3\4\0\x50"), NULL, REFUSAL_MALFORMED, 1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct outcome outcome = feed_all_ways(rows[i].label, rows[i].bytes, rows[i].len);
        int code = outcome.socks_code ? outcome.socks_code : refusal_rows[outcome.reason].socks;

        if (outcome.state != (rows[i].target ? REQUEST_DONE : REQUEST_REFUSED))
            fail_msg("%s: state %d", rows[i].label, outcome.state);
        assert_string_equal(outcome.target, rows[i].target ? rows[i].target : "");
        assert_int_equal(outcome.reason, rows[i].reason);
        assert_int_equal(code, rows[i].code);
        assert_int_equal(outcome.taken, rows[i].len);
        assert_int_equal(outcome.reply_len, 2);
        assert_memory_equal(outcome.reply, "\5\0", 2);
    }
}

static void socks_takes_no_more_than_its_head(void **state)
{
    struct outcome outcome = feed_all_ways("behind", BYTES(HELLO5 "\5\1\0\3\1"
                                                                  "a"
                                                                  "\0\x16"
                                                                  "SSH-2.0"));

    (void)state;
    assert_int_equal(outcome.state, REQUEST_DONE);
    assert_int_equal(outcome.taken, 3 + 8);
}

static void socks_without_a_method_is_closed(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
    } rows[] = {{BYTES("\5\1\2")}, {BYTES("\5\0")}, {BYTES("\5\2\1\2")}, {BYTES("\5\1\xFF")}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct outcome outcome = feed_all_ways("method", rows[i].bytes, rows[i].len);

        assert_int_equal(outcome.state, REQUEST_CLOSE);
        assert_int_equal(outcome.reply_len, 2);
        assert_memory_equal(outcome.reply, "\5\xFF", 2);
    }
}

/* The client is answered before it has to say more. */
static void socks_answers_between(void **state)
{
    struct request request;

    (void)state;
    request_init(&request);
    assert_int_equal(request_feed(&request, (const uint8_t *)HELLO5, 3), 3);
    assert_int_equal(request.state, REQUEST_REPLY);
    assert_int_equal(request.reply.len, 2);
    buf_reset(&request.reply);
    assert_int_equal(request_feed(&request, (const uint8_t *)"\5\1\0\1\1\2\3\4\0\x50", 10), 10);
    assert_int_equal(request.state, REQUEST_DONE);
    assert_int_equal(request.reply.len, 0);
    request_free(&request);
}

static void socks_replies_have_no_address(void **state)
{
    struct buf out CLEANUP(buf_free);

    (void)state;
    buf_init(&out, 64);
    request_socks_reply(&out, 5);
    assert_int_equal(out.len, 10);
    assert_memory_equal(out.data, "\5\5\0\1\0\0\0\0\0\0", 10);
}

/* ---- the first bytes of a tunnel to port 80 ---- */

static void tunnels_to_port_80_carry_their_host(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        int verdict; /* of all of it; of a part it is 0 or the same */
    } rows[] = {
        {BYTES("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"), 1},
        {BYTES("GET / HTTP/1.1\r\nHost: A.test.:80\r\n\r\nGET"), 1},
        {BYTES("POST /?a HTTP/1.0\r\nA: b\r\nhost:a.test\r\n\r\n"), 1},
        {BYTES("GET / HTTP/1.1\r\nHost: b.test\r\n\r\n"), -EPERM},
        {BYTES("GET / HTTP/1.1\r\nHost: x.a.test\r\n\r\n"), -EPERM},
        {BYTES("GET / HTTP/1.1\r\nHost: a.test:8080\r\n\r\n"), -EPERM},
        {BYTES("GET / HTTP/1.1\r\nHost: a.test\0\r\n\r\n"), -EINVAL},
        {BYTES("GET / HTTP/1.1\r\nHost: a.test\r\nHost: a.test\r\n\r\n"), -EINVAL},
        {BYTES("GET / HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n\r\n"), -EINVAL},
        {BYTES("GET / HTTP/1.1\r\n\r\n"), -EINVAL},
        {BYTES("GET / HTTP/1.1\r\nA: b\r\n Host: a.test\r\n\r\n"), -EINVAL},
        {BYTES("GET / HTTP/1.1\r\nHost : a.test\r\n\r\n"), -EINVAL},
        {BYTES("GET http://b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"), -EINVAL},
        {BYTES("CONNECT b.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n"), -EINVAL},
        {BYTES("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), -EINVAL},
        {BYTES("SSH-2.0-OpenSSH_9.2\r\n\r\n"), -EINVAL},
        {BYTES("get / HTTP/1.1\r\nHost: a.test\r\n\r\n"), -EINVAL},
        {BYTES("\r\nGET / HTTP/1.1\r\nHost: a.test\r\n\r\n"), -EINVAL},
        {BYTES("\0"), -EINVAL},
        {BYTES(""), 0},
        {BYTES("GET / HTTP/1.1\r\nHost: a.test\r\n\r"), 0},
    };
    struct target target;

    (void)state;
    assert_int_equal(target_parse(&target, BYTES("a.test:80")), 0);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (size_t len = 0; len <= rows[i].len; len++) {
            uint8_t *copy = malloc(len ? len : 1);
            int r;

            memcpy(copy, rows[i].bytes, len);
            r = request_check_host(copy, len, &target);
            free(copy);
            if (r != rows[i].verdict && (r != 0 || len == rows[i].len))
                fail_msg("%s: %d of the first %zu", rows[i].bytes, r, len);
        }
}

static void tunnels_to_port_80_have_a_limit(void **state)
{
    struct target target;
    char *head = make_head(REQUEST_HEAD_MAX + 1);

    (void)state;
    assert_int_equal(target_parse(&target, BYTES("a.test:80")), 0);
    assert_int_equal(request_check_host((const uint8_t *)head, REQUEST_HEAD_MAX - 1, &target), 0);
    assert_int_equal(request_check_host((const uint8_t *)head, REQUEST_HEAD_MAX, &target), -EINVAL);
    free(head);
}

/* ---- where others could come, too ---- */

#define HEAD "CONNECT example.org:443 HTTP/1.1\r\n"

static void heads_show_the_password(void **state)
{
    /* printf ai-jail:pass | base64 */
    static const struct {
        const char *head;
        size_t len;
        bool fits;
    } rows[] = {
        {BYTES(HEAD "Proxy-Authorization: Basic YWktamFpbDpwYXNz\r\n\r\n"), true},
        {BYTES(HEAD "proxy-authorization: basic  YWktamFpbDpwYXNz \r\n\r\n"), true},
        {BYTES("GET http://example.org:443/ HTTP/1.1\r\n"
               "Proxy-Authorization: Basic YWktamFpbDpwYXNz\r\n\r\n"),
         true},
        {BYTES(HEAD "\r\n"), false},
        {BYTES("GET http://example.org/ HTTP/1.1\r\n\r\n"), false},
        {BYTES(HEAD "Authorization: Basic YWktamFpbDpwYXNz\r\n\r\n"), false},
        {BYTES(HEAD "Proxy-Authorization:\r\n\r\n"), false},
        {BYTES(HEAD "Proxy-Authorization: Basic\r\n\r\n"), false},
        {BYTES(HEAD "Proxy-Authorization: Digest YWktamFpbDpwYXNz\r\n\r\n"), false},
        {BYTES(HEAD "Proxy-Authorization: Basic YWktamFpbDpwYXN\r\n\r\n"), false},
        {BYTES(HEAD "Proxy-Authorization: Basic YWktamFpbDpwYXNzYQ==\r\n\r\n"), false},
        {BYTES(HEAD "Proxy-Authorization: Basic YWktamFpbDpwYXNZ\r\n\r\n"), false},
        {BYTES(HEAD "Proxy-Authorization: Basic eHgtamFpbDpwYXNz\r\n\r\n"), false},
        {BYTES(HEAD "Proxy-Authorization: Basic YWktamFpbDpwYXNz\r\n"
                    "Proxy-Authorization: Basic YWktamFpbDpwYXNz\r\n\r\n"),
         false},
    };

    (void)state;
    password = "pass";
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct outcome outcome = feed_all_ways(rows[i].head, rows[i].head, rows[i].len);

        assert_int_equal(outcome.state, rows[i].fits ? REQUEST_DONE : REQUEST_REFUSED);
        assert_int_equal(outcome.reason, rows[i].fits ? REFUSAL_NONE : REFUSAL_LOGIN);
        assert_string_equal(outcome.target, rows[i].fits ? "example.org:443" : "");
        assert_null(strstr(outcome.forward, "YWkt"));
    }
    password = NULL;
}

static void socks_shows_the_password(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *reply; /* all of it, of two pairs at most */
        size_t reply_len;
        enum request_state end;
    } rows[] = {
        {BYTES("\5\1\2\1\7ai-jail\4pass\5\1\0\1\300\0\2\1\1\273"), BYTES("\5\2\1\0"), REQUEST_DONE},
        {BYTES("\5\2\0\2\1\7ai-jail\4pass\5\1\0\1\300\0\2\1\1\273"), BYTES("\5\2\1\0"),
         REQUEST_DONE},
        {BYTES("\5\1\0"), BYTES("\5\377"), REQUEST_CLOSE},
        {BYTES("\5\1\2\1\7ai-jail\4pasS"), BYTES("\5\2\1\1"), REQUEST_CLOSE},
        {BYTES("\5\1\2\1\7ai-jaiL\4pass"), BYTES("\5\2\1\1"), REQUEST_CLOSE},
        {BYTES("\5\1\2\1\7ai-jail\3pas"), BYTES("\5\2\1\1"), REQUEST_CLOSE},
        {BYTES("\5\1\2\1\7ai-jail\0"), BYTES("\5\2\1\1"), REQUEST_CLOSE},
        {BYTES("\5\1\2\1\0\0"), BYTES("\5\2\1\1"), REQUEST_CLOSE},
        {BYTES("\5\1\2\2\7ai-jail\4pass"), BYTES("\5\2\1\1"), REQUEST_CLOSE},
        {BYTES("\5\1\2\5\1\0\1\300\0\2\1\1\273"), BYTES("\5\2\1\1"), REQUEST_CLOSE},
    };

    (void)state;
    password = "pass";
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct outcome outcome = feed_all_ways("login", rows[i].bytes, rows[i].len);

        assert_int_equal(outcome.state, rows[i].end);
        assert_int_equal(outcome.reply_len, rows[i].reply_len);
        assert_memory_equal(outcome.reply, rows[i].reply, rows[i].reply_len);
        assert_string_equal(outcome.target, rows[i].end == REQUEST_DONE ? "192.0.2.1:443" : "");
    }
    password = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tunnels_are_asked_for),
        cmocka_unit_test(other_first_bytes_are_closed),
        cmocka_unit_test(requests_are_written_anew),
        cmocka_unit_test(hostile_requests_are_refused),
        cmocka_unit_test(bodies_are_announced),
        cmocka_unit_test(bytes_behind_the_head_are_not_taken),
        cmocka_unit_test(heads_have_a_limit),
        cmocka_unit_test(many_headers_are_refused),
        cmocka_unit_test(socks_targets_are_read),
        cmocka_unit_test(socks_takes_no_more_than_its_head),
        cmocka_unit_test(socks_without_a_method_is_closed),
        cmocka_unit_test(socks_answers_between),
        cmocka_unit_test(socks_replies_have_no_address),
        cmocka_unit_test(tunnels_to_port_80_carry_their_host),
        cmocka_unit_test(tunnels_to_port_80_have_a_limit),
        cmocka_unit_test(heads_show_the_password),
        cmocka_unit_test(socks_shows_the_password),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
