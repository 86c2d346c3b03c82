// SPDX-License-Identifier: GPL-3.0-only
/*
 * inside: does a path lead into the project, and not out of it again?
 *
 * Asked of the kernel, not of the text: the path is walked from a descriptor of the project with
 * openat2(2) and RESOLVE_BENEATH, so a link that is put in its place meanwhile is met by the same
 * walk. What is opened later must be compared with what was examined (fs_stat_beneath()).
 */
#pragma once

#include "base/base.h"

struct inside {
    int fd;              /* O_PATH, of the project; -1: it cannot be opened, nothing is inside */
    const char *project; /* borrowed: canonical */
};

/* Opens the project. Never fails: without it every path is outside. */
void inside_init(struct inside *inside, const char *project);
void inside_free(struct inside *inside);

#define _cleanup_inside_ CLEANUP(inside_free)

/*
 * path is absolute and cleaned; its front may name the project by another spelling. True with the
 * canonical location malloc'ed in *canonical (may be NULL) if it exists and every step of the way
 * stays in the project; anything that cannot be examined is outside.
 */
bool inside_resolve(const struct inside *inside, const char *path, char **canonical);
