// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_request: what a client sends to the proxy, up to the head that goes out.
 *
 * Wherever the reads are cut, the result is the same. A head that goes out is read again: its one
 * Host is the target that was decided on, and no header for one connection alone is left. The body
 * behind it ends in the same place, however it is cut.
 */
#include "net/http_head.h"
#include "net/request.h"

#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Feeds data in parts of step bytes, the first of them cut long; what was taken. inner: the tunnel
 * that it is in, or NULL. */
static size_t feed(struct request *request, const struct target *inner, const uint8_t *data,
                   size_t size, size_t cut, size_t step)
{
    size_t at = 0;
    size_t end = cut;

    if (inner)
        request_init_inner(request, inner);
    else
        request_init(request);
    while (at < size && (request->state == REQUEST_MORE || request->state == REQUEST_REPLY)) {
        size_t part = (end < size ? end : size) - at;
        size_t taken = part ? request_feed(request, data + at, part) : 0;

        assert(taken <= part);
        at += taken;
        if (at >= end)
            end += step;
        else if (at < size)
            assert(request->state != REQUEST_MORE);
    }
    return at;
}

static void assert_same_bytes(const struct buf *a, const struct buf *b)
{
    assert(a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0));
}

static void assert_same(const struct request *a, const struct request *b)
{
    assert(a->kind == b->kind && a->state == b->state && a->reason == b->reason);
    assert(a->has_target == b->has_target && a->socks_code == b->socks_code);
    if (a->has_target) {
        assert(a->target.kind == b->target.kind && a->target.port == b->target.port);
        assert(str_eq(a->target.name, b->target.name));
    }
    assert_same_bytes(&a->reply, &b->reply);
    assert_same_bytes(&a->forward, &b->forward);
    assert(a->is_chunked == b->is_chunked && a->has_length == b->has_length);
    assert(a->length == b->length);
}

static void check_target(const struct target *target)
{
    char text[TARGET_TEXT_MAX];
    struct target again;

    assert(target->port != 0);
    target_format(target, text, sizeof(text));
    assert(target_parse(&again, text, strlen(text)) == 0);
    assert(str_eq(again.name, target->name) && again.kind == target->kind);
    assert(again.port == target->port);
}

static bool is_for_one_connection(struct http_text name)
{
    static const char *const names[] = {"keep-alive", "te", "trailer", "upgrade"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (http_text_is(name, names[i]))
            return true;
    return name.len >= 6 && strncasecmp(name.at, "proxy-", 6) == 0;
}

static void check_forward(struct request *request)
{
    const char *bytes = buf_cstr(&request->forward);
    struct http_head head;
    struct http_text value;
    struct target host;
    size_t from = 0;

    assert(http_head_length(bytes, request->forward.len, &from) == request->forward.len);
    assert(http_head_parse(&head, bytes, request->forward.len) == 0);
    assert(head.target.at[0] == '/' || http_text_is(head.target, "*"));
    assert(!http_text_is(head.method, "trace") && !http_text_is(head.method, "connect"));
    assert(http_head_find(&head, "host", &value) == 1);
    assert(target_parse(&host, value.at, value.len) == 0);
    assert(str_eq(host.name, request->target.name) && host.kind == request->target.kind);
    assert((host.port ? host.port : 80) == request->target.port);
    assert(http_head_find(&head, "connection", &value) == 1 && http_text_is(value, "close"));
    for (size_t i = 0; i < head.count; i++)
        assert(!is_for_one_connection(head.headers[i].name));
    assert(http_head_find(&head, "content-length", &value) == request->has_length);
    assert(http_head_find(&head, "transfer-encoding", &value) == request->is_chunked);
    assert(!request->has_length || !request->is_chunked);
    /* A tunnel to port 80 may say no more than this. */
    if (request->target.port == 80 && head.target.at[0] == '/')
        assert(request_check_host(request->forward.data, request->forward.len, &request->target) ==
               1);
}

static void check_body(const struct request *request, const uint8_t *data, size_t size)
{
    struct request_body whole;
    struct request_body bytewise;
    size_t taken;
    size_t at = 0;

    request_body_init(&whole, request);
    request_body_init(&bytewise, request);
    taken = request_body_feed(&whole, data, size);
    assert(taken == size || whole.is_done || whole.is_broken);
    while (at < size && !bytewise.is_done && !bytewise.is_broken)
        at += request_body_feed(&bytewise, data + at, 1);
    assert(at == taken && whole.is_done == bytewise.is_done);
    assert(whole.is_broken == bytewise.is_broken && whole.left == bytewise.left);
}

static void check(const struct target *inner, const uint8_t *data, size_t size, size_t cut)
{
    struct request whole;
    struct request cut_once;
    struct request bytewise;
    size_t taken = feed(&whole, inner, data, size, SIZE_MAX / 2, 1);

    assert(feed(&cut_once, inner, data, size, cut, SIZE_MAX / 4) == taken);
    assert(feed(&bytewise, inner, data, size, 1, 1) == taken);
    assert_same(&whole, &cut_once);
    assert_same(&whole, &bytewise);
    assert(inner || !whole.has_target || whole.state == REQUEST_DONE ||
           whole.state == REQUEST_REFUSED);
    assert(!inner || (whole.target.port == inner->port && whole.kind != REQUEST_SOCKS &&
                      whole.kind != REQUEST_CONNECT));
    if (whole.state == REQUEST_DONE) {
        check_target(&whole.target);
        assert((whole.forward.len > 0) == (whole.kind == REQUEST_HTTP));
        if (whole.kind == REQUEST_HTTP) {
            check_forward(&whole);
            check_body(&whole, data + taken, size - taken);
        }
    } else {
        assert(whole.forward.len == 0 || whole.reason == REFUSAL_HEAD_TOO_LARGE);
    }
    request_free(&whole);
    request_free(&cut_once);
    request_free(&bytewise);
}

/* The first byte says where the reads are cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct target inner;

    if (size == 0)
        return 0;
    assert(target_parse(&inner, "example.org:80", 14) == 0);
    check(NULL, data + 1, size - 1, data[0] + 1U);
    check(&inner, data + 1, size - 1, data[0] + 1U);
    return 0;
}
