// SPDX-License-Identifier: GPL-3.0-only
/*
 * directories: makes what the plan shows and is not there yet, just before the launch.
 */
#pragma once

#include "base/error.h"
#include "policy/plan.h"

/* The directory at an absolute path, walked to from the root without following a link; O_PATH. create:
 * what is missing is made, 0700, in directories of the caller's alone; *made (may be NULL) says
 * whether the last one was. Descriptor or -errno. */
int directories_open(const char *path, bool create, bool *made);

/*
 * Makes the source of every entry with is_new, 0700, and notes what it is then in the entry (st).
 * The path is walked from the root without following a link; a component is made only in a
 * directory of the caller's. One info note for each that was made, unless it lies below quiet
 * (canonical, or NULL). The same for what a cover with is_new covers, but that it need not succeed.
 * 0, or -errno with the line to print.
 */
int directories_make(struct plan *plan, const char *quiet, struct notes *notes,
                     struct error *error);
