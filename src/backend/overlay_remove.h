// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_remove: removes a tree that somebody hostile may have built.
 */
#pragma once

#include "base/base.h"

/*
 * Removes the object name in dir, with everything below it. No link is followed, directories that
 * forbid their owner anything are opened first, and depth does not matter: neither descriptors nor
 * stack grow with it. dir must be the caller's alone. 0, -ENOENT, or -errno of the first thing that
 * cannot be removed.
 */
int overlay_remove_tree(int dir, const char *name);
