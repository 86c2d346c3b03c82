// SPDX-License-Identifier: GPL-3.0-only
/*
 * Tests of pty/relay_input and pty/queue: when an answer may be written, and what happens at the
 * bounds. Time is a number here, so nothing depends on the machine.
 */
#include "pty/relay_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define GROUP 100

static const struct slave_modes raw = {.group = GROUP};
static const struct slave_modes cooked = {.echoes = true, .edits_lines = true, .group = GROUP};
static const struct slave_modes silent_lines = {.edits_lines = true, .group = GROUP};
static const struct slave_modes other_group = {.group = GROUP + 1};

static void add_keys(struct relay_input *input, const char *text)
{
    relay_input_add_keys(input, text, strlen(text));
}

static void add_answer(struct relay_input *input, const char *text, uint64_t now_ms)
{
    relay_input_add_answer(input, text, strlen(text), now_ms, GROUP);
}

/* What would be written at that time. NULL: an answer is held; "": nothing is there. */
static void assert_next(struct relay_input *input, uint64_t now_ms, const struct slave_modes *slave,
                        const char *wanted)
{
    const uint8_t *bytes = NULL;
    size_t len = 0;
    enum relay_input_state state = relay_input_next(input, now_ms, slave, &bytes, &len);

    if (!wanted) {
        assert_int_equal(state, RELAY_INPUT_HELD);
        return;
    }
    assert_int_equal(state, *wanted ? RELAY_INPUT_READY : RELAY_INPUT_EMPTY);
    assert_int_equal(len, strlen(wanted));
    if (len)
        assert_memory_equal(bytes, wanted, len);
}

static void test_order_is_kept(void **state)
{
    struct relay_input input;

    (void)state;
    relay_input_init(&input);
    assert_next(&input, 0, &raw, "");
    add_keys(&input, "ab");
    add_answer(&input, "[1]", 0);
    add_answer(&input, "[2]", 0);
    add_keys(&input, "cd");
    add_answer(&input, "[3]", 7);
    assert_next(&input, 7, &raw, "ab[1][2]cd[3]");
    relay_input_consume(&input, 4);
    assert_next(&input, 7, &raw, "][2]cd[3]");
    relay_input_consume(&input, 9);
    assert_next(&input, 7, &raw, "");
    assert_int_equal(relay_input_answers_room(&input), RELAY_INPUT_ANSWERS_MAX);
    assert_int_equal(relay_input_keys_room(&input), RELAY_INPUT_KEYS_MAX);
    relay_input_free(&input);
}

static void test_answer_waits_for_a_raw_slave(void **state)
{
    struct relay_input input;

    (void)state;
    relay_input_init(&input);
    add_keys(&input, "k");
    add_answer(&input, "[1]", 1000);
    add_keys(&input, "l");
    /* Keys in front are free to go, keys behind wait. */
    assert_next(&input, 1000, &cooked, "k");
    relay_input_consume(&input, 1);
    assert_next(&input, 1000, &cooked, NULL);
    assert_next(&input, 1099, &cooked, NULL);
    assert_next(&input, 1099, &raw, "[1]l");
    /* Turned back before it was written. */
    assert_next(&input, 1099, &cooked, NULL);
    assert_next(&input, 1100, &cooked, "l");
    assert_int_equal(input.answers_len, 0);
    relay_input_free(&input);
}

static void test_time_over_without_echo_is_written(void **state)
{
    struct relay_input input;

    (void)state;
    relay_input_init(&input);
    add_answer(&input, "[1]", 0);
    assert_next(&input, 99, &silent_lines, NULL);
    assert_next(&input, 100, &silent_lines, "[1]");
    relay_input_free(&input);
}

static void test_each_answer_has_its_own_time(void **state)
{
    struct relay_input input;

    (void)state;
    relay_input_init(&input);
    add_answer(&input, "[1]", 0);
    add_answer(&input, "[2]", 50);
    assert_next(&input, 100, &cooked, NULL);
    assert_next(&input, 149, &raw, "[2]");
    assert_next(&input, 150, &cooked, "");
    relay_input_free(&input);
}

static void test_other_foreground_group_gets_no_answer(void **state)
{
    struct slave_modes unknown = {.group = -1};
    struct relay_input input;

    (void)state;
    relay_input_init(&input);
    add_answer(&input, "[1]", 0);
    add_keys(&input, "k");
    assert_next(&input, 0, &unknown, "[1]k");
    assert_next(&input, 0, &other_group, "k");
    relay_input_reset(&input);
    /* Who asked is not known. */
    relay_input_add_answer(&input, "[2]", 3, 0, -1);
    assert_next(&input, 0, &other_group, "[2]");
    relay_input_free(&input);
}

static void test_started_answer_is_completed(void **state)
{
    struct relay_input input;

    (void)state;
    relay_input_init(&input);
    add_answer(&input, "[1]", 0);
    assert_next(&input, 0, &raw, "[1]");
    relay_input_consume(&input, 1);
    add_answer(&input, "[2]", 0);
    assert_next(&input, 0, &cooked, "1]");
    assert_next(&input, 500, &other_group, "1]");
    relay_input_consume(&input, 2);
    assert_next(&input, 500, &other_group, "");
    relay_input_free(&input);
}

static void test_answers_are_bounded(void **state)
{
    static const uint8_t block[1024];
    struct relay_input input;

    (void)state;
    relay_input_init(&input);
    while (relay_input_answers_room(&input) >= sizeof(block))
        relay_input_add_answer(&input, block, sizeof(block), 0, GROUP);
    assert_int_equal(input.answers_len, RELAY_INPUT_ANSWERS_MAX);
    relay_input_add_answer(&input, "x", 1, 0, GROUP);
    assert_int_equal(input.answers_len, RELAY_INPUT_ANSWERS_MAX);
    /* Keys still find all of their room. */
    while (relay_input_keys_room(&input) > 0)
        relay_input_add_keys(&input, block, sizeof(block));
    assert_int_equal(queue_len(&input.bytes), RELAY_INPUT_ANSWERS_MAX + RELAY_INPUT_KEYS_MAX);
    assert_false(input.bytes.buf.overflow);
    relay_input_free(&input);
}

static void test_keys_find_room_behind_many_answers(void **state)
{
    struct relay_input input;
    size_t answers = 0;

    (void)state;
    relay_input_init(&input);
    for (unsigned int i = 0; i < 10 * RELAY_INPUT_PARTS; i++) {
        size_t before = input.answers_len;

        add_answer(&input, "a", i);
        answers += input.answers_len - before;
        if (i % 2)
            add_keys(&input, "k");
    }
    /* No key is missing; the answers that met a full ring are. */
    assert_int_equal(queue_len(&input.bytes), 5 * RELAY_INPUT_PARTS + answers);
    assert_true(answers < RELAY_INPUT_PARTS);
    assert_next(&input, 10000, &other_group, "k");
    relay_input_free(&input);
}

/* The ring goes round many times with short writes. */
static void test_short_writes_keep_the_stream(void **state)
{
    struct relay_input input;
    uint8_t sent = 0;
    uint8_t expected = 0;

    (void)state;
    relay_input_init(&input);
    for (unsigned int round = 0; round < 5000; round++) {
        const uint8_t *bytes = NULL;
        size_t len = 0;

        for (unsigned int i = 0; i < 3; i++, sent++) {
            if ((round + i) % 2)
                relay_input_add_keys(&input, &sent, 1);
            else
                relay_input_add_answer(&input, &sent, 1, round, GROUP);
        }
        assert_int_equal(relay_input_next(&input, round, &raw, &bytes, &len), RELAY_INPUT_READY);
        len = len > 3 ? 2 + round % 3 : len;
        for (size_t i = 0; i < len; i++)
            assert_int_equal(bytes[i], expected++);
        relay_input_consume(&input, len);
    }
    relay_input_free(&input);
}

static void test_queue_moves_rarely_and_stays_small(void **state)
{
    struct queue queue;
    uint8_t in = 0;
    uint8_t out = 0;

    (void)state;
    queue_init(&queue, 1000);
    for (unsigned int round = 0; round < 10000; round++) {
        while (queue_len(&queue) < 1000)
            assert_int_equal(buf_append(queue_tail(&queue), &(uint8_t){in++}, 1), 0);
        for (unsigned int i = 0; i < 1 + round % 7; i++) {
            assert_int_equal(*queue_data(&queue), out++);
            queue_consume(&queue, 1);
        }
    }
    assert_true(queue.buf.cap <= 2048);
    queue_reset(&queue);
    assert_int_equal(queue_len(&queue), 0);
    queue_free(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_is_kept),
        cmocka_unit_test(test_answer_waits_for_a_raw_slave),
        cmocka_unit_test(test_time_over_without_echo_is_written),
        cmocka_unit_test(test_each_answer_has_its_own_time),
        cmocka_unit_test(test_other_foreground_group_gets_no_answer),
        cmocka_unit_test(test_started_answer_is_completed),
        cmocka_unit_test(test_answers_are_bounded),
        cmocka_unit_test(test_keys_find_room_behind_many_answers),
        cmocka_unit_test(test_short_writes_keep_the_stream),
        cmocka_unit_test(test_queue_moves_rarely_and_stays_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
