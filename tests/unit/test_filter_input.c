// SPDX-License-Identifier: GPL-3.0-only
/*
 * test_filter_input: keys pass, replies do not, pastes are text; each case whole and byte by byte.
 */
#include "filter/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct filter_keys none;
static const struct filter_keys all = {.mouse = true, .focus = true, .paste = true, .theme = true};

struct io {
    const char *in;
    const char *out;
};

static void feed(struct input *input, const struct filter_keys *keys, const char *text,
                 struct buf *out)
{
    input_feed(input, keys, (const uint8_t *)text, strlen(text), out);
}

/* Feeds in pieces of step bytes and lets time pass at the end. */
static void check_one(const struct io *io, const struct filter_keys *keys, size_t step)
{
    struct input *input = input_new();
    struct buf out CLEANUP(buf_free);
    size_t len = strlen(io->in);

    buf_init(&out, 64 * KIB);
    for (size_t i = 0; i < len; i += step)
        input_feed(input, keys, (const uint8_t *)io->in + i, len - i < step ? len - i : step, &out);
    if (input_wait_ms(input) >= 0)
        input_expire(input, keys, &out);
    assert_int_equal(input_wait_ms(input), -1);
    assert_string_equal(buf_cstr(&out), io->out);
    input_free(input);
}

static void check(const struct io *cases, size_t count, const struct filter_keys *keys)
{
    for (size_t i = 0; i < count; i++) {
        check_one(&cases[i], keys, 1);
        check_one(&cases[i], keys, strlen(cases[i].in));
    }
}

static void keys_pass(void **state)
{
    static const char *const keys[] = {
        "a",           "\x7f",         "\r",           "é漢😀",
        "\033",        "\033\033",     "\033x",        "\033\r",
        "\033O",       "\033OA",       "\033[A",       "\033[1;5C",
        "\033[3~",     "\033[27;5;9~", "\033[97;5:3u", "\033[1;1:3A",
        "\033[R",      "\033[1;2R",    "\033[1;16R",   "\033[[E",
        "\033[7$",     "\033[7$a",     "\033[3^",      "\033[2@",
        "\033P",       "\033]",        "\033_",        "\033]\r",
        "\033\033[A",  "\033[",        "\033[\x03",    "\033]\033]",
        "\033]\033[A", "\033X\033",    "\033é",        "\033[15;2~\033[Z",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        struct io io = {keys[i], keys[i]};

        check(&io, 1, &none);
    }
}

static void replies_do_not(void **state)
{
    static const struct io cases[] = {
        {"a\033[?62;22cb", "ab"},
        {"\033[5;9Ra", "a"},
        {"\033[1;17R", ""},
        {"\033[1;2;3R", ""},
        {"\033[0n", ""},
        {"\033[3n", ""},
        {"\033[?2026;2$y", ""},
        {"\033[4;2$yx", "x"},
        {"\033[8;24;80t", ""},
        {"\033[?1u", ""},
        {"\033[>4;2m", ""},
        {"\033[?6S", ""},
        {"\033[65;30;97;1;0;1_", ""},
        {"\033P1$r0m\033\\x", "x"},
        {"\033P1$r0m\ax", "\ax"},
        {"\033]11;rgb:0/0/0\ax", "x"},
        {"\033]11;rgb:0/0/0\033\\x", "x"},
        {"\033]11;rgb:0/0\033[A", "\033[A"},
        {"\033]52;c;", ""},
        {"\033_Gi=1;OK\033\\", ""},
        {"\033[1;2", ""},
        {"\033[1;2\rx", "\rx"},
        {"\033[1;2\033[A", "\033[A"},
        {"\033[1;22222222222222222222222222222222222222222222222222222222222222222222222222222Rx",
         "x"},
        {"\033[I\033[O\033[?997;1n\033[<0;1;1M\033[0;1;1M\033[M !!x", "x"},
        {"\033[?997;3n\033[?998;1n", ""},
        {"a\x9b\xc2\x9b"
         "6n\xff\xe2\x82",
         "a6n"},
    };

    (void)state;
    check(cases, ARRAY_SIZE(cases), &none);
}

static void reports_pass_when_asked_for(void **state)
{
    static const char *const reports[] = {
        "\033[I",          "\033[O",       "\033[?997;1n", "\033[<0;1;1M",
        "\033[<35;80;24m", "\033[32;5;5M", "\033[M !!x",   "\033[M \xf0\xf1y",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(reports); i++) {
        struct io io = {reports[i], reports[i]};

        check(&io, 1, &all);
    }
}

static void old_mouse_in_utf8(void **state)
{
    static const struct io cases[] = {{"\033[M \xc3\xa9\xc3\xaax", "\033[M \xc3\xa9\xc3\xaax"}};
    static const struct io dropped[] = {{"\033[M \xc3\xa9\xc3\xaax", "x"}};
    struct filter_keys keys = {.mouse = true, .mouse_utf8 = true};

    (void)state;
    check(cases, ARRAY_SIZE(cases), &keys);
    keys.mouse = false;
    check(dropped, ARRAY_SIZE(dropped), &keys);
}

static void pastes_are_text(void **state)
{
    static const struct io with[] = {
        {"\033[200~a\tb\r\nc\033[201~d", "\033[200~a\tb\r\nc\033[201~d"},
        {"\033[200~a\001\x7f\033[31mb\033\033[201~", "\033[200~a[31mb\033[201~"},
        {"\033[200~a\033[200~b\033[201~", "\033[200~ab\033[201~"},
        {"\033[200~\033]52;c;eA==\a\033[201~", "\033[200~]52;c;eA==\033[201~"},
        {"\033[200~a\xc2\x9b"
         "b\xff漢\xe6\033[201~",
         "\033[200~ab漢\033[201~"},
        {"\033[200~a\033[20", "\033[200~a[20\033[201~"},
        {"\033[200~a", "\033[200~a\033[201~"},
        {"\033[201~a", "a"},
    };
    static const struct io without[] = {
        {"\033[200~a\033[31m\033[201~b", "a[31mb"},
        {"\033[200~a", "a"},
    };

    (void)state;
    check(with, ARRAY_SIZE(with), &all);
    check(without, ARRAY_SIZE(without), &none);
}

/* An end marker inside the clipboard's text, as terminals that only wrap it deliver it. */
static void paste_cannot_break_out(void **state)
{
    struct input *input = input_new();
    struct buf out CLEANUP(buf_free);

    (void)state;
    buf_init(&out, 4 * KIB);
    feed(input, &all, "\033[200~x\033[201~; evil\r\033[201~y", &out);
    assert_string_equal(buf_cstr(&out), "\033[200~x; evil\r\033[201~y");
    buf_reset(&out);
    feed(input, &all, "\033[200~1\033[201~\033[200~2\033[201~", &out);
    assert_string_equal(buf_cstr(&out), "\033[200~1\033[201~\033[200~2\033[201~");
    input_free(input);
}

static void waiting_times(void **state)
{
    static const struct {
        const char *in;
        int wait_ms;
    } cases[] = {
        {"a", -1},
        {"\033", 25},
        {"\033O", 25},
        {"\033[1", 50},
        {"\033]", 50},
        {"\033]1", 1000},
        {"\033P1$r\033", 1000},
        {"\033[200~a", 2000},
        {"\xe2\x82", 50},
        {"\033[200~a\033[201~", -1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct input *input = input_new();
        struct buf out CLEANUP(buf_free);

        buf_init(&out, 4 * KIB);
        feed(input, &all, cases[i].in, &out);
        assert_int_equal(input_wait_ms(input), cases[i].wait_ms);
        input_free(input);
    }
}

/* Any bytes: never more than what came in and was held, and nothing is left behind. */
static void output_is_bounded(void **state)
{
    static const uint8_t odd[] = {0x1B, '[', ']', 'M',  '2',  '0', '1',
                                  '~',  '$', 'y', 0x9B, 0xC3, ';'};
    uint32_t seed = 7;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct input *input = input_new();
        struct buf out CLEANUP(buf_free);
        uint8_t bytes[100];

        for (size_t j = 0; j < sizeof(bytes); j++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[j] = seed >> 30 ? odd[(seed >> 8) % ARRAY_SIZE(odd)] : (uint8_t)(seed >> 16);
        }
        buf_init(&out, sizeof(bytes) + INPUT_HELD_MAX);
        input_feed(input, i % 2 ? &all : &none, bytes, sizeof(bytes), &out);
        input_expire(input, i % 2 ? &all : &none, &out);
        assert_false(out.overflow);
        assert_int_equal(input_wait_ms(input), -1);
        input_free(input);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_pass),
        cmocka_unit_test(replies_do_not),
        cmocka_unit_test(reports_pass_when_asked_for),
        cmocka_unit_test(old_mouse_in_utf8),
        cmocka_unit_test(pastes_are_text),
        cmocka_unit_test(paste_cannot_break_out),
        cmocka_unit_test(waiting_times),
        cmocka_unit_test(output_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
