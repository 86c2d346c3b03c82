// SPDX-License-Identifier: GPL-3.0-only
/*
 * Tests of pty/relay between two real PTYs: the test is the user's terminal on the master of one, a
 * child is the command on the slave of the other. Every wait is a run of the loop with a deadline.
 */
#include "pty/relay.h"
#include "support/ptypair.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SOON_MS  PTYPAIR_SOON_MS
#define LARGE_MS 200000

#define LEFT_OVER_S 120

/* relay_finish() */
#define END_IDLE_MS  200
#define END_STALL_MS 2000

/* ---- a stream that can be made and checked anywhere ------------------------------------------ */

struct stream {
    uint64_t state;
    uint64_t hash; /* FNV-1a of everything so far */
    size_t len;
};

static const struct stream stream_start = {.state = 0x9e3779b97f4a7c15, .hash = 0xcbf29ce484222325};

static void stream_add(struct stream *stream, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        stream->hash = (stream->hash ^ bytes[i]) * 0x100000001b3;
    stream->len += len;
}

/* The next len bytes: all values, or printable ones in lines of 64. */
static void stream_make(struct stream *stream, uint8_t *bytes, size_t len, bool printable)
{
    for (size_t i = 0; i < len; i++) {
        size_t column = (stream->len + i) % 64;

        stream->state ^= stream->state << 13;
        stream->state ^= stream->state >> 7;
        stream->state ^= stream->state << 17;
        bytes[i] = (uint8_t)(stream->state >> 32);
        if (printable)
            bytes[i] = column == 62 ? '\r' : column == 63 ? '\n' : 0x20 + bytes[i] % 95;
    }
    stream_add(stream, bytes, len);
}

static struct stream stream_of(size_t len, bool printable)
{
    struct stream stream = stream_start;
    uint8_t bytes[4096];

    while (stream.len < len) {
        size_t n = len - stream.len;

        stream_make(&stream, bytes, n < sizeof(bytes) ? n : sizeof(bytes), printable);
    }
    return stream;
}

/* ---- the rig --------------------------------------------------------------------------------- */

struct rig {
    uv_loop_t loop;
    struct ptypair user; /* master: the terminal emulator */
    struct ptypair jail; /* slave: the command */
    struct terminal terminal;
    struct filter *filter;
    struct relay *relay;
    pid_t child;
    uv_poll_t child_poll; /* on its pidfd */
    int child_fd;
    int child_status;

    uv_poll_t screen_poll;
    size_t read_size; /* bytes the emulator takes at once, 0: none */
    struct stream shown;
    size_t wanted;     /* see has_shown() */
    struct buf screen; /* the first bytes of it */
    struct stream typed;
    size_t type_left;
    unsigned int resizes_left;
    unsigned int resizes_done;

    unsigned int ends;
    unsigned int gones;
    unsigned int restore_changes;
    int written_at_change; /* bytes the terminal had at the first change */
    bool finish_at_exit;   /* relay_finish() when the child has ended */
};

static void on_output_end(void *arg)
{
    ((struct rig *)arg)->ends++;
}

static void on_terminal_gone(void *arg)
{
    ((struct rig *)arg)->gones++;
}

static void on_restore_changed(void *arg)
{
    struct rig *rig = arg;

    if (rig->restore_changes++ == 0)
        ioctl(rig->user.master, FIONREAD, &rig->written_at_change);
}

static void resize_one(struct rig *rig)
{
    struct winsize size = {.ws_col = 80};

    if (rig->resizes_left == 0)
        return;
    rig->resizes_left--;
    size.ws_row = (unsigned short)(10 + ++rig->resizes_done % 50);
    relay_resize(rig->relay, &size);
}

static void screen_read(struct rig *rig)
{
    uint8_t bytes[65536];
    size_t before = rig->shown.len;
    ssize_t n = read(rig->user.master, bytes,
                     rig->read_size < sizeof(bytes) ? rig->read_size : sizeof(bytes));

    if (n <= 0)
        return;
    stream_add(&rig->shown, bytes, (size_t)n);
    if (rig->screen.len < 65536)
        buf_append(&rig->screen, bytes, (size_t)n);
    if (before / (200 * KIB) != rig->shown.len / (200 * KIB))
        resize_one(rig);
}

static void screen_type(struct rig *rig)
{
    struct stream after = rig->typed;
    uint8_t bytes[1000];
    size_t len = rig->type_left < sizeof(bytes) ? rig->type_left : sizeof(bytes);
    ssize_t n;

    /* Make them, see how many were taken, and go on from there. */
    stream_make(&after, bytes, len, false);
    n = write(rig->user.master, bytes, len);
    if (n <= 0)
        return;
    stream_make(&rig->typed, bytes, (size_t)n, false);
    rig->type_left -= (size_t)n;
}

static void screen_watch(struct rig *rig);

static void on_screen(uv_poll_t *poll, int status, int events)
{
    struct rig *rig = poll->data;

    if (status == 0 && events & UV_READABLE)
        screen_read(rig);
    if (status == 0 && events & UV_WRITABLE)
        screen_type(rig);
    screen_watch(rig);
}

static void screen_watch(struct rig *rig)
{
    int events = (rig->read_size ? UV_READABLE : 0) | (rig->type_left ? UV_WRITABLE : 0);

    if (events)
        uv_poll_start(&rig->screen_poll, events, on_screen);
    else
        uv_poll_stop(&rig->screen_poll);
}

/* Makes a rig; with_filter: the real output filter, else bytes pass unchanged. */
static struct rig *rig_new(bool with_filter)
{
    struct rig *rig = xcalloc(1, sizeof(*rig));

    assert_int_equal(uv_loop_init(&rig->loop), 0);
    ptypair_open(&rig->user, true);
    ptypair_open(&rig->jail, true);
    ptypair_terminal(&rig->user, &rig->terminal);
    if (with_filter)
        rig->filter = filter_new(&filter_profile_fixed);
    rig->shown = stream_start;
    rig->typed = stream_start;
    buf_init(&rig->screen, MIB);
    rig->child_fd = -1;
    rig->read_size = 65536;
    rig->finish_at_exit = true;
    return rig;
}

static void rig_start(struct rig *rig, bool read_input)
{
    struct relay_options options = {
        .loop = &rig->loop,
        .terminal = &rig->terminal,
        .master = rig->jail.master,
        .filter = rig->filter,
        .read_input = read_input,
        .on_output_end = on_output_end,
        .on_terminal_gone = on_terminal_gone,
        .on_restore_changed = on_restore_changed,
        .arg = rig,
    };
    struct error error = {0};

    rig->relay = relay_new(&options, &error);
    assert_non_null(rig->relay);
    rig->jail.master = -1;
    assert_int_equal(uv_poll_init(&rig->loop, &rig->screen_poll, rig->user.master), 0);
    rig->screen_poll.data = rig;
    screen_watch(rig);
}

static void on_child(uv_poll_t *poll, int status, int events)
{
    struct rig *rig = poll->data;

    (void)status;
    (void)events;
    assert_int_equal(waitpid(rig->child, &rig->child_status, 0), rig->child);
    rig->child = 0;
    uv_poll_stop(poll);
    if (rig->finish_at_exit)
        relay_finish(rig->relay);
}

struct child_start {
    struct rig *rig;
    int (*run)(int slave, void *arg);
    void *arg;
};

static int child_main(int slave, void *arg)
{
    const struct child_start *start = arg;
    struct rig *rig = start->rig;

    /* Only the slave, or this end would never see a hang-up. */
    close(rig->terminal.fd);
    close(rig->user.master);
    close(rig->user.slave);
    return start->run(slave, start->arg);
}

/* The command: run on the jail's slave, which nobody else has open afterwards. */
static void rig_spawn(struct rig *rig, int (*run)(int slave, void *arg), void *arg)
{
    struct child_start start = {.rig = rig, .run = run, .arg = arg};

    rig->child = ptypair_spawn(&rig->jail, false, child_main, &start);
    ptypair_close_slave(&rig->jail);
    rig->child_fd = (int)syscall(SYS_pidfd_open, rig->child, 0);
    assert_true(rig->child_fd >= 0);
    assert_int_equal(uv_poll_init(&rig->loop, &rig->child_poll, rig->child_fd), 0);
    rig->child_poll.data = rig;
    uv_poll_start(&rig->child_poll, UV_READABLE, on_child);
}

/* Runs the loop until done() says so; false after the deadline. */
static bool rig_try(struct rig *rig, bool (*done)(const struct rig *rig), int timeout_ms)
{
    uint64_t deadline = uv_hrtime() / 1000000 + (uint64_t)timeout_ms;

    for (;;) {
        struct pollfd poll_fd = {.fd = uv_backend_fd(&rig->loop), .events = POLLIN};
        uint64_t now = uv_hrtime() / 1000000;
        int next = uv_backend_timeout(&rig->loop);

        if (done(rig))
            return true;
        if (now >= deadline)
            return false;
        /* What is waited for may also happen where the loop has no event for it. */
        if (next < 0 || next > 10)
            next = 10;
        poll(&poll_fd, 1, next);
        uv_run(&rig->loop, UV_RUN_NOWAIT);
    }
}

static void rig_run(struct rig *rig, bool (*done)(const struct rig *rig), int timeout_ms)
{
    if (!rig_try(rig, done, timeout_ms))
        fail_msg("the deadline of %d ms passed; %zu bytes shown, %zu pending", timeout_ms,
                 rig->shown.len, relay_pending(rig->relay));
}

static bool never(const struct rig *rig)
{
    (void)rig;
    return false;
}

static bool has_child_ended(const struct rig *rig)
{
    return rig->child == 0;
}

static bool has_ended(const struct rig *rig)
{
    return rig->ends > 0;
}

static bool has_shown(const struct rig *rig)
{
    return rig->shown.len >= rig->wanted;
}

/* Nothing to do now and no timer for later. */
static bool is_idle(const struct rig *rig)
{
    struct pollfd poll_fd = {.fd = uv_backend_fd(&rig->loop), .events = POLLIN};

    return uv_backend_timeout(&rig->loop) == -1 && poll(&poll_fd, 1, 0) == 0;
}

static void close_any(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

static void rig_free(struct rig *rig)
{
    if (rig->child > 0) {
        kill(rig->child, SIGKILL);
        waitpid(rig->child, NULL, 0);
    }
    relay_close(rig->relay);
    uv_walk(&rig->loop, close_any, NULL);
    assert_int_equal(uv_run(&rig->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&rig->loop), 0);
    terminal_close(&rig->terminal);
    ptypair_close(&rig->user);
    ptypair_close_slave(&rig->jail);
    if (rig->child_fd >= 0)
        close(rig->child_fd);
    filter_free(rig->filter);
    buf_free(&rig->screen);
    free(rig);
}

static void assert_shown(const struct rig *rig, const char *text)
{
    assert_int_equal(rig->screen.len, strlen(text));
    assert_memory_equal(rig->screen.data, text, strlen(text));
}

/* ---- output ---------------------------------------------------------------------------------- */

struct output_order {
    size_t len;
    bool printable;
    struct stream sent; /* what the command is expected to send */
};

static struct output_order order_output(size_t len, bool printable)
{
    return (struct output_order){len, printable, stream_of(len, printable)};
}

/* The command: writes a stream and ends. */
static int write_stream(int slave, void *arg)
{
    const struct output_order *order = arg;
    struct stream stream = stream_start;
    uint8_t bytes[8192];

    while (stream.len < order->len) {
        size_t n = order->len - stream.len;

        n = n < sizeof(bytes) ? n : sizeof(bytes);
        stream_make(&stream, bytes, n, order->printable);
        if (fd_write_all(slave, bytes, n) < 0)
            return 1;
    }
    return 0;
}

static void assert_same_stream(const struct stream *a, const struct stream *b)
{
    assert_int_equal(a->len, b->len);
    assert_true(a->hash == b->hash);
}

static void check_output(size_t len, bool with_filter, size_t read_size, unsigned int resizes)
{
    struct output_order order = order_output(len, with_filter);
    struct rig *rig = rig_new(with_filter);

    rig->read_size = read_size;
    rig->resizes_left = resizes;
    rig_start(rig, true);
    rig_spawn(rig, write_stream, &order);
    rig_run(rig, has_ended, LARGE_MS);
    /* Written to the terminal, but perhaps still in its PTY. */
    rig->wanted = order.len;
    rig_run(rig, has_shown, LARGE_MS);
    assert_int_equal(rig->child_status, 0);
    assert_same_stream(&rig->shown, &order.sent);
    assert_int_equal(rig->resizes_done, resizes);
    assert_int_equal(rig->ends, 1);
    assert_int_equal(rig->gones, 0);
    assert_false(relay_was_cut(rig->relay));
    rig_free(rig);
}

/* P-PTY-7 */
static void test_output_is_complete_in_a_resize_storm(void **state)
{
    (void)state;
    check_output(50 * MIB, false, 65536, 200);
}

static void test_filtered_output_is_complete(void **state)
{
    (void)state;
    check_output(20 * MIB, true, 65536, 50);
}

/* P-PTY-3 */
static void test_burst_then_exit_is_complete(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++)
        check_output(MIB, i % 2, 65536, 0);
}

static void test_reader_of_single_bytes(void **state)
{
    (void)state;
    check_output(100 * KIB, false, 1, 0);
}

static size_t resident_kib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    size_t kib = 0;
    char line[256];

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        if (sscanf(line, "VmRSS: %zu", &kib) == 1)
            break;
    }
    fclose(file);
    assert_true(kib > 0);
    return kib;
}

static bool is_over_high_mark(const struct rig *rig)
{
    return relay_pending(rig->relay) >= MIB;
}

/* P-PTY-15: the command is stopped by the kernel, nothing is lost, memory stays flat. */
static void test_slow_reader_bounds_memory(void **state)
{
    struct output_order order = order_output(30 * MIB, false);
    struct rig *rig = rig_new(false);
    size_t before = resident_kib();
    size_t stuck;

    (void)state;
    rig->read_size = 0;
    rig_start(rig, true);
    rig_spawn(rig, write_stream, &order);
    rig_run(rig, is_over_high_mark, SOON_MS);
    stuck = relay_pending(rig->relay);
    assert_true(stuck < MIB + 64 * KIB + 1);
    /* Nothing moves now, and nothing wakes us up. */
    assert_true(rig_try(rig, is_idle, SOON_MS));
    assert_false(rig_try(rig, never, 100));
    assert_int_equal(relay_pending(rig->relay), stuck);
    assert_true(rig->child > 0);

    rig->read_size = 3000;
    rig->wanted = order.len;
    screen_watch(rig);
    rig_run(rig, has_shown, LARGE_MS);
    rig_run(rig, has_ended, SOON_MS);
    assert_same_stream(&rig->shown, &order.sent);
#ifndef AI_JAIL_SANITIZED
    assert_true(resident_kib() < before + 8 * KIB);
#else
    (void)before;
#endif
    rig_free(rig);
}

static void test_output_without_a_terminal_is_dropped(void **state)
{
    struct output_order order = order_output(4 * MIB, false);
    struct rig *rig = rig_new(false);

    (void)state;
    terminal_close(&rig->terminal);
    rig_start(rig, true);
    rig_spawn(rig, write_stream, &order);
    rig_run(rig, has_ended, SOON_MS);
    assert_int_equal(rig->child_status, 0);
    assert_int_equal(rig->gones, 0);
    rig_free(rig);
}

/* ---- input ----------------------------------------------------------------------------------- */

struct paste_order {
    size_t len;
    bool write_first; /* else it writes and reads by turns */
    struct stream typed;
};

#define PASTE_BLOCK 4096

static bool read_stream(int slave, struct stream *seen, size_t len)
{
    uint8_t bytes[PASTE_BLOCK];

    while (len) {
        ssize_t n = read(slave, bytes, len < sizeof(bytes) ? len : sizeof(bytes));

        if (n <= 0)
            return false;
        stream_add(seen, bytes, (size_t)n);
        len -= (size_t)n;
    }
    return true;
}

/* The command: writes as much as it reads, and compares what it has read. */
static int write_and_read(int slave, void *arg)
{
    const struct paste_order *order = arg;
    struct output_order output = {.len = order->len};
    struct stream seen = stream_start;
    uint8_t block[PASTE_BLOCK] = {'w'};

    if (order->write_first && write_stream(slave, &output) != 0)
        return 2;
    while (seen.len < order->len) {
        if (!order->write_first && fd_write_all(slave, block, sizeof(block)) < 0)
            return 3;
        if (!read_stream(slave, &seen, PASTE_BLOCK))
            return 4;
    }
    return seen.hash == order->typed.hash && seen.len == order->typed.len ? 0 : 5;
}

static void check_paste(bool write_first)
{
    struct paste_order order = {.len = 10 * 1000 * PASTE_BLOCK / 4, .write_first = write_first};
    struct rig *rig = rig_new(false);

    order.typed = stream_of(order.len, false);
    rig->type_left = order.len;
    rig_start(rig, true);
    rig_spawn(rig, write_and_read, &order);
    rig_run(rig, has_ended, LARGE_MS);
    assert_true(WIFEXITED(rig->child_status));
    assert_int_equal(WEXITSTATUS(rig->child_status), 0);
    assert_int_equal(rig->type_left, 0);
    rig_free(rig);
}

/* P-PTY-4 */
static void test_large_paste_against_a_writing_command(void **state)
{
    (void)state;
    check_paste(true);
    check_paste(false);
}

static bool slave_has_input(const struct rig *rig)
{
    int n = 0;

    return ioctl(rig->jail.slave, FIONREAD, &n) == 0 && n > 0;
}

static bool terminal_has_input(const struct rig *rig)
{
    int n = 0;

    return ioctl(rig->terminal.fd, FIONREAD, &n) == 0 && n > 0;
}

static void type_text(struct rig *rig, const char *text)
{
    ptypair_write(rig->user.master, text, strlen(text), SOON_MS);
}

static void assert_slave_reads(struct rig *rig, const char *text)
{
    char seen[256];

    rig_run(rig, slave_has_input, SOON_MS);
    assert_true(strlen(text) < sizeof(seen));
    ptypair_read(rig->jail.slave, seen, strlen(text), SOON_MS);
    assert_memory_equal(seen, text, strlen(text));
    assert_false(slave_has_input(rig));
}

static void test_input_only_while_wanted(void **state)
{
    struct rig *rig = rig_new(false);

    (void)state;
    rig_start(rig, false);
    type_text(rig, "early");
    rig_run(rig, terminal_has_input, SOON_MS);
    assert_false(rig_try(rig, slave_has_input, 30));
    assert_true(is_idle(rig));
    relay_set_input(rig->relay, true);
    assert_slave_reads(rig, "early");
    relay_set_input(rig->relay, false);
    type_text(rig, "late");
    assert_false(rig_try(rig, slave_has_input, 30));
    rig_run(rig, terminal_has_input, SOON_MS);
    rig_free(rig);
}

static void test_pause_leaves_everything_in_the_kernel(void **state)
{
    struct rig *rig = rig_new(false);

    (void)state;
    rig_start(rig, true);
    relay_pause(rig->relay, true);
    type_text(rig, "key");
    ptypair_write(rig->jail.slave, "text", 4, SOON_MS);
    rig->wanted = 1;
    assert_false(rig_try(rig, has_shown, 30));
    rig_run(rig, terminal_has_input, SOON_MS);
    assert_false(slave_has_input(rig));
    assert_true(is_idle(rig));
    relay_pause(rig->relay, false);
    assert_slave_reads(rig, "key");
    rig->wanted = 4;
    rig_run(rig, has_shown, SOON_MS);
    assert_shown(rig, "text");
    rig_free(rig);
}

/* P-PTY-17: no timer and no event while nothing happens. */
static void test_idle_costs_nothing(void **state)
{
    struct rig *rig = rig_new(true);

    (void)state;
    rig_start(rig, true);
    type_text(rig, "k");
    assert_slave_reads(rig, "k");
    ptypair_write(rig->jail.slave, "o", 1, SOON_MS);
    rig->wanted = 1;
    rig_run(rig, has_shown, SOON_MS);
    uv_run(&rig->loop, UV_RUN_NOWAIT);
    assert_true(is_idle(rig));
    assert_true(ptypair_is_quiet(uv_backend_fd(&rig->loop), 300));
    rig_free(rig);
}

static void test_shared_terminal_stays_blocking(void **state)
{
    struct rig *rig = rig_new(false);

    (void)state;
    terminal_close(&rig->terminal);
    rig->terminal.fd = fcntl(rig->user.slave, F_DUPFD_CLOEXEC, 3);
    rig->terminal.is_shared = true;
    rig_start(rig, true);
    type_text(rig, "k");
    assert_slave_reads(rig, "k");
    ptypair_write(rig->jail.slave, "o", 1, SOON_MS);
    rig->wanted = 1;
    rig_run(rig, has_shown, SOON_MS);
    assert_false(fcntl(rig->user.slave, F_GETFL) & O_NONBLOCK);
    rig_free(rig);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void set_slave_modes(struct rig *rig, tcflag_t lflag)
{
    struct termios modes;

    assert_int_equal(tcgetattr(rig->jail.slave, &modes), 0);
    modes.c_lflag = lflag;
    assert_int_equal(tcsetattr(rig->jail.slave, TCSANOW, &modes), 0);
}

static void ask(struct rig *rig)
{
    ptypair_write(rig->jail.slave, "\033[c", 3, SOON_MS);
}

static bool has_timer(const struct rig *rig)
{
    return uv_backend_timeout(&rig->loop) > 0;
}

static void test_answer_goes_to_a_raw_command(void **state)
{
    struct rig *rig = rig_new(true);
    char start[3];

    (void)state;
    rig_start(rig, true);
    ask(rig);
    rig_run(rig, slave_has_input, SOON_MS);
    ptypair_read(rig->jail.slave, start, 3, SOON_MS);
    assert_memory_equal(start, "\033[?", 3);
    assert_true(is_idle(rig));
    assert_int_equal(rig->shown.len, 0);
    rig_free(rig);
}

static void test_answer_is_never_echoed(void **state)
{
    struct rig *rig = rig_new(true);

    (void)state;
    rig_start(rig, true);
    set_slave_modes(rig, ICANON | ECHO | ECHOCTL);
    ask(rig);
    rig_run(rig, has_timer, SOON_MS);
    rig_run(rig, is_idle, SOON_MS);
    assert_false(slave_has_input(rig));
    assert_int_equal(rig->shown.len, 0);
    /* Nor does it come when the command turns raw later. */
    set_slave_modes(rig, 0);
    assert_false(rig_try(rig, slave_has_input, 30));
    rig_free(rig);
}

/* A command that asks first and turns raw then. On a machine that sleeps for 100 ms in between the
 * answer is rightly dropped, so it may try again. */
static void test_held_answer_comes_when_echo_goes_off(void **state)
{
    struct rig *rig = rig_new(true);
    bool has_come = false;

    (void)state;
    rig_start(rig, true);
    for (int attempt = 0; attempt < 50 && !has_come; attempt++) {
        set_slave_modes(rig, ECHO);
        ask(rig);
        rig_run(rig, has_timer, SOON_MS);
        type_text(rig, "k");
        set_slave_modes(rig, 0);
        rig_run(rig, is_idle, SOON_MS);
        rig_run(rig, slave_has_input, SOON_MS);
        has_come = !ptypair_is_quiet(rig->jail.slave, 0);
        if (has_come) {
            char first;

            ptypair_read(rig->jail.slave, &first, 1, SOON_MS);
            has_come = first == '\033';
        }
        tcflush(rig->jail.slave, TCIFLUSH);
    }
    assert_true(has_come);
    assert_int_equal(rig->shown.len, 0);
    rig_free(rig);
}

/* ---- own lines ------------------------------------------------------------------------------- */

static void test_injected_bytes_never_cut_a_sequence(void **state)
{
    static const char bar[] = "<bar>";
    struct rig *rig = rig_new(true);

    (void)state;
    rig_start(rig, true);
    ptypair_write(rig->jail.slave, "ab\033[3", 5, SOON_MS);
    rig->wanted = 2;
    rig_run(rig, has_shown, SOON_MS);
    relay_inject(rig->relay, bar, 5);
    assert_false(rig_try(rig, never, 30));
    assert_shown(rig, "ab");
    assert_int_equal(relay_pending(rig->relay), 5);
    ptypair_write(rig->jail.slave, "A", 1, SOON_MS);
    rig->wanted = rig->shown.len + 6;
    rig_run(rig, has_shown, SOON_MS);
    /* The whole sequence, then ours. */
    assert_memory_equal(rig->screen.data, "ab\033[", 4);
    assert_memory_equal(rig->screen.data + rig->screen.len - 6, "A<bar>", 6);
    assert_int_equal(relay_pending(rig->relay), 0);
    rig_free(rig);
}

static void test_restore_bytes_change_before_the_terminal(void **state)
{
    struct rig *rig = rig_new(true);

    (void)state;
    rig->written_at_change = -1;
    rig_start(rig, true);
    ptypair_write(rig->jail.slave, "\033[?2004h", 8, SOON_MS);
    rig->wanted = 8;
    rig_run(rig, has_shown, SOON_MS);
    assert_true(rig->restore_changes > 0);
    assert_int_equal(rig->written_at_change, 0);
    rig_free(rig);
}

static void test_flush_leaves_a_boundary(void **state)
{
    struct rig *rig = rig_new(false);
    char block[1000];

    (void)state;
    rig->read_size = 0;
    rig_start(rig, true);
    memset(block, 'x', sizeof(block));
    for (int i = 0; i < 60; i++)
        relay_inject(rig->relay, block, sizeof(block));
    assert_int_equal(relay_flush(rig->relay, 20), -ETIMEDOUT);
    assert_true(relay_pending(rig->relay) > 0);
    tcflush(rig->user.slave, TCOFLUSH);
    for (int i = 0; i < 10 && relay_pending(rig->relay) > 0; i++) {
        char taken[4096];

        while (read(rig->user.master, taken, sizeof(taken)) > 0)
            continue;
        (void)relay_flush(rig->relay, 20);
    }
    assert_int_equal(relay_pending(rig->relay), 0);
    assert_int_equal(relay_flush(rig->relay, 0), 0);
    rig_free(rig);
}

/* What a command says before it stops itself belongs in front of our own restoring. */
static void test_flush_takes_what_the_command_has_written(void **state)
{
    struct rig *rig = rig_new(true);
    char seen[5];

    (void)state;
    rig_start(rig, true);
    ptypair_write(rig->jail.slave, "bye\r\n", 5, SOON_MS);
    assert_int_equal(relay_flush(rig->relay, SOON_MS), 0);
    ptypair_read(rig->user.master, seen, 5, SOON_MS);
    assert_memory_equal(seen, "bye\r\n", 5);
    /* While paused the master keeps it. */
    relay_pause(rig->relay, true);
    ptypair_write(rig->jail.slave, "more", 4, SOON_MS);
    assert_int_equal(relay_flush(rig->relay, SOON_MS), 0);
    assert_true(ptypair_is_quiet(rig->user.master, 30));
    rig_free(rig);
}

static void test_resize_reaches_the_slave(void **state)
{
    const struct winsize wanted = {.ws_row = 31, .ws_col = 97, .ws_xpixel = 873, .ws_ypixel = 589};
    struct winsize size = {0};
    struct rig *rig = rig_new(true);

    (void)state;
    rig_start(rig, true);
    relay_resize(rig->relay, &wanted);
    assert_int_equal(ioctl(rig->jail.slave, TIOCGWINSZ, &size), 0);
    assert_memory_equal(&size, &wanted, sizeof(size));
    rig_free(rig);
}

/* ---- the end --------------------------------------------------------------------------------- */

static bool is_gone(const struct rig *rig)
{
    return rig->gones > 0;
}

static void check_hang_up(bool read_input)
{
    struct output_order order = order_output(4 * MIB, false);
    struct rig *rig = rig_new(false);

    rig_start(rig, read_input);
    rig_spawn(rig, write_stream, &order);
    rig->wanted = 100 * KIB;
    rig_run(rig, has_shown, SOON_MS);
    uv_poll_stop(&rig->screen_poll);
    close(rig->user.master);
    rig->user.master = -1;
    rig_run(rig, is_gone, SOON_MS);
    /* The command is not blocked by a terminal that is no more. */
    rig_run(rig, has_ended, SOON_MS);
    assert_int_equal(rig->child_status, 0);
    assert_int_equal(rig->gones, 1);
    rig_free(rig);
}

static void test_hang_up_of_the_terminal(void **state)
{
    (void)state;
    check_hang_up(true);
    check_hang_up(false);
}

static void test_hang_up_is_noticed_while_idle(void **state)
{
    struct rig *rig = rig_new(false);

    (void)state;
    rig_start(rig, false);
    uv_run(&rig->loop, UV_RUN_NOWAIT);
    uv_poll_stop(&rig->screen_poll);
    close(rig->user.master);
    rig->user.master = -1;
    rig_run(rig, is_gone, SOON_MS);
    rig_run(rig, is_idle, SOON_MS);
    assert_int_equal(rig->gones, 1);
    rig_free(rig);
}

/* The machine has no time for this process, nor for its loop. */
static void stand_still(int ms)
{
    assert_true(ptypair_is_quiet(-1, ms));
}

/* A process that was held up finds both at once: the end of the wait, and what it was for. */
static void test_late_process_reads_what_is_left(void **state)
{
    struct rig *rig = rig_new(false);

    (void)state;
    rig->wanted = 4;
    rig_start(rig, true);
    relay_finish(rig->relay);
    ptypair_write(rig->jail.slave, "last", 4, SOON_MS);
    stand_still(END_IDLE_MS + 50);
    rig_run(rig, has_ended, SOON_MS);
    rig_run(rig, has_shown, SOON_MS);
    assert_shown(rig, "last");
    rig_free(rig);
}

static void test_late_process_writes_what_is_left(void **state)
{
    struct output_order order = order_output(100 * KIB, false);
    struct rig *rig = rig_new(false);
    uint8_t bytes[4096];

    (void)state;
    rig->read_size = 0;
    rig_start(rig, true);
    rig_spawn(rig, write_stream, &order);
    rig_run(rig, has_child_ended, SOON_MS);
    assert_true(relay_pending(rig->relay) > 0);
    stand_still(END_STALL_MS + 50);
    ptypair_read(rig->user.master, bytes, sizeof(bytes), SOON_MS);
    stream_add(&rig->shown, bytes, sizeof(bytes));
    rig->read_size = 65536;
    screen_watch(rig);
    rig->wanted = order.len;
    rig_run(rig, has_ended, SOON_MS);
    rig_run(rig, has_shown, SOON_MS);
    assert_same_stream(&rig->shown, &order.sent);
    assert_false(relay_was_cut(rig->relay));
    rig_free(rig);
}

/* The command's own end leaves a process behind that has the slave open. */
static int leave_quiet_child(int slave, void *arg)
{
    pid_t pid = fork();

    /* The alarm ends what a failed test does not. */
    if (pid == 0) {
        alarm(LEFT_OVER_S);
        for (;;)
            pause();
    }
    *(pid_t *)arg = pid;
    return fd_write_all(slave, "last", 4) < 0;
}

static int leave_noisy_child(int slave, void *arg)
{
    pid_t pid = fork();

    if (pid == 0)
        alarm(LEFT_OVER_S);
    while (pid == 0)
        (void)!write(slave, "noise\n", 6);
    *(pid_t *)arg = pid;
    return fd_write_all(slave, "last", 4) < 0;
}

static void *shared_page(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(page != MAP_FAILED);
    return page;
}

static void check_left_overs(int (*run)(int slave, void *arg))
{
    struct rig *rig = rig_new(false);
    pid_t *left = shared_page();

    rig_start(rig, true);
    rig_spawn(rig, run, left);
    rig->wanted = 4;
    rig_run(rig, has_ended, SOON_MS);
    rig_run(rig, has_shown, SOON_MS);
    assert_int_equal(rig->child_status, 0);
    assert_true(*left > 1);
    assert_int_equal(kill(*left, SIGKILL), 0);
    rig_free(rig);
    munmap(left, 4096);
}

static void test_left_over_processes_do_not_hold_the_end_up(void **state)
{
    (void)state;
    check_left_overs(leave_quiet_child);
    check_left_overs(leave_noisy_child);
}

/* D.3: a stopped terminal is given up after 2 s. */
static void test_stopped_terminal_is_given_up(void **state)
{
    struct output_order order = order_output(100 * KIB, false);
    struct rig *rig = rig_new(false);

    (void)state;
    rig->read_size = 0;
    rig_start(rig, true);
    rig_spawn(rig, write_stream, &order);
    rig_run(rig, has_ended, SOON_MS);
    assert_true(relay_was_cut(rig->relay));
    assert_int_equal(relay_pending(rig->relay), 0);
    rig_free(rig);
}

static void test_finish_after_the_master_has_ended(void **state)
{
    struct output_order order = order_output(10, false);
    struct rig *rig = rig_new(false);

    (void)state;
    rig->finish_at_exit = false;
    rig->wanted = 10;
    rig_start(rig, true);
    rig_spawn(rig, write_stream, &order);
    rig_run(rig, has_shown, SOON_MS);
    /* A hang-up before the end does not keep the loop busy and is not the end. */
    rig_run(rig, has_child_ended, SOON_MS);
    rig_run(rig, is_idle, SOON_MS);
    assert_int_equal(rig->ends, 0);
    relay_finish(rig->relay);
    assert_int_equal(rig->ends, 0);
    rig_run(rig, has_ended, SOON_MS);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_is_complete_in_a_resize_storm),
        cmocka_unit_test(test_filtered_output_is_complete),
        cmocka_unit_test(test_burst_then_exit_is_complete),
        cmocka_unit_test(test_reader_of_single_bytes),
        cmocka_unit_test(test_slow_reader_bounds_memory),
        cmocka_unit_test(test_output_without_a_terminal_is_dropped),
        cmocka_unit_test(test_large_paste_against_a_writing_command),
        cmocka_unit_test(test_input_only_while_wanted),
        cmocka_unit_test(test_pause_leaves_everything_in_the_kernel),
        cmocka_unit_test(test_idle_costs_nothing),
        cmocka_unit_test(test_shared_terminal_stays_blocking),
        cmocka_unit_test(test_answer_goes_to_a_raw_command),
        cmocka_unit_test(test_answer_is_never_echoed),
        cmocka_unit_test(test_held_answer_comes_when_echo_goes_off),
        cmocka_unit_test(test_injected_bytes_never_cut_a_sequence),
        cmocka_unit_test(test_restore_bytes_change_before_the_terminal),
        cmocka_unit_test(test_flush_leaves_a_boundary),
        cmocka_unit_test(test_flush_takes_what_the_command_has_written),
        cmocka_unit_test(test_resize_reaches_the_slave),
        cmocka_unit_test(test_hang_up_of_the_terminal),
        cmocka_unit_test(test_hang_up_is_noticed_while_idle),
        cmocka_unit_test(test_late_process_reads_what_is_left),
        cmocka_unit_test(test_late_process_writes_what_is_left),
        cmocka_unit_test(test_left_over_processes_do_not_hold_the_end_up),
        cmocka_unit_test(test_stopped_terminal_is_given_up),
        cmocka_unit_test(test_finish_after_the_master_has_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
