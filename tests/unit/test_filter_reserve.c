// SPDX-License-Identifier: GPL-3.0-only
/*
 * Tests of the reserved row of the filter: taking it, drawing it, giving it back, and the mouse. What
 * the agent can do to it is in tests/filter.
 */
#include "filter/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define ROWS 24
#define COLS 80

struct fixture {
    struct filter *filter;
    struct buf out;
    struct buf reply;
};

static void fixture_free(struct fixture *f)
{
    filter_free(f->filter);
    buf_free(&f->out);
    buf_free(&f->reply);
}

#define _cleanup_fixture_ CLEANUP(fixture_free)

/* The cursor of the terminal is at row;1, the last row is taken. */
static struct fixture fixture_at(unsigned row)
{
    struct filter_profile profile = filter_profile_fixed;
    struct fixture f;

    profile.start_row = row;
    profile.has_sync = false;
    f.filter = filter_new(&profile);
    buf_init(&f.out, 64 * KIB);
    buf_init(&f.reply, 64 * KIB);
    filter_reserve(f.filter, true, ROWS - 1, COLS, &f.out);
    return f;
}

static void assert_out(struct fixture *f, const char *expected)
{
    assert_string_equal(buf_cstr(&f->out), expected);
    buf_reset(&f->out);
}

static void feed(struct fixture *f, const char *text)
{
    filter_feed(f->filter, (const uint8_t *)text, strlen(text), &f->out, &f->reply);
}

static bool draw(struct fixture *f)
{
    const struct filter_line line = {.look = "7", .text = "bar", .len = 3};

    return filter_draw_row(f->filter, &line, &f->out);
}

static void test_taking_the_row(void **state)
{
    struct fixture high _cleanup_fixture_ = fixture_at(5);
    struct fixture low _cleanup_fixture_ = fixture_at(ROWS);
    struct fixture unknown _cleanup_fixture_ = fixture_at(0);

    (void)state;
    assert_out(&high, "\033[0m\033[1;23r\033[0m\033[5;1H");
    /* The cursor is where the row will be: the screen scrolls. */
    assert_out(&low, "\033[0m\n\033[1;23r\033[0m\033[23;1H");
    assert_out(&unknown, "\033[0m\n\033[1;23r\033[0m\033[23;1H");
    assert_true(filter_take_damage(high.filter));
    assert_false(filter_take_damage(high.filter));
}

static void test_drawing(void **state)
{
    struct fixture f _cleanup_fixture_ = fixture_at(1);

    (void)state;
    buf_reset(&f.out);
    assert_true(draw(&f));
    assert_out(&f, "\033[?25l\033[24;1H\033(B\017\033[0;7mbar\033[K\033[0m\033[1;1H\033[?25h");
    feed(&f, "\033[?25l\033[38;2;1;2;3;58:5:9;4:3m\033(0\016\033[4h\033[7;9H"
             "\033]8;id=a;https://example.org/\033\\");
    buf_reset(&f.out);
    assert_true(draw(&f));
    assert_out(&f, "\033[24;1H\033]8;;\033\\\033[4l\033(B\017\033[0;7mbar\033[K"
                   "\033[0;4:3;58:5:9m\033[38;2;1;2;3m\033(0\016\033[4h"
                   "\033]8;id=a;https://example.org/\033\\\033[7;9H");
}

/* A repetition behind the drawing would repeat a glyph of ours. */
static void test_drawing_ends_a_repetition(void **state)
{
    struct fixture f _cleanup_fixture_ = fixture_at(1);

    (void)state;
    feed(&f, "x");
    assert_true(draw(&f));
    buf_reset(&f.out);
    feed(&f, "\033[5b");
    assert_out(&f, "");
}

static void test_when_not_to_draw(void **state)
{
    static const char *const before[] = {"\033[", "\033]2;", "\xe6\xbc", "\033[9;80Hx"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
        struct fixture f _cleanup_fixture_ = fixture_at(1);

        feed(&f, before[i]);
        buf_reset(&f.out);
        assert_false(draw(&f));
        assert_out(&f, "");
    }
}

static void test_not_inside_a_synchronised_update(void **state)
{
    struct filter_profile profile = filter_profile_fixed;
    struct fixture f _cleanup_fixture_ = {.filter = filter_new(&profile)};

    (void)state;
    buf_init(&f.out, 64 * KIB);
    buf_init(&f.reply, 64 * KIB);
    assert_false(draw(&f));
    filter_reserve(f.filter, true, ROWS - 1, COLS, NULL);
    feed(&f, "\033[?2026h");
    assert_false(draw(&f));
    feed(&f, "\033[?2026l");
    buf_reset(&f.out);
    assert_true(draw(&f));
    assert_true(str_starts(buf_cstr(&f.out), "\033[?2026h\033[?25l"));
    assert_non_null(strstr(buf_cstr(&f.out), "\033[?25h\033[?2026l"));
}

/* The margins go, the row is cleared, the cursor stands below what was written. */
static void test_giving_it_back(void **state)
{
    struct fixture f _cleanup_fixture_ = fixture_at(3);
    uint64_t generation;

    (void)state;
    feed(&f, "line\r\n");
    buf_reset(&f.out);
    filter_restore(f.filter, &f.out);
    assert_out(&f, "\033[r\033[0m\033[24;1H\033[2K\033[4;1H");
    feed(&f, "\033[?1049h\033[5;9r");
    buf_reset(&f.out);
    filter_restore(f.filter, &f.out);
    assert_out(&f, "\033[r\033[?1049l\033[r\033[0m\033[24;1H\033[2K\033[4;1H");
    generation = filter_generation(f.filter);
    filter_release_row(f.filter);
    assert_true(generation != filter_generation(f.filter));
    feed(&f, "\033[?1049l\033[r");
    buf_reset(&f.out);
    filter_restore(f.filter, &f.out);
    assert_out(&f, "\033[0m\033[2B\r\n");
}

static void test_resuming(void **state)
{
    struct fixture f _cleanup_fixture_ = fixture_at(3);

    (void)state;
    buf_reset(&f.out);
    filter_move_cursor(f.filter, 0, 0);
    filter_resume(f.filter, &f.out);
    assert_out(&f, "\033[24;1H\n\033[23;1H\033[1;23r\033[0m\033[23;1H");
    feed(&f, "\033[?1049h\033[5;9r\033[7;7H");
    buf_reset(&f.out);
    filter_move_cursor(f.filter, 0, 0);
    filter_resume(f.filter, &f.out);
    assert_out(&f, "\033[24;1H\n\033[23;1H\033[?1049h\033[5;9r\033[0m\033[7;7H");
}

static void test_resizing(void **state)
{
    struct fixture f _cleanup_fixture_ = fixture_at(ROWS);

    (void)state;
    buf_reset(&f.out);
    /* Larger: the old row is inside now. */
    filter_reserve(f.filter, true, 29, COLS, &f.out);
    assert_out(&f, "\033[0m\033[24;1H\033[2K\033[1;29r\033[0m\033[23;1H");
    /* Smaller than the cursor's row: the screen scrolls. */
    filter_reserve(f.filter, true, 15, COLS, &f.out);
    assert_out(&f, "\033[0m\n\033[1;15r\033[0m\033[15;1H");
    /* Too small for a row of ours. */
    filter_reserve(f.filter, false, 8, COLS, &f.out);
    assert_out(&f, "\033[0m\033[r\033[0m\033[8;1H");
    assert_false(filter_take_damage(f.filter));
    feed(&f, "\033[r");
    assert_out(&f, "\033[r");
}

/* What the agent switched on before there was a row of ours is off while there is one. */
static void test_modes_from_before(void **state)
{
    struct fixture f _cleanup_fixture_ = fixture_at(1);

    (void)state;
    filter_release_row(f.filter);
    feed(&f, "\033[?6;45;69h");
    buf_reset(&f.out);
    filter_reserve(f.filter, true, ROWS - 1, COLS, &f.out);
    assert_out(&f, "\033[?6l\033[?45l\033[?69l\033[0m\033[1;23r\033[0m\033[1;1H");
    feed(&f, "\033[?6$p\033[?45$p\033[?69$p");
    assert_string_equal(buf_cstr(&f.reply), "\033[?6;1$y\033[?45;2$y\033[?69;0$y");
}

struct click {
    const char *bytes;
    const char *expected;
};

static void assert_clicks(const struct filter_keys *keys, const struct click *clicks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct input *input = input_new();
        struct buf out CLEANUP(buf_free);

        buf_init(&out, 256);
        input_feed(input, keys, (const uint8_t *)clicks[i].bytes, strlen(clicks[i].bytes), &out);
        assert_string_equal(buf_cstr(&out), clicks[i].expected);
        input_free(input);
    }
}

static void test_mouse(void **state)
{
    static const struct click sgr[] = {
        {"\033[<0;10;23M", "\033[<0;10;23M"},
        {"\033[<0;10;24M", ""},
        {"\033[<64;10;24M", ""},
        {"\033[<32;10;24M", "\033[<32;10;23M"},
        {"\033[<0;10;24m", "\033[<0;10;23m"},
        {"\033[32;9;24M", ""},
        {"\033[35;9;24M", "\033[35;9;23M"},
        {"\033[M !7", "\033[M !7"},
        {"\033[M !8", ""},
        {"\033[M#!8", "\033[M#!7"},
    };
    static const struct click utf8[] = {
        {"\033[M \xc4\xa0\xc2\xb7", "\033[M \xc4\xa0\xc2\xb7"},
        {"\033[M \xc4\xa0\xc2\xb8", ""},
        {"\033[M#\xc4\xa0\xc2\xb8", "\033[M#\xc4\xa0\xc2\xb7"},
    };
    static const struct click pixels[] = {
        {"\033[<0;10;460M", "\033[<0;10;460M"},
        {"\033[<0;10;461M", ""},
        {"\033[<0;10;470m", "\033[<0;10;460m"},
    };
    struct filter_keys keys = {.mouse = true, .rows = 23, .row_height_px = 1};

    (void)state;
    assert_clicks(&keys, sgr, ARRAY_SIZE(sgr));
    keys.row_height_px = 20;
    assert_clicks(&keys, pixels, ARRAY_SIZE(pixels));
    keys = (struct filter_keys){.mouse = true, .mouse_utf8 = true, .rows = 151, .row_height_px = 1};
    assert_clicks(&keys, utf8, ARRAY_SIZE(utf8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taking_the_row),
        cmocka_unit_test(test_drawing),
        cmocka_unit_test(test_drawing_ends_a_repetition),
        cmocka_unit_test(test_when_not_to_draw),
        cmocka_unit_test(test_not_inside_a_synchronised_update),
        cmocka_unit_test(test_giving_it_back),
        cmocka_unit_test(test_resuming),
        cmocka_unit_test(test_resizing),
        cmocka_unit_test(test_modes_from_before),
        cmocka_unit_test(test_mouse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
