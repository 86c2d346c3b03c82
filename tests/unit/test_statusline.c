// SPDX-License-Identifier: GPL-3.0-only
/*
 * Tests of pty/statusline_text: what the status row says, whatever the names are (P-BAR-2, P-BAR-3,
 * P-BAR-6).
 */
#include "base/utf8.h"
#include "filter/width.h"
#include "pty/statusline_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct statusline_facts plain = {
    .theme = "dark",
    .directory = "~/src/project",
    .command = "claude --resume",
    .network = "off",
};

/* Cells of the text; every character must be printable as it is. */
static unsigned measure(const struct buf *text)
{
    unsigned cells = 0;

    for (size_t at = 0; at < text->len;) {
        uint32_t code;
        int n = utf8_decode(text->data + at, text->len - at, &code);

        assert_true(n > 0);
        assert_true(code >= 0x20 && code != 0x7F);
        assert_true(width_of(code) == WIDTH_ONE || width_of(code) == WIDTH_TWO);
        cells += width_of(code);
        at += (size_t)n;
    }
    return cells;
}

static const struct statusline_counts none;

static void assert_text(const struct statusline_facts *facts,
                        const struct statusline_counts *counts, unsigned cols, const char *expected)
{
    struct buf text CLEANUP(buf_free);

    buf_init(&text, STATUSLINE_TEXT_MAX);
    statusline_text(facts, counts, cols, &text);
    assert_string_equal(buf_cstr(&text), expected);
    assert_true(measure(&text) < cols);
}

static void test_text(void **state)
{
    struct statusline_facts open = plain;

    (void)state;
    assert_text(
        &plain, &(struct statusline_counts){0, 3, "1.2.0"}, 100,
        " ai-jail | 3 refused | new: 1.2.0 | network: off | claude --resume | ~/src/project");
    assert_text(&plain, &none, 100, " ai-jail | network: off | claude --resume | ~/src/project");
    assert_text(&plain, &(struct statusline_counts){1, 0, NULL}, 100,
                " ai-jail | 1 message | network: off | claude --resume | ~/src/project");
    open.badges[0] = "NETWORK";
    open.badges[1] = "ROOT";
    open.network = "host";
    assert_text(
        &open, &(struct statusline_counts){12, 3, NULL}, 100,
        " ai-jail  NETWORK ROOT | 12 messages | 3 refused | network: host | claude --resume | "
        "~/src/project");
}

/* The last column stays free, at every width. */
static void test_every_width(void **state)
{
    struct statusline_facts wide = plain;

    (void)state;
    wide.directory = "/漢字/かな/größe";
    wide.badges[0] = "ROOT";
    for (unsigned cols = 1; cols < 120; cols++) {
        struct buf text CLEANUP(buf_free);

        buf_init(&text, STATUSLINE_TEXT_MAX);
        statusline_text(&wide, &(struct statusline_counts){3, 7, NULL}, cols, &text);
        assert_true(measure(&text) < cols);
        if (cols > 16)
            assert_non_null(strstr(buf_cstr(&text), "ROOT"));
    }
}

static void test_hostile_names(void **state)
{
    struct statusline_facts facts = plain;

    (void)state;
    facts.directory = "/tmp/\033]0;x\007\r\n\xe2\x80\xae\xff\xc2\x9b";
    facts.command = "e\xcc\x81\xcc\x81\xe2\x80\x8bx";
    assert_text(&facts, &none, 200,
                " ai-jail | network: off | e\\u{200B}x | "
                "/tmp/\\x1B]0;x\\x07\\x0D\\x0A\\u{202E}\\xFF\\u{009B}");
}

/* A name of any length costs neither a badge nor a byte too many. */
static void test_long_names(void **state)
{
    static char name[64 * KIB];
    struct statusline_facts facts = plain;

    (void)state;
    for (size_t i = 0; i < sizeof(name) - 1; i++)
        name[i] = i % 3 ? '\033' : 'x';
    facts.directory = name;
    facts.command = name;
    facts.badges[0] = "NO-SECCOMP";
    for (unsigned cols = 60; cols < 70000; cols = cols * 7 + 1) {
        struct buf text CLEANUP(buf_free);

        buf_init(&text, STATUSLINE_TEXT_MAX);
        statusline_text(&facts, &none, cols, &text);
        assert_false(text.overflow);
        assert_true(measure(&text) < cols);
        assert_non_null(strstr(buf_cstr(&text), "NO-SECCOMP"));
    }
}

static void test_looks(void **state)
{
    (void)state;
    assert_string_not_equal(statusline_look("dark"), statusline_look("light"));
    assert_string_not_equal(statusline_look("pastel"), statusline_look("light"));
    assert_string_equal(statusline_look("on"), statusline_look("pastel"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),          cmocka_unit_test(test_every_width),
        cmocka_unit_test(test_hostile_names), cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_looks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
