// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_base: what a directory held when its overlay began.
 *
 * Recorded once, before the first mount: of everything below the directory type, permissions, inode
 * and time of change (ctime, which no program can set back). Later it decides whether something
 * changed underneath:
 *
 *     absent then and now                          unchanged
 *     directory then and now, same inode and mode  unchanged (what is in it is judged by itself)
 *     same type, inode and ctime                   unchanged
 *     anything else                                changed
 *
 * So a replaced file is found by its inode, a changed one by its ctime, one that was moved here with
 * a directory above it by its absence then, and a deleted one by its absence now. A change within
 * the same tick of the clock (up to 10 ms) as the record may be missed, as in git.
 */
#pragma once

#include "base/base.h"
#include "base/path_table.h"

#include <sys/stat.h>

struct overlay_base_entry {
    uint64_t ino;
    int64_t ctime_s;
    uint32_t ctime_ns;
    mode_t mode; /* with the type */
};

struct overlay_base {
    char *text; /* the file; the paths point into it */
    struct overlay_base_entry *v;
    size_t n;
    struct path_table by_path;
};

/* Walks lower (a directory, other file systems left out) and writes "base" in the directory
 * storage. 0 or -errno. */
int overlay_base_write(int storage, int lower);
/* 0, or -errno (-EBADMSG: not a complete record). Wants overlay_base_free() either way. */
int overlay_base_read(struct overlay_base *base, int storage);
void overlay_base_free(struct overlay_base *base);

/* True if the object at path (below the directory, no slash in front) is as it was. st: of now,
 * NULL: it is not there. */
bool overlay_base_is_unchanged(const struct overlay_base *base, const char *path,
                               const struct stat *st);
