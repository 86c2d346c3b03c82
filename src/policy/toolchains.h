// SPDX-License-Identifier: GPL-3.0-only
/*
 * toolchains: build tools in HOME read-only, and caches that belong to the jail.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/environment.h"
#include "policy/plan.h"

/*
 * Adds what the table in toolchains.c finds on the host (group GROUP_HOME_PARTS): tools read-only,
 * caches from a store of ai-jail's own, made on demand. Generated files that name the proxy where a
 * tool does not read the variables. Call only where toolchains are on. project is canonical.
 */
void toolchains_add(struct plan *plan, const struct config *config, const struct host *host,
                    const char *project, enum network_mode network, struct notes *notes);

/* The cache store, canonical or as it will be made; malloc'ed. */
char *toolchains_store(const struct host *host);
