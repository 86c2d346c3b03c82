// SPDX-License-Identifier: GPL-3.0-only
/*
 * masks: reading the rules, and answering what is to become of a path.
 *
 * An entry is a literal if it holds no character of patterns or if something of that very name is
 * there now ("app/[id]/page" is a common directory name). Otherwise its literal directories are split
 * off, and the rest is compiled. A pattern without a slash matches at any depth below the project,
 * as in .gitignore; "./X" matches in the project directory alone.
 *
 * Literals that an exception takes out never become rules. For globs the exceptions are asked path by
 * path, so they hold for what appears later too.
 */
#include "policy/masks.h"

#include "base/path.h"
#include "policy/masks_rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t monotonic_ms(void *ctx)
{
    struct timespec now;

    (void)ctx;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void globs_free(struct mask_glob *globs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(globs[i].text);
        free(globs[i].root);
        free(globs[i].origin);
        glob_free(globs[i].glob);
    }
    free(globs);
}

static void exceptions_free(struct mask_exceptions *exceptions)
{
    strv_free(&exceptions->literals);
    path_table_free(&exceptions->by_path);
    globs_free(exceptions->globs, exceptions->glob_count);
}

void mask_rules_free(struct mask_rules *rules)
{
    if (!rules)
        return;
    for (size_t i = 0; i < rules->asked_count; i++) {
        free(rules->asked[i].path);
        free(rules->asked[i].origin);
    }
    free(rules->asked);
    for (size_t i = 0; i < rules->armed_count; i++)
        free(rules->armed[i].path);
    free(rules->armed);
    path_table_free(&rules->armed_by_path);
    strv_free(&rules->parents);
    path_table_free(&rules->is_parent);
    globs_free(rules->globs, rules->glob_count);
    exceptions_free(&rules->mask_exceptions);
    exceptions_free(&rules->deny_exceptions);
    strv_free(&rules->watched);
    path_table_free(&rules->is_watched);
    free(rules);
}

static void cleanup_rules(struct mask_rules **rules)
{
    mask_rules_free(*rules);
}

/* ---- reading ---- */

struct source {
    const struct config *config;
    const struct host *host;
    const char *project;
    enum setting_id id;
    size_t index;
    const char *entry;
};

static char *origin_of(const struct source *source)
{
    _cleanup_free_ char *spelling =
        config_entry_spelling(source->config, source->id, source->index);

    return xasprintf("%s %s", spelling, source->entry);
}

/* Absolute, not cleaned: "link/.." is not the directory that holds the link. */
static char *absolute(const struct source *source, const char *path)
{
    _cleanup_free_ char *expanded = path_expand_home(path, source->host->home);

    return path_join(source->project, expanded);
}

/* True if something is there by this name, a link included. */
static bool is_there(const struct source *source, const char *path)
{
    struct fs_stat st;

    return fs_stat(source->host->fs, path, false, &st) == 0;
}

static int read_glob(struct mask_glob *glob, const struct source *source, struct error *error)
{
    size_t prefix = glob_prefix_len(source->entry);
    _cleanup_free_ char *directories = xstrndup(source->entry, prefix);
    _cleanup_free_ char *joined = absolute(source, directories);
    bool is_anywhere = !strchr(source->entry, '/');
    struct glob_fault fault = {0};

    *glob = (struct mask_glob){.root = path_clean(joined), .origin = origin_of(source)};
    glob->text = xstrdup(source->entry);
    glob->glob = glob_compile(source->entry + prefix, &fault);
    if (!glob->glob)
        return error_set(error, EINVAL, "%s: character %zu: %s", glob->origin,
                         prefix + fault.position + 1, fault.why);
    if (is_anywhere) {
        _cleanup_free_ char *anywhere = xasprintf("**/%s", source->entry);

        glob_free(glob->glob);
        glob->glob = glob_compile(anywhere, &fault);
        if (!glob->glob)
            return error_set(error, EINVAL, "%s: %s", glob->origin, fault.why);
    }
    return 0;
}

static int add_glob(struct mask_glob **globs, size_t *count, const struct source *source,
                    enum plan_kind kind, struct error *error)
{
    int r;

    *globs = xrealloc(*globs, *count + 1, sizeof(**globs));
    r = read_glob(&(*globs)[*count], source, error);
    (*globs)[(*count)++].kind = kind;
    return r;
}

static void add_asked(struct mask_rules *rules, struct mask_asked asked)
{
    rules->asked = xrealloc(rules->asked, rules->asked_count + 1, sizeof(*rules->asked));
    rules->asked[rules->asked_count++] = asked;
}

static int read_exception(struct mask_rules *rules, const struct source *source,
                          enum plan_kind kind, struct error *error)
{
    struct mask_exceptions *exceptions =
        kind == PLAN_COVER_DENY ? &rules->deny_exceptions : &rules->mask_exceptions;
    _cleanup_free_ char *path = absolute(source, source->entry);

    if (glob_is_pattern(source->entry) && !is_there(source, path))
        return add_glob(&exceptions->globs, &exceptions->glob_count, source, kind, error);
    strv_push_owned(&exceptions->literals, path_clean(path));
    *path_table_put(&exceptions->by_path, exceptions->literals.v[exceptions->literals.n - 1]) = 0;
    return 0;
}

static int read_rule(struct mask_rules *rules, const struct source *source, enum plan_kind kind,
                     struct error *error)
{
    _cleanup_free_ char *path = absolute(source, source->entry);
    _cleanup_free_ char *cleaned = path_clean(path);

    if (glob_is_pattern(source->entry) && !is_there(source, path))
        return add_glob(&rules->globs, &rules->glob_count, source, kind, error);
    if (str_eq(cleaned, "/")) {
        _cleanup_free_ char *origin = origin_of(source);

        return error_set(error, EINVAL, "%s: / cannot be covered; name something below it", origin);
    }
    if (!mask_rules_excepts(rules, kind, cleaned))
        add_asked(rules, (struct mask_asked){
                             .path = steal_ptr(&path), .kind = kind, .origin = origin_of(source)});
    return 0;
}

int mask_rules_build(struct mask_rules **rules, const struct config *config,
                     const struct host *host, const char *project, struct notes *notes,
                     struct error *error)
{
    /* Exceptions first: a literal asks them. */
    static const struct {
        enum setting_id id;
        enum plan_kind kind;
        int (*read)(struct mask_rules *rules, const struct source *source, enum plan_kind kind,
                    struct error *error);
    } lists[] = {
        {SET_MASK_EXCEPTIONS, PLAN_COVER_EMPTY, read_exception},
        {SET_DENY_PATH_EXCEPTIONS, PLAN_COVER_DENY, read_exception},
        {SET_MASK, PLAN_COVER_EMPTY, read_rule},
        {SET_DENY_PATHS, PLAN_COVER_DENY, read_rule},
    };
    struct mask_rules *made CLEANUP(cleanup_rules) = xcalloc(1, sizeof(*made));

    (void)notes;
    made->budget = (struct mask_budget){
        .entries = MASK_ENTRIES_MAX,
        .directories = MASK_DIRECTORIES_MAX,
        .ms = MASK_WALK_MS_MAX,
        .now_ms = monotonic_ms,
    };
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        const struct strv *entries = config_list(config, lists[i].id);

        for (size_t j = 0; j < entries->n; j++) {
            struct source source = {config, host, project, lists[i].id, j, entries->v[j]};
            int r = lists[i].read(made, &source, lists[i].kind, error);

            if (r < 0)
                return r;
        }
    }
    *rules = steal_ptr(&made);
    return 0;
}

void mask_rules_add(struct mask_rules *rules, enum plan_kind kind, const char *path,
                    const char *origin)
{
    assert(plan_is_cover(kind));
    add_asked(rules,
              (struct mask_asked){
                  .path = xstrdup(path), .kind = kind, .origin = xstrdup(origin), .is_own = true});
}

void mask_rules_set_budget(struct mask_rules *rules, const struct mask_budget *budget)
{
    rules->budget = *budget;
}

/* ---- what the walk adds ---- */

static void add_parents(struct mask_rules *rules, const char *path)
{
    struct path_prefix prefix = {.path = path};

    while (path_prefix_next(&prefix) && !path_prefix_is_whole(&prefix)) {
        if (path_table_get_prefix(&rules->is_parent, &prefix) != PATH_TABLE_NONE)
            continue;
        strv_push_owned(&rules->parents, xstrndup(path, prefix.len));
        *path_table_put(&rules->is_parent, rules->parents.v[rules->parents.n - 1]) = 0;
    }
}

void mask_rules_arm(struct mask_rules *rules, const char *path, enum plan_kind kind,
                    const char *origin, bool is_there_now)
{
    uint32_t number = path_table_get(&rules->armed_by_path, path);
    struct mask_armed *armed;

    if (number == PATH_TABLE_NONE) {
        if (rules->armed_count == rules->armed_cap) {
            rules->armed_cap = rules->armed_cap ? rules->armed_cap * 2 : 64;
            rules->armed = xrealloc(rules->armed, rules->armed_cap, sizeof(*rules->armed));
        }
        armed = &rules->armed[rules->armed_count];
        *armed = (struct mask_armed){.path = xstrdup(path), .kind = kind, .origin = origin};
        *path_table_put(&rules->armed_by_path, armed->path) = (uint32_t)rules->armed_count++;
        add_parents(rules, path);
    } else {
        armed = &rules->armed[number];
        if (plan_cover_strength(kind) > plan_cover_strength(armed->kind)) {
            armed->kind = kind;
            armed->origin = origin;
        }
    }
    armed->is_there = armed->is_there || is_there_now;
}

/* ---- asking ---- */

/* The part of path below root, NULL if it is not below it. */
static const char *below_root(const struct mask_glob *glob, const char *path)
{
    return path_is_below(path, glob->root) ? path_rest(path, glob->root) : NULL;
}

static bool glob_has(const struct mask_glob *glob, const char *path)
{
    const char *rest = below_root(glob, path);

    return rest && glob_is_match(glob->glob, glob_walk(glob->glob, rest));
}

bool mask_rules_excepts(const struct mask_rules *rules, enum plan_kind kind, const char *path)
{
    const struct mask_exceptions *exceptions =
        kind == PLAN_COVER_DENY ? &rules->deny_exceptions : &rules->mask_exceptions;
    struct path_prefix prefix = {.path = path};

    if (kind == PLAN_COVER_RO)
        return false;
    while (exceptions->literals.n && path_prefix_next(&prefix))
        if (path_table_get_prefix(&exceptions->by_path, &prefix) != PATH_TABLE_NONE)
            return true;
    for (size_t i = 0; i < exceptions->glob_count; i++)
        if (glob_has(&exceptions->globs[i], path))
            return true;
    return false;
}

struct mask_verdict mask_rules_find(const struct mask_rules *rules, const char *path)
{
    struct mask_verdict verdict = {.kind = PLAN_KIND_COUNT};
    uint32_t number = path_table_get(&rules->armed_by_path, path);
    unsigned strength = 0;

    if (number != PATH_TABLE_NONE) {
        verdict = (struct mask_verdict){rules->armed[number].kind, rules->armed[number].origin};
        strength = plan_cover_strength(verdict.kind);
    }
    for (size_t i = 0; i < rules->glob_count; i++) {
        const struct mask_glob *glob = &rules->globs[i];

        if (plan_cover_strength(glob->kind) <= strength || !glob_has(glob, path) ||
            mask_rules_excepts(rules, glob->kind, path))
            continue;
        verdict = (struct mask_verdict){glob->kind, glob->origin};
        strength = plan_cover_strength(verdict.kind);
    }
    return verdict;
}

bool mask_rules_skips(const struct mask_rules *rules, const char *name)
{
    static const char *const never[] = {".git",        "node_modules", ".venv",   "venv",
                                        "__pycache__", ".tox",         ".gradle", "target"};
    bool is_listed = false;

    for (size_t i = 0; i < ARRAY_SIZE(never) && !is_listed; i++)
        is_listed = strcmp(never[i], name) == 0;
    for (size_t i = 0; i < rules->glob_count && is_listed; i++)
        is_listed = !glob_names(rules->globs[i].glob, name);
    return is_listed;
}

/* True if some directory between root and path is never watched. */
static bool skips_way(const struct mask_rules *rules, const char *rest)
{
    char name[16]; /* longer than each of the names */

    for (size_t len; *rest; rest += len + (rest[len] == '/')) {
        len = strcspn(rest, "/");
        if (len >= sizeof(name))
            continue;
        memcpy(name, rest, len);
        name[len] = '\0';
        if (mask_rules_skips(rules, name))
            return true;
    }
    return false;
}

bool mask_rules_leads_on(const struct mask_rules *rules, const char *path)
{
    if (path_table_get(&rules->is_parent, path) != PATH_TABLE_NONE)
        return true;
    for (size_t i = 0; i < rules->glob_count; i++) {
        const struct mask_glob *glob = &rules->globs[i];
        const char *rest = below_root(glob, path);

        if (path_is_within(glob->root, path))
            return true;
        if (rest && glob_leads_on(glob->glob, glob_walk(glob->glob, rest)) &&
            !skips_way(rules, rest))
            return true;
    }
    return false;
}

const struct strv *mask_rules_watched(const struct mask_rules *rules)
{
    return &rules->watched;
}

size_t mask_rules_literal_count(const struct mask_rules *rules)
{
    return rules->armed_count;
}

struct mask_literal mask_rules_literal(const struct mask_rules *rules, size_t number)
{
    const struct mask_armed *armed = &rules->armed[number];

    assert(number < rules->armed_count);
    return (struct mask_literal){armed->path, armed->kind, armed->origin, armed->is_there};
}

size_t mask_rules_pattern_count(const struct mask_rules *rules)
{
    return rules->glob_count;
}

struct mask_pattern mask_rules_pattern(const struct mask_rules *rules, size_t number)
{
    const struct mask_glob *glob = &rules->globs[number];

    assert(number < rules->glob_count);
    return (struct mask_pattern){glob->text, glob->root, glob->kind, glob->origin};
}
