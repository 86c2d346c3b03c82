// SPDX-License-Identifier: GPL-3.0-only
/*
 * project: which directories may be a project.
 */
#pragma once

#include "host.h"

/* 0 if host->cwd may be made writable for a command; otherwise -EPERM with the line to print.
 * allow_broad lifts what can be lifted. */
int project_check(const struct host *host, bool allow_broad, struct error *error);

/* Adds ai-jail's own state and data directories, canonical where they exist. They are covered in
 * every jail, never a project and never mapped. */
void project_own_dirs(const struct host *host, struct strv *dirs);
