// SPDX-License-Identifier: GPL-3.0-only
/*
 * why: the plan asked about one path, and about the network.
 *
 * The same plan that a launch uses is walked backwards: what would the command find there, which
 * entry decides, who asked for that entry, and what would the user say to have it otherwise.
 */
#pragma once

#include "policy/policy.h"

struct why_answer {
    const char *kind;    /* "path" or "host" */
    const char *verdict; /* static text, see why.c */
    bool is_accessible;  /* can be read; a host: can be reached */
    char *rule;          /* the entry that decides, as in --dry-run */
    char *origin;        /* who asked for it; NULL: nobody */
    char *advice;        /* what would change it; NULL: nothing is needed */
};

/* query as the user wrote it: with a '/', "." or a leading '~' it is a path, otherwise HOST or
 * HOST:PORT. */
void why_ask(struct why_answer *answer, const struct policy *policy, const char *query);
void why_free(struct why_answer *answer);

#define _cleanup_why_ CLEANUP(why_free)
