// SPDX-License-Identifier: GPL-3.0-only
/*
 * jail: the supervisor's side of the control protocol, for tests.
 *
 * Starts the real launcher (the embedded image) under the real bubblewrap with orders made by hand,
 * and speaks with it. Nothing here asserts: functions return what happened. Every wait has a
 * deadline.
 */
#pragma once

#include "backend/orders.h"
#include "pty/control.h"

#include <sys/types.h>

/* Rows of the small filter that the tests install; a real program has more. */
enum jail_filter_row {
    JAIL_FILTER_UNSHARE = 1 << 0,
    JAIL_FILTER_NETLINK = 1 << 1,
    JAIL_FILTER_VSOCK = 1 << 2,
    JAIL_FILTER_ALL = JAIL_FILTER_UNSHARE | JAIL_FILTER_NETLINK | JAIL_FILTER_VSOCK,
};

/* A file placed in the jail, below a tmpfs. */
struct jail_file {
    const char *path;
    const char *perms; /* octal */
    const void *bytes;
    size_t len;
};

#define JAIL_FILES_MAX 8

struct jail_options {
    struct orders orders;   /* cwd and env get defaults when NULL */
    const char *raw_orders; /* these bytes in place of the encoded orders */
    size_t raw_len;
    const char *const *options; /* more bubblewrap words, NULL-terminated */
    struct jail_file files[JAIL_FILES_MAX];
    unsigned filter;     /* enum jail_filter_row; 0: no filter */
    const void *program; /* this filter instead */
    size_t program_len;
    int stdio[3]; /* what to hand in as 6, 7, 8; 0: /dev/null, -1: leave it closed */
};

struct jail {
    pid_t backend;    /* bubblewrap; 0: waited for */
    pid_t launcher;   /* PID 1 of the jail as seen from here */
    int launcher_end; /* pidfd of it, -1 if it had ended before */
    int control;
    int master; /* of the PTY, -1 if none was handed out */
};

/* NULL if bubblewrap works for us, otherwise why not. */
const char *jail_unavailable(void);

/* Starts it; the launcher has not said HELLO yet. 0 or -errno. */
int jail_start(struct jail *jail, const struct jail_options *options);
/* The next message: 1, 0 at end of file, -ETIMEDOUT, -EBADMSG, -errno. A descriptor with HELLO
 * becomes jail->master, any other is -EBADMSG. */
int jail_receive(struct jail *jail, struct control_message *message);
/* True if the next message is of this type. */
bool jail_receives(struct jail *jail, enum control_type type, struct control_message *message);
/* HELLO, GO, STARTED, with nothing between. */
bool jail_runs(struct jail *jail);
/* Waits for bubblewrap's end. Its wait status or -ETIMEDOUT. */
int jail_wait(struct jail *jail);
/* Ends what is left of it and closes the descriptors. */
void jail_free(struct jail *jail);

/* Reads what arrives on fd until wanted has been seen or the end came. True if it was seen. */
bool jail_read_until(int fd, const char *wanted);
/* Waits for the launcher's end, with which all of the jail has ended. True if it came. */
bool jail_launcher_ends(const struct jail *jail);
