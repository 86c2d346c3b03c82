// SPDX-License-Identifier: GPL-3.0-only
/*
 * plan_index: one table per stage, from a destination to its winner.
 */
#include "policy/plan_index.h"

#include "base/path.h"

#include <stdlib.h>

/* True if the later one of two entries of one stage and destination takes the place of the other. */
static bool beats(const struct plan_entry *later, const struct plan_entry *earlier)
{
    unsigned strength = plan_cover_strength(later->kind);

    if (strength != plan_cover_strength(earlier->kind))
        return strength > plan_cover_strength(earlier->kind);
    return later->group >= earlier->group;
}

void plan_index_add(struct plan *plan, size_t number)
{
    const struct plan_entry *entry = &plan->v[number];
    uint32_t *winner;

    if (!plan->index)
        plan->index = xcalloc(1, sizeof(*plan->index));
    winner = path_table_put(&plan->index->stages[plan_stage(entry)], entry->dest);
    if (*winner == PATH_TABLE_NONE || beats(entry, &plan->v[*winner]))
        *winner = (uint32_t)number;
}

void plan_index_rebuild(struct plan *plan)
{
    if (plan->index)
        for (size_t i = 0; i < STAGE_COUNT; i++)
            path_table_clear(&plan->index->stages[i]);
    for (size_t i = 0; i < plan->n; i++)
        plan_index_add(plan, i);
}

void plan_index_free(struct plan *plan)
{
    if (plan->index)
        for (size_t i = 0; i < STAGE_COUNT; i++)
            path_table_free(&plan->index->stages[i]);
    free(plan->index);
    plan->index = NULL;
}

bool plan_index_wins(const struct plan *plan, size_t number)
{
    const struct plan_entry *entry = &plan->v[number];

    return path_table_get(&plan->index->stages[plan_stage(entry)], entry->dest) == number;
}

void plan_index_forget(struct plan *plan, size_t number)
{
    const struct plan_entry *entry = &plan->v[number];
    uint32_t *winner = path_table_put(&plan->index->stages[plan_stage(entry)], entry->dest);

    if (*winner == number)
        *winner = PATH_TABLE_NONE;
}

static void note_hit(struct plan_hits *hits, const struct plan *plan, enum plan_stage stage,
                     const struct path_prefix *prefix)
{
    uint32_t number = path_table_get_prefix(&plan->index->stages[stage], prefix);
    const struct plan_entry *entry;

    if (number == PATH_TABLE_NONE)
        return;
    entry = &plan->v[number];
    if (stage == STAGE_MOUNT) {
        hits->mount = entry;
        hits->group = entry->group > hits->group ? entry->group : hits->group;
    } else {
        hits->cover = entry;
        hits->is_hidden = hits->is_hidden || plan_hides(entry->kind);
    }
}

struct plan_hits plan_find(const struct plan *plan, const char *path, bool strictly)
{
    struct path_prefix prefix = {.path = path};
    struct plan_hits hits = {0};

    if (!plan->index)
        return hits;
    while (path_prefix_next(&prefix)) {
        if (strictly && path_prefix_is_whole(&prefix))
            break;
        hits.is_hidden_above = hits.is_hidden;
        note_hit(&hits, plan, STAGE_MOUNT, &prefix);
        note_hit(&hits, plan, STAGE_REQUEST, &prefix);
        note_hit(&hits, plan, STAGE_COVER, &prefix);
    }
    return hits;
}

char *plan_path_behind(const struct plan_entry *entry, const char *path)
{
    const char *rest = path_rest(path, entry->dest);

    return rest[0] ? path_join(entry->source, rest) : xstrdup(entry->source);
}
