// SPDX-License-Identifier: GPL-3.0-only
/*
 * Bodies of requests: where they end, by their length or by the chunked coding, in one piece and cut
 * at every place.
 */
#include "net/request.h"

#include "support/test.h"

#include <string.h>

#define BYTES(text) text, sizeof(text) - 1

struct outcome {
    size_t taken;
    bool is_done;
    bool is_broken;
};

/* In parts of step bytes behind a first part of cut bytes. */
static struct outcome feed(const struct request *request, const char *bytes, size_t len, size_t cut,
                           size_t step)
{
    struct request_body body;
    struct outcome outcome = {0};

    request_body_init(&body, request);
    while (outcome.taken < len && !body.is_done && !body.is_broken) {
        size_t part = outcome.taken < cut ? cut - outcome.taken : step;
        uint8_t *copy;
        size_t taken;

        part = part < len - outcome.taken ? part : len - outcome.taken;
        copy = malloc(part);
        memcpy(copy, bytes + outcome.taken, part);
        taken = request_body_feed(&body, copy, part);
        free(copy);
        assert_true(taken <= part);
        assert_true(taken == part || body.is_done || body.is_broken);
        outcome.taken += taken;
    }
    outcome.is_done = body.is_done;
    outcome.is_broken = body.is_broken;
    return outcome;
}

static struct outcome feed_all_ways(const struct request *request, const char *bytes, size_t len)
{
    struct outcome whole = feed(request, bytes, len, len, len);

    for (size_t cut = 0; cut < len; cut++) {
        struct outcome other = feed(request, bytes, len, cut, cut ? len : 1);

        assert_int_equal(other.taken, whole.taken);
        assert_int_equal(other.is_done, whole.is_done);
        assert_int_equal(other.is_broken, whole.is_broken);
    }
    return whole;
}

static void lengths_are_counted(void **state)
{
    static const struct {
        uint64_t length;
        size_t sent;
        size_t taken;
        bool is_done;
    } rows[] = {
        {0, 3, 0, true},
        {1, 3, 1, true},
        {3, 3, 3, true},
        {4, 3, 3, false},
        {UINT64_MAX / 2, 3, 3, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct request request = {.has_length = true, .length = rows[i].length};
        struct outcome outcome = feed_all_ways(&request, "abc", rows[i].sent);

        assert_int_equal(outcome.taken, rows[i].taken);
        assert_int_equal(outcome.is_done, rows[i].is_done);
        assert_false(outcome.is_broken);
    }
}

static void without_a_header_there_is_no_body(void **state)
{
    const struct request request = {0};
    struct request_body body;

    (void)state;
    request_body_init(&body, &request);
    assert_true(body.is_done);
}

static void chunks_end_where_they_say(void **state)
{
    static const struct {
        const char *body;
        size_t len;
        size_t behind; /* bytes at the end that are not the body's */
    } rows[] = {
        {BYTES("0\r\n\r\n"), 0},
        {BYTES("000\r\n\r\n"), 0},
        {BYTES("3\r\nabc\r\n0\r\n\r\n"), 0},
        {BYTES("3\r\n\r\n\r\r\n0\r\n\r\n"), 0},
        {BYTES("3\r\n0\r\n\r\n0\r\n\r\n"), 0},
        {BYTES("a\r\n0123456789\r\nA\r\n0123456789\r\n00\r\n\r\n"), 0},
        {BYTES("003\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), 0},
        {BYTES("3;a=b;c=\"d e\"\r\nabc\r\n0;x\r\n\r\n"), 0},
        {BYTES("0\r\nA: b\r\n\r\n"), 0},
        {BYTES("0\r\nA: b\r\nC: d\r\n\r\n"), 0},
        {BYTES("3\r\nabc\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n"), 18},
        {BYTES("0\r\n\r\n0\r\n\r\n"), 5},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct request request = {.is_chunked = true};
        struct outcome outcome = feed_all_ways(&request, rows[i].body, rows[i].len);

        if (!outcome.is_done || outcome.is_broken)
            fail_msg("%s", rows[i].body);
        assert_int_equal(outcome.taken, rows[i].len - rows[i].behind);
        /* And nowhere before. */
        for (size_t len = 0; len < outcome.taken; len++)
            assert_false(feed(&request, rows[i].body, len, len, len).is_done);
    }
}

static void other_chunks_are_broken(void **state)
{
    static const struct {
        const char *body;
        size_t len;
    } rows[] = {
        {BYTES("\r\n")},
        {BYTES("\n")},
        {BYTES(" 3\r\nabc\r\n")},
        {BYTES("3 \r\nabc\r\n")},
        {BYTES("3 ;a\r\nabc\r\n")},
        {BYTES("+3\r\nabc\r\n")},
        {BYTES("-1\r\n")},
        {BYTES("0x3\r\nabc\r\n")},
        {BYTES("g\r\n")},
        {BYTES(";a\r\n")},
        {BYTES("\0\r\n")},
        {BYTES("3\0\r\nabc\r\n")},
        {BYTES("3\nabc\n")},
        {BYTES("3\rabc")},
        {BYTES("3\r\r\nabc")},
        {BYTES("3;a\nabc")},
        {BYTES("3;a\rb\r\nabc")},
        {BYTES("3;a\0\r\nabc")},
        {BYTES("3\r\nabcd\r\n")},
        {BYTES("3\r\nabc\n0\r\n")},
        {BYTES("3\r\nabc\r0\r\n")},
        {BYTES("3\r\nabc0\r\n")},
        {BYTES("3\r\nabc\r\n\r\n")},
        {BYTES("1000000000000000\r\n")},  /* 16 digits */
        {BYTES("0000000000000001\r\na")}, /* as many, and no more than 1 */
        {BYTES("0\n\n")},
        {BYTES("0\r\n\n")},
        {BYTES("0\r\n\r\r")},
        {BYTES("0\r\n\rA")},
        {BYTES("0\r\nA: b\n")},
        {BYTES("0\r\nA: b\rc")},
        {BYTES("0\r\nA: \0")},
        {BYTES("0\r\n\0")},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct request request = {.is_chunked = true};
        struct outcome outcome = feed_all_ways(&request, rows[i].body, rows[i].len);

        if (!outcome.is_broken || outcome.is_done)
            fail_msg("row %zu: %s", i, rows[i].body);
    }
}

/* Lines in the coding have a limit, data has none. */
static void lines_have_a_limit(void **state)
{
    static const char *const fronts[] = {"3;", "0\r\nA"};
    const struct request request = {.is_chunked = true};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(fronts) * 2; i++) {
        struct buf body CLEANUP(buf_free);
        size_t fill = 1024 + i % 2;
        struct outcome outcome;

        buf_init(&body, 4 * KIB);
        buf_append_str(&body, fronts[i / 2]);
        for (size_t j = 0; j < fill; j++)
            buf_append_byte(&body, 'x');
        buf_append_str(&body, "\r\n");
        outcome = feed(&request, (const char *)body.data, body.len, body.len, 1);
        assert_int_equal(outcome.is_broken, i % 2);
        assert_int_equal(feed(&request, (const char *)body.data, body.len, 1, 1).is_broken, i % 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_counted),
        cmocka_unit_test(without_a_header_there_is_no_body),
        cmocka_unit_test(chunks_end_where_they_say),
        cmocka_unit_test(other_chunks_are_broken),
        cmocka_unit_test(lines_have_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
