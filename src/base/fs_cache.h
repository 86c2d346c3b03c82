// SPDX-License-Identifier: GPL-3.0-only
/*
 * fs_cache: remembers what stat and readlink said, for the length of one planning.
 *
 * The parts of the planner ask about the same few paths again and again, mostly the parents of
 * others. One answer for all of them is cheaper, and it is one view of the file system: what changes
 * meanwhile is found when the sources are opened and compared.
 */
#pragma once

#include "base/fs.h"

struct fs_cache;

/* below must outlive it. */
struct fs_cache *fs_cache_new(const struct fs *below);
void fs_cache_free(struct fs_cache *cache);
/* For who has just changed the file system: every answer is asked for again. NULL is allowed. */
void fs_cache_forget(struct fs_cache *cache);
/* The interface to hand on; valid as long as cache. */
const struct fs *fs_cache_fs(const struct fs_cache *cache);
