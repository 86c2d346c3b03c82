// SPDX-License-Identifier: GPL-3.0-only
/*
 * path: paths as strings. Nothing here looks at a file system.
 */
#pragma once

#include "base/base.h"

/* "/a" and "b" give "/a/b"; an absolute second part wins. malloc'ed. */
char *path_join(const char *dir, const char *name) MUST_CHECK;
/* Lexically cleaned copy of an absolute path: no empty, "." or ".." components, no slash at the end
 * (except "/"); ".." at the root is dropped. malloc'ed. */
char *path_clean(const char *path) MUST_CHECK;
/* The path without its last component; "/" for "/" and "/a". malloc'ed. */
char *path_parent(const char *path) MUST_CHECK;
/* Pointer into path: the part behind the last slash. */
const char *path_base(const char *path);
/* True if path is dir or lies below it, by whole components. Both are cleaned absolute paths. */
bool path_is_within(const char *path, const char *dir);
/* True if path lies strictly below dir. */
bool path_is_below(const char *path, const char *dir);
/* Number of components: 0 for "/". */
size_t path_depth(const char *path);
/* The rest of path behind dir and its slash ("" if equal); path must be within dir. */
const char *path_rest(const char *path, const char *dir);
/* A base directory of the XDG specification: said if it is an absolute path, else below_home in
 * home. said may be NULL. malloc'ed. */
char *path_base_dir(const char *said, const char *home, const char *below_home) MUST_CHECK;
/* Replaces a leading "~" or "~/" by home. malloc'ed. */
char *path_expand_home(const char *path, const char *home) MUST_CHECK;
