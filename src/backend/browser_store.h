// SPDX-License-Identifier: GPL-3.0-only
/*
 * browser_store: the profiles of browsers that are kept.
 *
 *     ai-jail/browsers/NAME         the profile, 0700; a run of NAME may do with it what it likes
 *     ai-jail/browser-locks/NAME    held with flock(2) while NAME runs or is removed; its text is the
 *                                   pid, its time the last start
 *     ai-jail/browser-removed/      what is being removed
 *
 * They lie in the user's data directory. A jail shows of all that at most the one profile, so names
 * beside it are ours; what is in a profile is hostile. store is always browser_store() of the policy.
 */
#pragma once

#include "base/error.h"
#include "policy/browsers.h"

/*
 * For a run with BROWSER_SOFT, behind directories_make(): takes the lock;
 * makes the profile private to the user; writes user.js anew. 0, or -errno with the line to print
 * (-EBUSY names the holder's pid). Any other profile: nothing.
 */
int browser_store_hold(const struct browser *browser, struct error *error);
/* The descriptor of that lock, borrowed; -1: none. Whoever inherits it holds the lock, too: a killed
 * run's jail is not gone at once. */
int browser_store_lock(void);
/* The run is over: lets the lock go, whoever has its descriptor. */
void browser_store_release(void);

struct browser_kept {
    char *name;
    uint64_t bytes;   /* on the disk */
    int64_t last_use; /* start of the last run, seconds since 1970 */
    long holder;      /* pid of the run that has it now; 0: none, -1: somebody unknown */
};

struct browser_kept_list {
    struct browser_kept *v;
    size_t n;
};

void browser_kept_free(struct browser_kept_list *list);
/* Sorted by name. 0 (also without a store), or -errno with the line to print. */
int browser_store_list(struct browser_kept_list *list, const char *store, struct error *error);
/* Removes one with everything in it; no link is followed. -ENOENT: there is none of that name; -EBUSY:
 * it is in use. */
int browser_store_forget(const char *store, const char *name, struct error *error);
