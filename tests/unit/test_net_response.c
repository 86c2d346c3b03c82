// SPDX-License-Identifier: GPL-3.0-only
/*
 * Answers on their way to the client: the head says that the connection ends, everything else goes
 * through as it is; in one piece and cut at every place.
 */
#include "net/response.h"

#include "support/test.h"

#include <string.h>

#define OUT_MAX (512 * KIB)

/* step bytes at a time behind the first cut bytes; true: the head is whole. */
static bool feed(const char *bytes, size_t len, size_t cut, size_t step, struct buf *out,
                 bool *is_broken)
{
    struct response response;
    bool is_body;

    response_init(&response);
    for (size_t at = 0; at < len;) {
        size_t part = at < cut ? cut - at : step;
        uint8_t *copy;

        part = part < len - at ? part : len - at;
        copy = malloc(part);
        memcpy(copy, bytes + at, part);
        response_feed(&response, copy, part, out);
        free(copy);
        at += part;
    }
    *is_broken = response.is_broken;
    is_body = response.is_body;
    response_free(&response);
    return is_body;
}

static void assert_passes(const char *in, const char *wanted)
{
    size_t len = strlen(in);

    for (size_t cut = 0; cut <= len; cut++) {
        struct buf out CLEANUP(buf_free);
        bool is_broken;

        buf_init(&out, OUT_MAX);
        feed(in, len, cut, cut ? len : 1, &out, &is_broken);
        assert_false(is_broken);
        assert_string_equal(buf_cstr(&out), wanted);
    }
}

#define OK    "HTTP/1.1 200 OK\r\n"
#define CLOSE "Connection: close\r\n\r\n"

static void heads_say_that_the_connection_ends(void **state)
{
    static const struct {
        const char *in;
        const char *out;
    } rows[] = {
        {OK "\r\n", OK CLOSE},
        {OK "\r\nbody", OK CLOSE "body"},
        {OK "A: b\r\nContent-Length: 4\r\n\r\nbody",
         OK "A: b\r\nContent-Length: 4\r\n" CLOSE "body"},
        {OK "Connection: keep-alive\r\nA: b\r\n\r\n", OK "A: b\r\n" CLOSE},
        {OK "CONNECTION: Keep-Alive\r\nkeep-alive: timeout=5\r\nProxy-Connection: x\r\n\r\n",
         OK CLOSE},
        {OK "Connection:keep-alive\r\nConnection : a\r\nConnection\t: b\r\n\r\n", OK CLOSE},
        {OK "Connection: a,\r\n b\r\n\tc\r\nA: b\r\n\r\n", OK "A: b\r\n" CLOSE},
        {OK "A: b,\r\n Connection: c\r\n\r\n", OK "A: b,\r\n Connection: c\r\n" CLOSE},
        {OK "Connections: a\r\nX-Connection: b\r\nConnectio: c\r\n\r\n",
         OK "Connections: a\r\nX-Connection: b\r\nConnectio: c\r\n" CLOSE},
        {OK "A: Connection: b\r\n\r\n", OK "A: Connection: b\r\n" CLOSE},
        {"HTTP/1.0 200\r\n\r\n", "HTTP/1.0 200\r\n" CLOSE},
        {"HTTP/1.1 404 1\r\n\r\n", "HTTP/1.1 404 1\r\n" CLOSE},
        {OK "\r\nHTTP/1.1 200 OK\r\nConnection: a\r\n\r\n",
         OK CLOSE "HTTP/1.1 200 OK\r\nConnection: a\r\n\r\n"},
        {"HTTP/1.1 200 OK\nA\nB: c\r\n\r\n", "HTTP/1.1 200 OK\nA\nB: c\r\n" CLOSE},
        /* interim answers */
        {"HTTP/1.1 100 Continue\r\n\r\n" OK "\r\nx", "HTTP/1.1 100 Continue\r\n\r\n" OK CLOSE "x"},
        {"HTTP/1.1 100\r\n\r\nHTTP/1.1 103 Hints\r\nConnection: a\r\nLink: b\r\n\r\n" OK "\r\n",
         "HTTP/1.1 100\r\n\r\nHTTP/1.1 103 Hints\r\nLink: b\r\n\r\n" OK CLOSE},
        {"HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n"},
        {"HTTP/1.1 101 Switching\r\n\r\n\1\2", "HTTP/1.1 101 Switching\r\n" CLOSE "\1\2"},
        /* not whole yet */
        {OK "A: b\r\n", ""},
        {"H", ""},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        assert_passes(rows[i].in, rows[i].out);
}

static void other_answers_are_broken(void **state)
{
    static const char *const rows[] = {
        "SSH-2.0-x\r\n",  "http/1.1 200 OK\r\n\r\n", "\r\n\r\n", "x", "HTTQ/1.1 200\r\n\r\n",
        "<html>\r\n\r\n", "HTTP/1.1 100 a\r\n\r\nx"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (size_t cut = 0; cut <= strlen(rows[i]); cut++) {
            struct buf out CLEANUP(buf_free);
            bool is_broken;

            buf_init(&out, OUT_MAX);
            assert_false(feed(rows[i], strlen(rows[i]), cut, cut ? SIZE_MAX : 1, &out, &is_broken));
            assert_true(is_broken);
        }
}

/* A head of exactly size bytes and a body of body bytes behind it. */
static char *make_answer(size_t size, size_t body)
{
    static const char front[] = OK "A: ";
    char *bytes = malloc(size + body);

    memset(bytes, 'x', size + body);
    memcpy(bytes, front, strlen(front));
    memcpy(bytes + size - 4, "\r\n\r\n", 4);
    return bytes;
}

static void heads_have_a_limit(void **state)
{
    static const struct {
        size_t size;
        bool fits;
    } rows[] = {
        {100, true},
        {RESPONSE_HEAD_MAX - 1, true},
        {RESPONSE_HEAD_MAX, true},
        {RESPONSE_HEAD_MAX + 1, false},
        {2 * RESPONSE_HEAD_MAX, false},
    };
    static const size_t cuts[] = {0, 10, 4000, 100000};
    const size_t body = 64 * KIB;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(cuts); i++) {
        size_t size = rows[i % ARRAY_SIZE(rows)].size;
        bool fits = rows[i % ARRAY_SIZE(rows)].fits;
        size_t cut = cuts[i / ARRAY_SIZE(rows)];
        char *bytes = make_answer(size, body);
        struct buf out CLEANUP(buf_free);
        bool is_broken;

        buf_init(&out, OUT_MAX);
        /* However much of the body comes with the rest of the head. */
        assert_int_equal(feed(bytes, size + body, cut, cut ? SIZE_MAX : 1, &out, &is_broken), fits);
        assert_int_equal(is_broken, !fits);
        assert_int_equal(out.len, fits ? size + strlen("Connection: close\r\n") + body : 0);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_say_that_the_connection_ends),
        cmocka_unit_test(other_answers_are_broken),
        cmocka_unit_test(heads_have_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
