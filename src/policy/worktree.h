// SPDX-License-Identifier: GPL-3.0-only
/*
 * worktree: the repository behind a linked git worktree.
 *
 * Every file that leads there is written by whoever writes the project, so each step is checked and
 * the way back must end where it began (gitrepository-layout(5)). git itself is never run.
 */
#pragma once

#include "host.h"
#include "policy/plan.h"

/*
 * If the project is a linked worktree whose layout holds: binds of the common directory and the
 * worktree's own one are added (writable), and both paths to dirs. Otherwise one note says why not;
 * nothing is said about a project that is no linked worktree.
 */
void worktree_add(struct plan *plan, const struct host *host, const char *project,
                  struct strv *dirs, struct notes *notes);
