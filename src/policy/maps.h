// SPDX-License-Identifier: GPL-3.0-only
/*
 * maps: --map and --rw-map.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/plan.h"

/*
 * Adds all maps, read-only ones first. project is canonical. A map that cannot be used is skipped
 * with a note; one that would ruin the jail is an error if it stands on the command line, and
 * skipped if a file says it. A map of an untrusted project file is skipped unless both ends are still
 * in the project; what was examined then is what must be mounted (plan_entry.st).
 */
int maps_add(struct plan *plan, const struct config *config, const struct host *host,
             const char *project, struct notes *notes, struct error *error);

/*
 * For what an untrusted project file names: true if canonical (the planner's own resolution) is
 * reached below the project in one walk without a link. *st is the object that was reached: it, and
 * nothing else that has the name later, may be mounted.
 */
bool maps_examine_inside(const struct host *host, const char *project, const char *canonical,
                         struct fs_stat *st);

/* What no map may replace: the directory of the system that dest is or, for some, lies in; NULL: none.
 * Static text. */
const char *maps_refused_dest(const char *dest);
/* True if the canonical path is one of ai-jail's own directories, or lies in one. */
bool maps_is_own(const struct host *host, const char *source);

/* Adds the links that were met on the way to path, where the jail does not show them yet, so that
 * the caller's spelling works inside. */
void maps_add_links(struct plan *plan, const struct fs *fs, enum plan_group group, const char *path,
                    const char *origin);
