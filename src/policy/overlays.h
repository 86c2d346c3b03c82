// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlays: directories that can be changed inside while the real ones stay as they are.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/plan.h"

/* One accepted overlay. */
struct overlay {
    char *path;        /* canonical directory: source and destination */
    char *project;     /* canonical */
    char *state;       /* canonical as far as it exists: the state directory of all programs */
    char *storage;     /* directory that holds upper, work, base, source and lock; need not exist */
    char *origin;      /* how it was said */
    struct fs_stat st; /* of path as it was examined */
};

struct overlays {
    struct overlay *v;
    size_t n;
};

/* The user's state directory ($XDG_STATE_HOME, else ~/.local/state), links resolved as far as it
 * exists. malloc'ed. */
char *overlays_state_dir(const struct host *host);
/* Where the changes of an overlay of path in project are kept; malloc'ed. */
char *overlays_storage(const struct host *host, const char *project, const char *path);
/* The directory that holds all of them; malloc'ed. */
char *overlays_root(const struct host *host);

/*
 * Reads the overlay_maps of config into overlays and adds each to the plan (PLAN_OVERLAY). Missing
 * sources are noted. One that overlaps another, or a place that cannot be an overlay, fails: left
 * out, it would leave the real directory writable where the project shows it. What an untrusted
 * project file says is skipped instead unless it stays in the project. Nothing is created.
 */
int overlays_add(struct overlays *overlays, struct plan *plan, const struct config *config,
                 const struct host *host, const char *project, struct notes *notes,
                 struct error *error);
void overlays_free(struct overlays *overlays);
