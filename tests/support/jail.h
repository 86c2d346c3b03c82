// SPDX-License-Identifier: GPL-3.0-only
/*
 * jail: the whole decision for a made-up host, from flags to the bubblewrap options, for tests.
 *
 * The host is that of planner.h with a bubblewrap that knows every option, Landlock ABI 7 and
 * seccomp. A test may change planner.host and planner.fakefs between jail_init() and jail_build().
 */
#pragma once

#include "backend/launch.h"
#include "config/args.h"
#include "policy/policy.h"
#include "support/planner.h"

struct jail {
    struct planner planner; /* its plan is empty; notes are those of the build */
    struct args args;
    struct policy policy;
    struct launch launch;
    struct error error;
};

/* tree and environ as in planner_init(). */
void jail_init(struct jail *jail, const char *tree, const char *const *environ);
/* Decides. words: the command line without the program's name, NULL at the end; may be NULL. 0 or
 * -errno with jail->error. */
int jail_build(struct jail *jail, const char *const *words);
void jail_free(struct jail *jail);

#define _cleanup_jail_ CLEANUP(jail_free)
