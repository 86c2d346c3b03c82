// SPDX-License-Identifier: GPL-3.0-only
/*
 * plan_check: plan_finish(), in four steps.
 *
 *  1. Winners: of the entries with one destination one stays.
 *  2. Order: plan_sort(). Covers come last, by depth.
 *  3. Mounts: the view is walked as bubblewrap will build it; an entry whose mount point is not
 *     there is dropped, because bubblewrap would make one on the host. Everything above an entry
 *     comes before it, so the index, from which dropped entries are taken out, is the view built
 *     so far.
 *  4. Covers: they were taken out before step 3, and are put in where they are needed: what a bind
 *     shows a second time is covered there too, and each cover needs something to cover. A cover hides
 *     the mounts below it, so they are dropped; that changes what is shown below a read-only cover, so
 *     the covers are then decided again, from what was asked for.
 */
#include "base/path.h"
#include "policy/plan_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- winners ---- */

/* Drops the entries that are marked; false if none is. Where they move the index is out of date. */
static bool sweep(struct plan *plan, const bool *is_dropped)
{
    size_t n = plan->n;
    size_t kept = 0;

    while (kept < n && !is_dropped[kept])
        kept++;
    for (size_t i = kept; i < n; i++)
        if (is_dropped[i])
            plan_entry_free(&plan->v[i]);
        else
            plan->v[kept++] = plan->v[i];
    plan->n = kept;
    return kept < n;
}

/* The index is out of date afterwards. */
static void keep_winners(struct plan *plan)
{
    _cleanup_free_ bool *is_dropped = xcalloc(plan->n + 1, sizeof(*is_dropped));

    for (size_t i = 0; i < plan->n; i++)
        is_dropped[i] = !plan_index_wins(plan, i);
    sweep(plan, is_dropped);
}

/* ---- covers everywhere ---- */

/* The binds by source: a chain for each. */
struct sources {
    struct path_table heads; /* first bind of the chain */
    uint32_t *next;          /* of each bind, PATH_TABLE_NONE: the last */
};

static void collect_sources(struct sources *sources, const struct plan *plan)
{
    sources->next = xcalloc(plan->n + 1, sizeof(*sources->next));
    for (size_t i = 0; i < plan->n; i++) {
        uint32_t *head;

        if (!plan->v[i].source)
            continue;
        head = path_table_put(&sources->heads, plan->v[i].source);
        sources->next[i] = *head;
        *head = (uint32_t)i;
    }
}

static void sources_free(struct sources *sources)
{
    path_table_free(&sources->heads);
    free(sources->next);
}

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t *a = left;
    const uint32_t *b = right;

    return *a < *b ? -1 : *a > *b;
}

/* The binds that show a host path, in the order of the plan; malloc'ed, their number in *n. */
static uint32_t *binds_of(const struct sources *sources, const char *host_path, size_t *n)
{
    struct path_prefix prefix = {.path = host_path};
    uint32_t *binds = NULL;
    size_t cap = 0;

    *n = 0;
    while (path_prefix_next(&prefix)) {
        uint32_t at = path_table_get_prefix(&sources->heads, &prefix);

        for (; at != PATH_TABLE_NONE; at = sources->next[at]) {
            if (*n == cap) {
                cap = cap ? cap * 2 : 8;
                binds = xrealloc(binds, cap, sizeof(*binds));
            }
            binds[(*n)++] = at;
        }
    }
    if (*n > 1)
        qsort(binds, *n, sizeof(*binds), compare_numbers);
    return binds;
}

/* The covers and requests of a plan, taken out of it: what was asked for. */
struct asked {
    struct plan_entry *v;
    size_t n;
};

static void take_covers(struct asked *asked, struct plan *plan)
{
    size_t kept = 0;

    asked->v = xcalloc(plan->n + 1, sizeof(*asked->v));
    for (size_t i = 0; i < plan->n; i++)
        if (plan_is_cover(plan->v[i].kind))
            asked->v[asked->n++] = plan->v[i];
        else
            plan->v[kept++] = plan->v[i];
    plan->n = kept;
    plan_sort(plan, asked->v, asked->n);
}

static void asked_free(struct asked *asked)
{
    for (size_t i = 0; i < asked->n; i++)
        plan_entry_free(&asked->v[i]);
    free(asked->v);
}

/* The host path that a cover is meant to hide. malloc'ed. */
static char *hidden_path(const struct plan *plan, const struct plan_entry *cover)
{
    const struct plan_entry *below =
        cover->by_host ? NULL : plan_find(plan, cover->dest, false).mount;

    return below && below->source ? plan_path_behind(below, cover->dest) : xstrdup(cover->dest);
}

static void cover_there(struct plan *plan, const struct plan_entry *cover, const char *dest,
                        bool optional)
{
    struct plan_entry *more = plan_add(plan, cover->group, cover->kind, dest, cover->origin);

    more->optional = optional;
    more->is_new = cover->is_new;
    more->st = cover->st;
}

/* A map may show a second time what a cover hides: the cover is needed there too. A request gets all
 * its covers here. */
static void cover_everywhere(struct plan *plan, const struct sources *sources,
                             const struct plan_entry *cover)
{
    _cleanup_free_ char *hidden = hidden_path(plan, cover);
    size_t n;
    _cleanup_free_ uint32_t *binds = binds_of(sources, hidden, &n);

    for (size_t i = 0; i < n; i++) {
        const struct plan_entry *bind = &plan->v[binds[i]];
        _cleanup_free_ char *dest = path_join(bind->dest, path_rest(hidden, bind->source));
        bool is_same = str_eq(dest, cover->dest);

        if (plan_find(plan, dest, false).mount == bind && !(is_same && !cover->by_host))
            cover_there(plan, cover, dest, is_same ? cover->optional : true);
    }
}

/* Puts covers behind the mounts, wherever they are needed. */
static void place_covers(struct plan *plan, const struct asked *asked)
{
    struct sources sources CLEANUP(sources_free) = {{0}, NULL};
    _cleanup_free_ bool *is_dropped = NULL;
    size_t first = plan->n;

    collect_sources(&sources, plan);
    for (size_t i = 0; i < asked->n; i++)
        if (!asked->v[i].by_host)
            cover_there(plan, &asked->v[i], asked->v[i].dest, asked->v[i].optional);
    for (size_t i = 0; i < asked->n; i++)
        cover_everywhere(plan, &sources, &asked->v[i]);
    is_dropped = xcalloc(plan->n + 1, sizeof(*is_dropped));
    for (size_t i = first; i < plan->n; i++)
        is_dropped[i] = !plan_index_wins(plan, i);
    sweep(plan, is_dropped);
    plan_sort(plan, plan->v + first, plan->n - first);
    plan_index_rebuild(plan);
}

/* ---- check ---- */

struct check {
    struct plan *plan;
    const struct fs *fs;
    char *dir; /* the directory of the host that was last seen to be canonical, NULL: none yet */
};

static void check_free(struct check *check)
{
    free(check->dir);
}

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
    case PLAN_OVERLAY:
    case PLAN_RW:
    case PLAN_DEVICE:
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

/* Looks at a mount point of the host. The covers of one directory follow one another, so its way is
 * walked once for all of them. */
static struct verdict judge_place(struct check *check, const char *host_path, struct fs_stat *st)
{
    static const char *const absent = "there is no mount point for it in a directory of the host";
    _cleanup_free_ char *canonical = NULL;
    size_t len = (size_t)(path_base(host_path) - host_path);
    bool is_known = check->dir && strncmp(check->dir, host_path, len) == 0 && !check->dir[len];

    if (fs_stat(check->fs, host_path, false, st) < 0)
        return drop_because(absent);
    if (is_known && st->type != FS_LINK)
        return (struct verdict){0};
    if (fs_resolve(check->fs, host_path, &canonical, NULL, NULL) < 0)
        return drop_because(absent);
    if (!str_eq(canonical, host_path))
        return drop_because("a link of the host stands in the way");
    free(check->dir);
    check->dir = xstrndup(host_path, len);
    return (struct verdict){0};
}

/* The parent view is the bind below: the mount point must be there on the host. */
static struct verdict judge_on_bind(struct check *check, const struct plan_entry *below,
                                    const struct plan_entry *entry)
{
    _cleanup_free_ char *host_path = plan_path_behind(below, entry->dest);
    struct verdict verdict;
    struct fs_stat st;

    if (entry->kind == PLAN_SYMLINK)
        return drop_because(link_is_there(check->fs, host_path, entry)
                                ? NULL
                                : "a link cannot be made in a directory of the host");
    if (below->st.type != FS_DIR && !str_eq(below->dest, entry->dest))
        return drop_because("its parent is a file");
    if (entry->is_new && (plan_is_cover(entry->kind) || str_eq(entry->source, host_path)))
        /* it will be there by then */
        return (struct verdict){0};
    verdict = judge_place(check, host_path, &st);
    if (verdict.is_dropped)
        return verdict;
    if (!plan_is_cover(entry->kind) && wants_dir(entry) != (st.type == FS_DIR))
        return drop_because("the mount point is of another type");
    if (entry->kind == PLAN_DIR) /* it is there already, with the host's content */
        return drop_because(NULL);
    return (struct verdict){0};
}

/* A cover needs something to cover: an object of the host, of /proc, or an entry of the plan. */
static struct verdict judge_cover(struct check *check, const struct plan_hits *hits,
                                  const struct plan_entry *entry)
{
    const struct plan_entry *below = hits->mount;

    if (hits->is_hidden_above)
        return drop_because(NULL);
    if (!below)
        return drop_because("the jail does not show it");
    if (plan_is_bind(below->kind))
        return judge_on_bind(check, below, entry);
    if (below->kind == PLAN_PROC ||
        (below->kind != PLAN_SYMLINK && str_eq(below->dest, entry->dest)))
        return (struct verdict){0};
    return drop_because(below->kind == PLAN_SYMLINK ? "a link stands in the way"
                                                    : "the jail does not show it");
}

static struct verdict judge_mount(struct check *check, const struct plan_entry *entry)
{
    const struct plan_entry *below = plan_find(check->plan, entry->dest, true).mount;

    if (!below)
        return (struct verdict){0};
    switch (below->kind) {
    case PLAN_RO:
    case PLAN_OVERLAY:
    case PLAN_RW:
    case PLAN_DEVICE:
        return judge_on_bind(check, below, entry);
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

static struct verdict judge_remount(const struct plan *plan, const struct plan_entry *entry)
{
    const struct plan_entry *there = plan_find(plan, entry->dest, false).mount;

    /* Somebody asked for a writable directory of the host at this very place. */
    return there && (there->kind == PLAN_RW || there->kind == PLAN_OVERLAY) &&
                   str_eq(there->dest, entry->dest)
               ? drop_because(NULL)
               : (struct verdict){0};
}

/* What a cover hides is looked at again when it is placed. */
static void examine_covered(const struct fs *fs, const struct plan_entry *below,
                            struct plan_entry *entry)
{
    _cleanup_free_ char *host_path = NULL;

    /* An overlay shows an object of its own there, whatever the lower directory holds. */
    if (below && below->kind == PLAN_OVERLAY) {
        entry->st = (struct fs_stat){0};
        return;
    }
    if (below && below->source && entry->st.type == FS_NONE) {
        host_path = plan_path_behind(below, entry->dest);
        fs_stat(fs, host_path, false, &entry->st);
    }
}

static struct verdict check_cover(struct check *check, struct plan_entry *entry)
{
    struct plan_hits hits = plan_find(check->plan, entry->dest, false);
    struct verdict verdict = judge_cover(check, &hits, entry);

    if (!verdict.is_dropped)
        examine_covered(check->fs, hits.mount, entry);
    return verdict;
}

static void leave_out(struct plan *plan, size_t number, const char *why, struct notes *notes)
{
    const struct plan_entry *entry = &plan->v[number];

    if (why && !entry->optional)
        notes_add(notes, NOTE_WARNING, "%s (%s) is left out: %s", entry->dest, entry->origin, why);
    plan_index_forget(plan, number);
}

/* Drops the entries from number first on that cannot be placed. */
static void check_entries(struct plan *plan, size_t first, const struct fs *fs, struct notes *notes)
{
    struct check check CLEANUP(check_free) = {.plan = plan, .fs = fs};
    _cleanup_free_ bool *is_dropped = xcalloc(plan->n + 1, sizeof(*is_dropped));

    for (size_t i = first; i < plan->n; i++) {
        struct plan_entry *entry = &plan->v[i];
        struct verdict verdict = plan_is_cover(entry->kind)       ? check_cover(&check, entry)
                                 : entry->kind == PLAN_REMOUNT_RO ? judge_remount(plan, entry)
                                                                  : judge_mount(&check, entry);

        is_dropped[i] = verdict.is_dropped;
        if (verdict.is_dropped)
            leave_out(plan, i, verdict.why, notes);
    }
    if (sweep(plan, is_dropped))
        plan_index_rebuild(plan);
}

/* A cover is placed last, alone: it hides every mount below it. The first mounts are looked at; true
 * if one was dropped. */
static bool drop_below_covers(struct plan *plan, size_t mounts, struct notes *notes)
{
    _cleanup_free_ bool *is_dropped = xcalloc(plan->n + 1, sizeof(*is_dropped));

    for (size_t i = 0; i < mounts; i++) {
        if (plan_stage(&plan->v[i]) != STAGE_MOUNT || !plan_find(plan, plan->v[i].dest, true).cover)
            continue;
        leave_out(plan, i, "it lies below a masked or protected directory", notes);
        is_dropped[i] = true;
    }
    return sweep(plan, is_dropped);
}

static void notes_append(struct notes *notes, const struct notes *more)
{
    for (size_t i = 0; i < more->n; i++)
        notes_add(notes, more->v[i].class, "%s", more->v[i].text);
}

static void remove_covers(struct plan *plan)
{
    while (plan->n > 0 && plan_is_cover(plan->v[plan->n - 1].kind))
        plan_entry_free(&plan->v[--plan->n]);
    plan_index_rebuild(plan);
}

static void finish_covers(struct plan *plan, const struct asked *asked, const struct fs *fs,
                          struct notes *notes)
{
    struct notes below CLEANUP(notes_free) = {0};

    for (;;) {
        struct notes covers CLEANUP(notes_free) = {0};
        size_t mounts = plan->n;

        place_covers(plan, asked);
        check_entries(plan, mounts, fs, &covers);
        if (!drop_below_covers(plan, mounts, &below)) {
            notes_append(notes, &covers);
            break;
        }
        remove_covers(plan);
    }
    notes_append(notes, &below);
}

void plan_finish(struct plan *plan, const struct fs *fs, struct notes *notes)
{
    struct asked asked CLEANUP(asked_free) = {0};

    if (plan->n == 0)
        return;
    keep_winners(plan);
    take_covers(&asked, plan);
    plan_index_rebuild(plan);
    plan_sort(plan, plan->v, plan->n);
    plan_index_rebuild(plan);
    check_entries(plan, 0, fs, notes);
    finish_covers(plan, &asked, fs, notes);
}
