// SPDX-License-Identifier: GPL-3.0-only
/*
 * seccomp_gen: what the two halves of the build-time generator share. Not part of ai-jail itself.
 */
#pragma once

#include "backend/seccomp_table.h"

#include <linux/filter.h>

enum {
    GEN_CALLS = SECCOMP_LAST_REVIEWED + 1,
    GEN_ROWS_MAX = 4,    /* rows of one call in one program */
    GEN_CODE_MAX = 2048, /* instructions; the kernel's limit is 4096 */
};

/* One system call in one program. */
struct gen_call {
    const struct seccomp_row *rows[GEN_ROWS_MAX]; /* in the order of the table */
    size_t row_count;                             /* 0: allowed */
    unsigned weight;                              /* at least 1 */
};

struct gen_program {
    struct sock_filter code[GEN_CODE_MAX];
    size_t len;
};

/*
 * Compiles calls[0 .. GEN_CALLS - 1] for the architecture with this AUDIT_ARCH_* value. Ends the
 * process with a message if the program does not fit: a build must not go on without it.
 */
void gen_compile(const struct gen_call *calls, uint32_t audit_arch, struct gen_program *out);

/* Prints to stderr and ends the process with status 1. */
_Noreturn void gen_fail(const char *fmt, ...) PRINTF_LIKE(1, 2);
