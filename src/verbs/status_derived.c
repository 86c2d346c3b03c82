// SPDX-License-Identifier: GPL-3.0-only
/*
 * status_derived: what a run would show of HOME although nobody named it. None of it is ever saved.
 */
#include "verbs/status_derived.h"

#include "backend/json_text.h"
#include "policy/toolchains.h"
#include "verbs/print.h"

static bool is_listed(const struct policy *policy, const struct plan_entry *entry)
{
    return toolchains_own(entry) ||
           (policy->mise.program && entry->source && str_eq(entry->origin, MISE_ORIGIN));
}

void status_derived_text(struct buf *out, const struct policy *policy)
{
    bool is_first = true;

    for (size_t i = 0; i < policy->plan.n; i++) {
        const struct plan_entry *entry = &policy->plan.v[i];
        bool is_moved = entry->source && !str_eq(entry->source, entry->dest);

        if (!is_listed(policy, entry))
            continue;
        if (is_first)
            print_line(out, "build tools");
        is_first = false;
        print_line(out, "  %-7s %s%s%s (%s)", plan_kind_name(entry->kind), entry->dest,
                   is_moved ? " from " : "", is_moved ? entry->source : "", entry->origin);
    }
    if (policy->mise.program)
        print_line(out, "  asked   %s env --json, inside", policy->mise.program);
}

json_t *status_derived_json(const struct policy *policy)
{
    json_t *array = json_array();

    for (size_t i = 0; i < policy->plan.n; i++) {
        const struct plan_entry *entry = &policy->plan.v[i];

        if (is_listed(policy, entry))
            json_array_append_new(array, json_pack("{s:o, s:o, s:b, s:b, s:s}", "dest",
                                                   json_text(entry->dest), "source",
                                                   json_text(entry->source), "writable",
                                                   entry->kind == PLAN_RW, "new",
                                                   (int)entry->is_new, "origin", entry->origin));
    }
    return array;
}
