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

/* True if there is to be a row; then facts is filled. policy must outlive it. */
bool status_facts_build(struct status_facts *facts, const struct config *config,
                        const struct policy *policy);
void status_facts_free(struct status_facts *facts);
