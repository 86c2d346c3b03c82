// SPDX-License-Identifier: GPL-3.0-only
/*
 * seccomp: the system call filters (seccomp(2)), embedded as arrays of struct sock_filter.
 *
 * They are made at build time by seccomp_gen from the table in seccomp_table.h; see
 * docs/internals/seccomp.md. Refusals are errnos, never signals.
 */
#pragma once

#include "base/base.h"

enum seccomp_program {
    SECCOMP_JAIL,       /* the command and the launcher */
    SECCOMP_JAIL_ROOT,  /* the same, started by uid 0: openat2 too */
    SECCOMP_JAIL_DEBUG, /* --allow-debug */
    SECCOMP_JAIL_ROOT_DEBUG,
    SECCOMP_LOCKDOWN, /* --lockdown */
    SECCOMP_LOCKDOWN_ROOT,
    SECCOMP_SUPERVISOR, /* the jail's table plus execve and execveat */
    SECCOMP_MOUNTER,    /* execve, execveat, socket, and what it would never miss */
    SECCOMP_PROGRAM_COUNT
};

/*
 * The program for the architecture of this build, as bubblewrap's --seccomp reads it: *len bytes, a
 * whole number of struct sock_filter. NULL and *len 0 if the build has none. Static.
 */
const void *seccomp_program(enum seccomp_program which, size_t *len);

/* "x86_64", "aarch64", "riscv64", or NULL when the build has no programs. */
const char *seccomp_arch(void);

/* Rows of the table that are in the program (a call that this architecture lacks has none). */
unsigned seccomp_rule_count(enum seccomp_program which);

/*
 * Installs the program on every thread of the process, for good, and sets no_new_privs. 0 or
 * -errno: -EOPNOTSUPP if the build has no programs, -EBUSY if a thread cannot follow. Nothing is
 * filtered after a failure. Where seccomp(2) is hidden, prctl(2) installs it on the calling thread
 * alone, so call it while there is only one. Async-signal-safe.
 */
int seccomp_install(enum seccomp_program which) MUST_CHECK;

/* True if the kernel can install filters. Changes nothing. */
bool seccomp_available(void);
