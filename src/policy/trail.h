// SPDX-License-Identifier: GPL-3.0-only
/*
 * trail: the way to a file of the host, with the symbolic links on it, so that the same way can be
 * walked inside.
 */
#pragma once

#include "base/strv.h"
#include "policy/plan.h"

struct trail {
    char *canonical;     /* where it ends */
    struct strv links;   /* canonical place of every link on the way, in order */
    struct strv targets; /* their texts */
    bool is_untrusted;   /* one of the links lies where a jail may have put it */
};

/* Walks an absolute path. 0, or -errno of fs_resolve() with the links met so far; free in any case.
 */
int trail_walk(struct trail *trail, const struct fs *fs, const struct plan *plan, const char *path);
void trail_free(struct trail *trail);

/* Adds every link of the trail that the plan does not show yet, as the same link. A place where the
 * jail shows something else of the host is left alone. */
void trail_add_links(const struct trail *trail, struct plan *plan, enum plan_group group,
                     const char *origin);

/* True if a run of the jail may have written the host's file at path: it lies in the project or
 * behind a writable bind. What such a file names is not the user's word. */
bool trail_is_untrusted(const struct plan *plan, const char *path);

#define _cleanup_trail_ CLEANUP(trail_free)
