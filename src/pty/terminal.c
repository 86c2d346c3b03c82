// SPDX-License-Identifier: GPL-3.0-only
/*
 * terminal: the user's terminal.
 *
 * The descriptors 0, 1 and 2 usually share one file description with the shell that started us. A
 * status flag such as O_NONBLOCK set there would stay for the shell, even after SIGKILL. So the
 * device is opened a second time, and the flag is set on our own description only. Where that
 * cannot be had (the node belongs to another user and is not our controlling terminal), the
 * descriptor is a dup, stays blocking, and O_NONBLOCK is put on for the length of one read or
 * write: there is then nothing to undo on any way out, and poll() needs no flag.
 *
 * Modes are changed with TCSANOW. TCSADRAIN would wait for ever on a stopped terminal; what it is
 * for, letting queued output leave under the old modes, is done by asking for the length of the
 * output queue until it is empty or 2 s have passed. TCSAFLUSH is never used: it loses type-ahead.
 *
 * Bytes between the terminal and the jail: relay. When to be raw: session.
 */
#include "pty/terminal.h"

#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ttydefaults.h>
#include <time.h>
#include <unistd.h>

#define DRAIN_MAX_MS  2000
#define DRAIN_STEP_MS 5

#define FALLBACK_ROWS 24
#define FALLBACK_COLS 80

/* What a fresh PTY has on Linux, and IUTF8, so that erase removes a whole character. */
static const struct termios cooked_modes = {
    .c_iflag = BRKINT | ICRNL | IXON | IUTF8,
    .c_oflag = OPOST | ONLCR,
    .c_cflag = CS8 | CREAD | B38400,
    .c_lflag = ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE,
    .c_cc =
        {
            [VINTR] = CINTR,
            [VQUIT] = CQUIT,
            [VERASE] = CERASE,
            [VKILL] = CKILL,
            [VEOF] = CEOF,
            [VMIN] = 1,
            [VSTART] = CSTART,
            [VSTOP] = CSTOP,
            [VSUSP] = CSUSP,
            [VREPRINT] = CREPRINT,
            [VDISCARD] = CDISCARD,
            [VWERASE] = CWERASE,
            [VLNEXT] = CLNEXT,
        },
};

static int64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A terminal, and not the master side of one: reopening /dev/ptmx would make a new PTY. */
static bool is_terminal(int fd)
{
    return isatty(fd) && !os_is_pty_master(fd);
}

/* A second file description of the terminal fd, or -1. */
static int reopen(int fd)
{
    const int flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
    _cleanup_close_ int copy = os_reopen_terminal(fd, flags);

    /* tcgetpgrp() succeeds on the controlling terminal alone, and /dev/tty is just that one. */
    if (copy < 0 && tcgetpgrp(fd) >= 0)
        copy = open("/dev/tty", flags);
    if (copy < 0 || !os_is_same_terminal(fd, copy))
        return -1;
    return steal_fd(&copy);
}

int terminal_open(struct terminal *terminal, struct error *error)
{
    int fd = 0;

    *terminal = (struct terminal){.fd = -1};
    while (fd <= 2 && !is_terminal(fd))
        fd++;
    if (fd > 2)
        return error_set(error, ENOTTY, "none of stdin, stdout and stderr is a terminal");
    terminal->fd = reopen(fd);
    if (terminal->fd < 0) {
        terminal->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        terminal->is_shared = true;
    }
    if (terminal->fd < 0)
        return error_set(error, errno, "cannot duplicate the terminal");
    if (tcgetattr(terminal->fd, &terminal->saved) < 0) {
        int code = errno;

        terminal_close(terminal);
        return error_set(error, code, "cannot read the modes of the terminal");
    }
    return 0;
}

void terminal_close(struct terminal *terminal)
{
    if (terminal->fd >= 0)
        close(terminal->fd);
    terminal->fd = -1;
}

bool terminal_is_foreground(const struct terminal *terminal)
{
    pid_t group;

    if (terminal->fd < 0)
        return false;
    group = tcgetpgrp(terminal->fd);
    if (group < 0)
        return errno == ENOTTY && isatty(terminal->fd);
    return group == getpgrp();
}

bool terminal_is_behind(const struct terminal *terminal, int fd)
{
    return terminal->fd >= 0 && is_terminal(fd) && os_is_same_terminal(terminal->fd, fd);
}

static int become_raw(struct terminal *terminal)
{
    if (tcsetattr(terminal->fd, TCSANOW, &terminal->raw) == 0)
        return 0;
    terminal->is_raw = false;
    return -errno;
}

int terminal_set_raw(struct terminal *terminal, void (*on_change)(void *arg), void *arg)
{
    bool was_raw = terminal->is_raw;
    struct termios now;

    if (terminal->fd < 0)
        return -ENOTTY;
    if (!was_raw) {
        if (!terminal_is_foreground(terminal))
            return -EPERM;
        if (tcgetattr(terminal->fd, &now) < 0)
            return -errno;
        terminal->saved = now;
        terminal->raw = now;
        /* cfmakeraw() leaves IUTF8 as it is; it only matters again when somebody sets ICANON. */
        cfmakeraw(&terminal->raw);
        terminal->raw.c_cc[VMIN] = 1;
        terminal->raw.c_cc[VTIME] = 0;
        terminal->is_raw = true;
    }
    if (on_change)
        on_change(arg);
    return was_raw ? 0 : become_raw(terminal);
}

/* Waits until the kernel has handed the queued output on. PTYs have no such queue and say 0. */
static void drain(int fd)
{
    const struct timespec step = {.tv_nsec = DRAIN_STEP_MS * 1000000L};
    int64_t deadline = clock_ms() + DRAIN_MAX_MS;
    int queued = 0;

    while (ioctl(fd, TIOCOUTQ, &queued) == 0 && queued > 0 && clock_ms() < deadline)
        nanosleep(&step, NULL);
}

void terminal_restore(struct terminal *terminal)
{
    int saved_errno = errno;
    sigset_t blocked;
    sigset_t before;
    int r;

    if (terminal->fd < 0 || !terminal->is_raw)
        return;
    /* From the background SIGTTOU would stop us before the modes are back. */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTTOU);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    drain(terminal->fd);
    do {
        r = tcsetattr(terminal->fd, TCSANOW, &terminal->saved);
    } while (r < 0 && errno == EINTR);
    terminal->is_raw = false;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = saved_errno;
}

static unsigned short size_from_env(const char *name, unsigned short fallback)
{
    const char *text = getenv(name);
    char *end = NULL;
    long value;

    if (!text || !*text)
        return fallback;
    value = strtol(text, &end, 10);
    return *end == '\0' && value >= 1 && value <= 9999 ? (unsigned short)value : fallback;
}

void terminal_size(const struct terminal *terminal, struct winsize *size)
{
    if (terminal->fd < 0 || ioctl(terminal->fd, TIOCGWINSZ, size) < 0)
        *size = (struct winsize){0};
    if (size->ws_row == 0)
        size->ws_row = size_from_env("LINES", FALLBACK_ROWS);
    if (size->ws_col == 0)
        size->ws_col = size_from_env("COLUMNS", FALLBACK_COLS);
}

/* Puts O_NONBLOCK on a shared description for one call; the flags to put back, or -1. */
static int begin_call(const struct terminal *terminal)
{
    int flags;

    if (!terminal->is_shared)
        return -1;
    flags = fcntl(terminal->fd, F_GETFL);
    if (flags < 0 || flags & O_NONBLOCK)
        return -1;
    fcntl(terminal->fd, F_SETFL, flags | O_NONBLOCK);
    return flags;
}

static void end_call(const struct terminal *terminal, int flags)
{
    int saved_errno = errno;

    if (flags >= 0)
        fcntl(terminal->fd, F_SETFL, flags);
    errno = saved_errno;
}

ssize_t terminal_read_some(const struct terminal *terminal, void *bytes, size_t size)
{
    int flags = begin_call(terminal);
    struct termios modes;
    ssize_t n;

    do {
        n = read(terminal->fd, bytes, size);
    } while (n < 0 && errno == EINTR);
    end_call(terminal, flags);
    if (n < 0)
        return -errno;
    /* 0 also means "no byte" with VMIN 0 or a typed end-of-file; only a hung-up terminal has no
     * modes any more. */
    if (n == 0 && tcgetattr(terminal->fd, &modes) == 0)
        return -EAGAIN;
    return n;
}

ssize_t terminal_write_some(const struct terminal *terminal, const void *bytes, size_t len)
{
    int flags = begin_call(terminal);
    ssize_t n;

    do {
        n = write(terminal->fd, bytes, len);
    } while (n < 0 && errno == EINTR);
    end_call(terminal, flags);
    return n < 0 ? -errno : n;
}

int terminal_wait_writable(const struct terminal *terminal, int timeout_ms)
{
    struct pollfd poll_fd = {.fd = terminal->fd, .events = POLLOUT};
    int64_t deadline = clock_ms() + timeout_ms;
    int r;

    do {
        int64_t left = deadline - clock_ms();

        r = poll(&poll_fd, 1, left > 0 ? (int)left : 0);
    } while (r < 0 && errno == EINTR);
    if (r < 0)
        return -errno;
    return r == 0 ? -ETIMEDOUT : 0;
}

int terminal_write(const struct terminal *terminal, const void *bytes, size_t len, int timeout_ms)
{
    int64_t deadline = clock_ms() + timeout_ms;
    const char *at = bytes;

    while (len) {
        ssize_t n = terminal_write_some(terminal, at, len);

        if (n == -EAGAIN) {
            int64_t left = deadline - clock_ms();
            int r = left > 0 ? terminal_wait_writable(terminal, (int)left) : -ETIMEDOUT;

            if (r < 0)
                return r;
            continue;
        }
        if (n < 0)
            return (int)n;
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

int terminal_copy_to_pty(const struct terminal *terminal, int master)
{
    struct termios modes = terminal->fd >= 0 ? terminal->saved : cooked_modes;
    struct winsize size;

    /* EXTPROC leaves line editing to the far end of a connection, and there is none here. The other
     * two are states of the user's terminal, not wishes. */
    modes.c_lflag &= ~(tcflag_t)(EXTPROC | FLUSHO | PENDIN);
    terminal_size(terminal, &size);
    if (tcsetattr(master, TCSANOW, &modes) < 0 || ioctl(master, TIOCSWINSZ, &size) < 0)
        return -errno;
    return 0;
}
