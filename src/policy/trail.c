// SPDX-License-Identifier: GPL-3.0-only
/*
 * trail: the way to a file, link by link.
 *
 * The links are collected first and added only when the caller has decided that the file at the end
 * may be shown.
 */
#include "policy/trail.h"

#include "base/path.h"

#include <stdlib.h>
#include <string.h>

bool trail_is_untrusted(const struct plan *plan, const char *path)
{
    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_entry *entry = &plan->v[i];

        if ((entry->kind == PLAN_RW || entry->kind == PLAN_OVERLAY ||
             entry->group == GROUP_PROJECT) &&
            entry->source && path_is_within(path, entry->source))
            return true;
    }
    return false;
}

struct walk {
    struct trail *trail;
    const struct plan *plan;
};

static void add_hop(void *arg, const char *link, const char *target)
{
    struct walk *walk = arg;

    strv_push(&walk->trail->links, link);
    strv_push(&walk->trail->targets, target);
    if (trail_is_untrusted(walk->plan, link))
        walk->trail->is_untrusted = true;
}

int trail_walk(struct trail *trail, const struct fs *fs, const struct plan *plan, const char *path)
{
    struct walk walk = {trail, plan};

    *trail = (struct trail){0};
    return fs_resolve(fs, path, &trail->canonical, add_hop, &walk);
}

void trail_free(struct trail *trail)
{
    free(trail->canonical);
    strv_free(&trail->links);
    strv_free(&trail->targets);
    *trail = (struct trail){0};
}

/* A link can be made where the deepest entry is memory of the jail; behind a bind it is either
 * there already or hidden by something that the user wanted there. */
static bool can_hold_link(const struct plan *plan, const char *link)
{
    struct plan_view view = plan_look(plan, link);

    free(view.host_path);
    if (!view.entry)
        return true;
    switch (view.entry->kind) {
    case PLAN_TMPFS:
    case PLAN_DIR:
        return strcmp(view.entry->dest, link) != 0;
    default:
        return false;
    }
}

void trail_add_links(const struct trail *trail, struct plan *plan, enum plan_group group,
                     const char *origin)
{
    for (size_t i = 0; i < trail->links.n; i++) {
        const char *link = trail->links.v[i];
        struct plan_entry *entry;

        if (!can_hold_link(plan, link))
            continue;
        entry = plan_add(plan, group, PLAN_SYMLINK, link, origin);
        entry->target = xstrdup(trail->targets.v[i]);
        entry->optional = true; /* a bind added later may show it anyway */
    }
}
