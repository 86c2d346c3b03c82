// SPDX-License-Identifier: GPL-3.0-only
/*
 * orders: what is encoded is decoded again, and nothing else is.
 */
#include "backend/orders.h"
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STRINGS_MAX 12

/* Orders with the memory that they borrow. */
struct sample {
    struct orders orders;
    char *argv[STRINGS_MAX + 1];
    char *env[STRINGS_MAX + 1];
    struct orders_rule rules[STRINGS_MAX];
    char *fixed[STRINGS_MAX + 1];
};

/* xorshift64*: the same sequence in every run. */
static uint64_t random_bits(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15ULL;

    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1dULL;
}

static char *random_string(const char *prefix)
{
    size_t len = random_bits() % 20;
    size_t start = strlen(prefix);
    char *text = xcalloc(start + len + 1, 1);

    memcpy(text, prefix, start);
    for (size_t i = 0; i < len; i++)
        text[start + i] = (char)(1 + random_bits() % 255);
    return text;
}

static void fill_sample(struct sample *sample)
{
    size_t argc = 1 + random_bits() % STRINGS_MAX;
    size_t envc = random_bits() % STRINGS_MAX;

    *sample = (struct sample){0};
    for (size_t i = 0; i < argc; i++)
        sample->argv[i] = random_string("");
    for (size_t i = 0; i < envc; i++)
        sample->env[i] = random_string("K=");
    sample->orders = (struct orders){
        .flags = (uint32_t)random_bits() & ORDERS_FLAGS_ALL,
        .handled_fs = random_bits(),
        .handled_net = random_bits(),
        .scoped = random_bits(),
        .fd_access = random_bits(),
        .nproc = random_bits(),
        .nofile_hard = random_bits(),
        .core = random_bits(),
        .fsize = random_bits(),
        .umask_bits = random_bits() & 0777,
        .sigignore = random_bits(),
        .sigmask = random_bits(),
        .cwd = random_string("/"),
        .argv = sample->argv,
        .env = sample->env,
        .rules = sample->rules,
        .rule_count = random_bits() % STRINGS_MAX,
        .mise = random_string(random_bits() & 1 ? "/" : ""),
        .mise_fixed = sample->fixed,
        .mise_ms = (uint32_t)random_bits(),
    };
    if (sample->orders.mise[0] != '/')
        sample->orders.mise[0] = '\0';
    for (size_t i = random_bits() % STRINGS_MAX; i > 0; i--)
        sample->fixed[i - 1] = random_string("N");
    sample->orders.listen_count = random_bits() % (ORDERS_LISTEN_MAX + 1);
    for (size_t i = 0; i < sample->orders.listen_count; i++)
        sample->orders.listen[i] = (uint16_t)(random_bits() | 1);
    for (size_t i = 0; i < sample->orders.rule_count; i++)
        sample->rules[i] = (struct orders_rule){random_bits(), random_string("/")};
}

static void free_sample(struct sample *sample)
{
    for (size_t i = 0; i < STRINGS_MAX; i++) {
        free(sample->argv[i]);
        free(sample->env[i]);
        free(sample->rules[i].path);
        free(sample->fixed[i]);
    }
    free(sample->orders.cwd);
    free(sample->orders.mise);
}

/* A copy without a byte to spare, so that a sanitizer sees every read behind its end. */
static char *exact_copy(const void *bytes, size_t len)
{
    char *copy = malloc(len ? len : 1);

    assert_non_null(copy);
    memcpy(copy, bytes, len);
    return copy;
}

static void free_decoded(struct orders *orders)
{
    free(orders->argv);
    free(orders->env);
    free(orders->rules);
    free(orders->mise_fixed);
}

/* The lists are the same up to and including their NULL. */
static void assert_lists_equal(char *const *a, char *const *b)
{
    size_t i = 0;

    for (; a[i] && b[i]; i++)
        assert_string_equal(a[i], b[i]);
    assert_null(a[i]);
    assert_null(b[i]);
}

static void assert_orders_equal(const struct orders *a, const struct orders *b)
{
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->listen_count, b->listen_count);
    assert_memory_equal(a->listen, b->listen, sizeof(a->listen));
    assert_int_equal(a->handled_fs, b->handled_fs);
    assert_int_equal(a->handled_net, b->handled_net);
    assert_int_equal(a->scoped, b->scoped);
    assert_int_equal(a->fd_access, b->fd_access);
    assert_int_equal(a->nproc, b->nproc);
    assert_int_equal(a->nofile_hard, b->nofile_hard);
    assert_int_equal(a->core, b->core);
    assert_int_equal(a->mise_ms, b->mise_ms);
    assert_string_equal(a->mise, b->mise);
    assert_lists_equal(a->mise_fixed, b->mise_fixed);
    assert_int_equal(a->fsize, b->fsize);
    assert_int_equal(a->umask_bits, b->umask_bits);
    assert_int_equal(a->sigignore, b->sigignore);
    assert_int_equal(a->sigmask, b->sigmask);
    assert_string_equal(a->cwd, b->cwd);
    assert_lists_equal(a->argv, b->argv);
    assert_lists_equal(a->env, b->env);
    assert_int_equal(a->rule_count, b->rule_count);
    for (size_t i = 0; i < a->rule_count; i++) {
        assert_int_equal(a->rules[i].access, b->rules[i].access);
        assert_string_equal(a->rules[i].path, b->rules[i].path);
    }
}

static int decode_copy(const void *bytes, size_t len, const struct orders *expected)
{
    char *copy = exact_copy(bytes, len);
    struct orders orders;
    int r = orders_decode(&orders, copy, len);

    if (r == 0 && expected)
        assert_orders_equal(&orders, expected);
    free_decoded(&orders);
    free(copy);
    return r;
}

static void test_round_trip(void **state)
{
    (void)state;
    for (int i = 0; i < 500; i++) {
        struct sample sample;
        struct buf out CLEANUP(buf_free);

        fill_sample(&sample);
        buf_init(&out, ORDERS_MAX);
        assert_int_equal(orders_encode(&sample.orders, &out), 0);
        assert_int_equal(decode_copy(out.data, out.len, &sample.orders), 0);
        free_sample(&sample);
    }
}

static void test_every_truncation_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct sample sample;
        struct buf out CLEANUP(buf_free);

        fill_sample(&sample);
        buf_init(&out, ORDERS_MAX);
        assert_int_equal(orders_encode(&sample.orders, &out), 0);
        for (size_t len = 0; len < out.len; len++)
            assert_int_equal(decode_copy(out.data, len, NULL), -EBADMSG);
        buf_append_byte(&out, 0);
        assert_int_equal(decode_copy(out.data, out.len, NULL), -EBADMSG);
        free_sample(&sample);
    }
}

/* The header claims the shorter length, so that the checks behind it are reached. */
static void test_every_consistent_truncation_is_refused(void **state)
{
    struct sample sample;
    struct buf out CLEANUP(buf_free);

    (void)state;
    fill_sample(&sample);
    buf_init(&out, ORDERS_MAX);
    assert_int_equal(orders_encode(&sample.orders, &out), 0);
    for (uint64_t len = 16; len < out.len; len++) {
        memcpy(out.data + 8, &len, sizeof(len));
        assert_int_equal(decode_copy(out.data, len, NULL), -EBADMSG);
    }
    free_sample(&sample);
}

/* Any byte may be anything: no read outside, no huge allocation. */
static void test_every_changed_byte_is_survived(void **state)
{
    struct sample sample;
    struct buf out CLEANUP(buf_free);

    (void)state;
    fill_sample(&sample);
    buf_init(&out, ORDERS_MAX);
    assert_int_equal(orders_encode(&sample.orders, &out), 0);
    for (size_t i = 0; i < out.len; i++) {
        uint8_t kept = out.data[i];

        for (int bit = 0; bit < 8; bit++) {
            int r;

            out.data[i] = kept ^ (uint8_t)(1U << bit);
            r = decode_copy(out.data, out.len, NULL);
            assert_true(r == 0 || r == -EBADMSG);
        }
        out.data[i] = kept;
    }
    free_sample(&sample);
}

static int decode_changed(void (*change)(struct sample *sample))
{
    struct sample sample;
    struct buf out CLEANUP(buf_free);
    int r;

    fill_sample(&sample);
    sample.orders.rule_count = 1;
    if (!sample.rules[0].path)
        sample.rules[0].path = random_string("/");
    change(&sample);
    buf_init(&out, ORDERS_MAX);
    assert_int_equal(orders_encode(&sample.orders, &out), 0);
    r = decode_copy(out.data, out.len, NULL);
    free_sample(&sample);
    return r;
}

static void change_nothing(struct sample *sample)
{
    (void)sample;
}

static void change_flags(struct sample *sample)
{
    sample->orders.flags |= ORDERS_FLAGS_ALL + 1U;
}

static void change_umask(struct sample *sample)
{
    sample->orders.umask_bits = 01000;
}

static void change_cwd(struct sample *sample)
{
    sample->orders.cwd[0] = 'x';
}

static void change_rule(struct sample *sample)
{
    sample->rules[0].path[0] = '.';
}

static void change_argv(struct sample *sample)
{
    sample->orders.argv = NULL;
}

static void test_wrong_values_are_refused(void **state)
{
    (void)state;
    assert_int_equal(decode_changed(change_nothing), 0);
    assert_int_equal(decode_changed(change_flags), -EBADMSG);
    assert_int_equal(decode_changed(change_umask), -EBADMSG);
    assert_int_equal(decode_changed(change_cwd), -EBADMSG);
    assert_int_equal(decode_changed(change_rule), -EBADMSG);
    assert_int_equal(decode_changed(change_argv), -EBADMSG);
}

static void test_no_room_is_reported(void **state)
{
    struct sample sample;
    struct buf out CLEANUP(buf_free);

    (void)state;
    fill_sample(&sample);
    buf_init(&out, 140);
    assert_int_equal(orders_encode(&sample.orders, &out), -ENOSPC);
    assert_int_equal(decode_copy(out.data, out.len, NULL), -EBADMSG);
    free_sample(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_every_truncation_is_refused),
        cmocka_unit_test(test_every_consistent_truncation_is_refused),
        cmocka_unit_test(test_every_changed_byte_is_survived),
        cmocka_unit_test(test_wrong_values_are_refused),
        cmocka_unit_test(test_no_room_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
