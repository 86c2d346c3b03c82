// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay: what --overlay-list shows.
 */
#pragma once

#include "backend/overlay_changes.h"
#include "base/buf.h"

/* One overlay of the project. */
struct overlay_listed {
    const char *path;
    const char *storage;
    long holder;   /* pid of the run that uses it, 0: none, -1: unknown */
    bool is_there; /* the real directory */
    struct overlay_changes changes;
};

/* Text and JSON of all of them, malloc'ed, for stdout. The changes are sorted as they are shown:
 * refused and deleted ones and permissions first. */
char *overlay_list_text(struct overlay_listed *listed, size_t n);
char *overlay_list_json(const char *project, struct overlay_listed *listed, size_t n);
