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

/* Binds the directory at path read-only, if it is there and may be shown; a warning if it must not be:
 * it holds HOME, the project, secrets or ai-jail's own files, or belongs to another user. */
void toolchains_bind_tool(struct plan *plan, const struct host *host, const char *project,
                          const char *path, const char *origin, struct notes *notes);

/*
 * Takes out again what stands in the way of something that was asked for: what lies below a map, and
 * what hides the mount point of another entry. Call when the plan holds everything else, before
 * plan_finish().
 */
void toolchains_settle(struct plan *plan, const struct fs *fs, struct notes *notes);

/* True for an entry that was added here. */
bool toolchains_own(const struct plan_entry *entry);

/* The cache store, canonical or as it will be made; malloc'ed. */
char *toolchains_store(const struct host *host);
