// SPDX-License-Identifier: GPL-3.0-only
/*
 * test_filter_stream: what the corpus cannot say with one line: limits in time, answers that depend
 * on what came before, the lists that undo and redo, the profile.
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

static struct fixture *start(const struct filter_profile *profile)
{
    struct fixture *f = xcalloc(1, sizeof(*f));

    f->now_ms = 5000;
    f->filter = filter_new(profile);
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

/* Feeds text to a filter whose buffers are emptied first. */
static void feed(struct fixture *f, const char *text)
{
    buf_reset(&f->out);
    buf_reset(&f->reply);
    filter_feed(f->filter, (const uint8_t *)text, strlen(text), &f->out, &f->reply);
}

#define assert_passes(f, input, output)                                                            \
    do {                                                                                           \
        feed(f, input);                                                                            \
        assert_string_equal(buf_cstr(&(f)->out), output);                                          \
    } while (0)

#define assert_replies(f, input, wanted)                                                           \
    do {                                                                                           \
        feed(f, input);                                                                            \
        assert_string_equal(buf_cstr(&(f)->reply), wanted);                                        \
    } while (0)

static const char *restore(struct fixture *f)
{
    buf_reset(&f->out);
    filter_restore(f->filter, &f->out);
    assert_true(f->out.len <= FILTER_RESTORE_MAX);
    return buf_cstr(&f->out);
}

static const char *resume(struct fixture *f)
{
    buf_reset(&f->out);
    filter_resume(f->filter, &f->out);
    return buf_cstr(&f->out);
}

/* What a shell wrote while the agent was stopped moved the cursor. */
static void cursor_after_a_stop_is_where_it_is(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    assert_replies(f, "\033[5;9H\033[6n", "\033[5;9R");
    buf_reset(&f->reply);
    filter_move_cursor(f->filter, 12, 3);
    assert_string_equal(resume(f), "\033[0m");
    assert_replies(f, "\033[6n", "\033[12;3R");
    buf_reset(&f->reply);
    /* On the other screen it is where the agent left it, and on going back where the shell did. */
    assert_replies(f, "\033[?1049h\033[7;7H\033[6n", "\033[7;7R");
    buf_reset(&f->reply);
    filter_move_cursor(f->filter, 20, 1);
    assert_string_equal(resume(f), "\033[?1049h\033[0m\033[7;7H");
    assert_replies(f, "\033[6n\033[?1049l\033[6n", "\033[7;7R\033[20;1R");
    buf_reset(&f->reply);
    /* Not told: below everything. */
    filter_move_cursor(f->filter, 0, 0);
    assert_replies(f, "\033[6n", "\033[24;1R");
    finish(f);
}

static void bells_are_limited(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    assert_passes(f, "\a\a\a\a\a\a\a\a", "\a\a\a\a\a");
    f->now_ms += 199;
    assert_passes(f, "\a", "");
    f->now_ms += 1;
    assert_passes(f, "\a\a", "\a");
    f->now_ms += 3600 * 1000;
    assert_passes(f, "\a\a\a\a\a\a\a\a", "\a\a\a\a\a");
    assert_int_equal(filter_dropped(f->filter, FILTER_DROP_LIMITED), 3 + 1 + 1 + 3);
    finish(f);
}

static void last_title_of_a_burst_wins(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    for (int i = 0; i < 20; i++)
        assert_passes(f, "\033]2;a\a", "\033]2;a\a");
    assert_passes(f, "\033]2;b\a\033]0;c\033\\", "");
    assert_true(filter_tick(f->filter, &f->out, &f->reply) > 0);
    assert_int_equal(f->out.len, 0);
    f->now_ms += 50;
    assert_int_equal(filter_tick(f->filter, &f->out, &f->reply), -1);
    assert_string_equal(buf_cstr(&f->out), "\033]0;c\033\\");
    buf_reset(&f->out);
    assert_int_equal(filter_tick(f->filter, &f->out, &f->reply), -1);
    assert_int_equal(f->out.len, 0);
    finish(f);
}

static void flashing_is_limited_but_ends_normal(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_passes(f, "\033[?5h\033[?5l", "\033[?5h\033[?5l");
    assert_passes(f, "\033[?5h", "");
    assert_passes(f, "\033[?25;5h", "\033[?25h");
    assert_passes(f, "\033[?5l", "\033[?5l");
    f->now_ms += 250;
    assert_passes(f, "\033[?5h", "\033[?5h");
    finish(f);
}

static void answers_are_limited(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    for (int i = 0; i < 2100; i++)
        filter_feed(f->filter, (const uint8_t *)"\033[5n", 4, &f->out, &f->reply);
    assert_int_equal(f->reply.len, 2000 * strlen("\033[0n"));
    finish(f);
}

/* An answer that does not fit is left out as a whole. */
static void answers_are_not_cut(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);
    struct buf small CLEANUP(buf_free);

    (void)state;
    buf_init(&small, 10);
    filter_feed(f->filter, (const uint8_t *)"\033[5n\033[c\033[5n", 11, &f->out, &small);
    assert_string_equal(buf_cstr(&small), "\033[0n\033[0n");
    finish(f);
}

static void forgotten_update_is_ended(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    assert_passes(f, "\033[?2026hx", "\033[?2026hx");
    assert_true(filter_is_synchronised(f->filter));
    f->now_ms += 400;
    buf_reset(&f->out);
    assert_int_equal(filter_tick(f->filter, &f->out, &f->reply), 600);
    assert_int_equal(f->out.len, 0);
    f->now_ms += 600;
    assert_int_equal(filter_tick(f->filter, &f->out, &f->reply), -1);
    assert_string_equal(buf_cstr(&f->out), "\033[?2026l");
    assert_false(filter_is_synchronised(f->filter));
    assert_replies(f, "\033[?2026$p", "\033[?2026;2$y");
    finish(f);
}

static void size_reports(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    filter_resize(f->filter, 30, 100);
    assert_int_equal(filter_tick(f->filter, &f->out, &f->reply), -1);
    assert_int_equal(f->reply.len, 0);
    assert_replies(f, "\033[?2048h", "\033[48;30;100;600;1000t");
    assert_int_equal(f->out.len, 0);
    filter_resize(f->filter, 24, 80);
    buf_reset(&f->reply);
    filter_tick(f->filter, &f->out, &f->reply);
    assert_string_equal(buf_cstr(&f->reply), "\033[48;24;80;480;800t");
    assert_replies(f, "\033[?2048l\033[18t", "\033[8;24;80t");
    filter_resize(f->filter, 0, 0);
    assert_replies(f, "\033[18t", "\033[8;24;80t");
    filter_resize(f->filter, 1, 1);
    assert_replies(f, "\033[18t", "\033[8;2;2t");
    finish(f);
}

static void cursor_and_wrap(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    assert_replies(f, "\033[5;78Habc\033[6n", "\033[5;80R");
    assert_replies(f, "d\033[6n", "\033[6;2R");
    assert_replies(f, "\033[?7l\033[1;79Habcdef\033[6n\033[?7h", "\033[1;80R");
    assert_replies(f, "\033[3;10r\033[?6h\033[2;2H\033[6n", "\033[2;2R");
    assert_replies(f, "\033[99;99H\033[6n", "\033[8;80R");
    assert_replies(f, "\033[?6l\033[99B\033[6n", "\033[10;1R");
    assert_replies(f, "\033[?69h\033[11;20s\033[1;11Habcdefghijkl\033[6n", "\033[2;13R");
    assert_replies(f, "\033[?69l\033[r\033[24;80H漢\033[6n", "\033[24;3R");
    assert_replies(f, "\033[1;1Ha\033[159b\033[6n", "\033[2;80R");
    assert_replies(f, "\033[1;1Ha\033[65535b\033[6n", "\033[24;2R");
    finish(f);
}

static void attributes_are_reported(void **state)
{
    static const struct {
        const char *set;
        const char *report;
    } cases[] = {
        {"\033[1;4;31m", "0;1;4;31"},           {"\033[22;24;39m", "0"},
        {"\033[48:2:1:2:3m", "0;48:2:1:2:3"},   {"\033[48:2::1:2:3m", "0;48:2:1:2:3"},
        {"\033[0;48;2;9;8;7m", "0;48:2:9:8:7"}, {"\033[m\033[38;5;200;4:3m", "0;4:3;38:5:200"},
        {"\033[;95;107;53m", "0;95;107;53"},    {"\033[0;58:5:3;7;9;3m", "0;3;7;9;58:5:3"},
        {"\033[0m\033[38;2;1m\033[5m", "0;5"},  {"\0337\033[0m\0338", "0;5"},
    };
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char wanted[100];

        feed(f, cases[i].set);
        snprintf(wanted, sizeof(wanted), "\033P1$r%sm\033\\", cases[i].report);
        assert_replies(f, "\033P$qm\033\\", wanted);
    }
    finish(f);
}

static void sgr_limits(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);
    char text[400] = "\033[";

    (void)state;
    assert_passes(f, "\033[38:2::1:2:3;48:2::1:2:3;58:2::1:2:3m",
                  "\033[38:2::1:2:3;48:2::1:2:3m\033[58:2::1:2:3m");
    assert_passes(f, "\033[4:1:2:3:4:5:6m", "\033[4:1:2:3:4:5:6m");
    assert_passes(f, "\033[4:1:2:3:4:5:6:7m", "");
    assert_passes(f, "\033[65535m\033[65536m", "\033[65535m");
    for (int i = 0; i < 64; i++)
        strcat(text, "1;");
    strcat(text, "m");
    assert_passes(f, text, "");
    assert_passes(f, "\033[1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;;1m",
                  "\033[1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1m\033[;1m");
    assert_passes(f, "\033[1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;38;9m", "");
    finish(f);
}

static void saved_modes(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    assert_passes(f, "\033[?25;1000s\033[?25l\033[?1000h", "\033[?25l\033[?1000h");
    assert_passes(f, "\033[?25;1000;2004r", "\033[?25h\033[?1000l");
    assert_passes(f, "\033[?25;1000r", "");
    finish(f);
}

static void kitty_stacks_are_kept_by_screen(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    assert_replies(f, "\033[>1u\033[>3u\033[?u", "\033[?3u");
    assert_replies(f, "\033[?1049h\033[?u", "\033[?0u");
    assert_passes(f, "\033[<u", "");
    assert_replies(f, "\033[>9u\033[=2;2u\033[?u", "\033[?11u");
    assert_replies(f, "\033[?1049l\033[?u", "\033[?3u");
    assert_replies(f, "\033[<99u\033[?u", "\033[?0u");
    assert_passes(f, "\033[>1u\033[>1u\033[<3u\033[<u", "\033[>1u\033[>1u\033[<2u");
    for (int i = 0; i < 7; i++)
        assert_passes(f, "\033[>u", "\033[>u");
    assert_passes(f, "\033[>u", "");
    finish(f);
}

static void nothing_to_undo(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    assert_string_equal(restore(f), "\033[0m");
    feed(f, "text\r\n");
    assert_string_equal(restore(f), "\033[0m");
    feed(f, "text");
    assert_string_equal(restore(f), "\033[0m\r\n");
    finish(f);
}

static void restore_list_in_order(void **state)
{
    struct filter_profile profile = filter_profile_fixed;
    struct fixture *f;

    (void)state;
    profile.cursor_style = 3;
    profile.modify_keys = 1;
    profile.title_is_pushed = true;
    f = start(&profile);
    feed(f,
         "\033[?2026h\033[?1006;1003;1000;2004;1004;2031;25;1;12;45;6;5;1007h\033[?25l\033[?7l"
         "\033[>5u\033[>4;2m\033]8;;http://a\a\033[4h\033[2;9r\033(0\016\033[1\"q\033[4 q\033="
         "\033]4;1;red\a\033]11;#123\a\033]22;text\a\033[22;2t\033]9;4;1;5\a\033[?1049h\033[>1u");
    assert_string_equal(restore(f),
                        "\033[?2026l"
                        "\033[?1003l\033[?1000l\033[?1006l\033[?1004l\033[?2004l\033[?2031l"
                        "\033[?1007l"
                        "\033[<1u"
                        "\033[>4;1m"
                        "\033]8;;\033\\"
                        "\033[?6l\033[?7h\033[4l\033[?45l\033[?5l\033[r"
                        "\033[?1049l\033[?6l\033[r"
                        "\033[<1u"
                        "\033(B\017"
                        "\033[0m\033[0\"q"
                        "\033[?25h\033[?12l\033[3 q"
                        "\033[?1l\033>"
                        "\033]104;1\033\\\033]111\033\\"
                        "\033]22;\033\\"
                        "\033[23;2t\033[23;0;0t"
                        "\033]9;4;0\033\\"
                        "\033[2;1H");
    finish(f);
}

static void resume_brings_it_back(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    feed(f, "\033]2;name\a\033[>1u\033[?1049h\033[>3u\033[?1006h\033[?1000h\033[?25l\033[2;9r"
            "\033[>4;2m\033[1;31m\033[5 q\033[4;7H");
    assert_string_equal(resume(f), "\033[>1u\033[?1049h\033[>3u\033[?1006h\033[?1000h\033[?25l"
                                   "\033[2;9r\033[>4;2m\033[5 q\033[0;1;31m\033]2;name\a\033[4;7H");
    finish(f);
}

static void former_settings_are_kept(void **state)
{
    struct filter_profile profile = filter_profile_fixed;
    struct fixture *f;

    (void)state;
    profile.alternate_scroll = FILTER_FORMER_SET;
    profile.cursor_blink = FILTER_FORMER_SET;
    f = start(&profile);
    feed(f, "\033[?1007;12h");
    assert_string_equal(restore(f), "\033[0m");
    feed(f, "\033[?1007;12l");
    assert_string_equal(restore(f), "\033[?1007h\033[0m\033[?12h");
    finish(f);
    f = start(&filter_profile_fixed);
    feed(f, "\033[?1007;12l");
    assert_string_equal(restore(f), "\033[0m");
    feed(f, "\033[?1007;12h");
    assert_string_equal(restore(f), "\033[?1007l\033[0m\033[?12l");
    finish(f);
}

static void tab_stops_are_set_again(void **state)
{
    struct filter_profile profile = filter_profile_fixed;
    struct fixture *f;

    (void)state;
    profile.cols = 20;
    f = start(&profile);
    feed(f, "ab\033[3g");
    assert_string_equal(restore(f), "\033[0m\033[3g\033[9G\033H\033[17G\033H\r\033[1;3H\r\n");
    finish(f);
}

static void unfinished_lines_are_left_below(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    feed(f, "one\r\ntwo\r\nthree\033[1;1H");
    assert_string_equal(restore(f), "\033[0m\033[2B\r\n");
    feed(f, "\033[?1049h\033[20;20Hother screen");
    assert_string_equal(restore(f), "\033[?1049l\033[0m\033[2B\r\n");
    finish(f);
}

static void generation_follows_the_list(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);
    uint64_t before;

    (void)state;
    feed(f, "text");
    before = filter_generation(f->filter);
    feed(f, " more \033[31mred\033[0m");
    assert_int_equal(filter_generation(f->filter), before);
    feed(f, "\033[?25l");
    assert_int_not_equal(filter_generation(f->filter), before);
    before = filter_generation(f->filter);
    feed(f, "\r\n");
    assert_int_not_equal(filter_generation(f->filter), before);
    feed(f, "\033[?1049h");
    before = filter_generation(f->filter);
    feed(f, "\033[?1049l");
    assert_int_not_equal(filter_generation(f->filter), before);
    finish(f);
}

static void reset_undoes_what_is_on(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    feed(f, "\033[?1000;2004h\033[>1u\033[?1049h\033[>3u");
    assert_passes(f, "\033c",
                  "\033[?1000l\033[?2004l\033[<1u\033[?1049l\033[<1u"
                  "\033[!p\033(B\033)B\017\033[0m\033[?7h\033[?25h\033[r\033[2J\033[H");
    assert_string_equal(restore(f), "\033[0m");
    finish(f);
}

static void console_gets_no_commands(void **state)
{
    struct filter_profile profile = filter_profile_fixed;
    struct fixture *f;

    (void)state;
    profile.is_linux_console = true;
    f = start(&profile);
    assert_passes(f, "\033]2;t\a\033kt\033\\\033]8;;http://a\aX\033]R\a", "X");
    finish(f);
}

static void missing_features_are_not_used(void **state)
{
    struct filter_profile profile = {.rows = 24, .cols = 80};
    struct fixture *f = start(&profile);

    (void)state;
    assert_passes(f, "\033[?2026h\033[?2031h", "");
    assert_string_equal(restore(f), "\033[0m");
    assert_replies(f, "\033[?2026$p\033[?2031$p\033[?u\033]11;?\a\033[>q\033[c",
                   "\033[?2026;0$y\033[?2031;0$y\033[?62;22c");
    finish(f);
}

static void profile_cannot_smuggle(void **state)
{
    struct filter_profile profile = filter_profile_fixed;
    struct fixture *f;

    (void)state;
    strcpy(profile.version, "Term\033[5n");
    strcpy(profile.da2, "1;2c\n");
    f = start(&profile);
    assert_replies(f, "\033[>q\033[>c", "\033P>|Term\033\\\033[>1;2c");
    finish(f);
}

static void cursor_can_be_told(void **state)
{
    struct filter_profile profile = filter_profile_fixed;
    struct fixture *f;

    (void)state;
    profile.start_row = 20;
    profile.start_col = 3;
    f = start(&profile);
    assert_replies(f, "\033[6n", "\033[20;3R");
    /* The line of the cursor is not empty: the shell's prompt gets one of its own. */
    assert_string_equal(restore(f), "\033[0m\r\n");
    finish(f);
}

static void colours_follow_the_agent(void **state)
{
    struct filter_profile profile = filter_profile_fixed;
    struct fixture *f;

    (void)state;
    strcpy(profile.palette[1], "rgb:cccc/0000/0000");
    f = start(&profile);
    assert_replies(f, "\033]11;#123456\a\033]11;?\a", "\033]11;rgb:1212/3434/5656\a");
    assert_replies(f, "\033]111\a\033]11;?\a", "\033]11;rgb:1111/1111/1111\a");
    assert_replies(f, "\033]4;7;rgb:f/80/123\a\033]4;7;?\a", "\033]4;7;rgb:ffff/8080/1231\a");
    assert_passes(f, "\033]4;1;?;2;red;3;?;4;#fff\a", "\033]4;2;red;4;#fff\a");
    assert_string_equal(buf_cstr(&f->reply), "\033]4;1;rgb:cccc/0000/0000\a");
    assert_replies(f, "\033]104;7\a\033]4;7;?\a", "");
    finish(f);
}

static void marks_on_one_base_are_limited(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);
    char text[200] = "e";

    (void)state;
    for (int i = 0; i < 40; i++)
        strcat(text, "\xcc\x81");
    feed(f, text);
    assert_int_equal(f->out.len, 1 + 32 * 2);
    assert_int_equal(filter_dropped(f->filter, FILTER_DROP_TEXT), 8);
    finish(f);
}

static void links(void **state)
{
    static const struct {
        const char *in;
        const char *out;
    } cases[] = {
        {"\033]8;;HTTPS://a\a", "\033]8;;HTTPS://a\a"},
        {"\033]8;id=a:b;mailto:x@y\033\\", "\033]8;id=a:b;mailto:x@y\033\\"},
        {"\033]8;;file:///etc/passwd\a", "\033]8;;\a"},
        {"\033]8;;javascript:x\a", "\033]8;;\a"},
        {"\033]8;;https:\a", "\033]8;;\a"},
        {"\033]8;;https://é\a", "\033]8;;\a"},
        {"\033]8;id=a b;https://a\a", "\033]8;;\a"},
        {"\033]8;x=y;https://a\a", "\033]8;;\a"},
        {"\033]8;https://a\a", ""},
        {"\033]8;;https://\xff\a", ""},
        {"\033]8;;https://a\xe2\x80\xae\a", ""},
    };
    struct fixture *f = start(&filter_profile_fixed);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_passes(f, cases[i].in, cases[i].out);
    finish(f);
}

static void ground_is_known(void **state)
{
    static const char *const open[] = {"\033",  "\033[",    "\033[1;",     "\033]2;x",
                                       "\033P", "\xe2\x82", "\033]2;x\033"};
    struct fixture *f;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(open); i++) {
        f = start(&filter_profile_fixed);
        assert_true(filter_is_ground(f->filter));
        feed(f, open[i]);
        assert_false(filter_is_ground(f->filter));
        assert_int_equal(f->out.len, 0);
        finish(f);
    }
}

static void keys_are_known(void **state)
{
    struct fixture *f = start(&filter_profile_fixed);
    struct filter_keys keys;

    (void)state;
    feed(f, "\033[?1002;1005;1004;2004;2031h");
    keys = filter_keys(f->filter);
    assert_true(keys.mouse && keys.mouse_utf8 && keys.focus && keys.paste && keys.theme);
    feed(f, "\033[?1002;1005;1004;2004;2031l");
    keys = filter_keys(f->filter);
    assert_false(keys.mouse || keys.mouse_utf8 || keys.focus || keys.paste || keys.theme);
    finish(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bells_are_limited),
        cmocka_unit_test(last_title_of_a_burst_wins),
        cmocka_unit_test(flashing_is_limited_but_ends_normal),
        cmocka_unit_test(answers_are_limited),
        cmocka_unit_test(answers_are_not_cut),
        cmocka_unit_test(forgotten_update_is_ended),
        cmocka_unit_test(size_reports),
        cmocka_unit_test(cursor_and_wrap),
        cmocka_unit_test(attributes_are_reported),
        cmocka_unit_test(sgr_limits),
        cmocka_unit_test(saved_modes),
        cmocka_unit_test(kitty_stacks_are_kept_by_screen),
        cmocka_unit_test(nothing_to_undo),
        cmocka_unit_test(restore_list_in_order),
        cmocka_unit_test(resume_brings_it_back),
        cmocka_unit_test(former_settings_are_kept),
        cmocka_unit_test(tab_stops_are_set_again),
        cmocka_unit_test(unfinished_lines_are_left_below),
        cmocka_unit_test(generation_follows_the_list),
        cmocka_unit_test(reset_undoes_what_is_on),
        cmocka_unit_test(console_gets_no_commands),
        cmocka_unit_test(missing_features_are_not_used),
        cmocka_unit_test(profile_cannot_smuggle),
        cmocka_unit_test(cursor_can_be_told),
        cmocka_unit_test(colours_follow_the_agent),
        cmocka_unit_test(marks_on_one_base_are_limited),
        cmocka_unit_test(links),
        cmocka_unit_test(cursor_after_a_stop_is_where_it_is),
        cmocka_unit_test(ground_is_known),
        cmocka_unit_test(keys_are_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
