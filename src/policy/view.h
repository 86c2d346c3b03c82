// SPDX-License-Identifier: GPL-3.0-only
/*
 * view: what a path means inside the jail, worked out from the plan, without a jail.
 *
 * A path is walked as a process inside would: links of the host that the jail shows and links that
 * the plan makes are followed, what is covered ends the walk.
 */
#pragma once

#include "host.h"
#include "policy/plan.h"

enum view_kind {
    VIEW_ABSENT,
    VIEW_BIND,    /* an object of the host: host_path, st */
    VIEW_PRIVATE, /* made for the jail: a directory on a tmpfs, a generated file, /proc, /dev */
    VIEW_MASKED,  /* reads as empty */
    VIEW_DENIED,
};

struct view {
    enum view_kind kind;
    char *path;                     /* where the walk ended, without links */
    const struct plan_entry *entry; /* that decided; NULL: the root */
    char *host_path;                /* VIEW_BIND: behind it; VIEW_ABSENT below a bind: where it
                                       would be */
    struct fs_stat st;              /* VIEW_BIND */
    bool writable;                  /* by the plan; the object's own permissions come on top */
    bool is_loop;                   /* VIEW_ABSENT: more than 40 links */
};

/* path is absolute. Works on a finished plan. */
void view_of(struct view *view, const struct plan *plan, const struct fs *fs, const char *path);
void view_free(struct view *view);

#define _cleanup_view_ CLEANUP(view_free)
