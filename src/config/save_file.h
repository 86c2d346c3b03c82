// SPDX-License-Identifier: GPL-3.0-only
/*
 * save_file: putting the text of a project file onto the disk.
 *
 * A running jail of the same project has something mounted over the file, so a file that is there
 * keeps its inode: it is written in place, under a lock. Nothing is ever written through a link.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"

#include <sys/types.h>

/* A new file, mode 0600, complete or not there at all; never over another one. dir: descriptor of
 * its directory. 0, -EEXIST, -errno. */
int save_file_create(int dir, const char *name, const char *text, size_t len);

/* The new text from the old one; out is empty. 0, or -errno with error filled. */
typedef int save_file_edit(void *arg, const char *old, size_t len, struct buf *out,
                           struct error *error);

/*
 * Rewrites a regular file of owner's that is at most 1 MiB, unless the text stays as it is. When
 * writing fails the old bytes are put back. 1 changed, 0 unchanged, or -errno with error filled.
 * -ENOENT if it is not there. dry: it is only read, edit's text is left in *shown.
 */
int save_file_update(int dir, const char *name, uid_t owner, save_file_edit *edit, void *arg,
                     struct buf *shown, struct error *error);
