// SPDX-License-Identifier: GPL-3.0-only
/*
 * mise: a host on which mise manages tools.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/environment.h"
#include "policy/plan.h"

#define MISE_ORIGIN "mise" /* of its binds */

/* What the launcher is told. */
struct mise {
    char *program;     /* inside; NULL: nobody is asked */
    struct strv fixed; /* names of variables that the answer does not change */
};

void mise_free(struct mise *mise);

/*
 * If the host's PATH leads to a mise outside the project, and it has a directory of data or of settings:
 * shows both, and the program, read-only. Nothing of mise's is ever writable. Call when the plan holds
 * everything else but what the environment needs. project is canonical.
 */
void mise_add(struct mise *mise, struct plan *plan, const struct environment_parts *parts,
              const struct config *config, const struct host *host, const char *project,
              enum network_mode network, struct notes *notes);
