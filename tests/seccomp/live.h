// SPDX-License-Identifier: GPL-3.0-only
/*
 * live: runs a piece of a test in a child that has installed a filter.
 *
 * cmocka's assertions belong to the parent; the child says what went wrong on stderr and ends.
 * Every refusal is compared by errno, and next to it the same call is made without the filter.
 */
#pragma once

#include "backend/seccomp.h"

/* No filter: the control. */
enum { LIVE_UNFILTERED = -1 };

/* Ends the child unless the condition holds. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            live_fail(__FILE__, __LINE__, #condition);                                             \
    } while (0)
/* Ends the child unless the expression is -1 with this errno. */
#define CHECK_ERRNO(call, expected) live_check_errno(__FILE__, __LINE__, #call, (call), (expected))

_Noreturn void live_fail(const char *file, int line, const char *what);
void live_check_errno(const char *file, int line, const char *what, long result, int expected);

/* Forks, becomes a session leader, installs the program (an enum seccomp_program, or
 * LIVE_UNFILTERED) and calls body. Fails the cmocka test unless the child gets to the end. */
void live_run(int program, void (*body)(void));

/* The same, but returns the child's wait status. */
int live_status(int program, void (*body)(void));

/* A file that the child may change, created before the filter: descriptor and path. */
extern int live_file;
extern char live_path[];

/* The groups of tests. */
int live_run_refusals(void);
int live_run_arguments(void);
int live_run_programs(void);
