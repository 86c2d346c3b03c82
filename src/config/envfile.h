// SPDX-License-Identifier: GPL-3.0-only
/*
 * envfile: files of environment variables (--env-from-file).
 *
 * Lines are blank, a comment ("#" in the first column), or NAME=VALUE with VALUE taken as it stands
 * up to the end of the line: no quotes, no "export", no expansion.
 */
#pragma once

#include "base/error.h"
#include "base/strv.h"

#include <sys/types.h>

/*
 * Appends the entries of the bytes of a file, in order. path is for messages: "PATH:LINE: why", never
 * with the value. 0 or -errno; then entries may hold a part of them.
 */
int envfile_parse(const char *path, const char *bytes, size_t len, struct strv *entries,
                  struct error *error);

/* The same for a file, read as LOAD_ENV (load.h): own, nobody else may read it, no link, outside the
 * project. A file that is not there is an error. */
int envfile_read(const char *path, const char *project, uid_t uid, struct strv *entries,
                 struct error *error);
