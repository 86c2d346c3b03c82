// SPDX-License-Identifier: GPL-3.0-only
/*
 * plan_index: the entries of a plan by destination, for plan.c, plan_order.c and
 * plan_check.c.
 *
 * A look-up walks down the path once, so its cost does not grow with the plan. The index is kept
 * up to date by plan_add(); whoever moves entries calls plan_index_rebuild().
 */
#pragma once

#include "base/path_table.h"
#include "policy/plan.h"

/* Who places an entry, and in which order. Requests are covers by_host: plan_finish() puts covers in
 * their place. */
enum plan_stage { STAGE_MOUNT, STAGE_REMOUNT, STAGE_COVER, STAGE_REQUEST, STAGE_COUNT };

static inline enum plan_stage plan_stage(const struct plan_entry *entry)
{
    if (entry->by_host)
        return STAGE_REQUEST;
    if (plan_is_cover(entry->kind))
        return STAGE_COVER;
    return entry->kind == PLAN_REMOUNT_RO ? STAGE_REMOUNT : STAGE_MOUNT;
}

struct plan_index {
    /* Number of the entry that wins its destination: of the latest group, among covers the
     * strongest, otherwise the one that was added last. */
    struct path_table stages[STAGE_COUNT];
};

void plan_index_add(struct plan *plan, size_t number);
void plan_index_rebuild(struct plan *plan);
void plan_index_free(struct plan *plan);
/* True if the entry is the winner at its destination. */
bool plan_index_wins(const struct plan *plan, size_t number);
/* The entry is not found any more. */
void plan_index_forget(struct plan *plan, size_t number);

/* Sorts n entries, which are in the plan or were taken out of it, for the stages, groups and depths in
 * which they are placed. For mounts the index must be right; it is not afterwards. */
void plan_sort(const struct plan *plan, struct plan_entry *v, size_t n);

/* What lies at or above a path. */
struct plan_hits {
    const struct plan_entry *mount; /* deepest of bubblewrap's, NULL: none */
    const struct plan_entry *cover; /* deepest cover or request, NULL: none */
    bool is_hidden;                 /* by some cover at or above */
    bool is_hidden_above;           /* by some cover above; not told if strictly */
    unsigned group;                 /* latest of the mounts */
};

/* strictly: above the path only, not at it. */
struct plan_hits plan_find(const struct plan *plan, const char *path, bool strictly);

/* Frees what an entry owns. */
void plan_entry_free(struct plan_entry *entry);

/* The host path that a bind shows at path (within its destination). malloc'ed. */
char *plan_path_behind(const struct plan_entry *entry, const char *path);
