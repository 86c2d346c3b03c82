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
    char *path;    /* canonical directory: source and destination */
    char *storage; /* directory that holds upper, work, source and lock; need not exist yet */
    char *origin;
    struct fs_stat st; /* of path as it was examined */
};

struct overlays {
    struct overlay *v;
    size_t n;
};

/* Where the changes of an overlay of path in project are kept; malloc'ed. */
char *overlays_storage(const struct host *host, const char *project, const char *path);
/*
 * Reads the overlay_maps of config into overlays and adds each to the plan (PLAN_OVERLAY). Missing
 * sources are noted; one that overlaps another, or a place that cannot be an overlay, fails. Nothing
 * is created.
 */
int overlays_add(struct overlays *overlays, struct plan *plan, const struct config *config,
                 const struct host *host, const char *project, struct notes *notes,
                 struct error *error);
void overlays_free(struct overlays *overlays);
