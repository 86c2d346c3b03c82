// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_store: the directory in which the changes of one overlay are kept.
 *
 *     upper/   what was written, as overlayfs keeps it
 *     work/    overlayfs's own
 *     source   project and directory, each with a NUL behind it
 *     base     what the directory held when the overlay began (overlay_base.h)
 *     lock     held with flock(2) by the run or verb that uses the storage; its text is the pid
 *
 * It lies below the user's state directory, which no jail shows, so only ai-jail and the kernel write
 * here; what the files in upper/ hold is hostile.
 */
#pragma once

#include "base/error.h"
#include "policy/overlays.h"

struct overlay_store {
    int dir;  /* the storage; -1: none */
    int lock; /* -1: not locked */
};

#define OVERLAY_STORE_NONE                                                                         \
    (struct overlay_store)                                                                         \
    {                                                                                              \
        .dir = -1, .lock = -1                                                                      \
    }

/*
 * For a run: makes what is missing, component by component, following no link; takes the lock;
 * writes source and base when the overlay begins. lower: descriptor of the examined directory. 0,
 * or -errno with the line to print (-EBUSY names the holder's pid).
 */
int overlay_store_make(struct overlay_store *store, const struct overlay *overlay, int lower,
                       struct error *error);
/* For a verb: opens the storage at the path, which must exist. -ENOENT: there is none. */
int overlay_store_open(struct overlay_store *store, const char *storage, struct error *error);
/* Takes the lock of an open storage; -EBUSY names the holder's pid. */
int overlay_store_lock(struct overlay_store *store, const char *storage, struct error *error);
/* The pid that holds the lock, 0: nobody, -1: somebody unknown. Never blocks. */
long overlay_store_holder(const struct overlay_store *store);
/* Closes; the lock is released. */
void overlay_store_close(struct overlay_store *store);

/* What the storage says it is of; malloc'ed. 0 or -errno. */
int overlay_store_read_source(const struct overlay_store *store, char **project, char **path);

/* Removes everything in it and itself. The lock must be held. 0, or -errno with the reason. */
int overlay_store_remove(struct overlay_store *store, const char *storage, struct error *error);
