// SPDX-License-Identifier: GPL-3.0-only
/*
 * Tests of pty/terminal. What needs a controlling terminal runs in a child, which reports the line
 * of the first check that failed as its exit status.
 */
#include "pty/terminal.h"
#include "support/ptypair.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* In a child: the first failing check ends it. Lines are told apart modulo 251; 0 is success. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return 1 + (__LINE__ % 251);                                                           \
    } while (0)

static void run_in_child(int (*run)(int slave, void *arg), bool controlling)
{
    struct ptypair pair;
    int status;

    ptypair_open(&pair, false);
    status = ptypair_wait(ptypair_spawn(&pair, controlling, run, &pair), PTYPAIR_SOON_MS);
    ptypair_close(&pair);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status))
        fail_msg("the check at line %d (modulo 251) failed", WEXITSTATUS(status) - 1);
}

/* Modes that no default has. */
static void set_odd_modes(int fd)
{
    struct termios modes;

    tcgetattr(fd, &modes);
    modes.c_cc[VERASE] = 0x08;
    modes.c_cc[VINTR] = 0x0b;
    modes.c_iflag |= IUTF8 | IXANY;
    modes.c_lflag |= TOSTOP;
    cfsetspeed(&modes, B19200);
    tcsetattr(fd, TCSANOW, &modes);
}

static bool has_modes(int fd, const struct termios *wanted)
{
    struct termios now;

    return tcgetattr(fd, &now) == 0 && ptypair_is_same_modes(&now, wanted);
}

static bool is_nonblocking(int fd)
{
    return fcntl(fd, F_GETFL) & O_NONBLOCK;
}

static int raw_and_back(int slave, void *arg)
{
    struct terminal terminal;
    struct termios before;
    struct termios raw;

    (void)arg;
    set_odd_modes(slave);
    CHECK(tcgetattr(slave, &before) == 0);
    CHECK(terminal_open(&terminal, NULL) == 0);
    CHECK(!terminal.is_shared && terminal.fd > 2);
    CHECK(fcntl(terminal.fd, F_GETFD) & FD_CLOEXEC);
    CHECK(is_nonblocking(terminal.fd) && !is_nonblocking(0));
    CHECK(terminal_is_foreground(&terminal));

    CHECK(terminal_set_raw(&terminal, NULL, NULL) == 0 && terminal.is_raw);
    CHECK(tcgetattr(slave, &raw) == 0);
    CHECK(!(raw.c_lflag & (ICANON | ECHO | ISIG | IEXTEN)) && !(raw.c_oflag & OPOST));
    CHECK((raw.c_iflag & IUTF8) && !(raw.c_iflag & (ICRNL | IXON)));
    /* A second call must not take the raw modes for the user's. */
    CHECK(terminal_set_raw(&terminal, NULL, NULL) == 0);

    terminal_restore(&terminal);
    CHECK(!terminal.is_raw && has_modes(slave, &before));
    terminal_restore(&terminal);
    CHECK(has_modes(slave, &before));

    /* After a suspend the modes of that time count. */
    before.c_cc[VERASE] = 0x7f;
    CHECK(tcsetattr(slave, TCSANOW, &before) == 0);
    CHECK(terminal_set_raw(&terminal, NULL, NULL) == 0);
    terminal_restore(&terminal);
    CHECK(has_modes(slave, &before));
    terminal_close(&terminal);
    CHECK(terminal.fd == -1);
    return 0;
}

static void test_raw_and_back(void **state)
{
    (void)state;
    run_in_child(raw_and_back, true);
}

/* Puts a new group into the foreground, so that this process is in the background. */
static pid_t go_to_background(int slave)
{
    pid_t other = fork();

    if (other == 0) {
        setpgid(0, 0);
        for (;;)
            pause();
    }
    setpgid(other, other);
    tcsetpgrp(slave, other);
    return other;
}

static int background(int slave, void *arg)
{
    struct terminal terminal;
    struct termios before;
    pid_t other;

    (void)arg;
    CHECK(tcgetattr(slave, &before) == 0);
    CHECK(terminal_open(&terminal, NULL) == 0);
    CHECK(terminal_set_raw(&terminal, NULL, NULL) == 0);
    other = go_to_background(slave);
    CHECK(!terminal_is_foreground(&terminal));
    /* With SIGTTOU at its default a plain tcsetattr() would stop this process. */
    terminal_restore(&terminal);
    CHECK(has_modes(slave, &before));
    CHECK(terminal_set_raw(&terminal, NULL, NULL) == -EPERM && !terminal.is_raw);
    CHECK(has_modes(slave, &before));
    CHECK(kill(other, SIGKILL) == 0);
    return 0;
}

static void test_background(void **state)
{
    (void)state;
    run_in_child(background, true);
}

/* Takes away the right to open the slave by its name. */
static int lock_node(const char *path)
{
    if (chmod(path, 0) < 0)
        return -errno;
    if (geteuid() == 0 && setuid(65534) < 0)
        return -errno;
    return open(path, O_RDWR | O_NOCTTY) < 0 && errno == EACCES ? 0 : -EEXIST;
}

static int foreign_node(int slave, void *arg)
{
    struct ptypair *pair = arg;
    struct terminal terminal;

    CHECK(lock_node(pair->path) == 0);
    CHECK(terminal_open(&terminal, NULL) == 0);
    CHECK(!terminal.is_shared && is_nonblocking(terminal.fd) && !is_nonblocking(slave));
    CHECK(terminal_set_raw(&terminal, NULL, NULL) == 0);
    return 0;
}

static void test_foreign_controlling_terminal_is_reopened(void **state)
{
    (void)state;
    run_in_child(foreign_node, true);
}

static int shared_description(int slave, void *arg)
{
    struct ptypair *pair = arg;
    struct terminal terminal;
    char block[4096];
    size_t total = 0;
    ssize_t n;

    /* A session without a controlling terminal: neither way to reopen works. */
    CHECK(setsid() > 0);
    CHECK(dup2(slave, 0) == 0 && dup2(slave, 1) == 1 && dup2(slave, 2) == 2);
    CHECK(lock_node(pair->path) == 0);
    CHECK(terminal_open(&terminal, NULL) == 0);
    CHECK(terminal.is_shared && terminal.fd > 2);
    CHECK(terminal_is_foreground(&terminal) && terminal_set_raw(&terminal, NULL, NULL) == 0);

    CHECK(terminal_read_some(&terminal, block, sizeof(block)) == -EAGAIN);
    memset(block, 'x', sizeof(block));
    while ((n = terminal_write_some(&terminal, block, sizeof(block))) > 0)
        total += (size_t)n;
    CHECK(n == -EAGAIN && total > 0 && total < 1000000);
    CHECK(!is_nonblocking(slave));
    CHECK(terminal_write(&terminal, block, sizeof(block), 20) == -ETIMEDOUT);
    CHECK(!is_nonblocking(slave));
    terminal_restore(&terminal);
    return 0;
}

static void test_shared_description_keeps_its_flags(void **state)
{
    (void)state;
    run_in_child(shared_description, false);
}

static int no_terminal(int slave, void *arg)
{
    struct error error = {0};
    struct terminal terminal;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)arg;
    CHECK(dup2(null, 0) == 0 && dup2(null, 1) == 1 && dup2(null, 2) == 2);
    CHECK(terminal_open(&terminal, &error) == -ENOTTY && terminal.fd == -1);
    CHECK(error.code == ENOTTY && error.text[0]);
    CHECK(!terminal_is_foreground(&terminal));
    CHECK(terminal_set_raw(&terminal, NULL, NULL) == -ENOTTY);
    terminal_restore(&terminal);
    /* The last of the three counts as well. */
    CHECK(dup2(slave, 2) == 2);
    CHECK(terminal_open(&terminal, &error) == 0);
    return 0;
}

static void test_no_terminal(void **state)
{
    (void)state;
    run_in_child(no_terminal, true);
}

static void test_stopped_terminal_does_not_hang_restore(void **state)
{
    struct terminal terminal;
    struct ptypair pair;
    struct termios before;

    (void)state;
    ptypair_open(&pair, false);
    ptypair_terminal(&pair, &terminal);
    assert_int_equal(tcgetattr(pair.slave, &before), 0);
    assert_int_equal(terminal_set_raw(&terminal, NULL, NULL), 0);
    assert_int_equal(tcflow(pair.slave, TCOOFF), 0);
    assert_int_equal(terminal_write(&terminal, "late", 4, 20), -ETIMEDOUT);
    terminal_restore(&terminal);
    assert_true(has_modes(pair.slave, &before));
    terminal_close(&terminal);
    ptypair_close(&pair);
}

static void test_restore_keeps_type_ahead(void **state)
{
    struct terminal terminal;
    struct ptypair pair;
    char typed[7];

    (void)state;
    ptypair_open(&pair, false);
    ptypair_terminal(&pair, &terminal);
    assert_int_equal(terminal_set_raw(&terminal, NULL, NULL), 0);
    ptypair_write(pair.master, "typed\n", 6, PTYPAIR_SOON_MS);
    terminal_restore(&terminal);
    ptypair_read(pair.slave, typed, 6, PTYPAIR_SOON_MS);
    assert_memory_equal(typed, "typed\n", 6);
    terminal_close(&terminal);
    ptypair_close(&pair);
}

static void test_hang_up_is_told_from_silence(void **state)
{
    struct terminal terminal;
    struct ptypair pair;
    struct termios modes;
    char byte;

    (void)state;
    ptypair_open(&pair, true);
    ptypair_terminal(&pair, &terminal);
    /* VMIN 0: read() gives 0 for "nothing there". */
    assert_int_equal(tcgetattr(pair.slave, &modes), 0);
    modes.c_cc[VMIN] = 0;
    assert_int_equal(tcsetattr(pair.slave, TCSANOW, &modes), 0);
    assert_int_equal(terminal_read_some(&terminal, &byte, 1), -EAGAIN);
    close(pair.master);
    pair.master = -1;
    assert_true(terminal_read_some(&terminal, &byte, 1) != -EAGAIN);
    assert_int_equal(terminal_write(&terminal, "x", 1, 1000), -EIO);
    terminal_close(&terminal);
    ptypair_close(&pair);
}

static void test_size(void **state)
{
    const struct winsize real = {.ws_row = 31, .ws_col = 97, .ws_xpixel = 873, .ws_ypixel = 589};
    struct winsize size = {0};
    struct terminal terminal;
    struct ptypair pair;

    (void)state;
    unsetenv("LINES");
    unsetenv("COLUMNS");
    ptypair_open(&pair, false);
    ptypair_terminal(&pair, &terminal);
    terminal_size(&terminal, &size);
    assert_int_equal(size.ws_row, 24);
    assert_int_equal(size.ws_col, 80);

    setenv("LINES", "50", 1);
    setenv("COLUMNS", "0x20", 1);
    terminal_size(&terminal, &size);
    assert_int_equal(size.ws_row, 50);
    assert_int_equal(size.ws_col, 80);

    assert_int_equal(ioctl(pair.master, TIOCSWINSZ, &real), 0);
    terminal_size(&terminal, &size);
    assert_memory_equal(&size, &real, sizeof(size));
    unsetenv("LINES");
    unsetenv("COLUMNS");
    terminal_close(&terminal);
    ptypair_close(&pair);
}

static void test_copy_to_pty(void **state)
{
    const struct winsize real = {.ws_row = 31, .ws_col = 97, .ws_xpixel = 873, .ws_ypixel = 589};
    struct terminal terminal;
    struct ptypair outer;
    struct ptypair inner;
    struct termios modes;
    struct winsize size;

    (void)state;
    ptypair_open(&outer, false);
    ptypair_open(&inner, false);
    set_odd_modes(outer.slave);
    assert_int_equal(ioctl(outer.master, TIOCSWINSZ, &real), 0);
    ptypair_terminal(&outer, &terminal);
    /* The user's modes count, not the raw ones. */
    assert_int_equal(terminal_set_raw(&terminal, NULL, NULL), 0);
    assert_int_equal(terminal_copy_to_pty(&terminal, inner.master), 0);
    assert_int_equal(tcgetattr(inner.slave, &modes), 0);
    assert_int_equal(modes.c_cc[VERASE], 0x08);
    assert_int_equal(modes.c_cc[VINTR], 0x0b);
    assert_int_equal(modes.c_iflag, terminal.saved.c_iflag);
    assert_int_equal(modes.c_oflag, terminal.saved.c_oflag);
    assert_int_equal(modes.c_lflag, terminal.saved.c_lflag);
    assert_int_equal(ioctl(inner.slave, TIOCGWINSZ, &size), 0);
    assert_memory_equal(&size, &real, sizeof(size));
    terminal_close(&terminal);
    ptypair_close(&inner);

    /* Nothing to copy from. */
    ptypair_open(&inner, true);
    assert_int_equal(terminal_copy_to_pty(&terminal, inner.master), 0);
    assert_int_equal(tcgetattr(inner.slave, &modes), 0);
    assert_int_equal(modes.c_lflag & (ICANON | ECHO | ISIG), ICANON | ECHO | ISIG);
    assert_int_equal(modes.c_iflag & (ICRNL | IUTF8), ICRNL | IUTF8);
    assert_int_equal(modes.c_oflag & (OPOST | ONLCR), OPOST | ONLCR);
    assert_int_equal(modes.c_cc[VINTR], 0x03);
    assert_int_equal(modes.c_cc[VERASE], 0x7f);
    assert_int_equal(ioctl(inner.slave, TIOCGWINSZ, &size), 0);
    assert_int_equal(size.ws_row, 24);
    ptypair_close(&inner);
    ptypair_close(&outer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_raw_and_back),
        cmocka_unit_test(test_background),
        cmocka_unit_test(test_foreign_controlling_terminal_is_reopened),
        cmocka_unit_test(test_shared_description_keeps_its_flags),
        cmocka_unit_test(test_no_terminal),
        cmocka_unit_test(test_stopped_terminal_does_not_hang_restore),
        cmocka_unit_test(test_restore_keeps_type_ahead),
        cmocka_unit_test(test_hang_up_is_told_from_silence),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_copy_to_pty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
