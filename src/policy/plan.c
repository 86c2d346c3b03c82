// SPDX-License-Identifier: GPL-3.0-only
/*
 * plan: the ordered list of mounts.
 *
 * Adding only collects. plan_finish() makes the order: an entry is never placed before one whose
 * destination is an ancestor of its own, and otherwise the groups follow one another. That is done
 * by giving each entry the highest group among itself and its ancestors as sort key. Then the view
 * is walked as bubblewrap and the mounter will build it; an entry whose mount point is not there is
 * dropped, because bubblewrap would make one on the host.
 *
 * Looking (plan_look, plan_shows) is a linear search for the deepest entry at or above a path.
 */
#include "policy/plan.h"

#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void entry_free(struct plan_entry *entry)
{
    free(entry->dest);
    free(entry->source);
    free(entry->target);
    free(entry->data);
    free(entry->origin);
}

void plan_free(struct plan *plan)
{
    for (size_t i = 0; i < plan->n; i++)
        entry_free(&plan->v[i]);
    free(plan->v);
    *plan = (struct plan){0};
}

struct plan_entry *plan_add(struct plan *plan, enum plan_group group, enum plan_kind kind,
                            const char *dest, const char *origin)
{
    struct plan_entry *entry;

    if (plan->n == plan->cap) {
        plan->cap = plan->cap ? plan->cap * 2 : 64;
        plan->v = xrealloc(plan->v, plan->cap, sizeof(*plan->v));
    }
    entry = &plan->v[plan->n++];
    *entry = (struct plan_entry){
        .group = group,
        .kind = kind,
        .dest = path_clean(dest),
        .origin = xstrdup(origin),
    };
    return entry;
}

struct plan_entry *plan_add_bind(struct plan *plan, const struct fs *fs, enum plan_group group,
                                 enum plan_kind kind, const char *source, const char *dest,
                                 const char *origin)
{
    struct plan_entry *entry;
    struct fs_stat st;

    assert(kind == PLAN_RO || kind == PLAN_RW);
    if (fs_stat(fs, source, false, &st) < 0 || st.type == FS_LINK)
        return NULL;
    entry = plan_add(plan, group, kind, dest, origin);
    entry->source = xstrdup(source);
    entry->st = st;
    return entry;
}

/* ---- order ---- */

struct sort_key {
    struct plan_entry entry;
    unsigned stage; /* 0 placed by bubblewrap, 1 remounts, 2 covers */
    unsigned group; /* highest group among the entry and its ancestors */
    size_t depth;
    size_t index;
};

static unsigned stage_of(const struct plan_entry *entry)
{
    return plan_is_cover(entry->kind) ? 2 : entry->kind == PLAN_REMOUNT_RO ? 1 : 0;
}

static int compare_keys(const void *left, const void *right)
{
    const struct sort_key *a = left;
    const struct sort_key *b = right;

    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    if (a->stage == 1) /* "/dev" is remounted before "/" */
        return a->depth > b->depth ? -1 : a->depth < b->depth;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    if (a->entry.group != b->entry.group)
        return a->entry.group < b->entry.group ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static unsigned effective_group(const struct plan *plan, const struct plan_entry *entry)
{
    unsigned group = entry->group;

    if (plan_is_cover(entry->kind))
        return 0; /* by depth only */
    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_entry *other = &plan->v[i];

        if (stage_of(other) == 0 && other->group > group && path_is_below(entry->dest, other->dest))
            group = other->group;
    }
    return group;
}

static void sort_entries(struct plan *plan)
{
    struct sort_key *keys = xcalloc(plan->n, sizeof(*keys));

    for (size_t i = 0; i < plan->n; i++)
        keys[i] = (struct sort_key){
            .entry = plan->v[i],
            .stage = stage_of(&plan->v[i]),
            .group = effective_group(plan, &plan->v[i]),
            .depth = path_depth(plan->v[i].dest),
            .index = i,
        };
    qsort(keys, plan->n, sizeof(*keys), compare_keys);
    for (size_t i = 0; i < plan->n; i++)
        plan->v[i] = keys[i].entry;
    free(keys);
}

static void drop(struct plan *plan, size_t index)
{
    entry_free(&plan->v[index]);
    memmove(plan->v + index, plan->v + index + 1, (plan->n - index - 1) * sizeof(*plan->v));
    plan->n--;
}

/* Keeps the last of several entries of one stage with the same destination. */
static void drop_duplicates(struct plan *plan)
{
    for (size_t i = 0; i < plan->n;) {
        bool superseded = false;

        for (size_t j = i + 1; j < plan->n && !superseded; j++)
            superseded = stage_of(&plan->v[i]) == stage_of(&plan->v[j]) &&
                         strcmp(plan->v[i].dest, plan->v[j].dest) == 0;
        if (superseded)
            drop(plan, i);
        else
            i++;
    }
}

/* ---- looking ---- */

/* The deepest of the first n entries at or above path; the later one of equals. */
static const struct plan_entry *deepest(const struct plan *plan, size_t n, const char *path)
{
    const struct plan_entry *best = NULL;
    size_t best_len = 0;

    for (size_t i = 0; i < n; i++) {
        const struct plan_entry *entry = &plan->v[i];
        size_t len = strlen(entry->dest);

        if (entry->kind == PLAN_REMOUNT_RO || !path_is_within(path, entry->dest))
            continue;
        if (!best || len > best_len ||
            (len == best_len &&
             (stage_of(entry) > stage_of(best) ||
              (stage_of(entry) == stage_of(best) && entry->group >= best->group)))) {
            best = entry;
            best_len = len;
        }
    }
    return best;
}

static char *path_behind(const struct plan_entry *entry, const char *path)
{
    const char *rest = path_rest(path, entry->dest);

    return rest[0] ? path_join(entry->source, rest) : xstrdup(entry->source);
}

struct plan_view plan_look(const struct plan *plan, const char *path)
{
    struct plan_view view = {.entry = deepest(plan, plan->n, path)};

    if (view.entry && view.entry->source)
        view.host_path = path_behind(view.entry, path);
    return view;
}

struct shows {
    const struct plan *plan;
    bool all_links;
};

static void check_link(void *arg, const char *link, const char *target)
{
    struct shows *shows = arg;
    struct plan_view view = plan_look(shows->plan, link);
    _cleanup_free_ char *host_path = view.host_path;
    bool same_bind = view.host_path && str_eq(view.host_path, link);
    bool same_link = view.entry && view.entry->kind == PLAN_SYMLINK &&
                     str_eq(view.entry->dest, link) && str_eq(view.entry->target, target);

    if (!same_bind && !same_link)
        shows->all_links = false;
}

bool plan_shows(const struct plan *plan, const struct fs *fs, const char *path)
{
    struct shows shows = {.plan = plan, .all_links = true};
    _cleanup_free_ char *canonical = NULL;
    struct plan_view view;
    bool same;

    if (fs_resolve(fs, path, &canonical, check_link, &shows) < 0 || !shows.all_links)
        return false;
    view = plan_look(plan, canonical);
    same = view.host_path && str_eq(view.host_path, canonical);
    free(view.host_path);
    return same;
}

/* ---- check ---- */

static bool wants_dir(const struct plan_entry *entry)
{
    switch (entry->kind) {
    case PLAN_RO:
    case PLAN_RW:
        return entry->st.type == FS_DIR;
    case PLAN_DATA:
    case PLAN_SYMLINK:
        return false;
    default:
        return true;
    }
}

/* NULL if the mount point of entry is there or can be made in the jail; otherwise why not. The
 * parent view is the bind below. */
static const char *bind_point_problem(const struct fs *fs, const struct plan_entry *below,
                                      const struct plan_entry *entry)
{
    _cleanup_free_ char *host_path = path_behind(below, entry->dest);
    _cleanup_free_ char *canonical = NULL;
    struct fs_stat st;

    if (entry->kind == PLAN_SYMLINK)
        return "a link cannot be made in a directory of the host";
    if (below->st.type != FS_DIR)
        return "its parent is a file";
    if (fs_resolve(fs, host_path, &canonical, NULL, NULL) < 0 ||
        fs_stat(fs, host_path, false, &st) < 0)
        return "there is no mount point for it in a directory of the host";
    if (!str_eq(canonical, host_path))
        return "a link of the host stands in the way";
    if (!plan_is_cover(entry->kind) && wants_dir(entry) != (st.type == FS_DIR))
        return "the mount point is of another type";
    return NULL;
}

static const char *point_problem(const struct plan *plan, const struct fs *fs, size_t index)
{
    const struct plan_entry *entry = &plan->v[index];
    const struct plan_entry *below = deepest(plan, index, entry->dest);

    if (!below)
        return plan_is_cover(entry->kind) ? "the jail does not show it" : NULL;
    switch (below->kind) {
    case PLAN_RO:
    case PLAN_RW:
        return bind_point_problem(fs, below, entry);
    case PLAN_TMPFS:
    case PLAN_DIR:
    case PLAN_DEV:
        if (plan_is_cover(entry->kind))
            return str_eq(below->dest, entry->dest) ? NULL : "the jail does not show it";
        return NULL;
    case PLAN_PROC:
        return plan_is_cover(entry->kind) ? NULL : "nothing can be mounted in /proc";
    case PLAN_DATA:
        return plan_is_cover(entry->kind) && str_eq(below->dest, entry->dest)
                   ? NULL
                   : "its parent is a file";
    case PLAN_COVER_EMPTY:
        return "it lies below a masked directory";
    case PLAN_COVER_RO:
        return NULL;
    default:
        return "a link stands in the way";
    }
}

void plan_finish(struct plan *plan, const struct fs *fs, struct notes *notes)
{
    sort_entries(plan);
    drop_duplicates(plan);
    for (size_t i = 0; i < plan->n;) {
        struct plan_entry *entry = &plan->v[i];
        const char *problem = entry->kind == PLAN_REMOUNT_RO ? NULL : point_problem(plan, fs, i);

        if (!problem) {
            /* What a cover hides is looked at again when it is placed. */
            if (plan_is_cover(entry->kind) && entry->st.type == FS_NONE) {
                struct plan_view view = {.entry = deepest(plan, i, entry->dest)};
                _cleanup_free_ char *host_path =
                    view.entry && view.entry->source ? path_behind(view.entry, entry->dest) : NULL;

                if (host_path)
                    fs_stat(fs, host_path, false, &entry->st);
            }
            i++;
            continue;
        }
        if (!entry->optional)
            notes_add(notes, NOTE_WARNING, "%s (%s) is left out: %s", entry->dest, entry->origin,
                      problem);
        drop(plan, i);
    }
}
