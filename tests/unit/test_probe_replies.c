// SPDX-License-Identifier: GPL-3.0-only
/*
 * Tests of pty/probe_replies: what terminals answer (xterm 379, tmux 3.3a and GNU screen 4.9.0 as
 * recorded, the others as their documents say), fed whole, byte by byte and cut at every point,
 * with and without keys typed in between.
 */
#include "pty/probe_replies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ST "\033\\"

/* What a terminal says and what has to be known then. Empty fields: unknown. */
struct transcript {
    const char *name;
    const char *bytes;
    struct filter_profile expected;
};

static const struct transcript transcripts[] = {
    {
        "xterm",
        "\033[?2026;0$y\033[?2031;0$y\033[?1007;2$y\033[?12;2$y\033]10;rgb:0000/0000/0000" ST
        "\033]11;rgb:ffff/ffff/ffff" ST "\033]12;rgb:0000/0000/0000" ST
        "\033]4;0;rgb:0000/0000/0000" ST "\033]4;1;rgb:cdcd/0000/0000" ST
        "\033]4;15;rgb:ffff/ffff/ffff" ST "\033P>|XTerm(379)" ST "\033P1$r2 q" ST
        "\033[>4;0m\033[>41;379;0c\033[1;1R\033[?64;1;2;6;9;15;16;17;18;21;22;28c",
        {
            .da2 = "41;379;0",
            .version = "XTerm(379)",
            .foreground = "rgb:0000/0000/0000",
            .background = "rgb:ffff/ffff/ffff",
            .cursor = "rgb:0000/0000/0000",
            .palette = {[0] = "rgb:0000/0000/0000",
                        [1] = "rgb:cdcd/0000/0000",
                        [15] = "rgb:ffff/ffff/ffff"},
            .start_row = 1,
            .start_col = 1,
            .cursor_style = 2,
            .alternate_scroll = FILTER_FORMER_RESET,
            .cursor_blink = FILTER_FORMER_RESET,
        },
    },
    {
        "VTE",
        "\033[?2026;0$y\033[?2031;0$y\033[?1007;1$y\033[?12;1$y\033]10;rgb:d3d3/d7d7/cfcf" ST
        "\033]11;rgb:2e2e/3434/3636" ST "\033[4;456;720t\033[6;19;9t\033P>|VTE(7006)" ST
        "\033P1$r1 q" ST "\033[>65;7006;1c\033[24;3R\033[?65;1;9c",
        {
            .cell_width_px = 9,
            .cell_height_px = 19,
            .da2 = "65;7006;1",
            .version = "VTE(7006)",
            .foreground = "rgb:d3d3/d7d7/cfcf",
            .background = "rgb:2e2e/3434/3636",
            .is_dark = true,
            .start_row = 24,
            .start_col = 3,
            .cursor_style = 1,
            .alternate_scroll = FILTER_FORMER_SET,
            .cursor_blink = FILTER_FORMER_SET,
        },
    },
    {
        "kitty",
        "\033[?0u\033[?2026;2$y\033[?2031;2$y\033[?1007;0$y\033[?12;2$y\033]11;rgb:00/00/00" ST
        "\033[4;480;800t\033[6;20;10t\033[?997;1n\033P>|kitty(0.26.5)" ST "\033P1$r1 q" ST
        "\033[>1;4000;26c\033[5;1R\033[?62;c",
        {
            .cell_width_px = 10,
            .cell_height_px = 20,
            .has_sync = true,
            .has_kitty_keys = true,
            .has_theme_report = true,
            .da2 = "1;4000;26",
            .version = "kitty(0.26.5)",
            .background = "rgb:0000/0000/0000",
            .is_dark = true,
            .start_row = 5,
            .start_col = 1,
            .cursor_style = 1,
            .cursor_blink = FILTER_FORMER_RESET,
        },
    },
    {
        "foot",
        "\033[?0u\033[?2026;2$y\033[?2031;0$y\033[?1007;1$y\033[?12;4$y"
        "\033]11;rgba:2424/2424/2424/e6e6" ST "\033[4;432;720t\033[6;18;9t\033P>|foot(1.13.1)" ST
        "\033P1$r2 q" ST "\033[>1;011301;0c\033[2;1R\033[?62;4;22c",
        {
            .cell_width_px = 9,
            .cell_height_px = 18,
            .has_sync = true,
            .has_kitty_keys = true,
            .da2 = "1;011301;0",
            .version = "foot(1.13.1)",
            .background = "rgb:2424/2424/2424",
            .is_dark = true,
            .start_row = 2,
            .start_col = 1,
            .cursor_style = 2,
            .alternate_scroll = FILTER_FORMER_SET,
            .cursor_blink = FILTER_FORMER_RESET,
        },
    },
    {
        "alacritty",
        "\033[?2026;0$y\033]10;rgb:d8d8/d8d8/d8d8" ST "\033]11;rgb:1818/1818/1818\a"
        "\033[4;408;560t\033[>0;1101;1c\033[7;1R\033[?6c",
        {
            .cell_width_px = 7,
            .cell_height_px = 17,
            .da2 = "0;1101;1",
            .foreground = "rgb:d8d8/d8d8/d8d8",
            .background = "rgb:1818/1818/1818",
            .is_dark = true,
            .start_row = 7,
            .start_col = 1,
        },
    },
    {
        "tmux",
        "\033P>|tmux 3.3a" ST "\033[>84;0;0c\033[1;1R\033[?1;2c",
        {
            .da2 = "84;0;0",
            .version = "tmux 3.3a",
            .is_dark = true,
            .start_row = 1,
            .start_col = 1,
        },
    },
    {
        "screen",
        "\033[>83;40900;0c\033[1;1R\033[?1;2c",
        {.da2 = "83;40900;0", .is_dark = true, .start_row = 1, .start_col = 1},
    },
    {
        "linux console",
        "\033[12;40R\033[?6c",
        {.is_dark = true, .start_row = 12, .start_col = 40},
    },
};

/* ---- running --------------------------------------------------------------------------------- */

struct run {
    struct probe_replies replies;
    struct buf typed;
    struct filter_profile profile;
    bool is_done;
};

static void run_start(struct run *run)
{
    *run = (struct run){.profile = {.rows = 24, .cols = 80}};
    buf_init(&run->typed, 64 * KIB);
    probe_replies_init(&run->replies, &run->typed);
}

static void run_feed(struct run *run, const void *bytes, size_t len)
{
    probe_replies_feed(&run->replies, bytes, len);
}

static void run_end(struct run *run)
{
    run->is_done = run->replies.is_done;
    probe_replies_finish(&run->replies, &run->profile);
    assert_false(run->typed.overflow);
}

static void run_free(struct run *run)
{
    buf_free(&run->typed);
}

static void assert_typed(struct run *run, const char *text, size_t len)
{
    if (run->typed.len != len || (len && memcmp(run->typed.data, text, len) != 0))
        fail_msg("typed: \"%s\", expected \"%.*s\"", buf_cstr(&run->typed), (int)len, text);
}

static void assert_profile(const char *name, const struct filter_profile *profile,
                           const struct filter_profile *wanted)
{
    struct filter_profile expected = *wanted;

    expected.rows = 24;
    expected.cols = 80;
    if (memcmp(profile, &expected, sizeof(expected)) == 0)
        return;
    assert_string_equal(profile->da2, expected.da2);
    assert_string_equal(profile->version, expected.version);
    assert_string_equal(profile->foreground, expected.foreground);
    assert_string_equal(profile->background, expected.background);
    assert_string_equal(profile->cursor, expected.cursor);
    for (size_t i = 0; i < ARRAY_SIZE(profile->palette); i++)
        assert_string_equal(profile->palette[i], expected.palette[i]);
    assert_int_equal(profile->cell_width_px, expected.cell_width_px);
    assert_int_equal(profile->cell_height_px, expected.cell_height_px);
    assert_int_equal(profile->has_sync, expected.has_sync);
    assert_int_equal(profile->has_kitty_keys, expected.has_kitty_keys);
    assert_int_equal(profile->has_theme_report, expected.has_theme_report);
    assert_int_equal(profile->is_dark, expected.is_dark);
    assert_int_equal(profile->start_row, expected.start_row);
    assert_int_equal(profile->start_col, expected.start_col);
    assert_int_equal(profile->cursor_style, expected.cursor_style);
    assert_int_equal(profile->modify_keys, expected.modify_keys);
    assert_int_equal(profile->alternate_scroll, expected.alternate_scroll);
    assert_int_equal(profile->cursor_blink, expected.cursor_blink);
    fail_msg("%s: another field of the profile differs", name);
}

/* ---- whole terminals ------------------------------------------------------------------------- */

static void check_split(const struct transcript *transcript, size_t cut)
{
    size_t len = strlen(transcript->bytes);
    struct run run;

    run_start(&run);
    run_feed(&run, transcript->bytes, cut);
    run_feed(&run, transcript->bytes + cut, len - cut);
    run_end(&run);
    assert_true(run.is_done);
    assert_typed(&run, "", 0);
    assert_profile(transcript->name, &run.profile, &transcript->expected);
    run_free(&run);
}

static void test_terminals_cut_at_every_point(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(transcripts); i++)
        for (size_t cut = 0; cut <= strlen(transcripts[i].bytes); cut++)
            check_split(&transcripts[i], cut);
}

static void test_terminals_byte_by_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(transcripts); i++) {
        const char *bytes = transcripts[i].bytes;
        struct run run;

        run_start(&run);
        for (size_t at = 0; bytes[at]; at++) {
            assert_false(run.replies.is_done);
            run_feed(&run, bytes + at, 1);
        }
        run_end(&run);
        assert_true(run.is_done);
        assert_profile(transcripts[i].name, &run.profile, &transcripts[i].expected);
        run_free(&run);
    }
}

/* True if a sequence begins or the stream ends at that point of the transcript. */
static bool is_boundary(const char *bytes, size_t at)
{
    return at == 0 || bytes[at] == '\0' || (bytes[at] == '\033' && bytes[at + 1] != '\\');
}

/* P-INP-2: keys between any two replies stay, in order. */
static void test_keys_between_replies_stay(void **state)
{
    static const char keys[] = "ls\r\033[A\303\244\033OP\033b\033[1;5C";

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(transcripts); i++) {
        const char *bytes = transcripts[i].bytes;
        size_t len = strlen(bytes);

        for (size_t at = 0; at <= len; at++) {
            struct run run;

            if (!is_boundary(bytes, at))
                continue;
            run_start(&run);
            run_feed(&run, bytes, at);
            run_feed(&run, keys, sizeof(keys) - 1);
            run_feed(&run, bytes + at, len - at);
            run_end(&run);
            assert_true(run.is_done);
            assert_typed(&run, keys, sizeof(keys) - 1);
            assert_profile(transcripts[i].name, &run.profile, &transcripts[i].expected);
            run_free(&run);
        }
    }
}

/* ---- what is no reply ------------------------------------------------------------------------ */

/* Every one is typed as it is, whole and byte by byte, and tells nothing. */
static void test_other_bytes_are_typed(void **state)
{
    static const char *const rows[] = {
        "plain\ttext\r\n",
        "\033",
        "\033\033",
        "\033[",
        "\033]",
        "\033P",
        "\033]abc" ST,               /* Alt+] and text */
        "\033P text\r",              /* Alt+P */
        "\033]52;c;ZGVmYXVsdA==" ST, /* the clipboard */
        "\033]1337;x" ST,
        "\033]4;16;rgb:0/0/0" ST, /* asked for: 0 to 15 */
        "\033]4;;rgb:0/0/0" ST,
        "\033]4;1:rgb:0/0/0" ST,
        "\033]10;red" ST, /* a name is no answer */
        "\033]10;rgb:0/0" ST,
        "\033]10;rgb:00000/0/0" ST,
        "\033]10;rgba:" ST,
        "\033]11;rgb:0/0/0\033[A", /* broken off by a key */
        "\033]11;rgb:0/0\r/0" ST,
        "\033P1$r7 q" ST,
        "\033P1$r2 qq" ST,
        "\033P1$r0m" ST,
        "\033P>|name\a",            /* BEL ends an OSC only */
        "\033[?1u\030",             /* after a reply that is taken, see below */
        "\033[A\033[1;2R\033[1;3R", /* the first R is the report, the second a key */
        "\033[R",
        "\033[0;5R",
        "\033[5;0R",
        "\033[1;2;3R",
        "\033[70000;1R",
        "\033[?1;2R",
        "\033[>0;1;2;3c",
        "\033[>c",
        "\033[>1;2:3c",
        "\033[c",
        "\033[?c",
        "\033[?2026;5$y",
        "\033[?2027;1$y",
        "\033[2026;1$y",
        "\033[?2026;1y",
        "\033[?1;2u",
        "\033[97;5u",
        "\033[4;100t",
        "\033[48;24;80;1;1t",
        "\033[8;24;80t",
        "\033[?997;3n",
        "\033[?996;1n",
        "\033[0n",
        "\033[>4;4m",
        "\033[>5;1m",
        "\033[<0;1;1M",
        "\033[200~paste\033[201~",
        "\033[1;2\0037c", /* a control ends a sequence that is typed */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *expected = rows[i];
        size_t len = strlen(rows[i]);

        if (str_starts(rows[i], "\033[?1u"))
            expected = "\030";
        else if (str_starts(rows[i], "\033[A\033[1;2R"))
            expected = "\033[A\033[1;3R";
        for (int bytewise = 0; bytewise < 2; bytewise++) {
            struct run run;

            run_start(&run);
            for (size_t at = 0; at < len; at += bytewise ? 1 : len)
                run_feed(&run, rows[i] + at, bytewise ? 1 : len);
            run_end(&run);
            assert_false(run.is_done);
            assert_typed(&run, expected, strlen(expected));
            assert_string_equal(run.profile.foreground, "");
            assert_string_equal(run.profile.background, "");
            assert_false(run.profile.has_sync);
            run_free(&run);
        }
    }
}

static void test_escape_before_a_reply(void **state)
{
    struct run run;

    (void)state;
    run_start(&run);
    run_feed(&run, "\033\033[?6c", 6);
    run_end(&run);
    assert_true(run.is_done);
    assert_typed(&run, "\033", 1);
    run_free(&run);
}

static void test_everything_after_the_last_answer_is_typed(void **state)
{
    static const char rest[] = "\033[?0u\033[?6cx";
    struct run run;

    (void)state;
    run_start(&run);
    run_feed(&run, "\033[?6c", 5);
    run_feed(&run, rest, sizeof(rest) - 1);
    run_end(&run);
    assert_false(run.profile.has_kitty_keys);
    assert_typed(&run, rest, sizeof(rest) - 1);
    run_free(&run);
}

/* A sequence without end is held in constant memory, and nothing of it is lost. */
static void test_endless_sequences(void **state)
{
    static const char *const openers[] = {"\033[", "\033]10;", "\033P>|", "\033P1$r"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(openers); i++) {
        struct run run;

        run_start(&run);
        run_feed(&run, openers[i], strlen(openers[i]));
        for (int n = 0; n < 5000; n++)
            run_feed(&run, "1", 1);
        run_end(&run);
        assert_int_equal(run.typed.len, strlen(openers[i]) + 5000);
        run_free(&run);
    }
}

static void test_long_names(void **state)
{
    char bytes[REPLY_MAX] = "\033P>|";
    struct run run;

    (void)state;
    memset(bytes + 4, 'n', 100);
    memcpy(bytes + 104, ST, 3);
    run_start(&run);
    run_feed(&run, bytes, strlen(bytes));
    /* DA2 is not cut: half a version would be another one. */
    memset(bytes, '1', sizeof(bytes));
    memcpy(bytes, "\033[>", 3);
    bytes[100] = 'c';
    run_feed(&run, bytes, 101);
    run_end(&run);
    assert_int_equal(strlen(run.profile.version), sizeof(run.profile.version) - 1);
    assert_string_equal(run.profile.da2, "");
    assert_int_equal(run.typed.len, 101);
    run_free(&run);
}

/* ---- what is worked out ---------------------------------------------------------------------- */

static void learn(struct run *run, const char *bytes)
{
    run_start(run);
    run->profile.cell_width_px = 5; /* from the size of the window */
    run->profile.cell_height_px = 6;
    run_feed(run, bytes, strlen(bytes));
    run_end(run);
    run_free(run);
}

static void test_size_of_a_cell(void **state)
{
    static const struct {
        const char *bytes;
        unsigned width;
        unsigned height;
    } rows[] = {
        {"", 5, 6},
        {"\033[4;480;800t", 10, 20},
        {"\033[4;480;800t\033[6;19;9t", 9, 19},
        {"\033[6;0;9t\033[4;480;800t", 10, 20},
        {"\033[4;10;800t", 5, 6},
        {"\033[6;60000;9t", 5, 6},
        {"\033[6;99999999999;9t", 5, 6},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct run run;

        learn(&run, rows[i].bytes);
        assert_int_equal(run.profile.cell_width_px, rows[i].width);
        assert_int_equal(run.profile.cell_height_px, rows[i].height);
    }
}

static void test_light_and_dark(void **state)
{
    static const struct {
        const char *bytes;
        bool is_dark;
    } rows[] = {
        {"", true},
        {"\033]11;rgb:ff/ff/ff" ST, false},
        {"\033]11;rgb:00/00/ff" ST, true},
        {"\033]11;rgb:00/ff/00" ST, false},
        {"\033]11;#fff" ST, false},
        {"\033]11;rgb:ff/ff/ff" ST "\033[?997;1n", true},
        {"\033[?997;2n", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct run run;

        learn(&run, rows[i].bytes);
        assert_int_equal(run.profile.is_dark, rows[i].is_dark);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminals_cut_at_every_point),
        cmocka_unit_test(test_terminals_byte_by_byte),
        cmocka_unit_test(test_keys_between_replies_stay),
        cmocka_unit_test(test_other_bytes_are_typed),
        cmocka_unit_test(test_escape_before_a_reply),
        cmocka_unit_test(test_everything_after_the_last_answer_is_typed),
        cmocka_unit_test(test_endless_sequences),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_size_of_a_cell),
        cmocka_unit_test(test_light_and_dark),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
