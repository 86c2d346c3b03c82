// SPDX-License-Identifier: GPL-3.0-only
/*
 * status_facts: whether a run has a status row, and what it says.
 */
#pragma once

#include "policy/policy.h"
#include "pty/statusline_text.h"

struct status_facts {
    struct statusline_facts line;
    char *directory;
    char *command;
};

/* True if there is to be a row; then facts is filled. policy must outlive it. Reads what earlier
 * runs left in a file of the program's own (config/prefs.h). */
bool status_facts_build(struct status_facts *facts, const struct config *config,
                        const struct policy *policy, struct notes *notes);
/* A run is about to start: what its command line says about the row is remembered. */
void status_facts_remember(const struct config *config, const struct host *host,
                           struct notes *notes);
void status_facts_free(struct status_facts *facts);
