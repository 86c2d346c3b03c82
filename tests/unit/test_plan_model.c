// SPDX-License-Identifier: GPL-3.0-only
/*
 * The plan against a model of what bubblewrap and the mounter do.
 *
 * The model places the entries one after the other, as the kernel would: the mount that was placed
 * last at or above a path decides, mount points are looked for component by component, and memory
 * of the jail holds what was made in it. It knows nothing of groups, depths or sorting. Random
 * plans over random small trees, and all pairs of kinds, must fit it:
 *
 *  - nothing is placed before something above it, and the groups are in order otherwise;
 *  - every mount point is there, or is made in memory of the jail, never on the host;
 *  - what a path shows is what plan_look() and plan_shows() say;
 *  - what a mask or deny hides shows nowhere, and the stronger cover stays.
 */
#include "base/path.h"
#include "base/strv.h"
#include "policy/plan.h"
#include "support/fakefs.h"
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_PLANS 3000

/* ---- the model ---- */

enum content { CONTENT_MEMORY, CONTENT_HOST, CONTENT_OPAQUE }; /* opaque: proc, a file, a mask */

struct mount {
    enum content content;
    char *dest;
    char *source;      /* CONTENT_HOST */
    struct strv nodes; /* CONTENT_MEMORY: paths made in it, "D/path", or "L/path" for a link */
};

struct model {
    const struct fs *fs;
    struct mount v[64];
    size_t n;
};

static void model_free(struct model *model)
{
    for (size_t i = 0; i < model->n; i++) {
        free(model->v[i].dest);
        free(model->v[i].source);
        strv_free(&model->v[i].nodes);
    }
    model->n = 0;
}

static void model_mount(struct model *model, enum content content, const char *dest,
                        const char *source)
{
    assert_true(model->n < ARRAY_SIZE(model->v));
    model->v[model->n++] = (struct mount){
        .content = content, .dest = xstrdup(dest), .source = source ? xstrdup(source) : NULL};
}

/* The mount that was placed last at or above path. The root is always there. */
static struct mount *model_at(struct model *model, const char *path)
{
    for (size_t i = model->n; i > 0; i--)
        if (path_is_within(path, model->v[i - 1].dest))
            return &model->v[i - 1];
    fail_msg("the model has no root");
    return NULL;
}

/* Host path that path shows inside, NULL if it is memory or opaque. malloc'ed. */
static char *model_host_path(struct model *model, const char *path)
{
    const struct mount *mount = model_at(model, path);
    const char *rest = path_rest(path, mount->dest);

    if (mount->content != CONTENT_HOST)
        return NULL;
    return rest[0] ? path_join(mount->source, rest) : xstrdup(mount->source);
}

static bool memory_has(const struct mount *mount, char type, const char *path)
{
    _cleanup_free_ char *node = xasprintf("%c%s", type, path);

    return strv_find(&mount->nodes, node) >= 0;
}

/* One component of the way to a mount point. */
static void need_component(struct model *model, const char *path, bool is_last, bool wants_dir)
{
    struct mount *mount = model_at(model, path);
    _cleanup_free_ char *host_path = model_host_path(model, path);
    struct fs_stat st;

    if (str_eq(mount->dest, path) && mount->content != CONTENT_HOST) {
        if (mount->content == CONTENT_OPAQUE)
            fail_msg("%s is in the way", path);
    } else if (mount->content == CONTENT_MEMORY) {
        if (memory_has(mount, 'L', path))
            fail_msg("a link is in the way: %s", path);
        strv_pushf(&mount->nodes, "D%s", path);
    } else if (mount->content == CONTENT_OPAQUE) {
        fail_msg("%s would have to be made in %s", path, mount->dest);
    } else {
        if (fs_stat(model->fs, host_path, false, &st) < 0)
            fail_msg("%s would be made on the host, at %s", path, host_path);
        if (st.type == FS_LINK)
            fail_msg("the mount point %s is a link of the host", path);
        if ((st.type == FS_DIR) != (!is_last || wants_dir))
            fail_msg("the mount point %s is of the wrong type", path);
    }
}

static void need_point(struct model *model, const char *dest, bool wants_dir)
{
    _cleanup_free_ char *path = xstrdup(dest);

    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        need_component(model, path, false, true);
        *slash = '/';
    }
    if (path[1])
        need_component(model, path, true, wants_dir);
}

static void place_link(struct model *model, const char *dest)
{
    _cleanup_free_ char *dir = path_parent(dest);
    struct mount *mount;

    need_point(model, dir, true);
    mount = model_at(model, dest);
    if (mount->content != CONTENT_MEMORY)
        fail_msg("the link %s would be made on the host", dest);
    if (memory_has(mount, 'D', dest))
        fail_msg("there is a directory where the link %s should be", dest);
    strv_pushf(&mount->nodes, "L%s", dest);
}

static void place_cover(struct model *model, const struct plan_entry *entry)
{
    const struct mount *mount = model_at(model, entry->dest);
    _cleanup_free_ char *host_path = model_host_path(model, entry->dest);
    struct fs_stat st;

    if (mount->content == CONTENT_HOST) {
        assert_int_equal(fs_stat(model->fs, host_path, false, &st), 0);
        assert_int_not_equal(st.type, FS_LINK);
        /* An overlay shows objects of its own: nothing to compare. */
        if (entry->st.type != FS_NONE)
            assert_int_equal(st.ino, entry->st.ino);
    } else if (mount->content == CONTENT_MEMORY && !str_eq(mount->dest, entry->dest)) {
        assert_true(memory_has(mount, 'D', entry->dest));
    }
    if (entry->kind == PLAN_COVER_RO && host_path)
        model_mount(model, CONTENT_HOST, entry->dest, host_path);
    else
        model_mount(model, CONTENT_OPAQUE, entry->dest, NULL);
}

static void place(struct model *model, const struct plan_entry *entry)
{
    switch (entry->kind) {
    case PLAN_RO:
    case PLAN_RW:
    case PLAN_OVERLAY:
    case PLAN_DEVICE:
        need_point(model, entry->dest, entry->st.type == FS_DIR);
        model_mount(model, CONTENT_HOST, entry->dest, entry->source);
        break;
    case PLAN_SYMLINK:
        place_link(model, entry->dest);
        break;
    case PLAN_DIR:
        need_point(model, entry->dest, true);
        break;
    case PLAN_DATA:
        need_point(model, entry->dest, false);
        model_mount(model, CONTENT_OPAQUE, entry->dest, NULL);
        break;
    case PLAN_PROC:
        need_point(model, entry->dest, true);
        model_mount(model, CONTENT_OPAQUE, entry->dest, NULL);
        break;
    case PLAN_TMPFS:
    case PLAN_DEV:
        need_point(model, entry->dest, true);
        model_mount(model, CONTENT_MEMORY, entry->dest, NULL);
        break;
    case PLAN_REMOUNT_RO:
        break;
    default:
        place_cover(model, entry);
        break;
    }
}

/* ---- properties ---- */

static bool is_placed_by_bwrap(const struct plan_entry *entry)
{
    return !plan_is_cover(entry->kind) && entry->kind != PLAN_REMOUNT_RO;
}

/* What was asked for, to compare with what is left. */
struct asked {
    enum plan_group group;
    enum plan_kind kind;
    bool is_mount;
    bool by_host;
    char dest[64];
};

struct asked_list {
    struct asked v[32];
    size_t n;
};

static void remember(struct asked_list *list, const struct plan *plan)
{
    list->n = plan->n;
    for (size_t i = 0; i < plan->n; i++) {
        list->v[i].group = plan->v[i].group;
        list->v[i].kind = plan->v[i].kind;
        list->v[i].by_host = plan->v[i].by_host;
        list->v[i].is_mount = is_placed_by_bwrap(&plan->v[i]);
        snprintf(list->v[i].dest, sizeof(list->v[i].dest), "%s", plan->v[i].dest);
    }
}

/* An entry may go before one of an earlier group only if something above that one was asked for in
 * a group as late. */
static void check_order(const struct plan *plan, const struct asked_list *asked)
{
    for (size_t i = 0; i < plan->n; i++)
        for (size_t j = i + 1; j < plan->n; j++) {
            const struct plan_entry *a = &plan->v[i];
            const struct plan_entry *b = &plan->v[j];
            bool excused = false;

            assert_true(is_placed_by_bwrap(a) || !is_placed_by_bwrap(b));
            if (!is_placed_by_bwrap(b))
                continue;
            assert_false(path_is_within(a->dest, b->dest));
            for (size_t k = 0; k < asked->n; k++)
                excused |= asked->v[k].is_mount && asked->v[k].group >= a->group &&
                           path_is_below(b->dest, asked->v[k].dest);
            assert_true(a->group <= b->group || excused);
        }
}

static void check_winner(const struct plan *plan, const struct asked_list *asked)
{
    for (size_t i = 0; i < plan->n; i++) {
        if (!is_placed_by_bwrap(&plan->v[i]))
            continue;
        for (size_t k = 0; k < asked->n; k++)
            if (asked->v[k].is_mount && strcmp(asked->v[k].dest, plan->v[i].dest) == 0)
                assert_true(asked->v[k].group <= plan->v[i].group);
    }
}

struct tally {
    unsigned kept;
    unsigned dropped;
    unsigned hosts;
    unsigned shown;
    unsigned masked;
    unsigned asked; /* looks at a place that was to be hidden by its name on the host */
};

static void print_plan(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n; i++)
        print_error("%u %s %s %s\n", plan->v[i].group, plan_kind_name(plan->v[i].kind),
                    plan->v[i].dest, plan->v[i].source ? plan->v[i].source : "");
}

/* Deny beats mask, mask beats protect, at one place; below a mask or deny there is nothing. */
static void check_strength(const struct plan *plan, const struct asked_list *asked)
{
    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_entry *cover = &plan->v[i];

        if (!plan_is_cover(cover->kind))
            continue;
        for (size_t k = 0; k < asked->n; k++)
            if (!asked->v[k].by_host && strcmp(asked->v[k].dest, cover->dest) == 0)
                assert_true(plan_cover_strength(asked->v[k].kind) <=
                            plan_cover_strength(cover->kind));
        for (size_t j = 0; j < plan->n; j++)
            assert_false(plan_hides(cover->kind) && plan->v[j].kind != PLAN_REMOUNT_RO &&
                         path_is_below(plan->v[j].dest, cover->dest));
    }
}

/* What was to be hidden by its name on the host shows nowhere, except through a bind of something
 * inside it. */
static void check_hosts(struct model *model, struct model *bare, const struct plan *plan,
                        const struct asked_list *asked, const char *path, struct tally *tally)
{
    _cleanup_free_ char *real = model_host_path(model, path);
    _cleanup_free_ char *without = model_host_path(bare, path);

    for (size_t k = 0; k < asked->n && without; k++) {
        _cleanup_free_ char *canonical = NULL;
        bool excused = real == NULL;

        if (!asked->v[k].by_host || !plan_hides(asked->v[k].kind) ||
            fs_resolve(model->fs, asked->v[k].dest, &canonical, NULL, NULL) < 0 ||
            !str_eq(canonical, asked->v[k].dest) || !path_is_within(without, canonical))
            continue;
        tally->asked++;
        for (size_t j = 0; j < plan->n; j++)
            excused |= plan->v[j].source && path_is_below(plan->v[j].source, canonical) &&
                       path_is_within(path, plan->v[j].dest);
        if (!excused && path_is_within(real, canonical)) {
            print_plan(plan);
            fail_msg("%s shows %s, but %s was to be hidden", path, real, canonical);
        }
    }
}

struct views {
    struct model *bare;
    const char *host_path;
    unsigned found;
};

static void check_view(void *arg, const char *dest)
{
    struct views *views = arg;
    _cleanup_free_ char *real = model_host_path(views->bare, dest);

    assert_string_equal(real, views->host_path);
    views->found++;
}

/* plan_each_view() finds each place at which the mounts without the covers show a host path. */
static void check_views(struct model *model, struct model *bare, const struct plan *plan,
                        const char *host_path, const char *const *paths, size_t n)
{
    struct views views = {.bare = bare, .host_path = host_path};
    unsigned within = 0;

    plan_each_view(plan, host_path, check_view, &views);
    for (size_t i = 0; i < n; i++) {
        _cleanup_free_ char *real = model_host_path(bare, paths[i]);
        _cleanup_free_ char *shown = model_host_path(model, paths[i]);

        if (str_eq(real, host_path))
            within += str_eq(shown, host_path);
    }
    assert_true(views.found >= within);
}

/* Walks a path inside as the kernel does, over links of the jail and of the host. NULL: it ends in
 * memory, in a mask, or nowhere. */
static char *walk_inside(struct model *model, const struct plan *plan, const char *path)
{
    _cleanup_free_ char *todo = xstrdup(path);
    _cleanup_free_ char *done = xstrdup("/");

    for (unsigned steps = 0; steps < 60; steps++) {
        size_t skip = strspn(todo, "/");
        size_t len = strcspn(todo + skip, "/");
        _cleanup_free_ char *name = xstrndup(todo + skip, len);
        _cleanup_free_ char *rest = xstrdup(todo + skip + len);
        _cleanup_free_ char *next = path_join(done, name);
        _cleanup_free_ char *cleaned = path_clean(next);
        _cleanup_free_ char *host_path = model_host_path(model, cleaned);
        char text[256] = "";

        if (len == 0)
            return model_host_path(model, done);
        if (host_path)
            (void)!model->fs->readlink(model->fs->ctx, host_path, text, sizeof(text));
        for (size_t i = 0; i < plan->n && !host_path; i++)
            if (plan->v[i].kind == PLAN_SYMLINK && str_eq(plan->v[i].dest, cleaned))
                snprintf(text, sizeof(text), "%s", plan->v[i].target);
        free(steal_ptr(&todo));
        if (text[0]) {
            todo = xasprintf("%s%s", text, rest);
            if (text[0] == '/')
                strcpy(done, "/");
        } else {
            todo = steal_ptr(&rest);
            free(done);
            done = steal_ptr(&cleaned);
        }
    }
    return NULL;
}

static void check_path(struct model *model, const struct plan *plan, const char *path,
                       struct tally *tally)
{
    struct plan_view view = plan_look(plan, path);
    _cleanup_free_ char *told = view.host_path;
    _cleanup_free_ char *real = model_host_path(model, path);

    if (!str_eq(told, real)) {
        print_plan(plan);
        fail_msg("%s shows %s, plan_look says %s", path, real ? real : "nothing",
                 told ? told : "nothing");
    }
    tally->hosts += real != NULL;
    for (size_t i = 0; i < plan->n && real; i++) {
        const struct plan_entry *entry = &plan->v[i];

        if (plan_hides(entry->kind) && path_is_within(path, entry->dest))
            fail_msg("%s shows %s through a mask", path, real);
    }
    if (plan_shows(plan, model->fs, path)) {
        _cleanup_free_ char *canonical = NULL;
        _cleanup_free_ char *inside = walk_inside(model, plan, path);

        assert_int_equal(fs_resolve(model->fs, path, &canonical, NULL, NULL), 0);
        if (!str_eq(inside, canonical))
            fail_msg("plan_shows(%s): inside it leads to %s", path, inside ? inside : "nothing");
        tally->shown++;
    }
}

/* What a mask hides may show elsewhere only through a bind of something inside it. */
static void check_masks(struct model *model, const struct plan *plan,
                        const struct model *without_covers, const char *path, struct tally *tally)
{
    _cleanup_free_ char *real = model_host_path(model, path);
    struct model *bare = (struct model *)(uintptr_t)without_covers;

    for (size_t i = 0; i < plan->n && real; i++) {
        _cleanup_free_ char *hidden = NULL;
        bool excused = false;

        if (!plan_hides(plan->v[i].kind))
            continue;
        hidden = model_host_path(bare, plan->v[i].dest);
        tally->masked += hidden != NULL;
        if (!hidden || !path_is_within(real, hidden))
            continue;
        for (size_t j = 0; j < plan->n; j++)
            excused |= plan->v[j].source && path_is_below(plan->v[j].source, hidden) &&
                       path_is_within(path, plan->v[j].dest);
        if (!excused)
            fail_msg("%s shows %s, which is masked at %s", path, real, plan->v[i].dest);
    }
}

static const char *const names[] = {"a", "b", "c"};

#define UNIVERSE (1 + 3 + 9 + 27)

/* Path number index of the universe: every path of up to three of the names. */
static char *universe_path(size_t index)
{
    if (index == 0)
        return xstrdup("/");
    if (index < 4)
        return xasprintf("/%s", names[index - 1]);
    if (index < 13)
        return xasprintf("/%s/%s", names[(index - 4) / 3], names[(index - 4) % 3]);
    index -= 13;
    return xasprintf("/%s/%s/%s", names[index / 9], names[index / 3 % 3], names[index % 3]);
}

static void check_plan(struct plan *plan, const struct fs *fs, struct tally *tally)
{
    struct model model CLEANUP(model_free) = {.fs = fs};
    struct model bare CLEANUP(model_free) = {.fs = fs};
    struct asked_list asked;
    struct notes notes CLEANUP(notes_free) = {0};
    char *paths[UNIVERSE];

    remember(&asked, plan);
    plan_finish(plan, fs, &notes);
    tally->kept += (unsigned)plan->n;
    tally->dropped += (unsigned)notes.n;
    check_order(plan, &asked);
    check_winner(plan, &asked);
    check_strength(plan, &asked);
    model_mount(&model, CONTENT_MEMORY, "/", NULL);
    model_mount(&bare, CONTENT_MEMORY, "/", NULL);
    for (size_t i = 0; i < plan->n; i++) {
        place(&model, &plan->v[i]);
        if (!plan_is_cover(plan->v[i].kind))
            place(&bare, &plan->v[i]);
    }
    for (size_t i = 0; i < UNIVERSE; i++) {
        _cleanup_free_ char *path = universe_path(i);

        check_path(&model, plan, path, tally);
        check_masks(&model, plan, &bare, path, tally);
        check_hosts(&model, &bare, plan, &asked, path, tally);
        paths[i] = steal_ptr(&path);
    }
    for (size_t i = 0; i < UNIVERSE; i++)
        check_views(&model, &bare, plan, paths[i], (const char *const *)paths, UNIVERSE);
    for (size_t i = 0; i < UNIVERSE; i++)
        free(paths[i]);
}

/* ---- random plans ---- */

/* xorshift64 (Marsaglia 2003): the same plans in every run. */
static uint64_t random_state;

static unsigned below(unsigned limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % limit;
}

static struct fakefs *random_tree(void)
{
    struct fakefs *fakefs = fakefs_new(NULL);

    for (size_t i = 1; i < UNIVERSE; i++) {
        _cleanup_free_ char *path = universe_path(i);
        _cleanup_free_ char *parent = path_parent(path);
        _cleanup_free_ char *target = universe_path(1 + below(UNIVERSE - 1));
        struct fs_stat st;
        unsigned kind = below(10);

        if (fs_stat(fakefs_fs(fakefs), parent, false, &st) < 0 || st.type != FS_DIR)
            continue;
        if (kind < 6)
            fakefs_addf(fakefs, "d %s", path);
        else if (kind < 8)
            fakefs_addf(fakefs, "f %s 0644 0 x", path);
        else if (kind < 9)
            fakefs_addf(fakefs, "l %s %s", path, target);
    }
    return fakefs;
}

static void add_entry(struct plan *plan, const struct fs *fs, enum plan_group group,
                      enum plan_kind kind, const char *dest, const char *source)
{
    _cleanup_free_ char *canonical = NULL;
    struct plan_entry *entry;

    if (plan_is_bind(kind)) {
        if (fs_resolve(fs, source, &canonical, NULL, NULL) == 0)
            plan_add_bind(plan, fs, group, kind, canonical, dest, "test");
        return;
    }
    entry = plan_add(plan, group, kind, dest, "test");
    if (kind == PLAN_SYMLINK)
        entry->target = xstrdup(source);
    if (kind == PLAN_DATA)
        entry->data = xstrdup("text");
}

static void random_plans_fit_the_model(void **state)
{
    struct tally tally = {0};

    (void)state;
    random_state = 0x9E3779B97F4A7C15u;
    for (unsigned round = 0; round < RANDOM_PLANS; round++) {
        _cleanup_fakefs_ struct fakefs *fakefs = random_tree();
        const struct fs *fs = fakefs_fs(fakefs);
        struct plan plan CLEANUP(plan_free) = {0};
        unsigned count = 1 + below(9);

        for (unsigned i = 0; i < count; i++) {
            static const enum plan_kind kinds[] = {
                PLAN_TMPFS, PLAN_DIR,  PLAN_RO,         PLAN_RW,          PLAN_RO,
                PLAN_RW,    PLAN_DATA, PLAN_SYMLINK,    PLAN_COVER_EMPTY, PLAN_COVER_EMPTY,
                PLAN_DEV,   PLAN_RW,   PLAN_REMOUNT_RO, PLAN_COVER_RO,    PLAN_COVER_DENY,
            };
            enum plan_kind kind = kinds[below(ARRAY_SIZE(kinds))];
            _cleanup_free_ char *dest = universe_path(below(UNIVERSE));
            _cleanup_free_ char *source = below(3) ? xstrdup(dest) : universe_path(below(UNIVERSE));

            if (str_eq(dest, "/") && kind != PLAN_RO && kind != PLAN_RW && kind != PLAN_REMOUNT_RO)
                continue;
            enum plan_group group = (enum plan_group)(1 + below(GROUP_OWN));

            if (plan_is_cover(kind) && below(2))
                plan_add_host_cover(&plan, group, kind, dest, "test");
            else
                add_entry(&plan, fs, group, kind, dest, source);
        }
        check_plan(&plan, fs, &tally);
    }
    print_message("kept %u, dropped %u, host %u, shown %u, masked %u, asked %u\n", tally.kept,
                  tally.dropped, tally.hosts, tally.shown, tally.masked, tally.asked);
    /* The plans were worth looking at. */
    assert_true(tally.kept > RANDOM_PLANS && tally.dropped > RANDOM_PLANS / 4);
    assert_true(tally.hosts > RANDOM_PLANS && tally.shown > RANDOM_PLANS);
    assert_true(tally.masked > RANDOM_PLANS / 4 && tally.asked > RANDOM_PLANS / 100);
}

/* P-PLAN-8: every kind inside every kind, in both orders of the groups, added in both orders. */
static void all_pairs_of_kinds_fit_the_model(void **state)
{
    _cleanup_fakefs_ struct fakefs *fakefs = fakefs_new("d /a/b/c\nd /b/b/c\nf /b/c 0644 0 x\n");
    const struct fs *fs = fakefs_fs(fakefs);
    struct tally tally = {0};

    (void)state;
    for (unsigned outer = 0; outer < PLAN_KIND_COUNT; outer++)
        for (unsigned inner = 0; inner < PLAN_KIND_COUNT; inner++)
            for (unsigned variant = 0; variant < 8; variant++) {
                struct plan plan CLEANUP(plan_free) = {0};
                enum plan_group first = variant & 1 ? GROUP_MASKS : GROUP_HOME;
                enum plan_group second = variant & 1 ? GROUP_HOME : GROUP_MASKS;
                const char *source = variant & 4 ? "/b" : "/a";
                const char *inside = variant & 4 ? "/b/b" : "/a/b";

                if (variant & 2) {
                    add_entry(&plan, fs, second, (enum plan_kind)inner, "/a/b", inside);
                    add_entry(&plan, fs, first, (enum plan_kind)outer, "/a", source);
                } else {
                    add_entry(&plan, fs, first, (enum plan_kind)outer, "/a", source);
                    add_entry(&plan, fs, second, (enum plan_kind)inner, "/a/b", inside);
                }
                check_plan(&plan, fs, &tally);
            }
    assert_true(tally.kept > 0 && tally.hosts > 0 && tally.dropped > 0);
}

/* Finishing a finished plan changes nothing. */
static void finishing_twice_changes_nothing(void **state)
{
    _cleanup_fakefs_ struct fakefs *fakefs = fakefs_new("d /a/b/c\nf /a/c 0644 0 x\n");
    const struct fs *fs = fakefs_fs(fakefs);
    struct plan plan CLEANUP(plan_free) = {0};
    struct notes notes CLEANUP(notes_free) = {0};
    struct plan_entry before[16];
    size_t n;

    (void)state;
    add_entry(&plan, fs, GROUP_MAPS_OUTSIDE, PLAN_RO, "/b", "/a");
    add_entry(&plan, fs, GROUP_PROJECT, PLAN_RW, "/a", "/a");
    add_entry(&plan, fs, GROUP_MASKS, PLAN_COVER_EMPTY, "/a/c", NULL);
    add_entry(&plan, fs, GROUP_OWN, PLAN_REMOUNT_RO, "/", NULL);
    plan_finish(&plan, fs, &notes);
    n = plan.n;
    assert_true(n == 5);
    memcpy(before, plan.v, n * sizeof(before[0]));
    plan_finish(&plan, fs, &notes);
    assert_int_equal(plan.n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(plan.v[i].kind, before[i].kind);
        assert_true(plan.v[i].group == before[i].group);
    }
    assert_int_equal(notes.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_plans_fit_the_model),
        cmocka_unit_test(all_pairs_of_kinds_fit_the_model),
        cmocka_unit_test(finishing_twice_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
