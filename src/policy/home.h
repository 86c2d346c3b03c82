// SPDX-License-Identifier: GPL-3.0-only
/*
 * home: what stands at HOME inside.
 */
#pragma once

#include "host.h"
#include "policy/plan.h"

/* Adds the groups 5 and 6: the private tmpfs, the git files, and without a private home the dot
 * directories of the host by the table in home.c. project is canonical. */
void home_add(struct plan *plan, const struct host *host, const char *project, bool private_home,
              struct notes *notes);

/*
 * Canonical source of a directory of HOME (path, below it) that may be shown by itself; malloc'ed, or
 * NULL. A link, also one on the way, is followed only to a directory of the user's own that is not in
 * the project, not HOME or above it, and does not lie in what home_add() never shows; freed is a name
 * among those that the caller has a right to, or NULL.
 */
char *home_accept_dir(const struct host *host, const char *project, const char *path,
                      const char *freed);

/* Below HOME: profiles and credentials in directories that are shown without a private home. NULL at the
 * end. */
extern const char *const home_covered_parts[];

/* True if showing the canonical directory would show something that home_add() never shows. */
bool home_holds_secrets(const struct host *host, const char *canonical);

/* Takes the covers back that home_add() has put over a secret directory of HOME that is a link: who
 * calls shows it by right. */
void home_uncover(struct plan *plan, const struct host *host, const char *name);
