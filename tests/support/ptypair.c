// SPDX-License-Identifier: GPL-3.0-only
/*
 * ptypair: pseudo-terminals for tests.
 */
#include "support/ptypair.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static int64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Polls until the deadline; false if it has passed. */
static bool wait_for(int fd, short events, int64_t deadline)
{
    for (;;) {
        struct pollfd poll_fd = {.fd = fd, .events = events};
        int64_t left = deadline - clock_ms();
        int r = poll(&poll_fd, 1, left > 0 ? (int)left : 0);

        if (r > 0)
            return true;
        if (r == 0)
            return false;
        assert_int_equal(errno, EINTR);
    }
}

void ptypair_open(struct ptypair *pair, bool raw)
{
    pair->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    assert_true(pair->master >= 0);
    assert_int_equal(grantpt(pair->master), 0);
    assert_int_equal(unlockpt(pair->master), 0);
    assert_int_equal(ptsname_r(pair->master, pair->path, sizeof(pair->path)), 0);
    pair->slave = open(pair->path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(pair->slave >= 0);
    if (raw) {
        struct termios modes;

        assert_int_equal(tcgetattr(pair->slave, &modes), 0);
        cfmakeraw(&modes);
        assert_int_equal(tcsetattr(pair->slave, TCSANOW, &modes), 0);
    }
}

void ptypair_close_slave(struct ptypair *pair)
{
    if (pair->slave >= 0)
        close(pair->slave);
    pair->slave = -1;
}

void ptypair_close(struct ptypair *pair)
{
    ptypair_close_slave(pair);
    if (pair->master >= 0)
        close(pair->master);
    pair->master = -1;
}

void ptypair_terminal(const struct ptypair *pair, struct terminal *terminal)
{
    *terminal = (struct terminal){.fd = -1};
    terminal->fd = open(pair->path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    assert_true(terminal->fd >= 0);
    assert_int_equal(tcgetattr(terminal->fd, &terminal->saved), 0);
}

pid_t ptypair_spawn(struct ptypair *pair, bool controlling, int (*run)(int slave, void *arg),
                    void *arg)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    /* A failed test must not leave a process behind. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        _exit(99);
    close(pair->master);
    if (controlling) {
        if (setsid() < 0 || ioctl(pair->slave, TIOCSCTTY, 0) < 0)
            _exit(99);
        for (int fd = 0; fd <= 2; fd++) {
            if (dup2(pair->slave, fd) < 0)
                _exit(99);
        }
    }
    _exit(run(pair->slave, arg));
}

int ptypair_wait(pid_t pid, int timeout_ms)
{
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    bool has_ended;
    int status = 0;

    assert_true(pidfd >= 0);
    has_ended = wait_for(pidfd, POLLIN, clock_ms() + timeout_ms);
    close(pidfd);
    if (!has_ended)
        kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(has_ended);
    return status;
}

void ptypair_expect(int fd, const char *text, struct buf *seen, int timeout_ms)
{
    int64_t deadline = clock_ms() + timeout_ms;
    _cleanup_buf_ struct buf own = {0};
    struct buf *all = seen ? seen : &own;

    buf_init(&own, 64 * MIB);
    while (all->len == 0 || !memmem(all->data, all->len, text, strlen(text))) {
        uint8_t bytes[4096];
        ssize_t n;

        if (!wait_for(fd, POLLIN, deadline))
            fail_msg("\"%s\" did not come; there was: \"%s\"", text, buf_cstr(all));
        n = read(fd, bytes, sizeof(bytes));
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (n <= 0)
            fail_msg("end before \"%s\"; there was: \"%s\"", text, buf_cstr(all));
        assert_int_equal(buf_append(all, bytes, (size_t)n), 0);
    }
}

void ptypair_read(int fd, void *bytes, size_t len, int timeout_ms)
{
    int64_t deadline = clock_ms() + timeout_ms;
    uint8_t *at = bytes;

    while (len) {
        ssize_t n;

        assert_true(wait_for(fd, POLLIN, deadline));
        n = read(fd, at, len);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        assert_true(n > 0);
        at += n;
        len -= (size_t)n;
    }
}

bool ptypair_is_quiet(int fd, int quiet_ms)
{
    return !wait_for(fd, POLLIN, clock_ms() + quiet_ms);
}

void ptypair_write(int fd, const void *bytes, size_t len, int timeout_ms)
{
    int64_t deadline = clock_ms() + timeout_ms;
    const uint8_t *at = bytes;

    while (len) {
        ssize_t n;

        assert_true(wait_for(fd, POLLOUT, deadline));
        n = write(fd, at, len);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        assert_true(n > 0);
        at += n;
        len -= (size_t)n;
    }
}

bool ptypair_is_same_modes(const struct termios *a, const struct termios *b)
{
    /* Field by field: the structure has padding. */
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
           a->c_lflag == b->c_lflag && a->c_line == b->c_line && a->c_ispeed == b->c_ispeed &&
           a->c_ospeed == b->c_ospeed && memcmp(a->c_cc, b->c_cc, sizeof(a->c_cc)) == 0;
}
