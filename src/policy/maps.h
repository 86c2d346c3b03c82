// SPDX-License-Identifier: GPL-3.0-only
/*
 * maps: --map and --rw-map.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/plan.h"

/*
 * Splits "SRC:DST" at the first colon that has no backslash before it; "\:" is a colon and "\\" a
 * backslash. *dest is NULL when there is no separator. malloc'ed parts. 0 or -EINVAL (an empty
 * part).
 */
int maps_split(const char *text, char **source, char **dest);

/*
 * Adds all maps, read-only ones first. project is canonical. A map that cannot be used is skipped
 * with a note; one that would ruin the jail is an error.
 */
int maps_add(struct plan *plan, const struct config *config, const struct host *host,
             const char *project, struct notes *notes, struct error *error);

/* Adds the links that were met on the way to path, where the jail does not show them yet, so that
 * the caller's spelling works inside. */
void maps_add_links(struct plan *plan, const struct fs *fs, enum plan_group group, const char *path,
                    const char *origin);
