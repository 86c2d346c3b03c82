// SPDX-License-Identifier: GPL-3.0-only
/*
 * gitfile: the small files by which git finds a repository (gitrepository-layout(5)).
 *
 * ".git" of a linked worktree or submodule holds "gitdir: PATH"; "commondir" and "gitdir" in a
 * worktree's own directory hold a path alone. Whoever writes the project may have written them, so
 * they are read with a limit, no link is followed to them, and what they name proves nothing.
 */
#pragma once

#include "base/error.h"
#include "base/fs.h"

/* PATH_MAX and a few words: nothing that git writes is longer. */
#define GITFILE_MAX 4096

/*
 * The path in the bytes of such a file, behind prefix ("gitdir: " or ""), malloc'ed; line ends at
 * the end are cut off as git does. NULL with *why (static) if it is none: too long, another prefix,
 * empty, or with a NUL or newline in it.
 */
char *gitfile_parse(const void *bytes, size_t len, const char *prefix, const char **why);

/*
 * Reads the file at path, which must be regular, and resolves what it names, relative to the
 * directory dir. 0 with *canonical malloc'ed; -ENOENT if there is no such file; otherwise -errno with
 * the reason. Never blocks.
 */
int gitfile_follow(const struct fs *fs, const char *path, const char *prefix, const char *dir,
                   char **canonical, struct error *error);

/* True if dir holds what every repository has: HEAD and the directories objects and refs. */
bool gitfile_is_repository(const struct fs *fs, const char *dir);
