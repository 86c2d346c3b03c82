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
