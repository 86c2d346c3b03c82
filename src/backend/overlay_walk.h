// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_walk: trees below a descriptor, without following a link or leaving the file system.
 *
 * Paths are relative to the root of the tree, without a slash in front; "" is the root itself.
 */
#pragma once

#include "base/strv.h"

#include <sys/stat.h>

/* Opens a directory of the tree to be read; flags are added (O_PATH). Descriptor or -errno; -ELOOP: a
 * link stands in the way, -EXDEV: another file system, -ENAMETOOLONG: too deep. */
int overlay_open_dir(int root, const char *path, int flags);
/* Opens a directory by an absolute path without a link in it, to be read. Descriptor or -errno. */
int overlay_open_exact(const char *path);
/* "a" and "b" give "a/b", "" and "b" give "b". malloc'ed. */
char *overlay_path(const char *dir, const char *name) MUST_CHECK;
/* The directory part of path ("" for a name alone), malloc'ed, and the name, which points into path. */
char *overlay_split(const char *path, const char **name) MUST_CHECK;
/* Names in the open directory, sorted. 0 or -errno. */
int overlay_names(int dir, struct strv *names);
/* lstat of path. 0 or -errno; what is missing, or not reached without a link, is -ENOENT. */
int overlay_stat(int root, const char *path, struct stat *st);

/* Calls each for everything below the root, a directory before what is in it, until it returns
 * something else than 0, which is returned. Directories that cannot be read are reported themselves,
 * not what is in them. */
int overlay_walk(int root, int (*each)(void *arg, const char *path, const struct stat *st),
                 void *arg);
