// SPDX-License-Identifier: GPL-3.0-only
/*
 * Tests of what the relay does with its two filters: keys go through the one, and both get their
 * time. The test is the terminal emulator and the command, and runs the loop in between.
 */
#include "pty/relay.h"
#include "support/ptypair.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SOON_MS PTYPAIR_SOON_MS

struct rig {
    uv_loop_t loop;
    struct ptypair user; /* master: the emulator */
    struct ptypair jail; /* slave: the command */
    struct terminal terminal;
    struct filter *filter;
    struct relay *relay;
    struct buf typed; /* what the command has read */
    struct buf shown; /* what the emulator has read */
};

static void ignore(void *arg)
{
    (void)arg;
}

/* hold_input, redraw_key: of the options. */
static void rig_start_with(struct rig *rig, bool hold_input, unsigned char redraw_key)
{
    struct relay_options options = {
        .loop = &rig->loop,
        .terminal = &rig->terminal,
        .read_input = true,
        .hold_input = hold_input,
        .redraw_key = redraw_key,
        .on_output_end = ignore,
        .on_terminal_gone = ignore,
    };
    struct error error = {0};

    assert_int_equal(uv_loop_init(&rig->loop), 0);
    ptypair_open(&rig->user, true);
    ptypair_open(&rig->jail, true);
    ptypair_terminal(&rig->user, &rig->terminal);
    rig->filter = filter_new(&filter_profile_fixed);
    buf_init(&rig->typed, MIB);
    buf_init(&rig->shown, MIB);
    options.master = rig->jail.master;
    options.filter = rig->filter;
    rig->relay = relay_new(&options, &error);
    assert_non_null(rig->relay);
}

static void rig_start(struct rig *rig, bool hold_input)
{
    rig_start_with(rig, hold_input, 0);
}

static void close_any(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

static void rig_free(struct rig *rig)
{
    relay_close(rig->relay);
    uv_walk(&rig->loop, close_any, NULL);
    assert_int_equal(uv_run(&rig->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&rig->loop), 0);
    terminal_close(&rig->terminal);
    ptypair_close(&rig->user);
    ptypair_close_slave(&rig->jail);
    filter_free(rig->filter);
    buf_free(&rig->typed);
    buf_free(&rig->shown);
}

static void collect(int fd, struct buf *buf)
{
    uint8_t bytes[65536];
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

    while (poll(&poll_fd, 1, 0) > 0) {
        ssize_t n = read(fd, bytes, sizeof(bytes));

        if (n <= 0)
            return;
        buf_append(buf, bytes, (size_t)n);
    }
}

static uint64_t now_ms(void)
{
    return uv_hrtime() / 1000000;
}

/* Runs the loop for wait_ms, once more when they are over, or until buf ends in text. takes: the command
 * reads meanwhile. */
static bool run(struct rig *rig, struct buf *buf, const char *text, int wait_ms, bool takes)
{
    uint64_t deadline = now_ms() + (uint64_t)wait_ms;
    size_t len = text ? strlen(text) : 0;
    bool is_over = false;

    for (;;) {
        struct pollfd poll_fd = {.fd = uv_backend_fd(&rig->loop), .events = POLLIN};
        int next = uv_backend_timeout(&rig->loop);

        collect(rig->user.master, &rig->shown);
        if (takes)
            collect(rig->jail.slave, &rig->typed);
        if (text && buf->len >= len && memcmp(buf->data + buf->len - len, text, len) == 0)
            return true;
        if (is_over)
            return false;
        is_over = now_ms() >= deadline;
        poll(&poll_fd, 1, next < 0 || next > 5 ? 5 : next);
        uv_run(&rig->loop, UV_RUN_NOWAIT);
    }
}

static void type_bytes(struct rig *rig, const char *bytes, size_t len)
{
    ptypair_write(rig->user.master, bytes, len, SOON_MS);
}

static void type_text(struct rig *rig, const char *text)
{
    type_bytes(rig, text, strlen(text));
}

static void say(struct rig *rig, const char *text)
{
    ptypair_write(rig->jail.slave, text, strlen(text), SOON_MS);
}

static void expect_typed(struct rig *rig, const char *text)
{
    run(rig, &rig->typed, text, SOON_MS, true);
    assert_string_equal(buf_cstr(&rig->typed), text);
}

static void expect_shown(struct rig *rig, const char *text)
{
    run(rig, &rig->shown, text, SOON_MS, true);
    assert_string_equal(buf_cstr(&rig->shown), text);
}

static bool has_timer(const struct rig *rig)
{
    return uv_backend_timeout(&rig->loop) >= 0;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void test_replies_are_no_keys(void **state)
{
    struct rig rig = {0};

    (void)state;
    rig_start(&rig, false);
    type_text(&rig, "a\033[?62;22cb\033]11;rgb:0/0/0\033\\c\033[<0;1;1Md\033[A");
    expect_typed(&rig, "abcd\033[A");
    assert_false(has_timer(&rig));
    rig_free(&rig);
}

/* What the command has switched on a moment ago is known. */
static void test_reports_that_are_wanted(void **state)
{
    struct rig rig = {0};

    (void)state;
    rig_start(&rig, false);
    say(&rig, "\033[?1000;1006h");
    expect_shown(&rig, "\033[?1000;1006h");
    type_text(&rig, "\033[<0;1;1M");
    expect_typed(&rig, "\033[<0;1;1M");
    rig_free(&rig);
}

/* P-INP-5 */
static void test_escape_waits_a_moment(void **state)
{
    uint64_t taken = UINT64_MAX;

    (void)state;
    /* A machine may be slow at times; what waits for longer is slow always. */
    for (int i = 0; i < 10 && taken >= 1000; i++) {
        struct rig rig = {0};
        uint64_t start;

        rig_start(&rig, false);
        type_text(&rig, "x\033");
        expect_typed(&rig, "x");
        start = now_ms();
        assert_true(has_timer(&rig));
        expect_typed(&rig, "x\033");
        taken = now_ms() - start;
        assert_false(has_timer(&rig));
        rig_free(&rig);
    }
    assert_true(taken < 1000);
}

static void test_key_in_two_reads(void **state)
{
    struct rig rig = {0};

    (void)state;
    rig_start(&rig, false);
    type_text(&rig, "x\033[1;");
    expect_typed(&rig, "x");
    type_text(&rig, "5C");
    expect_typed(&rig, "x\033[1;5C");
    assert_false(has_timer(&rig));
    rig_free(&rig);
}

/* P-INP-2 */
static void test_type_ahead_comes_first(void **state)
{
    struct rig rig = {0};

    (void)state;
    rig_start(&rig, true);
    relay_type_ahead(rig.relay, "one\033[?62c\033", 10);
    type_text(&rig, "[Atwo");
    assert_false(run(&rig, &rig.typed, "two", 50, true));
    assert_int_equal(rig.typed.len, 0);
    relay_release_input(rig.relay);
    expect_typed(&rig, "one\033[Atwo");
    rig_free(&rig);
}

/* The silence after which a paste counts as broken off is none of the terminal's while the command
 * does not read. */
static void test_paste_to_a_slow_command(void **state)
{
    enum { BODY = 150000 };
    static char paste[BODY + 13];
    struct rig rig = {0};
    size_t at = 0;

    (void)state;
    rig_start(&rig, false);
    say(&rig, "\033[?2004h");
    expect_shown(&rig, "\033[?2004h");
    memset(paste, 'p', sizeof(paste));
    memcpy(paste, "\033[200~", 6);
    memcpy(paste + 6 + BODY, "\033[201~", 7);
    for (int refused = 0; refused < 3;) {
        ssize_t n = write(rig.user.master, paste + at, sizeof(paste) - 1 - at);

        refused = n > 0 ? 0 : refused + 1;
        at += n > 0 ? (size_t)n : 0;
        run(&rig, &rig.typed, NULL, 20, false);
    }
    assert_true(at < sizeof(paste) - 1); /* everything on the way is full */
    assert_false(run(&rig, &rig.typed, NULL, 2300, false));
    assert_int_equal(rig.typed.len, 0);
    while (at < sizeof(paste) - 1) {
        ssize_t n = write(rig.user.master, paste + at, sizeof(paste) - 1 - at);

        if (n > 0)
            at += (size_t)n;
        run(&rig, &rig.typed, NULL, 1, true);
    }
    assert_true(run(&rig, &rig.typed, "\033[201~", SOON_MS, true));
    assert_int_equal(rig.typed.len, sizeof(paste) - 1);
    assert_memory_equal(rig.typed.data, paste, sizeof(paste) - 1);
    rig_free(&rig);
}

/* The end of a paste is lost: it is supplied, and only one. */
static void test_paste_without_end(void **state)
{
    struct rig rig = {0};

    (void)state;
    rig_start(&rig, false);
    say(&rig, "\033[?2004h");
    expect_shown(&rig, "\033[?2004h");
    type_text(&rig, "\033[200~abc");
    expect_typed(&rig, "\033[200~abc");
    expect_typed(&rig, "\033[200~abc\033[201~");
    assert_false(has_timer(&rig));
    rig_free(&rig);
}

/* ---- the key after a resize ------------------------------------------------------------------- */

#define REDRAW_MS 75

static void resize(struct rig *rig, unsigned short rows)
{
    uv_update_time(&rig->loop); /* as in a callback */
    relay_resize(rig->relay, &(struct winsize){.ws_row = rows, .ws_col = 90});
}

/* Nothing is typed, although there is time enough for it. */
static void expect_no_key(struct rig *rig)
{
    assert_false(run(rig, &rig->typed, "\f", 4 * REDRAW_MS, true));
    assert_int_equal(rig->typed.len, 0);
    assert_false(has_timer(rig));
}

static void test_redraw_key_comes_once_it_is_quiet(void **state)
{
    struct rig rig = {0};
    uint64_t last = 0;
    bool has_come = true;

    (void)state;
    rig_start_with(&rig, false, '\f');
    /* A machine that sleeps for so long in between makes it quiet: dragged once more. */
    for (unsigned short rows = 10; rows < 1000 && has_come; rows += 5) {
        has_come = false;
        for (unsigned short i = 0; i < 5; i++) {
            last = now_ms();
            resize(&rig, rows + i);
            if (run(&rig, &rig.typed, "\f", REDRAW_MS / 3, true)) {
                assert_true(now_ms() - last >= REDRAW_MS - 1);
                buf_reset(&rig.typed);
                has_come = true;
            }
        }
    }
    assert_false(has_come);
    expect_typed(&rig, "\f");
    assert_true(now_ms() - last >= REDRAW_MS - 1);
    expect_typed(&rig, "\f"); /* and once only */
    assert_false(run(&rig, &rig.typed, "\f\f", 3 * REDRAW_MS, true));
    assert_false(has_timer(&rig));
    rig_free(&rig);
}

static void test_redraw_key_needs_another_size(void **state)
{
    struct rig rig = {0};

    (void)state;
    rig_start_with(&rig, false, '\f');
    resize(&rig, 10);
    expect_typed(&rig, "\f");
    buf_reset(&rig.typed);
    resize(&rig, 10);
    expect_no_key(&rig);
    rig_free(&rig);
}

static void test_redraw_key_is_for_the_primary_screen(void **state)
{
    struct rig rig = {0};

    (void)state;
    rig_start_with(&rig, false, '\f');
    say(&rig, "\033[?1049h");
    expect_shown(&rig, "\033[?1049h");
    resize(&rig, 10);
    expect_no_key(&rig);
    say(&rig, "\033[?1049l");
    assert_true(run(&rig, &rig.shown, "\033[?1049l", SOON_MS, true));
    resize(&rig, 11);
    expect_typed(&rig, "\f");
    rig_free(&rig);
}

/* ^L in a line that is being edited would be a part of it, and echoed. */
static void test_redraw_key_is_for_a_raw_command(void **state)
{
    struct rig rig = {0};
    struct termios modes;

    (void)state;
    rig_start_with(&rig, false, '\f');
    assert_int_equal(tcgetattr(rig.jail.slave, &modes), 0);
    modes.c_lflag |= ICANON | ECHO;
    assert_int_equal(tcsetattr(rig.jail.slave, TCSANOW, &modes), 0);
    resize(&rig, 10);
    expect_no_key(&rig);
    assert_int_equal(rig.shown.len, 0);
    rig_free(&rig);
}

static void test_redraw_key_waits_for_the_command(void **state)
{
    struct rig rig = {0};

    (void)state;
    rig_start_with(&rig, true, '\f');
    resize(&rig, 10);
    expect_no_key(&rig);
    relay_release_input(rig.relay);
    expect_no_key(&rig);
    rig_free(&rig);
}

static void test_redraw_key_is_never_inside_a_paste(void **state)
{
    struct rig rig = {0};

    (void)state;
    rig_start_with(&rig, false, '\f');
    say(&rig, "\033[?2004h");
    expect_shown(&rig, "\033[?2004h");
    type_text(&rig, "\033[200~abc");
    expect_typed(&rig, "\033[200~abc");
    resize(&rig, 10);
    assert_false(run(&rig, &rig.typed, "\f", 3 * REDRAW_MS, true));
    type_text(&rig, "def\033[201~");
    expect_typed(&rig, "\033[200~abcdef\033[201~\f");
    rig_free(&rig);
}

static void test_no_redraw_key_no_timer(void **state)
{
    struct rig rig = {0};

    (void)state;
    rig_start(&rig, false);
    resize(&rig, 10);
    expect_no_key(&rig);
    rig_free(&rig);
}

/* ---- what the output filter does later ------------------------------------------------------- */

static void test_forgotten_update_is_ended(void **state)
{
    struct rig rig = {0};
    uint64_t start = now_ms();

    (void)state;
    rig_start(&rig, false);
    say(&rig, "\033[?2026hx");
    expect_shown(&rig, "\033[?2026hx");
    assert_true(has_timer(&rig));
    expect_shown(&rig, "\033[?2026hx\033[?2026l");
    assert_true(now_ms() - start >= 900);
    assert_false(has_timer(&rig));
    rig_free(&rig);
}

static void test_update_that_ends_needs_no_timer(void **state)
{
    struct rig rig = {0};

    (void)state;
    rig_start(&rig, false);
    say(&rig, "\033[?2026hx\033[?2026l");
    expect_shown(&rig, "\033[?2026hx\033[?2026l");
    run(&rig, &rig.shown, NULL, 20, true);
    assert_false(has_timer(&rig));
    rig_free(&rig);
}

static void test_last_title_of_a_burst(void **state)
{
    char text[64];
    struct rig rig = {0};

    (void)state;
    rig_start(&rig, false);
    for (int i = 0; i < 200; i++) {
        snprintf(text, sizeof(text), "\033]2;title %d\a", i);
        say(&rig, text);
    }
    assert_true(run(&rig, &rig.shown, "\033]2;title 199\a", SOON_MS, true));
    run(&rig, &rig.shown, NULL, 20, true);
    assert_false(has_timer(&rig));
    rig_free(&rig);
}

/* ---- the size -------------------------------------------------------------------------------- */

static unsigned slave_rows(const struct rig *rig)
{
    struct winsize size = {0};

    assert_int_equal(ioctl(rig->jail.slave, TIOCGWINSZ, &size), 0);
    return size.ws_row;
}

static void test_size_is_reported(void **state)
{
    struct rig rig = {0};

    (void)state;
    rig_start(&rig, false);
    say(&rig, "\033[?2048h");
    expect_typed(&rig, "\033[48;24;80;480;800t");
    buf_reset(&rig.typed);
    resize(&rig, 30);
    assert_int_equal(slave_rows(&rig), 30);
    expect_typed(&rig, "\033[48;30;90;600;900t");
    rig_free(&rig);
}

/* The first of a burst counts at once, the last one in the end. */
static void test_sizes_are_put_together(void **state)
{
    struct rig rig = {0};
    uint64_t start = now_ms();

    (void)state;
    rig_start(&rig, false);
    for (unsigned short rows = 20; rows < 60; rows++)
        resize(&rig, rows);
    if (now_ms() - start < 16)
        assert_int_equal(slave_rows(&rig), 20);
    for (start = now_ms(); slave_rows(&rig) != 59 && now_ms() - start < SOON_MS;)
        run(&rig, &rig.shown, NULL, 5, true);
    assert_int_equal(slave_rows(&rig), 59);
    run(&rig, &rig.shown, NULL, 100, true);
    assert_int_equal(slave_rows(&rig), 59);
    assert_false(has_timer(&rig));
    rig_free(&rig);
}

/* A key is for the size that the terminal has when it is typed, whether we have heard of it or not. */
static void test_size_is_set_before_a_key(void **state)
{
    struct winsize size = {.ws_row = 33, .ws_col = 90};
    struct rig rig = {0};

    (void)state;
    rig_start(&rig, false);
    for (unsigned i = 0; i < 5; i++) {
        size.ws_row++;
        assert_int_equal(ioctl(rig.user.master, TIOCSWINSZ, &size), 0);
        if (i % 2)
            resize(&rig, size.ws_row); /* within 16 ms of the last one: not yet */
        type_text(&rig, "k");
        expect_typed(&rig, "k");
        assert_int_equal(slave_rows(&rig), size.ws_row);
        buf_reset(&rig.typed);
    }
    rig_free(&rig);
}

/* Without waiting for any time: the command is continued right afterwards. */
static void test_stopped_command_has_the_size_at_once(void **state)
{
    struct rig rig = {0};

    (void)state;
    rig_start(&rig, false);
    resize(&rig, 20);
    resize(&rig, 30);
    relay_pause(rig.relay, true);
    resize(&rig, 40);
    assert_int_equal(slave_rows(&rig), 40);
    relay_pause(rig.relay, false);
    run(&rig, &rig.shown, NULL, 50, true);
    assert_int_equal(slave_rows(&rig), 40);
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replies_are_no_keys),
        cmocka_unit_test(test_reports_that_are_wanted),
        cmocka_unit_test(test_escape_waits_a_moment),
        cmocka_unit_test(test_key_in_two_reads),
        cmocka_unit_test(test_type_ahead_comes_first),
        cmocka_unit_test(test_paste_to_a_slow_command),
        cmocka_unit_test(test_paste_without_end),
        cmocka_unit_test(test_redraw_key_comes_once_it_is_quiet),
        cmocka_unit_test(test_redraw_key_needs_another_size),
        cmocka_unit_test(test_redraw_key_is_for_the_primary_screen),
        cmocka_unit_test(test_redraw_key_is_for_a_raw_command),
        cmocka_unit_test(test_redraw_key_waits_for_the_command),
        cmocka_unit_test(test_redraw_key_is_never_inside_a_paste),
        cmocka_unit_test(test_no_redraw_key_no_timer),
        cmocka_unit_test(test_forgotten_update_is_ended),
        cmocka_unit_test(test_update_that_ends_needs_no_timer),
        cmocka_unit_test(test_last_title_of_a_burst),
        cmocka_unit_test(test_size_is_reported),
        cmocka_unit_test(test_sizes_are_put_together),
        cmocka_unit_test(test_size_is_set_before_a_key),
        cmocka_unit_test(test_stopped_command_has_the_size_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
