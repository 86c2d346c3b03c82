// SPDX-License-Identifier: GPL-3.0-only
/*
 * masks_walk: what the two halves of mask_rules_walk() share: literals and links (masks_place.c) and
 * the walk over directories (masks_walk.c).
 */
#pragma once

#include "policy/masks_rules.h"

/* Names for one note: the first few, and how many there were. */
struct mask_list {
    struct strv names;
    size_t n;
};

/* To be covered. */
struct mask_found {
    char *path;
    enum plan_kind kind;
    const char *origin;
    struct fs_stat st;
    bool is_needed; /* say so if it cannot be placed */
};

struct mask_walk {
    struct mask_rules *rules;
    const struct host *host;
    struct notes *notes;
    struct mask_found *found;
    size_t found_count;
    size_t found_cap;
    struct mask_list hard_links;
    struct mask_list unreadable;
    struct mask_list absent;
};

/* Who asks for a cover. */
struct mask_wish {
    enum plan_kind kind;
    const char *origin; /* lives as long as the rules */
    bool is_own;
};

void mask_list_add(struct mask_list *list, const char *name);

/* Covers what is at path (absolute, as spelled), over links, and arms every name on the way. */
void mask_place(struct mask_walk *walk, const struct mask_wish *wish, const char *path);
/* The same for a canonical path that a glob has found and that is no link. */
void mask_place_found(struct mask_walk *walk, const struct mask_wish *wish, const char *path,
                      const struct fs_stat *st);
/* path is a link that a glob has found. */
void mask_place_link(struct mask_walk *walk, const struct mask_wish *wish, const char *path);
/* Watches a directory of the host. */
void mask_watch(struct mask_rules *rules, const char *dir);
/* The deepest directory at or above path, canonical; malloc'ed. */
char *mask_deepest_dir(const struct fs *fs, const char *path);
