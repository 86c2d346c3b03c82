// SPDX-License-Identifier: GPL-3.0-only
/*
 * test_filter_clipboard: OSC 52, with and without leave to write the clipboard (P-FIL-5).
 */
#include "filter/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct filter *filter;
    struct buf out;
    struct buf reply;
    uint64_t now_ms;
};

static uint64_t read_clock(void *ctx)
{
    return *(const uint64_t *)ctx;
}

static struct fixture *start(bool may_write)
{
    struct fixture *f = xcalloc(1, sizeof(*f));
    struct filter_profile profile = filter_profile_fixed;

    profile.may_write_clipboard = may_write;
    f->now_ms = 5000;
    f->filter = filter_new(&profile);
    filter_set_clock(f->filter, read_clock, &f->now_ms);
    buf_init(&f->out, 1 * MIB);
    buf_init(&f->reply, 64 * KIB);
    return f;
}

static void finish(struct fixture *f)
{
    filter_free(f->filter);
    buf_free(&f->out);
    buf_free(&f->reply);
    free(f);
}

static void feed(struct fixture *f, const char *bytes, size_t len)
{
    filter_feed(f->filter, (const uint8_t *)bytes, len, &f->out, &f->reply);
}

/* What comes out of text, a while after whatever came before. */
static const char *pass(struct fixture *f, const char *text)
{
    f->now_ms += 1000;
    buf_reset(&f->out);
    buf_reset(&f->reply);
    feed(f, text, strlen(text));
    assert_false(f->out.overflow);
    return buf_cstr(&f->out);
}

static void assert_counts(struct fixture *f, uint64_t written, uint64_t refused)
{
    struct filter_clipboard count = filter_clipboard(f->filter);

    assert_int_equal(count.written, written);
    assert_int_equal(count.refused, refused);
}

static char *base64(const uint8_t *bytes, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = xcalloc(1, (len + 2) / 3 * 4 + 1);
    char *p = text;

    for (size_t i = 0; i < len; i += 3) {
        uint32_t bits = (uint32_t)bytes[i] << 16;

        bits |= i + 1 < len ? (uint32_t)bytes[i + 1] << 8 : 0;
        bits |= i + 2 < len ? bytes[i + 2] : 0;
        *p++ = digits[bits >> 18];
        *p++ = digits[bits >> 12 & 63];
        *p++ = i + 1 < len ? digits[bits >> 6 & 63] : '=';
        *p++ = i + 2 < len ? digits[bits & 63] : '=';
    }
    return text;
}

/* The command for len bytes. */
static char *command_for(const void *bytes, size_t len)
{
    _cleanup_free_ char *payload = base64(bytes, len);

    return xasprintf("\033]52;c;%s\a", payload);
}

static void nothing_passes_without_leave(void **state)
{
    struct fixture *f = start(false);
    _cleanup_free_ char *large = xcalloc(1, 90001);
    _cleanup_free_ char *command = NULL;

    (void)state;
    assert_string_equal(pass(f, "a\033]52;c;aGk=\ab\033]52;;\033\\c\033]52;c;?\ad"), "abcd");
    memset(large, 'x', 90000);
    command = command_for(large, 90000);
    assert_string_equal(pass(f, command), "");
    assert_int_equal(f->reply.len, 0);
    assert_counts(f, 0, 0);
    pass(f, "\033[c\033P+q4d73\033\\");
    assert_string_equal(buf_cstr(&f->reply), "\033[?62;22c\033P0+r4d73\033\\");
    finish(f);
}

static void it_is_advertised(void **state)
{
    struct fixture *f = start(true);

    (void)state;
    pass(f, "\033[c\033Z\033P+q4d73;436f\033\\");
    assert_string_equal(buf_cstr(&f->reply), "\033[?62;22;52c\033[?62;22;52c"
                                             "\033P1+r4d73=1B5D35323B25703125733B257032257307\033\\"
                                             "\033P1+r436f=323536\033\\");
    finish(f);
}

static void every_selection_is_the_clipboard(void **state)
{
    struct fixture *f = start(true);

    (void)state;
    assert_string_equal(pass(f, "a\033]52;c;aGk=\ab"), "a\033]52;c;aGk=\ab");
    assert_string_equal(pass(f, "\033]52;p;aGk=\033\\"), "\033]52;c;aGk=\033\\");
    assert_string_equal(pass(f, "\033]52;s;aGk=\a"), "\033]52;c;aGk=\a");
    assert_string_equal(pass(f, "\033]52;;aGk=\a"), "\033]52;c;aGk=\a");
    assert_string_equal(pass(f, "\033]00052;;aGk=\a"), "\033]52;c;aGk=\a");
    /* Nothing as the text empties the clipboard. */
    assert_string_equal(pass(f, "\033]52;c;\a"), "\033]52;c;\a");
    assert_counts(f, 6, 0);
    finish(f);
}

static void it_is_never_asked(void **state)
{
    static const char *const questions[] = {"\033]52;c;?\a",  "\033]52;;?\033\\", "\033]52;p;?\a",
                                            "\033]52;s;?\a",  "\033]52;c\a",      "\033]52\a",
                                            "\033]52;\a",     "\033]52;?\a",      "\033]52;0;?\a",
                                            "\033]52;cp;?\a", "\033]52;c;?;?\a"};
    struct fixture *f = start(true);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
        assert_string_equal(pass(f, questions[i]), "");
        assert_int_equal(f->reply.len, 0);
    }
    assert_int_equal(filter_clipboard(f->filter).written, 0);
    finish(f);
}

static void only_strict_base64(void **state)
{
    static const char *const wrong[] = {
        "aGk",
        "aGk==",
        "aG=k",
        "a===",
        "====",
        "=aGk",
        "aGk=aGk=",
        "aGl=",
        "aH==",
        "aG k",
        "aGk=\n",
        "a-_=",
        "aG*=",
        "aGk;",
        "aGk=;",
        "aGk?",
        "\xc3\xa9\xc3\xa9",
    };
    struct fixture *f = start(true);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        _cleanup_free_ char *command = xasprintf("\033]52;c;%s\a", wrong[i]);

        assert_string_equal(pass(f, command), "");
    }
    assert_counts(f, 0, ARRAY_SIZE(wrong));
    assert_string_equal(pass(f, "\033]52;x;aGk=\a\033]52;0;aGk=\a\033]52;cp;aGk=\a"), "");
    finish(f);
}

struct text {
    const char *bytes;
    bool passes;
};

static void only_text(void **state)
{
    static const struct text texts[] = {
        {"a", true},
        {"tab\tand\nline\n", true},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 caf\xc3\xa9", true},
        {"x\xe2\x82\xac", true},
        {"\r\n", false},
        {"\033[201~", false},
        {"\x01", false},
        {"\x7f", false},
        {"\xc2\x9b", false}, /* CSI as one character */
        {"\x9b", false},
        {"\xc3", false},
        {"x\xe2\x82", false},
        {"\xe2\x82y", false},
        {"\xed\xa0\x80", false},
        {"\xc0\x80", false},
        {"\xf4\x90\x80\x80", false},
    };
    struct fixture *f = start(true);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        _cleanup_free_ char *command = command_for(texts[i].bytes, strlen(texts[i].bytes));

        assert_string_equal(pass(f, command), texts[i].passes ? command : "");
    }
    /* NUL, which strlen() cannot see. */
    {
        _cleanup_free_ char *command = command_for("a\0b", 3);

        assert_string_equal(pass(f, command), "");
    }
    finish(f);
}

static void at_most_one_a_second(void **state)
{
    struct fixture *f = start(true);

    (void)state;
    assert_string_equal(pass(f, "\033]52;c;YQ==\a\033]52;c;Yg==\a"), "\033]52;c;YQ==\a");
    assert_counts(f, 1, 1);
    f->now_ms -= 1; /* pass() lets a second go by */
    assert_string_equal(pass(f, "\033]52;c;Yw==\a"), "");
    assert_counts(f, 1, 2);
    assert_string_equal(pass(f, "\033]52;c;ZA==\a"), "\033]52;c;ZA==\a");
    /* What is refused anyway does not use up the second. */
    assert_string_equal(pass(f, "\033]52;c;!\a\033]52;c;?\a\033]52;c;ZQ==\a"), "\033]52;c;ZQ==\a");
    assert_counts(f, 3, 3);
    finish(f);
}

/* Feeds the command in pieces; it must come out as it is, or not at all. */
static void check_pieces(const char *command, size_t step, bool passes)
{
    struct fixture *f = start(true);
    size_t len = strlen(command);

    for (size_t at = 0; at < len; at += step) {
        assert_int_equal(f->out.len, 0);
        feed(f, command + at, len - at < step ? len - at : step);
    }
    assert_int_equal(f->out.len, passes ? len : 0);
    assert_true(!passes || memcmp(f->out.data, command, len) == 0);
    assert_counts(f, passes, !passes);
    assert_true(filter_is_ground(f->filter));
    finish(f);
}

static void size_is_limited(void **state)
{
    static const size_t steps[] = {1, 2, 1000, 4096, 4100, 65536, 1 * MIB};
    _cleanup_free_ char *text = xcalloc(1, 200001);

    (void)state;
    for (size_t i = 0; i < 200000; i++)
        text[i] = (char)('a' + i % 26);
    for (size_t len = FILTER_CLIPBOARD_MAX - 2; len <= FILTER_CLIPBOARD_MAX + 3; len++) {
        _cleanup_free_ char *command = command_for(text, len);

        for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
            check_pieces(command, steps[i], len <= FILTER_CLIPBOARD_MAX);
    }
    /* Around the size up to which any string is kept, and far beyond the largest. */
    for (size_t len = 3060; len < 3075; len++) {
        _cleanup_free_ char *command = command_for(text, len);

        check_pieces(command, 1, true);
        check_pieces(command, 4095, true);
    }
    {
        _cleanup_free_ char *command = command_for(text, 200000);

        check_pieces(command, 4095, false);
        check_pieces(command, 1 * MIB, false);
    }
}

static void any_split_is_the_same(void **state)
{
    static const char script[] = "x\033]52;p;w6nigqzwn5iA\033\\y\033]52;c;?\az\033]52;c;YWI\a";
    static const char wanted[] = "x\033]52;c;w6nigqzwn5iA\033\\yz";
    const size_t len = strlen(script);

    (void)state;
    for (size_t cut = 0; cut <= len; cut++) {
        struct fixture *f = start(true);

        feed(f, script, cut);
        feed(f, script + cut, len - cut);
        assert_string_equal(buf_cstr(&f->out), wanted);
        assert_counts(f, 1, 1);
        finish(f);
    }
}

/* What voids a string voids this one, also when it has become long. */
static void a_long_one_can_be_void(void **state)
{
    static const char *const ends[] = {"\030", "\032", "\033[1m", "\033]2;t\a", "\033X\033\\"};
    static const char *const after[] = {"", "", "\033[1m", "\033]2;t\a", ""};
    _cleanup_free_ char *text = xcalloc(1, 60001);
    _cleanup_free_ char *command = NULL;

    (void)state;
    memset(text, 'x', 60000);
    command = command_for(text, 60000);
    command[strlen(command) - 1] = '\0';
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        struct fixture *f = start(true);
        _cleanup_free_ char *wanted = xasprintf("%sz\033]52;c;aGk=\a", after[i]);

        feed(f, command, strlen(command));
        feed(f, ends[i], strlen(ends[i]));
        feed(f, "z\033]52;c;aGk=\a", 13);
        assert_string_equal(buf_cstr(&f->out), wanted);
        finish(f);
    }
}

/* The room for the clipboard is for nothing else. */
static void other_strings_stay_short(void **state)
{
    static const char *const openers[] = {"\033]2;",  "\033]520;", "\033]5;2;", "\033]133;A;aid=",
                                          "\033P52;", "\033_52;",  "\033k52;",  "\033]4;1;"};
    _cleanup_free_ char *filler = xcalloc(1, 9001);

    (void)state;
    memset(filler, 'x', 9000);
    for (size_t i = 0; i < ARRAY_SIZE(openers); i++) {
        struct fixture *with = start(true);
        struct fixture *without = start(false);
        _cleanup_free_ char *command = xasprintf("%s%s\033\\", openers[i], filler);
        _cleanup_free_ char *expected = xstrdup(pass(without, command));

        assert_string_equal(pass(with, command), expected);
        assert_counts(with, 0, 0);
        finish(with);
        finish(without);
    }
}

static void the_console_has_none(void **state)
{
    struct filter_profile profile = filter_profile_fixed;
    struct fixture *f = start(true);

    (void)state;
    filter_free(f->filter);
    profile.may_write_clipboard = true;
    profile.is_linux_console = true;
    f->filter = filter_new(&profile);
    filter_set_clock(f->filter, read_clock, &f->now_ms);
    assert_string_equal(pass(f, "\033]52;c;aGk=\a\033[c"), "");
    assert_string_equal(buf_cstr(&f->reply), "\033[?62;22c");
    finish(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_passes_without_leave),
        cmocka_unit_test(it_is_advertised),
        cmocka_unit_test(every_selection_is_the_clipboard),
        cmocka_unit_test(it_is_never_asked),
        cmocka_unit_test(only_strict_base64),
        cmocka_unit_test(only_text),
        cmocka_unit_test(at_most_one_a_second),
        cmocka_unit_test(size_is_limited),
        cmocka_unit_test(any_split_is_the_same),
        cmocka_unit_test(a_long_one_can_be_void),
        cmocka_unit_test(other_strings_stay_short),
        cmocka_unit_test(the_console_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
