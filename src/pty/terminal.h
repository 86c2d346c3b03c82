// SPDX-License-Identifier: GPL-3.0-only
/*
 * terminal: the user's terminal: which descriptor it is, saved modes, raw mode, size, restoring.
 *
 * No call here blocks without a bound, and none leaves O_NONBLOCK set on a file description that
 * other programs (the user's shell) share with us.
 */
#pragma once

#include "base/error.h"

#include <sys/ioctl.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
    int fd;               /* own descriptor of the terminal (reopened, CLOEXEC), -1: none */
    bool is_shared;       /* only a dup: O_NONBLOCK is put on around single calls and never kept */
    struct termios saved; /* as found */
    struct termios raw;   /* as set by us, while is_raw */
    bool is_raw;          /* we have changed it */
};

/*
 * Picks the terminal among descriptors 0, 1, 2 (the first of 0, 1, 2 that is one) and saves its
 * modes. -ENOTTY if none is. The descriptor is a file description of our own, non-blocking: the
 * device reopened through /proc/self/fd/N, or through /dev/tty where it is the controlling
 * terminal and its node is not ours to open (su); a dup (is_shared) where neither works.
 */
int terminal_open(struct terminal *terminal, struct error *error);
/* Closes the descriptor; restores nothing. */
void terminal_close(struct terminal *terminal);

/*
 * True if our process group is the terminal's foreground group. True as well for a terminal that is
 * not our controlling one (su -c, setsid, some containers): there the kernel does no job control
 * for us, so nobody would ever put us into the foreground.
 */
bool terminal_is_foreground(const struct terminal *terminal);
/* True if fd is the same terminal. */
bool terminal_is_behind(const struct terminal *terminal, int fd);
/* Raw mode (cfmakeraw, IUTF8 kept); only in the foreground, else -EPERM. The modes that are there
 * now become the saved ones. Nothing is changed if it is raw already. on_change, which may be NULL, comes
 * before the modes are changed, when terminal already says what there will be to restore: a process that
 * does so in our place can be told in time. 0 or -errno. */
int terminal_set_raw(struct terminal *terminal, void (*on_change)(void *arg), void *arg);
/* Back to the saved modes, with SIGTTOU blocked; TCSADRAIN with a bound: a stopped terminal (^S,
 * dead ssh) is given up after 2 s. Type-ahead stays. Idempotent. Keeps errno. Async-signal-safe. */
void terminal_restore(struct terminal *terminal);
/* Size with pixels; 24 x 80 (or LINES/COLUMNS) where the terminal says 0 or there is none. */
void terminal_size(const struct terminal *terminal, struct winsize *size);

/* One read that does not wait. Bytes read; 0: the terminal has hung up; -EAGAIN: nothing there;
 * -errno. */
ssize_t terminal_read_some(const struct terminal *terminal, void *bytes, size_t size);
/* One write that does not wait. Bytes taken (may be fewer than len); -EAGAIN: full; -errno. */
ssize_t terminal_write_some(const struct terminal *terminal, const void *bytes, size_t len);
/* Waits until the terminal takes bytes again, at most timeout_ms. 0, -ETIMEDOUT, -errno. */
int terminal_wait_writable(const struct terminal *terminal, int timeout_ms);
/* Writes with a bound of timeout_ms over EAGAIN; 0, -ETIMEDOUT, -errno. */
int terminal_write(const struct terminal *terminal, const void *bytes, size_t len, int timeout_ms);

/*
 * Prepares the jail's PTY by its master: the saved modes of the real terminal with its special
 * characters (cooked defaults with IUTF8 if there is no terminal), and its size. 0 or -errno.
 */
int terminal_copy_to_pty(const struct terminal *terminal, int master);
