// SPDX-License-Identifier: GPL-3.0-only
/*
 * plan_order: in which order the entries of a plan are placed.
 *
 * An entry is never placed before one whose destination is an ancestor of its own, and otherwise the
 * groups follow one another. That is done by giving each entry the highest group among itself and its
 * ancestors as sort key. Covers are ordered by depth alone. The keys are sorted, not the entries,
 * which are large.
 */
#include "base/path.h"
#include "policy/plan_index.h"

#include <stdlib.h>
#include <string.h>

struct sort_key {
    enum plan_stage stage;
    unsigned group; /* highest group among the entry and its ancestors */
    size_t depth;
    enum plan_group own_group;
    uint32_t number;
};

static int compare_keys(const void *left, const void *right)
{
    const struct sort_key *a = left;
    const struct sort_key *b = right;

    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    if (a->stage == STAGE_REMOUNT && a->depth != b->depth) /* "/dev" is remounted before "/" */
        return a->depth > b->depth ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    if (a->own_group != b->own_group)
        return a->own_group < b->own_group ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static unsigned effective_group(const struct plan *plan, const struct plan_entry *entry)
{
    unsigned above;

    if (plan_is_cover(entry->kind))
        return 0; /* by depth only */
    above = plan_find(plan, entry->dest, true).group;
    return above > entry->group ? above : entry->group;
}

void plan_sort(const struct plan *plan, struct plan_entry *v, size_t n)
{
    _cleanup_free_ struct sort_key *keys = xcalloc(n + 1, sizeof(*keys));
    _cleanup_free_ struct plan_entry *sorted = xcalloc(n + 1, sizeof(*sorted));

    for (size_t i = 0; i < n; i++)
        keys[i] = (struct sort_key){
            .stage = plan_stage(&v[i]),
            .group = effective_group(plan, &v[i]),
            .depth = path_depth(v[i].dest),
            .own_group = v[i].group,
            .number = (uint32_t)i,
        };
    qsort(keys, n, sizeof(*keys), compare_keys);
    for (size_t i = 0; i < n; i++)
        sorted[i] = v[keys[i].number];
    if (n)
        memcpy(v, sorted, n * sizeof(*v));
}
