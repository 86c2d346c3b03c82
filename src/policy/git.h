// SPDX-License-Identifier: GPL-3.0-only
/*
 * git: which parts of a repository would run on the host later, and are therefore read-only.
 */
#pragma once

#include "host.h"
#include "policy/masks.h"

/*
 * Adds hooks/, config and config.worktree of every repository that the project has now (its own
 * .git, modules below it, the common and worktree directories in worktree_dirs) to the rules, present
 * or not. worktree_dirs may be empty.
 */
void git_protect(struct mask_rules *rules, const struct host *host, const char *project,
                 const struct strv *worktree_dirs, struct notes *notes);
/* The names that are protected directly below a repository's directory; NULL at the end. */
extern const char *const git_protected_names[];
