// SPDX-License-Identifier: GPL-3.0-only
/*
 * ptypair: pseudo-terminals for tests. Whatever waits has a deadline; a deadline that passes fails
 * the cmocka test that called.
 */
#pragma once

#include "base/buf.h"
#include "pty/terminal.h"

#include <sys/types.h>

struct ptypair {
    int master; /* non-blocking, CLOEXEC */
    int slave;  /* blocking, CLOEXEC; -1 after ptypair_close_slave() */
    char path[64];
};

/* A new pair; raw: no echo, no line editing, no translation. */
void ptypair_open(struct ptypair *pair, bool raw);
void ptypair_close_slave(struct ptypair *pair);
void ptypair_close(struct ptypair *pair);
/* A struct terminal on a non-blocking description of the slave of its own. */
void ptypair_terminal(const struct ptypair *pair, struct terminal *terminal);

/* Forks; run(slave, arg) is the child, its result the exit status. With controlling the slave is
 * its controlling terminal and 0, 1 and 2 as well. The child has no other descriptor of the pair.
 */
pid_t ptypair_spawn(struct ptypair *pair, bool controlling, int (*run)(int slave, void *arg),
                    void *arg);
/* Waits for the end of a child; its wait status. After the deadline it is killed and the test
 * fails. */
int ptypair_wait(pid_t pid, int timeout_ms);

/* Reads from fd until what was read contains text; all of it is appended to seen (may be NULL). */
void ptypair_expect(int fd, const char *text, struct buf *seen, int timeout_ms);
/* Reads exactly len bytes. */
void ptypair_read(int fd, void *bytes, size_t len, int timeout_ms);
/* True if fd has nothing to read within quiet_ms; -1 never has. */
bool ptypair_is_quiet(int fd, int quiet_ms);
void ptypair_write(int fd, const void *bytes, size_t len, int timeout_ms);

/* Every mode, special character and speed is the same. */
bool ptypair_is_same_modes(const struct termios *a, const struct termios *b);

/* The deadline for a step that takes milliseconds on an idle machine. */
#define PTYPAIR_SOON_MS 60000
