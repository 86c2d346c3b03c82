// SPDX-License-Identifier: GPL-3.0-only
/*
 * terminal: the user's terminal: which descriptor it is, saved modes, raw mode, size, restoring.
 */
#pragma once

#include "base/error.h"

#include <sys/ioctl.h>
#include <termios.h>

struct terminal {
    int fd;               /* own descriptor of the terminal (reopened, CLOEXEC), -1: none */
    struct termios saved; /* as found */
    bool is_raw;          /* we have changed it */
};

/*
 * Picks the terminal among descriptors 0, 1, 2 (the first of 0, 1, 2 that is one) and saves its
 * modes. -ENOTTY if none is. The descriptor is a duplicate by reopening /proc/self/fd/N for reading
 * and writing where that works, so that O_NONBLOCK is not shared with other programs; otherwise a
 * dup.
 */
int terminal_open(struct terminal *terminal, struct error *error);
void terminal_close(struct terminal *terminal);

/* True if our process group is the terminal's foreground group. */
bool terminal_is_foreground(const struct terminal *terminal);
/* Raw mode (cfmakeraw, IUTF8 kept); only in the foreground. The modes that are there now become the
 * saved ones. 0 or -errno. */
int terminal_set_raw(struct terminal *terminal);
/* Back to the saved modes, with SIGTTOU blocked; TCSADRAIN with a bound: a stopped terminal (^S, dead
 * ssh) is given up after 2 s. Idempotent. Async-signal-safe but for that bound. */
void terminal_restore(struct terminal *terminal);
/* Size with pixels; 24 x 80 (or LINES/COLUMNS) when the terminal says 0. */
void terminal_size(const struct terminal *terminal, struct winsize *size);
/* Writes with a bound of timeout_ms over EAGAIN; 0, -ETIMEDOUT, -errno. */
int terminal_write(const struct terminal *terminal, const void *bytes, size_t len, int timeout_ms);
/* Prepares the jail's PTY by its master: modes of the real terminal (or sane ones) and its size. */
int terminal_copy_to_pty(const struct terminal *terminal, int master);
