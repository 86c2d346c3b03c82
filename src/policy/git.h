// SPDX-License-Identifier: GPL-3.0-only
/*
 * git: which parts of a repository would run on the host later, and are therefore read-only.
 */
#pragma once

#include "host.h"
#include "policy/masks.h"

/*
 * Adds git_protected_names of every repository that the project has now to the rules, present or
 * not: its own .git, the submodules' repositories below that, repositories nested in the project as
 * far as a bounded walk finds them, and the common and worktree directories in worktree_dirs, which
 * may be empty. Of other linked worktrees of these repositories, those outside the project become
 * read-only as a whole. A security note says if a bound leaves something unprotected that a
 * repository surely has; a verbose one, if the walk of the project ended early.
 */
void git_protect(struct mask_rules *rules, const struct host *host, const char *project,
                 const struct strv *worktree_dirs, struct notes *notes);

/*
 * Makes the project's own .git, if that is a directory, a mount of its own in the plan: it can then
 * not be renamed, and no other be put in its place. Call when the project and all maps are in the
 * plan.
 */
void git_pin(struct plan *plan, const struct host *host, const char *project);

/* The names that are protected directly below a repository's directory; NULL at the end. */
extern const char *const git_protected_names[];
