// SPDX-License-Identifier: GPL-3.0-only
/*
 * masks_walk: one walk over the host for all rules.
 *
 * Literals come first and need no search. Globs are sorted by the directory in which they begin; from
 * there directories are read, each once, whatever the number of globs. A directory carries the set of
 * globs that can still match below it, with the place that its path has reached in each; where
 * another glob begins it joins the set, and where the set is empty the walk does not go. Links are
 * not followed, and nothing is looked for in what is covered.
 *
 * The stack holds directories that wait to be read. Directories share their set where it is the same,
 * so memory grows with the tree or with the globs but not with both.
 */
#include "policy/masks_walk.h"

#include "base/os.h"
#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_EVERY 256 /* entries between two looks at the clock */

/* Globs that can still match, with the places reached. */
struct active {
    uint32_t glob;
    glob_places places;
};

struct active_set {
    size_t users;
    size_t n;
    struct active v[];
};

struct waiting {
    char *path;
    struct active_set *set;
    bool is_watched;
};

struct search {
    struct mask_walk *walk;
    uint32_t *order;         /* globs by root */
    bool *is_begun;          /* of each glob */
    struct path_table begin; /* root to the first glob of order that begins there */
    struct waiting *stack;
    size_t depth;
    size_t cap;
    struct waiting dir;  /* is being read */
    struct active *next; /* room for all globs */
    size_t entries;
    uint64_t start_ms;
    struct error *error;
};

static struct active_set *set_new(const struct active *v, size_t n)
{
    struct active_set *set = xcalloc(1, sizeof(*set) + n * sizeof(*v));

    set->users = 1;
    set->n = n;
    if (n)
        memcpy(set->v, v, n * sizeof(*v));
    return set;
}

static void set_drop(struct active_set *set)
{
    if (set && --set->users == 0)
        free(set);
}

static void waiting_free(struct waiting *waiting)
{
    free(waiting->path);
    set_drop(waiting->set);
    *waiting = (struct waiting){0};
}

static void push(struct search *search, char *path, struct active_set *set, bool is_watched)
{
    if (search->depth == search->cap) {
        search->cap = search->cap ? search->cap * 2 : 64;
        search->stack = xrealloc(search->stack, search->cap, sizeof(*search->stack));
    }
    search->stack[search->depth++] = (struct waiting){path, set, is_watched};
}

/* ---- one entry ---- */

static int too_much(const struct search *search, int code, const char *what)
{
    const struct mask_glob *glob = &search->walk->rules->globs[search->dir.set->v[0].glob];

    return error_set(search->error, code,
                     "%s: %s below %s; let the pattern begin with a directory that holds less",
                     glob->origin, what, glob->root);
}

static int check_budget(struct search *search)
{
    const struct mask_budget *budget = &search->walk->rules->budget;

    if (++search->entries > budget->entries)
        return too_much(search, E2BIG, "there are too many files to look at");
    if (search->entries % CLOCK_EVERY == 0 &&
        budget->now_ms(budget->ctx) - search->start_ms > budget->ms)
        return too_much(search, ETIME, "it takes too long to look at all files");
    return 0;
}

/* The globs of the directory behind one more name. *found is the strongest that matches and is not
 * excepted; path is made when it is needed. */
static size_t step(struct search *search, const char *name, char **path, struct mask_glob **found)
{
    struct mask_rules *rules = search->walk->rules;
    size_t len = strlen(name);
    size_t n = 0;

    *found = NULL;
    for (size_t i = 0; i < search->dir.set->n; i++) {
        const struct active *active = &search->dir.set->v[i];
        struct mask_glob *glob = &rules->globs[active->glob];
        glob_places places = glob_step(glob->glob, active->places, name, len);

        if (glob_is_match(glob->glob, places)) {
            if (!*path)
                *path = path_join(search->dir.path, name);
            if (!mask_rules_excepts(rules, glob->kind, *path)) {
                glob->has_matched = true;
                if (!*found ||
                    plan_cover_strength(glob->kind) > plan_cover_strength((*found)->kind))
                    *found = glob;
            }
        }
        if (glob_leads_on(glob->glob, places))
            search->next[n++] = (struct active){active->glob, places};
    }
    return n;
}

static bool is_same_set(const struct active_set *set, const struct active *v, size_t n)
{
    if (set->n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (set->v[i].glob != v[i].glob || set->v[i].places != v[i].places)
            return false;
    return true;
}

static void cover(struct search *search, const struct mask_glob *glob, const char *path,
                  const struct fs_stat *st)
{
    struct mask_wish wish = {.kind = glob->kind, .origin = glob->origin};

    if (st->type == FS_LINK)
        mask_place_link(search->walk, &wish, path);
    else
        mask_place_found(search->walk, &wish, path, st);
}

/* By a literal, as a whole. */
static bool is_covered(const struct mask_rules *rules, const char *path)
{
    uint32_t number = path_table_get(&rules->armed_by_path, path);

    return number != PATH_TABLE_NONE && plan_hides(rules->armed[number].kind);
}

static int each_entry(void *arg, const char *name, enum fs_type type)
{
    struct search *search = arg;
    const struct fs *fs = search->walk->host->fs;
    _cleanup_free_ char *path = NULL;
    struct mask_glob *found;
    struct active_set *set;
    size_t n;
    int r = check_budget(search);

    if (r < 0)
        return r;
    n = step(search, name, &path, &found);
    if (found || (n && type == FS_NONE)) {
        struct fs_stat st;

        if (!path)
            path = path_join(search->dir.path, name);
        if (fs_stat(fs, path, false, &st) < 0)
            return 0; /* it has just gone */
        if (found)
            cover(search, found, path, &st);
        type = st.type;
    }
    if (n == 0 || type != FS_DIR || found)
        return 0;
    if (!path)
        path = path_join(search->dir.path, name);
    if (is_covered(search->walk->rules, path))
        return 0;
    if (is_same_set(search->dir.set, search->next, n)) {
        set = search->dir.set;
        set->users++;
    } else {
        set = set_new(search->next, n);
    }
    push(search, steal_ptr(&path), set,
         search->dir.is_watched && !mask_rules_skips(search->walk->rules, name));
    return 0;
}

/* ---- directories ---- */

/* The globs that begin in the directory join its set. */
static void join_set(struct search *search)
{
    const struct mask_rules *rules = search->walk->rules;
    uint32_t first = path_table_get(&search->begin, search->dir.path);
    const struct active_set *set = search->dir.set;
    size_t n = set->n;

    if (first == PATH_TABLE_NONE || search->is_begun[search->order[first]])
        return;
    if (n)
        memcpy(search->next, set->v, n * sizeof(*set->v));
    for (size_t i = first;
         i < rules->glob_count && str_eq(rules->globs[search->order[i]].root, search->dir.path);
         i++) {
        search->next[n++] = (struct active){search->order[i], GLOB_START};
        search->is_begun[search->order[i]] = true;
    }
    set_drop(search->dir.set);
    search->dir.set = set_new(search->next, n);
    search->dir.is_watched = true;
}

static int read_dir(struct search *search)
{
    struct mask_walk *walk = search->walk;
    const struct fs *fs = walk->host->fs;
    int r;

    join_set(search);
    if (search->dir.is_watched) {
        mask_watch(walk->rules, search->dir.path);
        if (walk->rules->watched.n > walk->rules->budget.directories)
            return too_much(search, E2BIG, "there are too many directories to watch");
    }
    search->error->code = 0;
    r = fs_scan(fs, search->dir.path, each_entry, search);
    if (r < 0 && search->error->code)
        return r;
    if (r < 0 && r != -ENOENT && r != -ENOTDIR)
        mask_list_add(&walk->unreadable, search->dir.path);
    return 0;
}

static int walk_from(struct search *search, const char *root)
{
    int r = 0;

    push(search, xstrdup(root), set_new(NULL, 0), true);
    while (search->depth && r == 0) {
        search->dir = search->stack[--search->depth];
        r = read_dir(search);
        waiting_free(&search->dir);
    }
    return r;
}

static int compare_roots(const void *left, const void *right, void *arg)
{
    const struct mask_rules *rules = arg;
    const uint32_t *a = left;
    const uint32_t *b = right;
    int order = strcmp(rules->globs[*a].root, rules->globs[*b].root);

    return order ? order : *a < *b ? -1 : *a > *b;
}

/* Canonical roots, sorted: what lies above comes first. */
static void sort_globs(struct search *search)
{
    struct mask_rules *rules = search->walk->rules;

    for (size_t i = 0; i < rules->glob_count; i++) {
        char *canonical = NULL;

        search->order[i] = (uint32_t)i;
        if (fs_resolve(search->walk->host->fs, rules->globs[i].root, &canonical, NULL, NULL) < 0)
            continue;
        free(rules->globs[i].root);
        rules->globs[i].root = canonical;
    }
    os_sort(search->order, rules->glob_count, sizeof(*search->order), compare_roots, rules);
    for (size_t i = rules->glob_count; i > 0; i--)
        *path_table_put(&search->begin, rules->globs[search->order[i - 1]].root) =
            (uint32_t)(i - 1);
}

static void search_free(struct search *search)
{
    while (search->depth)
        waiting_free(&search->stack[--search->depth]);
    free(search->stack);
    free(search->order);
    free(search->is_begun);
    free(search->next);
    path_table_free(&search->begin);
}

static int walk_globs(struct mask_walk *walk, struct error *error)
{
    struct mask_rules *rules = walk->rules;
    struct error fallback;
    struct search search CLEANUP(search_free) = {
        .walk = walk,
        .order = xcalloc(rules->glob_count + 1, sizeof(uint32_t)),
        .is_begun = xcalloc(rules->glob_count + 1, sizeof(bool)),
        .next = xcalloc(rules->glob_count + 1, sizeof(struct active)),
        .start_ms = rules->budget.now_ms(rules->budget.ctx),
        .error = error ? error : &fallback,
    };

    sort_globs(&search);
    for (size_t i = 0; i < rules->glob_count; i++) {
        const char *root = rules->globs[search.order[i]].root;
        _cleanup_free_ char *dir = mask_deepest_dir(walk->host->fs, root);
        int r;

        if (search.is_begun[search.order[i]])
            continue;
        mask_watch(rules, dir);
        if (!str_eq(dir, root))
            continue;
        r = walk_from(&search, root);
        if (r < 0)
            return r;
    }
    return 0;
}

/* ---- notes ---- */

static void note_list(const struct mask_list *list, struct notes *notes, const char *what)
{
    _cleanup_free_ char *names = NULL;

    if (list->n == 0)
        return;
    names = strv_join(&list->names, ", ");
    if (list->n > list->names.n)
        notes_add(notes, NOTE_SECURITY, "%s: %s and %zu more", what, names,
                  list->n - list->names.n);
    else
        notes_add(notes, NOTE_SECURITY, "%s: %s", what, names);
}

static void note_patterns(const struct mask_walk *walk)
{
    for (size_t i = 0; i < walk->rules->glob_count; i++)
        if (!walk->rules->globs[i].has_matched)
            notes_add(walk->notes, NOTE_SECURITY,
                      "%s: nothing matches now; what appears later is covered then",
                      walk->rules->globs[i].origin);
}

/* An exception below something that is covered as a whole frees nothing. */
static void note_exceptions(const struct mask_walk *walk, const struct mask_exceptions *exceptions,
                            enum plan_kind kind)
{
    for (size_t i = 0; i < exceptions->literals.n; i++) {
        _cleanup_free_ char *at = path_parent(exceptions->literals.v[i]);

        while (!str_eq(at, "/")) {
            struct mask_verdict verdict = mask_rules_find(walk->rules, at);
            char *above;

            if (verdict.kind == kind) {
                notes_add(walk->notes, NOTE_WARNING,
                          "the exception for %s frees nothing: %s covers %s as a whole",
                          exceptions->literals.v[i], verdict.origin, at);
                break;
            }
            above = path_parent(at);
            free(at);
            at = above;
        }
    }
}

/* ---- all of it ---- */

static int compare_found(const void *left, const void *right)
{
    const struct mask_found *a = left;
    const struct mask_found *b = right;

    return strcmp(a->path, b->path);
}

/* In the order of names: that of directories differs from one file system to the other. */
static void add_covers(struct mask_walk *walk, struct plan *plan)
{
    if (walk->found_count)
        qsort(walk->found, walk->found_count, sizeof(*walk->found), compare_found);
    for (size_t i = 0; i < walk->found_count; i++) {
        const struct mask_found *found = &walk->found[i];
        enum plan_group group = found->kind == PLAN_COVER_RO ? GROUP_GIT : GROUP_MASKS;

        struct plan_entry *entry =
            plan_add_host_cover(plan, group, found->kind, found->path, found->origin);

        entry->st = found->st;
        entry->optional = !found->is_needed;
    }
}

static void walk_free(struct mask_walk *walk)
{
    for (size_t i = 0; i < walk->found_count; i++)
        free(walk->found[i].path);
    free(walk->found);
    strv_free(&walk->absent.names);
    strv_free(&walk->hard_links.names);
    strv_free(&walk->unreadable.names);
}

int mask_rules_walk(struct mask_rules *rules, struct plan *plan, const struct host *host,
                    struct notes *notes, struct error *error)
{
    struct mask_walk walk CLEANUP(walk_free) = {.rules = rules, .host = host, .notes = notes};
    int r;

    for (size_t i = 0; i < rules->asked_count; i++) {
        const struct mask_asked *asked = &rules->asked[i];
        struct mask_wish wish = {asked->kind, asked->origin, asked->is_own};

        mask_place(&walk, &wish, asked->path);
    }
    r = walk_globs(&walk, error);
    if (r < 0)
        return r;
    add_covers(&walk, plan);
    note_list(&walk.absent, notes, "nothing is there now, it is covered as soon as it appears");
    note_patterns(&walk);
    note_exceptions(&walk, &rules->mask_exceptions, PLAN_COVER_EMPTY);
    note_exceptions(&walk, &rules->deny_exceptions, PLAN_COVER_DENY);
    note_list(&walk.hard_links, notes,
              "covered files with another name (hard link), under which they stay readable");
    note_list(&walk.unreadable, notes, "directories that no mask can be looked for in");
    return 0;
}
