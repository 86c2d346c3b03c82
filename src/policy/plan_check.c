// SPDX-License-Identifier: GPL-3.0-only
/*
 * plan_check: plan_finish(), in four steps.
 *
 *  1. Winners: of the entries with one destination one stays.
 *  2. Order: an entry is never placed before one whose destination is an ancestor of its own, and
 *     otherwise the groups follow one another. That is done by giving each entry the highest group
 *     among itself and its ancestors as sort key. Covers come last, by depth.
 *  3. Mounts: the view is walked as bubblewrap will build it; an entry whose mount point is not
 *     there is dropped, because bubblewrap would make one on the host. Everything above an entry
 *     comes before it, so the index, from which dropped entries are taken out, is the view built
 *     so far.
 *  4. Covers: what a bind shows a second time is covered there too, and each cover needs something
 *     to cover. A cover hides the mounts below it, so they are dropped; that changes what is shown
 *     below a read-only cover, so the covers are then decided again, from what was asked for.
 */
#include "base/path.h"
#include "policy/plan_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- winners and order ---- */

/* Drops the entries that are marked. */
static void sweep(struct plan *plan, const bool *is_dropped)
{
    size_t kept = 0;

    for (size_t i = 0; i < plan->n; i++)
        if (is_dropped[i])
            plan_entry_free(&plan->v[i]);
        else
            plan->v[kept++] = plan->v[i];
    plan->n = kept;
}

static void keep_winners(struct plan *plan)
{
    _cleanup_free_ bool *is_dropped = xcalloc(plan->n + 1, sizeof(*is_dropped));

    for (size_t i = 0; i < plan->n; i++)
        is_dropped[i] = !plan_index_wins(plan, i);
    sweep(plan, is_dropped);
    plan_index_rebuild(plan);
}

struct sort_key {
    struct plan_entry entry;
    enum plan_stage stage;
    unsigned group; /* highest group among the entry and its ancestors */
    size_t depth;
    size_t number;
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
    if (a->entry.group != b->entry.group)
        return a->entry.group < b->entry.group ? -1 : 1;
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

/* Sorts the entries from number first on. */
static void sort_entries(struct plan *plan, size_t first)
{
    size_t n = plan->n - first;
    _cleanup_free_ struct sort_key *keys = xcalloc(n + 1, sizeof(*keys));

    for (size_t i = first; i < plan->n; i++)
        keys[i - first] = (struct sort_key){
            .entry = plan->v[i],
            .stage = plan_stage(&plan->v[i]),
            .group = effective_group(plan, &plan->v[i]),
            .depth = path_depth(plan->v[i].dest),
            .number = i,
        };
    qsort(keys, n, sizeof(*keys), compare_keys);
    for (size_t i = 0; i < n; i++)
        plan->v[first + i] = keys[i].entry;
    plan_index_rebuild(plan);
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

/* The host path that a cover is meant to hide. malloc'ed. */
static char *hidden_path(const struct plan *plan, const struct plan_entry *cover)
{
    const struct plan_entry *below =
        cover->by_host ? NULL : plan_find(plan, cover->dest, false).mount;

    return below && below->source ? plan_path_behind(below, cover->dest) : xstrdup(cover->dest);
}

static void cover_there(struct plan *plan, size_t number, const char *dest, bool optional)
{
    struct plan_entry *more =
        plan_add(plan, plan->v[number].group, plan->v[number].kind, dest, plan->v[number].origin);

    more->optional = optional;
    more->st = plan->v[number].st;
}

/* A map may show a second time what a cover hides: the cover is needed there too. A request gets all
 * its covers here. */
static void cover_everywhere(struct plan *plan, const struct sources *sources, size_t number)
{
    _cleanup_free_ char *hidden = hidden_path(plan, &plan->v[number]);
    size_t n;
    _cleanup_free_ uint32_t *binds = binds_of(sources, hidden, &n);

    for (size_t i = 0; i < n; i++) {
        const struct plan_entry *bind = &plan->v[binds[i]];
        const struct plan_entry *cover = &plan->v[number];
        _cleanup_free_ char *dest = path_join(bind->dest, path_rest(hidden, bind->source));
        bool is_same = str_eq(dest, cover->dest);

        if (plan_find(plan, dest, false).mount == bind && !(is_same && !cover->by_host))
            cover_there(plan, number, dest, is_same ? cover->optional : true);
    }
}

/* Covers and requests begin at number first; afterwards there are only covers. */
static void repeat_covers(struct plan *plan, size_t first)
{
    struct sources sources CLEANUP(sources_free) = {{0}, NULL};
    _cleanup_free_ bool *is_dropped = NULL;
    size_t n = plan->n;
    bool has_requests = false;

    collect_sources(&sources, plan);
    for (size_t i = first; i < n; i++) {
        has_requests = has_requests || plan->v[i].by_host;
        cover_everywhere(plan, &sources, i);
    }
    if (plan->n == n && !has_requests)
        return;
    is_dropped = xcalloc(plan->n + 1, sizeof(*is_dropped));
    for (size_t i = first; i < plan->n; i++)
        is_dropped[i] = plan->v[i].by_host || !plan_index_wins(plan, i);
    sweep(plan, is_dropped);
    plan_index_rebuild(plan);
    sort_entries(plan, first);
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
    case PLAN_OVERLAY:
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
    _cleanup_free_ char *host_path = plan_path_behind(below, entry->dest);
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
static struct verdict judge_cover(const struct plan *plan, const struct fs *fs,
                                  const struct plan_entry *entry)
{
    const struct plan_entry *below = plan_find(plan, entry->dest, false).mount;

    if (plan_find(plan, entry->dest, true).is_hidden)
        return drop_because(NULL);
    if (!below)
        return drop_because("the jail does not show it");
    if (plan_is_bind(below->kind))
        return judge_on_bind(fs, below, entry);
    if (below->kind == PLAN_PROC ||
        (below->kind != PLAN_SYMLINK && str_eq(below->dest, entry->dest)))
        return (struct verdict){0};
    return drop_because(below->kind == PLAN_SYMLINK ? "a link stands in the way"
                                                    : "the jail does not show it");
}

static struct verdict judge_mount(const struct plan *plan, const struct fs *fs,
                                  const struct plan_entry *entry)
{
    const struct plan_entry *below = plan_find(plan, entry->dest, true).mount;

    if (!below)
        return (struct verdict){0};
    switch (below->kind) {
    case PLAN_RO:
    case PLAN_OVERLAY:
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

static struct verdict judge(const struct plan *plan, const struct fs *fs,
                            const struct plan_entry *entry)
{
    const struct plan_entry *there;

    if (plan_is_cover(entry->kind))
        return judge_cover(plan, fs, entry);
    if (entry->kind != PLAN_REMOUNT_RO)
        return judge_mount(plan, fs, entry);
    /* Somebody asked for a writable directory of the host at this very place. */
    there = plan_find(plan, entry->dest, false).mount;
    return there && (there->kind == PLAN_RW || there->kind == PLAN_OVERLAY) &&
                   str_eq(there->dest, entry->dest)
               ? drop_because(NULL)
               : (struct verdict){0};
}

/* What a cover hides is looked at again when it is placed. */
static void examine_covered(const struct plan *plan, const struct fs *fs, struct plan_entry *entry)
{
    const struct plan_entry *below = plan_find(plan, entry->dest, false).mount;
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

static void leave_out(struct plan *plan, size_t number, const char *why, struct notes *notes)
{
    const struct plan_entry *entry = &plan->v[number];

    if (why && !entry->optional)
        notes_add(notes, NOTE_WARNING, "%s (%s) is left out: %s", entry->dest, entry->origin, why);
    plan_index_forget(plan, number);
}

/* Drops the entries from number first to before number end that cannot be placed. */
static void check_entries(struct plan *plan, size_t first, size_t end, const struct fs *fs,
                          struct notes *notes)
{
    _cleanup_free_ bool *is_dropped = xcalloc(plan->n + 1, sizeof(*is_dropped));

    for (size_t i = first; i < end; i++) {
        struct plan_entry *entry = &plan->v[i];
        struct verdict verdict = judge(plan, fs, entry);

        is_dropped[i] = verdict.is_dropped;
        if (verdict.is_dropped)
            leave_out(plan, i, verdict.why, notes);
        else if (plan_is_cover(entry->kind))
            examine_covered(plan, fs, entry);
    }
    sweep(plan, is_dropped);
    plan_index_rebuild(plan);
}

static size_t first_cover(const struct plan *plan)
{
    size_t first = plan->n;

    while (first > 0 && plan_is_cover(plan->v[first - 1].kind))
        first--;
    return first;
}

/* A cover is placed last, alone: it hides every mount below it. True if one was dropped. */
static bool drop_below_covers(struct plan *plan, struct notes *notes)
{
    _cleanup_free_ bool *is_dropped = xcalloc(plan->n + 1, sizeof(*is_dropped));
    size_t n = plan->n;

    for (size_t i = 0; i < first_cover(plan); i++) {
        if (plan_stage(&plan->v[i]) != STAGE_MOUNT || !plan_find(plan, plan->v[i].dest, true).cover)
            continue;
        leave_out(plan, i, "it lies below a masked or protected directory", notes);
        is_dropped[i] = true;
    }
    sweep(plan, is_dropped);
    plan_index_rebuild(plan);
    return plan->n < n;
}

static void notes_append(struct notes *notes, const struct notes *more)
{
    for (size_t i = 0; i < more->n; i++)
        notes_add(notes, more->v[i].class, "%s", more->v[i].text);
}

/* The covers of a plan, to begin again with them. */
struct asked {
    struct plan_entry *v;
    size_t n;
};

static void save_covers(struct asked *asked, const struct plan *plan)
{
    size_t first = first_cover(plan);

    asked->n = plan->n - first;
    asked->v = xcalloc(asked->n + 1, sizeof(*asked->v));
    for (size_t i = 0; i < asked->n; i++) {
        asked->v[i] = plan->v[first + i];
        asked->v[i].dest = xstrdup(asked->v[i].dest);
        asked->v[i].origin = xstrdup(asked->v[i].origin);
    }
}

static void restore_covers(struct plan *plan, const struct asked *asked)
{
    while (plan->n > 0 && plan_is_cover(plan->v[plan->n - 1].kind))
        plan_entry_free(&plan->v[--plan->n]);
    plan_index_rebuild(plan);
    for (size_t i = 0; i < asked->n; i++) {
        const struct plan_entry *cover = &asked->v[i];
        struct plan_entry *entry =
            cover->by_host
                ? plan_add_host_cover(plan, cover->group, cover->kind, cover->dest, cover->origin)
                : plan_add(plan, cover->group, cover->kind, cover->dest, cover->origin);

        entry->optional = cover->optional;
        entry->st = cover->st;
    }
}

static void asked_free(struct asked *asked)
{
    for (size_t i = 0; i < asked->n; i++)
        plan_entry_free(&asked->v[i]);
    free(asked->v);
}

static void finish_covers(struct plan *plan, const struct fs *fs, struct notes *notes)
{
    struct asked asked CLEANUP(asked_free) = {0};
    struct notes below CLEANUP(notes_free) = {0};

    save_covers(&asked, plan);
    for (;;) {
        struct notes covers CLEANUP(notes_free) = {0};

        repeat_covers(plan, first_cover(plan));
        check_entries(plan, first_cover(plan), plan->n, fs, &covers);
        if (!drop_below_covers(plan, &below)) {
            notes_append(notes, &covers);
            break;
        }
        restore_covers(plan, &asked);
    }
    notes_append(notes, &below);
}

void plan_finish(struct plan *plan, const struct fs *fs, struct notes *notes)
{
    if (plan->n == 0)
        return;
    keep_winners(plan);
    sort_entries(plan, 0);
    check_entries(plan, 0, first_cover(plan), fs, notes);
    finish_covers(plan, fs, notes);
}
