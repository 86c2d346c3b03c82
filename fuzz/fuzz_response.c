// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_response: an answer on its way to the client.
 *
 * However it arrives, the client gets the same bytes; the final head says that the connection ends,
 * and no line of the server's says otherwise.
 */
#include "net/response.h"

#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OUT_MAX (4 * MIB)

/* Parts of step bytes, the first of them cut long. */
static void feed(struct response *response, struct buf *out, const uint8_t *data, size_t size,
                 size_t cut, size_t step)
{
    size_t part = cut;

    response_init(response);
    buf_init(out, OUT_MAX);
    for (size_t at = 0; at < size; part = step) {
        part = part < size - at ? part : size - at;
        response_feed(response, data + at, part, out);
        at += part;
    }
    assert(!out->overflow);
}

static void assert_same(const struct response *a, const struct response *b, const struct buf *x,
                        const struct buf *y)
{
    assert(a->is_body == b->is_body && a->is_broken == b->is_broken);
    assert(x->len == y->len && (x->len == 0 || memcmp(x->data, y->data, x->len) == 0));
}

/* The lines of what has gone out, up to the empty one behind ours. */
static void check_heads(const char *bytes, size_t len)
{
    static const char close[] = "Connection: close\r\n";
    bool is_closing = false;
    size_t at = 0;

    assert(str_starts(bytes, "HTTP/"));
    while (!is_closing || strncmp(bytes + at, "\r\n", 2) != 0) {
        const char *end = memchr(bytes + at, '\n', len - at);

        assert(!is_closing && end);
        is_closing = str_starts(bytes + at, close);
        assert(is_closing || strncasecmp(bytes + at, "connection:", 11) != 0);
        assert(strncasecmp(bytes + at, "keep-alive:", 11) != 0);
        at = (size_t)(end - bytes) + 1;
    }
}

/* The first byte says where the reads are cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct response whole;
    struct response cut_once;
    struct response bytewise;
    _cleanup_buf_ struct buf out = {0};
    _cleanup_buf_ struct buf out_cut = {0};
    _cleanup_buf_ struct buf out_bytewise = {0};
    size_t cut;

    if (size == 0)
        return 0;
    cut = data[0] + 1U;
    data++;
    size--;
    feed(&whole, &out, data, size, SIZE_MAX, SIZE_MAX);
    feed(&cut_once, &out_cut, data, size, cut, SIZE_MAX);
    feed(&bytewise, &out_bytewise, data, size, 1, 1);
    assert_same(&whole, &cut_once, &out, &out_cut);
    assert_same(&whole, &bytewise, &out, &out_bytewise);
    assert(!(whole.is_body && whole.is_broken));
    if (whole.is_body)
        check_heads(buf_cstr(&out), out.len);
    response_free(&whole);
    response_free(&cut_once);
    response_free(&bytewise);
    return 0;
}
