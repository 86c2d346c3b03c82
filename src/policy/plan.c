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

const char *plan_kind_name(enum plan_kind kind)
{
    static const char *const names[PLAN_KIND_COUNT] = {
        [PLAN_TMPFS] = "tmpfs",
        [PLAN_DIR] = "dir",
        [PLAN_RO] = "ro",
        [PLAN_RW] = "rw",
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

/* True if b, which comes later and has the same destination, takes the place of a or a is weaker. */
static bool supersedes(const struct plan_entry *b, const struct plan_entry *a)
{
    return stage_of(a) == stage_of(b) &&
           plan_cover_strength(b->kind) >= plan_cover_strength(a->kind);
}

/* Keeps one of several entries of one stage with the same destination: the last, among covers the
 * last of the strongest. */
static void drop_duplicates(struct plan *plan)
{
    for (size_t i = 0; i < plan->n;) {
        bool superseded = false;

        for (size_t j = 0; j < plan->n && !superseded; j++)
            superseded = strcmp(plan->v[i].dest, plan->v[j].dest) == 0 && i != j &&
                         (j > i ? supersedes(&plan->v[j], &plan->v[i])
                                : stage_of(&plan->v[i]) == stage_of(&plan->v[j]) &&
                                      plan_cover_strength(plan->v[j].kind) >
                                          plan_cover_strength(plan->v[i].kind));
        if (superseded)
            drop(plan, i);
        else
            i++;
    }
}

/* ---- looking ---- */

/* The deepest of the first n entries at or above path that bubblewrap places; with covers, those of
 * the mounter too. The later one of equals. */
static const struct plan_entry *deepest(const struct plan *plan, size_t n, const char *path,
                                        bool with_covers)
{
    const struct plan_entry *best = NULL;
    size_t best_len = 0;

    for (size_t i = 0; i < n; i++) {
        const struct plan_entry *entry = &plan->v[i];
        size_t len = strlen(entry->dest);

        if (entry->kind == PLAN_REMOUNT_RO || (!with_covers && plan_is_cover(entry->kind)) ||
            !path_is_within(path, entry->dest))
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

/* True if a mask lies at or above path, among the first n entries. */
static bool is_masked(const struct plan *plan, size_t n, const char *path)
{
    for (size_t i = 0; i < n; i++)
        if (plan_hides(plan->v[i].kind) && path_is_within(path, plan->v[i].dest))
            return true;
    return false;
}

static char *path_behind(const struct plan_entry *entry, const char *path)
{
    const char *rest = path_rest(path, entry->dest);

    return rest[0] ? path_join(entry->source, rest) : xstrdup(entry->source);
}

struct plan_view plan_look(const struct plan *plan, const char *path)
{
    struct plan_view view = {.entry = deepest(plan, plan->n, path, true)};
    const struct plan_entry *shown = view.entry;

    /* A read-only cover shows what it covers. */
    if (shown && shown->kind == PLAN_COVER_RO && !is_masked(plan, plan->n, path))
        shown = deepest(plan, plan->n, path, false);
    if (shown && shown->source)
        view.host_path = path_behind(shown, path);
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

/* ---- covers everywhere ---- */

/* A map may show a second time what a cover hides: the cover is needed there too. */
static void cover_elsewhere(struct plan *plan, size_t index, size_t n)
{
    const struct plan_entry *below = deepest(plan, n, plan->v[index].dest, false);
    _cleanup_free_ char *hidden = below && below->source ? path_behind(below, plan->v[index].dest)
                                                         : xstrdup(plan->v[index].dest);

    for (size_t i = 0; i < n; i++) {
        const struct plan_entry *bind = &plan->v[i];
        struct plan_entry *more;
        _cleanup_free_ char *dest = NULL;

        if (!bind->source || !path_is_within(hidden, bind->source))
            continue;
        dest = path_join(bind->dest, path_rest(hidden, bind->source));
        if (str_eq(dest, plan->v[index].dest) || deepest(plan, n, dest, false) != bind)
            continue;
        more =
            plan_add(plan, plan->v[index].group, plan->v[index].kind, dest, plan->v[index].origin);
        more->optional = true;
        more->st = plan->v[index].st;
    }
}

static void repeat_covers(struct plan *plan)
{
    size_t n = plan->n;

    for (size_t i = 0; i < n; i++)
        if (plan_is_cover(plan->v[i].kind))
            cover_elsewhere(plan, i, n);
    if (plan->n == n)
        return;
    sort_entries(plan);
    drop_duplicates(plan);
}

/* ---- check ---- */

/* What becomes of an entry. */
struct verdict {
    bool is_dropped;
    const char *why; /* NULL: nobody needs to know */
};

static struct verdict drop_because(const char *why)
{
    return (struct verdict){.is_dropped = true, .why = why};
}

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

/* The host's own link of the same text shows through the bind below. */
static bool link_is_there(const struct fs *fs, const char *host_path,
                          const struct plan_entry *entry)
{
    char target[4096];

    return fs->readlink(fs->ctx, host_path, target, sizeof(target)) > 0 &&
           str_eq(target, entry->target);
}

/* The parent view is the bind below: the mount point must be there on the host. */
static struct verdict judge_on_bind(const struct fs *fs, const struct plan_entry *below,
                                    const struct plan_entry *entry)
{
    _cleanup_free_ char *host_path = path_behind(below, entry->dest);
    _cleanup_free_ char *canonical = NULL;
    struct fs_stat st;

    if (entry->kind == PLAN_SYMLINK)
        return drop_because(link_is_there(fs, host_path, entry)
                                ? NULL
                                : "a link cannot be made in a directory of the host");
    if (below->st.type != FS_DIR && !str_eq(below->dest, entry->dest))
        return drop_because("its parent is a file");
    if (fs_resolve(fs, host_path, &canonical, NULL, NULL) < 0 ||
        fs_stat(fs, host_path, false, &st) < 0)
        return drop_because("there is no mount point for it in a directory of the host");
    if (!str_eq(canonical, host_path))
        return drop_because("a link of the host stands in the way");
    if (!plan_is_cover(entry->kind) && wants_dir(entry) != (st.type == FS_DIR))
        return drop_because("the mount point is of another type");
    if (entry->kind == PLAN_DIR) /* it is there already, with the host's content */
        return drop_because(NULL);
    return (struct verdict){0};
}

/* A cover needs something to cover: an object of the host, of /proc, or an entry of the plan. */
static struct verdict judge_cover(const struct plan *plan, const struct fs *fs, size_t index)
{
    const struct plan_entry *entry = &plan->v[index];
    const struct plan_entry *below = deepest(plan, index, entry->dest, false);

    if (is_masked(plan, index, entry->dest))
        return drop_because(NULL);
    if (!below)
        return drop_because("the jail does not show it");
    if (below->kind == PLAN_RO || below->kind == PLAN_RW)
        return judge_on_bind(fs, below, entry);
    if (below->kind == PLAN_PROC ||
        (below->kind != PLAN_SYMLINK && str_eq(below->dest, entry->dest)))
        return (struct verdict){0};
    return drop_because(below->kind == PLAN_SYMLINK ? "a link stands in the way"
                                                    : "the jail does not show it");
}

static struct verdict judge_mount(const struct plan *plan, const struct fs *fs, size_t index)
{
    const struct plan_entry *entry = &plan->v[index];
    const struct plan_entry *below = deepest(plan, index, entry->dest, false);

    if (!below)
        return (struct verdict){0};
    switch (below->kind) {
    case PLAN_RO:
    case PLAN_RW:
        return judge_on_bind(fs, below, entry);
    case PLAN_PROC:
        return drop_because("nothing can be mounted in /proc");
    case PLAN_DATA:
        return drop_because("its parent is a file");
    case PLAN_SYMLINK:
        return drop_because("a link stands in the way");
    default:
        return (struct verdict){0};
    }
}

static struct verdict judge(const struct plan *plan, const struct fs *fs, size_t index)
{
    const struct plan_entry *entry = &plan->v[index];
    const struct plan_entry *there;

    if (plan_is_cover(entry->kind))
        return judge_cover(plan, fs, index);
    if (entry->kind != PLAN_REMOUNT_RO)
        return judge_mount(plan, fs, index);
    /* Somebody asked for a writable directory of the host at this very place. */
    there = deepest(plan, index, entry->dest, false);
    return there && there->kind == PLAN_RW && str_eq(there->dest, entry->dest)
               ? drop_because(NULL)
               : (struct verdict){0};
}

/* What a cover hides is looked at again when it is placed. */
static void examine_covered(struct plan *plan, const struct fs *fs, size_t index)
{
    struct plan_entry *entry = &plan->v[index];
    const struct plan_entry *below = deepest(plan, index, entry->dest, false);
    _cleanup_free_ char *host_path =
        below && below->source ? path_behind(below, entry->dest) : NULL;

    if (host_path)
        fs_stat(fs, host_path, false, &entry->st);
}

static void leave_out(struct plan *plan, size_t index, const char *why, struct notes *notes)
{
    const struct plan_entry *entry = &plan->v[index];

    if (why && !entry->optional)
        notes_add(notes, NOTE_WARNING, "%s (%s) is left out: %s", entry->dest, entry->origin, why);
    drop(plan, index);
}

static bool is_below_cover(const struct plan *plan, const char *path)
{
    for (size_t i = 0; i < plan->n; i++)
        if (plan_is_cover(plan->v[i].kind) && path_is_below(path, plan->v[i].dest))
            return true;
    return false;
}

/* A cover is placed last, alone: it hides every mount below it. */
static void drop_below_covers(struct plan *plan, struct notes *notes)
{
    for (size_t i = 0; i < plan->n;)
        if (stage_of(&plan->v[i]) == 0 && is_below_cover(plan, plan->v[i].dest))
            leave_out(plan, i, "it lies below a masked or protected directory", notes);
        else
            i++;
}

void plan_finish(struct plan *plan, const struct fs *fs, struct notes *notes)
{
    sort_entries(plan);
    drop_duplicates(plan);
    repeat_covers(plan);
    for (size_t i = 0; i < plan->n;) {
        struct plan_entry *entry = &plan->v[i];
        struct verdict verdict = judge(plan, fs, i);

        if (verdict.is_dropped) {
            leave_out(plan, i, verdict.why, notes);
            continue;
        }
        if (plan_is_cover(entry->kind) && entry->st.type == FS_NONE)
            examine_covered(plan, fs, i);
        i++;
    }
    drop_below_covers(plan, notes);
}
