// SPDX-License-Identifier: GPL-3.0-only
/*
 * common: what the launcher's test programs share: a fixture that holds one jail and what the
 * command writes, and short ways to run a command in it.
 */
#pragma once

#include "launcher/jail.h"
#include "support/test.h"

#define PROBE "/tmp/probe" /* where the probe lies in the jail */

struct fixture {
    struct jail jail;
    struct jail_options options;
    int output; /* memfd: stdout of the command */
    char text[16384];
};

int fixture_setup(void **state);
int fixture_teardown(void **state);

/* Sets argv from a NULL-terminated list of words. */
void fixture_command(struct fixture *fixture, const char *first, ...) __attribute__((sentinel));
/* Starts the jail and runs the command to its end. Its wait status. */
int fixture_run(struct fixture *fixture);
/* The same for a probe; its exit code (an errno). */
int fixture_probe(struct fixture *fixture, const char *name, const char *a, const char *b);
/* Expects that the command does not start: HELLO, GO, then FAILED. */
void fixture_fails(struct fixture *fixture, enum launch_stage stage, int error);
/* What the command wrote so far. */
const char *fixture_output(struct fixture *fixture);
/* Ends this jail so that the fixture can start another with the same options. */
void fixture_again(struct fixture *fixture);

/* For main(): becomes an ordinary user if AI_JAIL_TEST_UID says so, runs the tests. Skips (77) or,
 * with AI_JAIL_TESTS_MUST_RUN, fails where bubblewrap does not work. */
int common_main(int (*run)(void));
