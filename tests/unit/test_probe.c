// SPDX-License-Identifier: GPL-3.0-only
/*
 * Tests of pty/probe on a real PTY: how long it waits for whom, and what it reads at the end. What
 * a terminal's answers mean: test_probe_replies; the real program: tests/session.
 */
#include "pty/probe.h"
#include "support/ptypair.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define SOON_MS  PTYPAIR_SOON_MS
#define ATTEMPTS 30

static uint64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

struct rig {
    struct ptypair pair;
    struct terminal terminal;
    struct host host;
    struct filter_profile profile;
    struct probe probe;
    uint64_t taken_ms;
};

static void rig_start(struct rig *rig, const char *variable)
{
    struct winsize size = {.ws_row = 30, .ws_col = 100, .ws_xpixel = 900, .ws_ypixel = 600};
    char first[] = "A=b";
    char second[] = "TERM=xterm-inside";
    char *const environment[] = {first, second, NULL};

    *rig = (struct rig){.host.bwrap.fd = -1};
    ptypair_open(&rig->pair, true);
    assert_int_equal(ioctl(rig->pair.master, TIOCSWINSZ, &size), 0);
    ptypair_terminal(&rig->pair, &rig->terminal);
    rig->terminal.is_raw = true;
    strv_push(&rig->host.environ, "TERM=xterm-256color");
    if (variable)
        strv_push(&rig->host.environ, variable);
    probe_assume(&rig->terminal, &rig->host, environment, &rig->profile);
}

/*
 * How long the probe waits is measured in tens of milliseconds, and both it and the emulator may be held
 * up for longer. That happens at times, and then it is tried again; what is wrong with the probe is
 * wrong every time.
 */
static void check_at_times(bool (*check)(void))
{
    int i = 0;

    while (i < ATTEMPTS && !check())
        i++;
    assert_true(i < ATTEMPTS);
}

static void rig_ask(struct rig *rig)
{
    uint64_t start = clock_ms();

    probe_ask(&rig->probe, &rig->terminal, &rig->host, &rig->profile);
    rig->taken_ms = clock_ms() - start;
}

static void rig_free(struct rig *rig)
{
    probe_free(&rig->probe);
    host_free(&rig->host);
    terminal_close(&rig->terminal);
    ptypair_close(&rig->pair);
}

/* The emulator, in a process of its own: waits for the last question, then writes bytes in pieces
 * with a pause before each. */
static pid_t emulate(struct rig *rig, const char *bytes, size_t piece, unsigned pause_ms)
{
    const struct timespec pause = {.tv_nsec = (long)pause_ms * 1000000};
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    ptypair_expect(rig->pair.master, "\033[c", NULL, SOON_MS);
    for (size_t at = 0; at < strlen(bytes); at += piece) {
        size_t left = strlen(bytes + at);

        nanosleep(&pause, NULL);
        ptypair_write(rig->pair.master, bytes + at, left < piece ? left : piece, SOON_MS);
    }
    _exit(0);
}

static bool has_unread(const struct rig *rig)
{
    int n = 0;

    return ioctl(rig->terminal.fd, FIONREAD, &n) == 0 && n > 0;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void test_what_is_known_without_asking(void **state)
{
    struct rig rig;

    (void)state;
    rig_start(&rig, NULL);
    assert_int_equal(rig.profile.rows, 30);
    assert_int_equal(rig.profile.cols, 100);
    assert_int_equal(rig.profile.cell_width_px, 9);
    assert_int_equal(rig.profile.cell_height_px, 20);
    assert_string_equal(rig.profile.term, "xterm-inside");
    assert_false(rig.profile.is_linux_console);
    assert_int_equal(rig.profile.start_row, 0);
    rig_free(&rig);
}

/* False: the answer came too late. */
static bool answer_ends_the_wait(void)
{
    struct rig rig;
    pid_t pid;

    rig_start(&rig, NULL);
    ptypair_write(rig.pair.master, "before\033[?6c", 11, SOON_MS);
    assert_false(ptypair_is_quiet(rig.terminal.fd, SOON_MS));
    pid = emulate(&rig, "\033[?2026;2$yin\033[7;8R\033[?62;22cafter", 1000, 0);
    rig_ask(&rig);
    assert_int_equal(ptypair_wait(pid, SOON_MS), 0);
    if (!rig.probe.is_answered) {
        assert_true(rig.taken_ms >= 190);
        rig_free(&rig);
        return false;
    }
    assert_true(rig.profile.has_sync);
    assert_int_equal(rig.profile.start_row, 7);
    assert_int_equal(rig.profile.start_col, 8);
    assert_int_equal(rig.probe.typed.len, 18);
    assert_memory_equal(rig.probe.typed.data, "before\033[?6cinafter", 18);
    assert_true(rig.profile.title_is_pushed);
    ptypair_expect(rig.pair.master, "\033[22;0;0t", NULL, SOON_MS);
    rig_free(&rig);
    return true;
}

static void test_answer_ends_the_wait(void **state)
{
    (void)state;
    check_at_times(answer_ends_the_wait);
}

static bool silent_terminal_is_not_waited_for(void)
{
    struct rig rig;

    rig_start(&rig, NULL);
    rig_ask(&rig);
    assert_false(rig.probe.is_answered);
    assert_true(rig.taken_ms >= 190);
    assert_false(rig.profile.title_is_pushed);
    rig_free(&rig);
    return rig.taken_ms < 900;
}

static void test_silent_terminal_is_not_waited_for(void **state)
{
    (void)state;
    check_at_times(silent_terminal_is_not_waited_for);
}

static void rig_end(struct rig *rig, pid_t emulator)
{
    kill(emulator, SIGKILL);
    waitpid(emulator, NULL, 0);
    rig_free(rig);
}

static bool keys_do_not_prolong_the_wait(void)
{
    struct rig rig;
    pid_t pid;

    rig_start(&rig, NULL);
    pid = emulate(&rig, "abcdefghijklmnopqrst", 1, 50);
    rig_ask(&rig);
    rig_end(&rig, pid);
    return rig.taken_ms < 900;
}

/* Keys are no sign of a terminal that answers. */
static void test_keys_do_not_prolong_the_wait(void **state)
{
    (void)state;
    check_at_times(keys_do_not_prolong_the_wait);
}

static bool remote_terminal_has_a_second(void)
{
    struct rig rig;
    pid_t pid;

    rig_start(&rig, "SSH_TTY=/dev/pts/0");
    pid = emulate(&rig, "\033[?6c", 1000, 500);
    rig_ask(&rig);
    assert_int_equal(ptypair_wait(pid, SOON_MS), 0);
    rig_free(&rig);
    return rig.probe.is_answered;
}

static void test_remote_terminal_has_a_second(void **state)
{
    (void)state;
    check_at_times(remote_terminal_has_a_second);
}

static bool trickle_is_bounded(void)
{
    struct rig rig;
    pid_t pid;

    rig_start(&rig, NULL);
    pid = emulate(&rig, "\033[?0u\033[?0u\033[?0u\033[?0u\033[?0u\033[?0u\033[?0u", 1, 40);
    rig_ask(&rig);
    assert_false(rig.probe.is_answered);
    rig_end(&rig, pid);
    return rig.profile.has_kitty_keys && rig.taken_ms < 2000;
}

/* Bytes that trickle in keep it waiting, but not for ever. */
static void test_trickle_is_bounded(void **state)
{
    (void)state;
    check_at_times(trickle_is_bounded);
}

static bool flood_is_bounded(void)
{
    static char noise[200001];
    struct rig rig;
    pid_t pid;

    memset(noise, 'x', sizeof(noise) - 1);
    rig_start(&rig, NULL);
    pid = emulate(&rig, noise, 4096, 0);
    rig_ask(&rig);
    assert_true(rig.probe.typed.len <= PROBE_TYPED_MAX);
    assert_false(rig.probe.typed.overflow);
    rig_end(&rig, pid);
    return rig.taken_ms < 2000;
}

static void test_flood_is_bounded(void **state)
{
    (void)state;
    check_at_times(flood_is_bounded);
}

static bool hang_up_ends_the_wait(void)
{
    struct rig rig;

    rig_start(&rig, "SSH_TTY=x");
    close(rig.pair.master);
    rig.pair.master = -1;
    rig_ask(&rig);
    assert_false(rig.probe.is_answered);
    rig_free(&rig);
    return rig.taken_ms < 500;
}

static void test_hang_up_ends_the_wait(void **state)
{
    (void)state;
    check_at_times(hang_up_ends_the_wait);
}

static bool stopped_terminal_is_bounded(void)
{
    struct rig rig;

    rig_start(&rig, NULL);
    assert_int_equal(tcflow(rig.pair.slave, TCOOFF), 0);
    rig_ask(&rig);
    assert_false(rig.probe.is_answered);
    assert_int_equal(tcflow(rig.pair.slave, TCOON), 0);
    rig_free(&rig);
    return rig.taken_ms < 1500;
}

static void test_stopped_terminal_is_bounded(void **state)
{
    (void)state;
    check_at_times(stopped_terminal_is_bounded);
}

/* False: the answer came too late. */
static bool cursor_is_asked_for_again(void)
{
    struct rig rig;
    struct buf typed CLEANUP(buf_free);
    unsigned row;
    unsigned col;
    pid_t pid;
    bool is_told;

    buf_init(&typed, PROBE_TYPED_MAX);
    rig_start(&rig, NULL);
    /* One that never answered is not asked. */
    assert_false(probe_cursor(&rig.probe, &rig.terminal, &row, &col, &typed));
    assert_true(ptypair_is_quiet(rig.pair.master, 0));
    rig.probe.is_answered = true;
    pid = emulate(&rig, "a\033[12;3Rb\033[?62;22cc", 1000, 0);
    is_told = probe_cursor(&rig.probe, &rig.terminal, &row, &col, &typed);
    assert_int_equal(ptypair_wait(pid, SOON_MS), 0);
    if (!is_told) {
        rig_free(&rig);
        return false;
    }
    assert_int_equal(row, 12);
    assert_int_equal(col, 3);
    assert_string_equal(buf_cstr(&typed), "abc");
    /* One that says nothing any more is not waited for. */
    assert_false(probe_cursor(&rig.probe, &rig.terminal, &row, &col, &typed));
    assert_int_equal(row, 0);
    rig_free(&rig);
    return true;
}

static void test_cursor_is_asked_for_again(void **state)
{
    (void)state;
    check_at_times(cursor_is_asked_for_again);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Drains a terminal in which that is there; how long that takes. */
static uint64_t drain(const struct probe *probe, bool is_raw, const char *there, const char *typed,
                      const char *left)
{
    struct rig rig;
    struct buf out CLEANUP(buf_free);
    char found[256] = "";
    uint64_t start;
    uint64_t taken;

    buf_init(&out, 512);
    rig_start(&rig, NULL);
    rig.terminal.is_raw = is_raw;
    ptypair_write(rig.pair.master, there, strlen(there), SOON_MS);
    assert_false(ptypair_is_quiet(rig.terminal.fd, SOON_MS));
    start = clock_ms();
    probe_drain(probe, &rig.terminal, &out);
    taken = clock_ms() - start;
    if (has_unread(&rig))
        assert_true(read(rig.terminal.fd, found, sizeof(found) - 1) > 0);
    assert_string_equal(found, left);
    assert_string_equal(buf_cstr(&out), typed);
    rig_free(&rig);
    return taken;
}

/* What is left for the next program of what is there at the end, and what was typed before it. */
static void check_drain(const struct probe *probe, bool is_raw, const char *there,
                        const char *typed, const char *left)
{
    int i = 0;

    while (i < ATTEMPTS && drain(probe, is_raw, there, typed, left) >= 1000)
        i++;
    assert_true(i < ATTEMPTS);
}

/* P-PTY-11 */
static void test_what_is_read_at_the_end(void **state)
{
    static const char da1[] = "\033[?6c";
    uint64_t now = clock_ms();
    bool is_late = now > 4000;

    (void)state;
    check_drain(&(struct probe){.asked_ms = now}, true, da1, "", "");
    check_drain(&(struct probe){.asked_ms = now, .is_answered = true}, true, da1, "", da1);
    check_drain(&(struct probe){.asked_ms = is_late ? now - 4000 : 1}, true, da1, "",
                is_late ? da1 : "");
    check_drain(&(struct probe){0}, true, da1, "", da1);
    check_drain(&(struct probe){.asked_ms = now}, false, da1, "", da1);
}

/* Only answers are swallowed, and of the keys the one that had to be read. */
static void test_keys_at_the_end(void **state)
{
    static const struct {
        const char *there;
        const char *typed;
        const char *left;
    } rows[] = {
        {"ls\r", "l", "s\r"},
        {"\033[?62;22cls\r", "", "ls\r"},
        {"\033]10;rgb:1/2/3\033\\\033[3;4R\033[?62;22c\033[A", "", "\033[A"},
        {"\033]10;rgb:1/2/3\aq\033[?62;22c", "q", "\033[?62;22c"},
        {"\033[Aq", "\033[A", "q"},
        {"\033", "\033", ""},
        {"\033]10;rgb", "\033]10;rgb", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct probe probe = {.asked_ms = clock_ms()};

        check_drain(&probe, true, rows[i].there, rows[i].typed, rows[i].left);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_known_without_asking),
        cmocka_unit_test(test_answer_ends_the_wait),
        cmocka_unit_test(test_silent_terminal_is_not_waited_for),
        cmocka_unit_test(test_keys_do_not_prolong_the_wait),
        cmocka_unit_test(test_remote_terminal_has_a_second),
        cmocka_unit_test(test_trickle_is_bounded),
        cmocka_unit_test(test_flood_is_bounded),
        cmocka_unit_test(test_hang_up_ends_the_wait),
        cmocka_unit_test(test_stopped_terminal_is_bounded),
        cmocka_unit_test(test_cursor_is_asked_for_again),
        cmocka_unit_test(test_what_is_read_at_the_end),
        cmocka_unit_test(test_keys_at_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
