// SPDX-License-Identifier: GPL-3.0-only
/*
 * seccomp: the BPF programs, generated at build time from the table in seccomp_table.h by a tool
 * that links libseccomp, embedded here as arrays of struct sock_filter.
 */
#pragma once

#include "base/base.h"

enum seccomp_program {
    SECCOMP_JAIL,            /* the command and the launcher */
    SECCOMP_JAIL_ROOT,       /* the same, started by uid 0: openat2 too */
    SECCOMP_JAIL_DEBUG,      /* --allow-debug */
    SECCOMP_JAIL_ROOT_DEBUG,
    SECCOMP_SUPERVISOR,      /* sandbox.md 1: the table plus execve and execveat */
    SECCOMP_MOUNTER,         /* execve, execveat, socket */
    SECCOMP_PROGRAM_COUNT
};

/* Bytes of the program (a whole number of struct sock_filter) for the architecture of this build;
 * *len 0 and NULL if there is none. Static. */
const void *seccomp_program(enum seccomp_program which, size_t *len);
/* "x86_64", "aarch64", "riscv64", or NULL when the build has no programs. */
const char *seccomp_arch(void);
/* Number of table rows in the program (for --dry-run). */
unsigned seccomp_rule_count(enum seccomp_program which);
/* Installs it on the calling process (no_new_privs is set). 0 or -errno. */
int seccomp_install(enum seccomp_program which);
/* True if the kernel can install filters. */
bool seccomp_available(void);
