// SPDX-License-Identifier: GPL-3.0-only
/*
 * plan: the ordered list of mounts. Adding and looking; plan_finish() is in plan_check.c.
 *
 * Adding collects and keeps the index. Looking (plan_look, plan_shows) is a walk down a path that
 * remembers the deepest entry met.
 */
#include "policy/plan.h"

#include "base/path.h"
#include "policy/plan_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *plan_kind_name(enum plan_kind kind)
{
    static const char *const names[PLAN_KIND_COUNT] = {
        [PLAN_TMPFS] = "tmpfs",
        [PLAN_DIR] = "dir",
        [PLAN_RO] = "ro",
        [PLAN_OVERLAY] = "overlay",
        [PLAN_RW] = "rw",
        [PLAN_DEVICE] = "device",
        [PLAN_SYMLINK] = "symlink",
        [PLAN_DATA] = "data",
        [PLAN_PROC] = "proc",
        [PLAN_DEV] = "dev",
        [PLAN_REMOUNT_RO] = "remount-ro",
        [PLAN_COVER_EMPTY] = "mask",
        [PLAN_COVER_DENY] = "deny",
        [PLAN_COVER_RO] = "protect",
    };

    return names[kind];
}

void plan_entry_free(struct plan_entry *entry)
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
        plan_entry_free(&plan->v[i]);
    free(plan->v);
    plan_index_free(plan);
    *plan = (struct plan){0};
}

static struct plan_entry *append(struct plan *plan, struct plan_entry add)
{
    struct plan_entry *entry;

    if (plan->n == plan->cap) {
        plan->cap = plan->cap ? plan->cap * 2 : 64;
        plan->v = xrealloc(plan->v, plan->cap, sizeof(*plan->v));
    }
    entry = &plan->v[plan->n++];
    *entry = add;
    plan_index_add(plan, plan->n - 1);
    return entry;
}

struct plan_entry *plan_add(struct plan *plan, enum plan_group group, enum plan_kind kind,
                            const char *dest, const char *origin)
{
    return append(plan, (struct plan_entry){
                            .group = group,
                            .kind = kind,
                            .dest = path_clean(dest),
                            .origin = xstrdup(origin),
                        });
}

struct plan_entry *plan_add_host_cover(struct plan *plan, enum plan_group group,
                                       enum plan_kind kind, const char *host_path,
                                       const char *origin)
{
    assert(plan_is_cover(kind));
    return append(plan, (struct plan_entry){
                            .group = group,
                            .kind = kind,
                            .dest = path_clean(host_path),
                            .origin = xstrdup(origin),
                            .optional = true,
                            .by_host = true,
                        });
}

struct plan_entry *plan_add_bind(struct plan *plan, const struct fs *fs, enum plan_group group,
                                 enum plan_kind kind, const char *source, const char *dest,
                                 const char *origin)
{
    struct plan_entry *entry;
    struct fs_stat st;

    assert(plan_is_bind(kind));
    if (fs_stat(fs, source, false, &st) < 0 || st.type == FS_LINK)
        return NULL;
    entry = plan_add(plan, group, kind, dest, origin);
    entry->source = xstrdup(source);
    entry->st = st;
    return entry;
}

struct plan_entry *plan_add_new_dir(struct plan *plan, const struct fs *fs, enum plan_group group,
                                    enum plan_kind kind, const char *source, const char *dest,
                                    const char *origin)
{
    struct plan_entry *entry;
    struct fs_stat st;
    int r = fs_stat(fs, source, false, &st);

    if (r == 0)
        return st.type == FS_DIR ? plan_add_bind(plan, fs, group, kind, source, dest, origin)
                                 : NULL;
    if (r != -ENOENT)
        return NULL;
    entry = plan_add(plan, group, kind, dest, origin);
    entry->source = xstrdup(source);
    entry->is_new = true;
    entry->st.type = FS_DIR;
    return entry;
}

void plan_remove_if(struct plan *plan,
                    bool (*is_unwanted)(void *arg, const struct plan_entry *entry), void *arg)
{
    size_t kept = 0;

    for (size_t i = 0; i < plan->n; i++)
        if (is_unwanted(arg, &plan->v[i]))
            plan_entry_free(&plan->v[i]);
        else
            plan->v[kept++] = plan->v[i];
    plan->n = kept;
    plan_index_rebuild(plan);
}

/* ---- looking ---- */

struct plan_view plan_look(const struct plan *plan, const char *path)
{
    struct plan_hits hits = plan_find(plan, path, false);
    bool cover_decides =
        hits.cover && (!hits.mount || strlen(hits.cover->dest) >= strlen(hits.mount->dest));
    struct plan_view view = {.entry = cover_decides ? hits.cover : hits.mount};
    const struct plan_entry *shown = view.entry;

    /* A read-only cover shows what it covers. */
    if (shown && shown->kind == PLAN_COVER_RO && !hits.is_hidden)
        shown = hits.mount;
    if (shown && shown->source)
        view.host_path = plan_path_behind(shown, path);
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
    bool same_bind = host_path && str_eq(host_path, link);
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

void plan_each_view(const struct plan *plan, const char *host_path,
                    void (*each)(void *arg, const char *dest), void *arg)
{
    /* Covers stand behind everything else. */
    for (size_t i = 0; i < plan->n && !plan_is_cover(plan->v[i].kind); i++) {
        const struct plan_entry *bind = &plan->v[i];
        _cleanup_free_ char *dest = NULL;

        if (!bind->source || !path_is_within(host_path, bind->source))
            continue;
        dest = path_join(bind->dest, path_rest(host_path, bind->source));
        if (plan_find(plan, dest, false).mount == bind && !plan_find(plan, dest, true).is_hidden)
            each(arg, dest);
    }
}
