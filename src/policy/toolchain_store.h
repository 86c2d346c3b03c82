// SPDX-License-Identifier: GPL-3.0-only
/*
 * toolchain_store: where the jail's own caches are, and whether that place can be trusted.
 *
 * $XDG_DATA_HOME/ai-jail/cache. Jails write only what lies in its parts, never the store itself; so a
 * link in it, another owner, or a mode that lets others write means that somebody else was there, and
 * nothing of it is used. Planning only looks: the directories are made before the launch.
 */
#pragma once

#include "host.h"

struct toolchain_store {
    const struct host *host;
    char *path;    /* canonical, or as it will be made */
    char *trouble; /* NULL: can be used; else why not, told once */
    bool is_told;
};

void toolchain_store_init(struct toolchain_store *store, const struct host *host,
                          const char *project);
void toolchain_store_free(struct toolchain_store *store);
/* Canonical path of a part ("cargo/registry"), there or not; NULL with a note if it must not be
 * used. malloc'ed. */
char *toolchain_store_part(struct toolchain_store *store, const char *name, struct notes *notes);
