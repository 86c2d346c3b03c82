// SPDX-License-Identifier: GPL-3.0-only
/*
 * worktree: the repository behind a linked git worktree.
 *
 * Every file that leads there is written by whoever writes the project, so each step is checked and
 * the way back must end where it began (gitrepository-layout(5)). git itself is never run.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/plan.h"

/* Canonical directories of a linked worktree whose layout holds. */
struct worktree {
    char *common; /* the repository, shared by its worktrees */
    char *own;    /* what belongs to this one: common/worktrees/NAME */
};

/*
 * Examines the project. 0 and both directories (worktree_free() releases them); -ENOENT: it has no
 * .git, or a whole repository there; any other -errno: it is a linked worktree or pretends to be one,
 * and error says which check failed.
 */
int worktree_find(struct worktree *worktree, const struct host *host, const char *project,
                  struct error *error);
void worktree_free(struct worktree *worktree);

/*
 * If the project is a linked worktree whose layout holds: a writable bind of the common directory,
 * in which the worktree's own one lies, is added, and both paths to dirs; one note says that it is
 * open (in lockdown lockdown_seal() makes it read-only). Otherwise one note says why not; nothing is
 * said about a project that is no linked worktree.
 */
void worktree_add(struct plan *plan, const struct config *config, const struct host *host,
                  const char *project, struct strv *dirs, struct notes *notes);
/* Without --worktree: one note if the project is a linked worktree, in which git will not work. */
void worktree_hint(const struct host *host, const char *project, struct notes *notes);
