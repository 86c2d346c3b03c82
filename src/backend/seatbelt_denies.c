// SPDX-License-Identifier: GPL-3.0-only
/*
 * seatbelt_denies: what is taken out again of what was permitted.
 *
 * These rules are the last, and so they decide. They name paths whether something is there or not: there is
 * nobody who would cover it later. The rows, in their order:
 *
 *   0  data below directories of the system; arguments of other processes
 *   1  directories of secrets in HOME, and those that the user hides
 *   2  what macOS keeps of other programs below ~/Library
 *   3  the program's own directories
 *   4  masks: the content, and every change
 *   5  denies: everything
 *   6  what is read-only below a writable directory
 *   7  no writable directory, and none on the way from one to any of these, may be renamed or removed: under
 *      another name it would be judged as another one, and a link in its place would be followed by the next run
 *
 * Rows 0 to 3 are in seatbelt_places.c.
 *
 * A directory of rows 0 to 2 is free as far as the plan shows parts of it, for the plan does so only if a
 * flag, an agent or a map of that very path asks for it. What the user hides is never free: the plan has
 * nothing of it.
 */
#include "backend/seatbelt_parts.h"

#include "base/path.h"
#include "policy/masks_rules.h"

#include <stdlib.h>
#include <string.h>

/* Of a directory that one must pass: everything but the look at it. */
#define ALL_BUT_PASSING "deny file-read-data file-read-xattr file-write*"

#define EXPRESSION_MAX (256 * KIB) /* a path has at most 4 KiB, a letter becomes four bytes */

/* ---- row 7 ---- */

static void pin(struct seatbelt_denying *denying, const char *dir)
{
    if (path_table_get(&denying->is_pinned, dir) != PATH_TABLE_NONE)
        return;
    strv_push(&denying->pins, dir);
    *path_table_put(&denying->is_pinned, denying->pins.v[denying->pins.n - 1]) = 0;
}

void seatbelt_pin_above(struct seatbelt_denying *denying, const char *path)
{
    const struct strv *roots = &denying->grants->roots;

    for (size_t i = 0; i < roots->n; i++) {
        _cleanup_free_ char *dir = NULL;

        if (!path_is_below(path, roots->v[i]))
            continue;
        dir = path_parent(path);
        while (path_is_within(dir, roots->v[i])) {
            char *above = path_parent(dir);

            pin(denying, dir);
            free(dir);
            dir = above;
        }
    }
}

static void put_pins(struct seatbelt_denying *denying)
{
    struct seatbelt_filters dirs _cleanup_filters_ = {0};

    for (size_t i = 0; i < denying->pins.n; i++)
        seatbelt_filters_add(&dirs, SEATBELT_LITERAL, denying->pins.v[i]);
    seatbelt_put_rule(denying->text, "deny file-write-unlink", &dirs, NULL);
}

/* ---- one tree ---- */

void seatbelt_deny_tree(struct seatbelt_denying *denying, const char *head, const char *path,
                        const struct seatbelt_filters *but)
{
    struct seatbelt_filters all _cleanup_filters_ = {0};
    struct seatbelt_filters left _cleanup_filters_ = {0};
    struct seatbelt_filters passed _cleanup_filters_ = {0};

    seatbelt_filters_add_tree(&all, path);
    for (size_t i = 0; i < but->n; i++) {
        _cleanup_free_ char *above = path_parent(but->v[i].text);

        seatbelt_filters_add(&left, but->v[i].kind, but->v[i].text);
        while (str_eq(head, SEATBELT_EVERYTHING) && path_is_within(above, path)) {
            char *next = path_parent(above);

            seatbelt_filters_add(&passed, SEATBELT_LITERAL, above);
            free(above);
            above = next;
        }
    }
    for (size_t i = 0; i < passed.n; i++)
        seatbelt_filters_add(&left, SEATBELT_LITERAL, passed.v[i].text);
    seatbelt_put_rule(denying->text, head, &all, &left);
    seatbelt_put_rule(denying->text, ALL_BUT_PASSING, &passed, NULL);
    seatbelt_pin_above(denying, path);
}

/* ---- rows 4 to 6: literals ---- */

/* The exceptions of a kind; literals with what lies below them. within: only those below that path; NULL:
 * all, and the patterns, too. A pattern lifts what it matches and nothing below: what else is named there
 * stays covered. */
static void find_exceptions(const struct mask_rules *rules, enum plan_kind kind, const char *within,
                            struct seatbelt_filters *but)
{
    const struct mask_exceptions *exceptions =
        kind == PLAN_COVER_DENY ? &rules->deny_exceptions : &rules->mask_exceptions;

    if (kind == PLAN_COVER_RO)
        return;
    for (size_t i = 0; i < exceptions->literals.n; i++)
        if (!within || path_is_below(exceptions->literals.v[i], within))
            seatbelt_filters_add_tree(but, exceptions->literals.v[i]);
    for (size_t i = 0; i < exceptions->glob_count && !within; i++) {
        const struct mask_glob *glob = &exceptions->globs[i];
        struct buf out CLEANUP(buf_free);

        buf_init(&out, EXPRESSION_MAX);
        buf_append_str(&out, "^");
        glob_regex_quote(&out, glob->root, strlen(glob->root));
        buf_append_str(&out, str_eq(glob->root, "/") ? "" : "/");
        if (glob_regex(glob->glob, glob_component_count(glob->glob), GLOB_ROUND_DOWN, &out)) {
            buf_append_str(&out, "$");
            seatbelt_filters_add(but, SEATBELT_REGEX, buf_cstr(&out));
        }
    }
}

/* Any case of an ASCII letter. */
static void append_any_case(struct buf *out, const char *text)
{
    for (; *text; text++) {
        char lower = (char)(*text | 0x20);

        if (lower >= 'a' && lower <= 'z')
            buf_printf(out, "[%c%c]", lower - 'a' + 'A', lower);
        else
            glob_regex_quote(out, text, 1);
    }
}

/* A volume of macOS usually ignores case, and a name that is not there yet has the case that its maker
 * gives it. */
static void add_any_case(struct seatbelt_filters *filters, const char *there, const char *path,
                         const char *end)
{
    struct buf out CLEANUP(buf_free);

    buf_init(&out, EXPRESSION_MAX);
    buf_append_str(&out, "^");
    if (!str_eq(there, "/"))
        glob_regex_quote(&out, there, strlen(there));
    buf_append_str(&out, "/");
    append_any_case(&out, path_rest(path, there));
    buf_append_str(&out, end);
    seatbelt_filters_add(filters, SEATBELT_REGEX, buf_cstr(&out));
}

/* The deepest directory on the way to path that is there; malloc'ed. */
static char *deepest_dir(const struct fs *fs, const char *path)
{
    char *there = path_parent(path);
    struct fs_stat st;

    while (!str_eq(there, "/") && fs_stat(fs, there, false, &st) < 0) {
        char *above = path_parent(there);

        free(there);
        there = above;
    }
    return there;
}

/* The path, and the directories on the way that are not there either, in any case. */
static void deny_any_case(struct seatbelt_denying *denying, const char *head, const char *path,
                          const struct seatbelt_filters *but)
{
    _cleanup_free_ char *there = deepest_dir(denying->policy->host->fs, path);
    _cleanup_free_ char *dir = path_parent(path);
    struct seatbelt_filters all _cleanup_filters_ = {0};
    struct seatbelt_filters dirs _cleanup_filters_ = {0};

    add_any_case(&all, there, path, "(/.*)?$");
    seatbelt_put_rule(denying->text, head, &all, but);
    while (path_is_below(dir, there)) {
        char *above = path_parent(dir);

        add_any_case(&dirs, there, dir, "$");
        free(dir);
        dir = above;
    }
    seatbelt_put_rule(denying->text, "deny file-write-unlink", &dirs, NULL);
}

/* What the cover of a name is made of here. */
static const char *head_of(enum plan_kind kind)
{
    return kind == PLAN_COVER_DENY    ? SEATBELT_EVERYTHING
           : kind == PLAN_COVER_EMPTY ? SEATBELT_CONTENT
                                      : SEATBELT_CHANGES;
}

static void deny_named(struct seatbelt_denying *denying, enum plan_kind kind, const char *path,
                       bool is_there)
{
    const struct policy *policy = denying->policy;
    struct seatbelt_filters but _cleanup_filters_ = {0};

    find_exceptions(policy->masks, kind, path, &but);
    seatbelt_deny_tree(denying, head_of(kind), path, &but);
    if (!is_there)
        deny_any_case(denying, head_of(kind), path, &but);
}

static void deny_armed(struct seatbelt_denying *denying, enum plan_kind kind)
{
    const struct mask_rules *rules = denying->policy->masks;

    for (size_t i = 0; i < rules->armed_count; i++)
        if (rules->armed[i].kind == kind)
            deny_named(denying, kind, rules->armed[i].path, rules->armed[i].is_there);
}

/* Covers that no rule of the masks made; those that a pattern found have a directory that must stay. */
static void deny_covers(struct seatbelt_denying *denying, enum plan_kind kind)
{
    const struct policy *policy = denying->policy;

    for (size_t i = 0; i < policy->plan.n; i++) {
        const struct plan_entry *entry = &policy->plan.v[i];
        _cleanup_free_ char *canonical = NULL;
        const char *path = entry->dest;

        if (entry->group != GROUP_MASKS || entry->kind != kind)
            continue;
        if (fs_resolve(policy->host->fs, path, &canonical, NULL, NULL) == 0)
            path = canonical;
        if (mask_rules_find(policy->masks, path).kind == PLAN_KIND_COUNT)
            deny_named(denying, kind, path, true);
        else
            seatbelt_pin_above(denying, path);
    }
}

/* ---- rows 4 and 5: patterns ---- */

/* "^ROOT/" and the first count components; false if nothing would match. */
static bool begin_expression(struct buf *out, const struct mask_glob *glob, size_t count)
{
    buf_append_str(out, "^");
    glob_regex_quote(out, glob->root, str_eq(glob->root, "/") ? 0 : strlen(glob->root));
    buf_append_str(out, "/");
    return glob_regex(glob->glob, count, GLOB_ROUND_UP, out);
}

/* A directory that the pattern names on its way must keep its name. Behind "**" any name will do. */
static void pin_way(struct seatbelt_denying *denying, const struct mask_glob *glob)
{
    struct seatbelt_filters dirs _cleanup_filters_ = {0};

    for (size_t count = 1; count < glob_component_count(glob->glob); count++) {
        struct buf out CLEANUP(buf_free);

        buf_init(&out, EXPRESSION_MAX);
        if (glob_is_deep(glob->glob, count - 1) || !begin_expression(&out, glob, count))
            continue;
        buf_append_str(&out, "$");
        seatbelt_filters_add(&dirs, SEATBELT_REGEX, buf_cstr(&out));
    }
    seatbelt_put_rule(denying->text, "deny file-write-unlink", &dirs, NULL);
}

static void deny_pattern(struct seatbelt_denying *denying, const struct mask_glob *glob)
{
    struct seatbelt_filters all _cleanup_filters_ = {0};
    struct seatbelt_filters but _cleanup_filters_ = {0};
    _cleanup_free_ char *below = path_join(glob->root, "x");
    struct buf out CLEANUP(buf_free);

    buf_init(&out, EXPRESSION_MAX);
    if (!begin_expression(&out, glob, glob_component_count(glob->glob)))
        return;
    buf_append_str(&out, "(/.*)?$");
    seatbelt_filters_add(&all, SEATBELT_REGEX, buf_cstr(&out));
    find_exceptions(denying->policy->masks, glob->kind, NULL, &but);
    seatbelt_put_rule(denying->text, head_of(glob->kind), &all, &but);
    pin_way(denying, glob);
    seatbelt_pin_above(denying, below);
}

static void deny_patterns(struct seatbelt_denying *denying, enum plan_kind kind)
{
    const struct mask_rules *rules = denying->policy->masks;

    for (size_t i = 0; i < rules->glob_count; i++)
        if (rules->globs[i].kind == kind)
            deny_pattern(denying, &rules->globs[i]);
}

/* ---- row 6: binds ---- */

/* What is read-only but lies where one may write; what is writable again below it is left out. */
static void deny_read_only(struct seatbelt_denying *denying, const struct plan_entry *entry)
{
    const struct strv *roots = &denying->grants->roots;
    struct seatbelt_filters but _cleanup_filters_ = {0};
    bool is_within = false;

    for (size_t i = 0; i < roots->n; i++) {
        is_within |= path_is_below(entry->source, roots->v[i]);
        if (path_is_below(roots->v[i], entry->source))
            seatbelt_filters_add(&but, SEATBELT_SUBPATH, roots->v[i]);
    }
    if (is_within && strv_find(roots, entry->source) < 0)
        seatbelt_deny_tree(denying, SEATBELT_CHANGES, entry->source, &but);
}

static void put_read_only(struct seatbelt_denying *denying)
{
    const struct plan *plan = &denying->policy->plan;

    seatbelt_put_comment(denying->text, "read-only");
    for (size_t i = 0; i < plan->n; i++)
        if (plan->v[i].source && plan->v[i].kind == PLAN_RO && plan->v[i].group != GROUP_RUNTIME)
            deny_read_only(denying, &plan->v[i]);
    deny_armed(denying, PLAN_COVER_RO);
    deny_covers(denying, PLAN_COVER_RO);
}

/* A writable directory keeps its place: in an empty one the agent could leave a link, and the next run would
 * follow it to wherever it leads. */
static void pin_roots(struct seatbelt_denying *denying)
{
    for (size_t i = 0; i < denying->grants->roots.n; i++) {
        _cleanup_free_ char *below = path_join(denying->grants->roots.v[i], "x");

        seatbelt_pin_above(denying, below);
    }
}

void seatbelt_put_denies(struct seatbelt_text *text, const struct policy *policy,
                         const struct seatbelt_grants *grants)
{
    static const struct {
        const char *what;
        enum plan_kind kind;
    } covers[] = {{"masks", PLAN_COVER_EMPTY}, {"denies", PLAN_COVER_DENY}};
    struct seatbelt_denying denying = {.text = text, .policy = policy, .grants = grants};

    seatbelt_deny_places(&denying);
    for (size_t i = 0; i < ARRAY_SIZE(covers); i++) {
        seatbelt_put_comment(text, covers[i].what);
        deny_armed(&denying, covers[i].kind);
        deny_covers(&denying, covers[i].kind);
        deny_patterns(&denying, covers[i].kind);
    }
    put_read_only(&denying);
    pin_roots(&denying);
    seatbelt_put_comment(text, "names that must stay");
    put_pins(&denying);
    strv_free(&denying.pins);
    path_table_free(&denying.is_pinned);
}
