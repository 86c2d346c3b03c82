// SPDX-License-Identifier: GPL-3.0-only
/*
 * status_state: what of an agent's state a run would show.
 */
#include "verbs/status_state.h"

#include "backend/json_text.h"
#include "verbs/print.h"

#include <string.h>

static bool is_state(const struct plan_entry *entry)
{
    return plan_is_bind(entry->kind) && str_starts(entry->origin, AGENTS_ORIGIN);
}

static size_t count(const struct policy *policy)
{
    size_t n = policy->in_step.n;

    for (size_t i = 0; i < policy->plan.n; i++)
        n += is_state(&policy->plan.v[i]);
    return n;
}

void status_state_text(struct buf *out, const struct policy *policy)
{
    if (!policy->agent)
        return;
    print_line(out, "agent state");
    print_line(out, "  %s: %s", agents_name(policy->agent),
               count(policy) ? "whatever runs in the jail can read and change all of it"
                             : "nothing is shown");
    for (size_t i = 0; i < policy->plan.n; i++) {
        const struct plan_entry *entry = &policy->plan.v[i];
        bool is_moved = entry->source && !str_eq(entry->source, entry->dest);

        if (is_state(entry))
            print_line(out, "  %-7s %s%s%s%s", plan_kind_name(entry->kind), entry->dest,
                       is_moved ? " from " : "", is_moved ? entry->source : "",
                       entry->is_new ? " (will be made)" : "");
    }
    for (size_t i = 0; i < policy->in_step.n; i++)
        print_line(out, "  in step %s", policy->in_step.v[i].host);
}

json_t *status_state_json(const struct policy *policy)
{
    json_t *shown, *in_step;

    if (!policy->agent)
        return json_null();
    shown = json_array();
    in_step = json_array();
    for (size_t i = 0; i < policy->plan.n; i++) {
        const struct plan_entry *entry = &policy->plan.v[i];

        if (is_state(entry))
            json_array_append_new(shown,
                                  json_pack("{s:o, s:o, s:b, s:b}", "path", json_text(entry->dest),
                                            "source", json_text(entry->source), "writable",
                                            entry->kind == PLAN_RW, "new", (int)entry->is_new));
    }
    for (size_t i = 0; i < policy->in_step.n; i++)
        json_array_append_new(in_step, json_text(policy->in_step.v[i].host));
    return json_pack("{s:s, s:o, s:o}", "agent", agents_name(policy->agent), "shown", shown,
                     "in_step", in_step);
}
