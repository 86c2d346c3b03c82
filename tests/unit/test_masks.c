// SPDX-License-Identifier: GPL-3.0-only
/*
 * Masks and denies: what is covered now, what is armed for later, what is said about it, and that the
 * search is bounded. The tree is in memory.
 */
#include "policy/masks.h"

#include "base/path.h"
#include "support/planner.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

static const char tree[] = "f /home/u/proj/.env 0600 1000 x\n"
                           "f /home/u/proj/key.pem 0600 1000 x\n"
                           "f /home/u/proj/a/b/c/deep.pem 0600 1000 x\n"
                           "f /home/u/proj/a/.hidden.pem 0600 1000 x\n"
                           "f /home/u/proj/a/notes 0644 1000 x\n"
                           "d /home/u/proj/secrets/inner\n"
                           "f /home/u/proj/secrets/one 0600 1000 x\n"
                           "f /home/u/proj/secrets/inner/two 0600 1000 x\n"
                           "f /home/u/proj/app/[id]/page 0644 1000 x\n"
                           "f /home/u/proj/app/i/page 0644 1000 x\n"
                           "f /home/u/proj/node_modules/m/x.pem 0644 1000 x\n"
                           "f /home/u/proj/.git/x.pem 0644 1000 x\n"
                           "f /home/u/proj/real/secret 0600 1000 x\n"
                           "l /home/u/proj/rel real/secret\n"
                           "l /home/u/proj/abs /home/u/proj/real/secret\n"
                           "l /home/u/proj/chain rel\n"
                           "l /home/u/proj/dangling nowhere/file\n"
                           "l /home/u/proj/loop loop2\n"
                           "l /home/u/proj/loop2 loop\n"
                           "l /home/u/proj/tousr /usr\n"
                           "l /home/u/proj/tohome /home\n"
                           "l /home/u/proj/outside /srv/data\n"
                           "l /home/u/proj/up ..\n"
                           "f /srv/data/x 0600 1000 x\n"
                           "f /home/u/.netrc 0600 1000 x\n";

struct world {
    struct planner planner;
    struct mask_rules *rules;
    struct error error;
    int result; /* of building and walking */
};

static void world_free(struct world *world)
{
    mask_rules_free(world->rules);
    planner_free(&world->planner);
}

#define _cleanup_world_ CLEANUP(world_free)

/* Lines: "m ENTRY" mask, "d ENTRY" deny, "M ENTRY" and "D ENTRY" their exceptions. */
static void say(struct world *world, const char *lines)
{
    _cleanup_strv_ struct strv list = {0};
    struct config cli;

    config_init(&cli, LAYER_CLI);
    strv_split(&list, lines, '\n');
    for (size_t i = 0; i < list.n; i++) {
        enum setting_id id = list.v[i][0] == 'm'   ? SET_MASK
                             : list.v[i][0] == 'd' ? SET_DENY_PATHS
                             : list.v[i][0] == 'M' ? SET_MASK_EXCEPTIONS
                                                   : SET_DENY_PATH_EXCEPTIONS;

        if (list.v[i][0])
            config_add(&cli, id, list.v[i] + 2);
    }
    config_merge(&world->planner.config, &cli);
    config_free(&cli);
}

static void build(struct world *world, const char *more_tree, const char *lines)
{
    *world = (struct world){0};
    planner_init(&world->planner, tree, NULL);
    if (more_tree)
        fakefs_add(world->planner.fakefs, more_tree);
    say(world, lines);
    world->result = mask_rules_build(&world->rules, &world->planner.config, &world->planner.host,
                                     PLANNER_PROJECT, &world->planner.notes, &world->error);
}

static void walk(struct world *world)
{
    world->result = mask_rules_walk(world->rules, &world->planner.plan, &world->planner.host,
                                    &world->planner.notes, &world->error);
}

/* The covers of the project in the finished plan, "mask a" or "deny a" each, blanks between, sorted as
 * in the plan. malloc'ed. */
static char *covers(struct world *world)
{
    struct plan *plan = &world->planner.plan;
    _cleanup_strv_ struct strv found = {0};

    plan_finish(plan, world->planner.host.fs, &world->planner.notes);
    for (size_t i = 0; i < plan->n; i++)
        if (plan_is_cover(plan->v[i].kind) && path_is_below(plan->v[i].dest, PLANNER_PROJECT))
            strv_pushf(&found, "%s %s", plan_kind_name(plan->v[i].kind),
                       plan->v[i].dest + strlen(PLANNER_PROJECT) + 1);
    return strv_join(&found, ", ");
}

static void check_covers(const char *lines, const char *want)
{
    _cleanup_world_ struct world world;
    _cleanup_free_ char *got = NULL;

    build(&world, NULL, lines);
    if (world.result == 0)
        walk(&world);
    if (world.result < 0)
        fail_msg("%s: %s", lines, world.error.text);
    got = covers(&world);
    if (strcmp(got, want) != 0)
        fail_msg("%s: %s\n(wanted: %s)", lines, got, want);
}

static void entries_find_what_is_there(void **state)
{
    static const struct {
        const char *lines;
        const char *covers;
    } rows[] = {
        {"", ""},
        {"m .env", "mask .env"},
        {"d .env", "deny .env"},
        {"m ./.env", "mask .env"},
        {"m /home/u/proj/.env", "mask .env"},
        {"m ~/proj/.env", "mask .env"},
        {"m a/../.env", "mask .env"},
        {"m secrets/", "mask secrets"},
        {"m none", ""},
        {"m key.pem/none", ""},
        /* Without a slash at any depth, with one as written. */
        {"m *.pem", "mask key.pem, mask .git/x.pem, mask a/.hidden.pem, mask node_modules/m/x.pem, "
                    "mask a/b/c/deep.pem"},
        {"m ./*.pem", "mask key.pem"},
        {"m a/**/*.pem", "mask a/.hidden.pem, mask a/b/c/deep.pem"},
        {"m a/*", "mask a/.hidden.pem, mask a/b, mask a/notes"},
        {"m secrets/**", "mask secrets/inner, mask secrets/one"},
        /* The directory of this very name; without it the set. */
        {"m app/[id]/page", "mask app/[id]/page"},
        {"m ap[p]/[id]/page", "mask app/i/page"},
        {"m app/\\[id\\]/page", "mask app/[id]/page"},
        /* Deny beats mask; below a covered directory there is nothing. */
        {"m .env\nd .env", "deny .env"},
        {"d .env\nm .e*", "deny .env"},
        {"m .env\nd .e*", "deny .env"},
        {"m secrets\nm secrets/**\nd secrets/one\nm secrets/inner/two", "mask secrets"},
        {"d secrets\nm secrets/one", "deny secrets"},
        /* Links: what they lead to, once. */
        {"m rel", "mask real/secret"},
        {"m abs\nm chain\nm rel", "mask real/secret"},
        {"m re?", "mask real/secret"},
        {"m dangling", ""},
        {"m loop", ""},
        {"m loo*", ""},
        {"m up/proj/.env", "mask .env"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_covers(rows[i].lines, rows[i].covers);
}

static void exceptions_subtract(void **state)
{
    static const struct {
        const char *lines;
        const char *covers;
    } rows[] = {
        {"m .env\nM .env", ""},
        {"m .env\nM ./.env", ""},
        {"m .env\nD .env", "mask .env"},
        {"d .env\nM .env", "deny .env"},
        {"d .env\nD .env", ""},
        {"m .env\nM .e*", ""},
        {"m *.pem\nM a", "mask key.pem, mask .git/x.pem, mask node_modules/m/x.pem"},
        {"m *.pem\nM a/b\nM node_modules\nM .git", "mask key.pem, mask a/.hidden.pem"},
        {"m *.pem\nM a/*\nM node_modules\nM .git", "mask key.pem, mask a/b/c/deep.pem"},
        {"m *.pem\nM deep*\nM .git/**\nM nod*/**", "mask key.pem, mask a/.hidden.pem"},
        {"m secrets/**\nM secrets/one", "mask secrets/inner"},
        {"m secrets\nM secrets/one", "mask secrets"},
        /* The name of a link lifts the mask of that name, not of what it leads to. */
        {"m real/secret\nM rel", "mask real/secret"},
        {"m rel\nM rel", ""},
        {"m re*\nM rel", "mask real"},
        {"m re?\nM rel", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_covers(rows[i].lines, rows[i].covers);
}

static void wrong_entries_are_fatal(void **state)
{
    static const struct {
        const char *line;
        const char *message;
    } rows[] = {
        {"m *.{pem,key}", "*.{pem,key}: character 3: braces"},
        {"m a/b/x{1}", "character 6: braces"},
        {"d a/[x", "character 3: the [ is not closed"},
        {"M **x", "character 1: ** must stand alone"},
        {"D !x", "character 1: a leading !"},
        {"m a/*/../b", "character 5: a pattern cannot go up"},
        {"m /", "/ cannot be covered"},
        {"m ../../..", "/ cannot be covered"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_world_ struct world world;

        build(&world, NULL, rows[i].line);
        if (world.result != -EINVAL)
            fail_msg("%s: %d", rows[i].line, world.result);
        assert_null(world.rules);
        if (!strstr(world.error.text, rows[i].message))
            fail_msg("%s: %s", rows[i].line, world.error.text);
    }
}

/* ---- later ---- */

static void check_find(const struct world *world, const char *path, enum plan_kind want)
{
    struct mask_verdict verdict = mask_rules_find(world->rules, path);

    if (verdict.kind != want)
        fail_msg("%s: %u", path, verdict.kind);
    assert_true((verdict.origin != NULL) == (want != PLAN_KIND_COUNT));
}

#define P PLANNER_PROJECT

static void the_rules_hold_for_what_appears(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    build(&world, NULL,
          "m .env\nm later/file\nm *.pem\nd *.key\nm *.key\nM ok*.pem\nM no/x\nm no/**\n"
          "m dangling\nm chain");
    assert_int_equal(world.result, 0);
    mask_rules_add(world.rules, PLAN_COVER_EMPTY, P "/.ai-jail", "policy file");
    mask_rules_add(world.rules, PLAN_COVER_RO, P "/.git/hooks", "--protect-git");
    walk(&world);
    assert_int_equal(world.result, 0);
    check_find(&world, P "/.env", PLAN_COVER_EMPTY);
    check_find(&world, P "/later/file", PLAN_COVER_EMPTY);
    check_find(&world, P "/later", PLAN_KIND_COUNT);
    check_find(&world, P "/later/file/x", PLAN_KIND_COUNT);
    check_find(&world, P "/x/y/new.pem", PLAN_COVER_EMPTY);
    check_find(&world, P "/x/y/new.key", PLAN_COVER_DENY);
    check_find(&world, P "/x/ok1.pem", PLAN_KIND_COUNT);
    check_find(&world, P "/no/y", PLAN_COVER_EMPTY);
    check_find(&world, P "/no/x", PLAN_KIND_COUNT);
    check_find(&world, P "/no/x/y", PLAN_KIND_COUNT);
    check_find(&world, P "/.ai-jail", PLAN_COVER_EMPTY);
    check_find(&world, P "/.git/hooks", PLAN_COVER_RO);
    check_find(&world, P "/.git/config", PLAN_KIND_COUNT);
    check_find(&world, "/home/u/new.pem", PLAN_KIND_COUNT);
    check_find(&world, P, PLAN_KIND_COUNT);
    /* The name, every link on the way, and where the last one leads. */
    check_find(&world, P "/dangling", PLAN_COVER_EMPTY);
    check_find(&world, P "/nowhere/file", PLAN_COVER_EMPTY);
    check_find(&world, P "/chain", PLAN_COVER_EMPTY);
    check_find(&world, P "/rel", PLAN_COVER_EMPTY);
    check_find(&world, P "/real/secret", PLAN_COVER_EMPTY);
}

/* The program's own rules are not subject to exceptions, and their absence is no news. */
static void own_rules_stay(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    build(&world, NULL, "M .ai-jail\nM .git\nM *");
    mask_rules_add(world.rules, PLAN_COVER_EMPTY, P "/.ai-jail", "policy file");
    walk(&world);
    assert_int_equal(world.result, 0);
    check_find(&world, P "/.ai-jail", PLAN_COVER_EMPTY);
    assert_int_equal(planner_count_notes(&world.planner, NOTE_SECURITY, ""), 0);
    assert_int_equal(mask_rules_literal_count(world.rules), 1);
    assert_string_equal(mask_rules_literal(world.rules, 0).path, P "/.ai-jail");
    assert_false(mask_rules_literal(world.rules, 0).is_there);
}

static bool watches(const struct world *world, const char *dir)
{
    return strv_find(mask_rules_watched(world->rules), dir) >= 0;
}

static void directories_are_remembered(void **state)
{
    _cleanup_world_ struct world world;
    _cleanup_world_ struct world named;

    (void)state;
    build(&world, NULL, "m *.pem\nm a/none/x/y\nm /srv/none");
    walk(&world);
    assert_true(watches(&world, P) && watches(&world, P "/a") && watches(&world, P "/a/b/c"));
    assert_true(watches(&world, P "/secrets/inner") && watches(&world, "/srv"));
    assert_false(watches(&world, P "/.git") || watches(&world, P "/node_modules") ||
                 watches(&world, P "/node_modules/m"));
    assert_true(mask_rules_leads_on(world.rules, P "/new/dir"));
    assert_true(mask_rules_leads_on(world.rules, P "/a/none/x"));
    assert_false(mask_rules_leads_on(world.rules, P "/x/node_modules"));
    assert_false(mask_rules_leads_on(world.rules, P "/node_modules/x"));
    assert_false(mask_rules_leads_on(world.rules, "/srv/other"));
    build(&named, NULL, "m **/node_modules/**/*.pem\nm a/*");
    walk(&named);
    assert_true(watches(&named, P "/node_modules") && watches(&named, P "/node_modules/m"));
    assert_false(watches(&named, P "/.git"));
    assert_true(mask_rules_leads_on(named.rules, P "/x/node_modules"));
}

/* No directory is listed for nothing: only where a pattern can match. */
static void only_what_can_match_is_searched(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    build(&world, "d /home/u/proj/a 0000 0\nd /home/u/proj/app 0000 0", "m secrets/*/two");
    walk(&world);
    assert_int_equal(world.result, 0);
    assert_int_equal(mask_rules_watched(world.rules)->n, 2);
    assert_true(watches(&world, P "/secrets") && watches(&world, P "/secrets/inner"));
    assert_int_equal(planner_count_notes(&world.planner, NOTE_SECURITY, "looked for"), 0);
}

/* ---- what is said ---- */

static void the_user_is_told(void **state)
{
    static const struct {
        const char *tree;
        const char *lines;
        const char *note;
    } rows[] = {
        {NULL, "m none", "nothing is there now"},
        {NULL, "d dangling", "--deny-path dangling"},
        {NULL, "m *.nothing", "*.nothing: nothing matches"},
        {NULL, "m none/*.x", "none/*.x: nothing matches"},
        {NULL, "m loop", "loop of links"},
        {NULL, "m tousr", "leads to /usr"},
        {NULL, "m toh*", "leads to /home"},
        {NULL, "m up", "leads to /home/u"},
        {"d /home/u/proj/closed 0000 0", "m *.pem", "/home/u/proj/closed"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_world_ struct world world;

        build(&world, rows[i].tree, rows[i].lines);
        walk(&world);
        assert_int_equal(world.result, 0);
        if (planner_count_notes(&world.planner, NOTE_SECURITY, rows[i].note) != 1)
            fail_msg("%s: %s", rows[i].lines, rows[i].note);
    }
}

static void a_second_name_is_told(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    build(&world, NULL, "m .env\nm *.pem");
    fakefs_node(world.planner.fakefs, P "/.env")->nlink = 2;
    fakefs_node(world.planner.fakefs, P "/a")->nlink = 7;
    walk(&world);
    assert_int_equal(planner_count_notes(&world.planner, NOTE_SECURITY, "hard link"), 1);
    assert_int_equal(planner_count_notes(&world.planner, NOTE_SECURITY, P "/.env"), 1);
}

static void an_idle_exception_is_told(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    build(&world, NULL, "m secrets\nM secrets/one");
    walk(&world);
    assert_int_equal(planner_count_notes(&world.planner, NOTE_WARNING, "secrets/one frees nothing"),
                     1);
}

/* ---- bounds ---- */

static uint64_t fake_ms;

static uint64_t ticking(void *ctx)
{
    (void)ctx;
    return fake_ms += 10;
}

static void the_walk_is_bounded(void **state)
{
    static const struct {
        struct mask_budget budget;
        int result;
        const char *message;
    } rows[] = {
        {{50, 100, 1000, ticking, NULL}, -E2BIG, "*.pem: there are too many files"},
        {{5000, 3, 1000, ticking, NULL}, -E2BIG, "*.pem: there are too many directories"},
        {{5000, 100, 5, ticking, NULL}, -ETIME, "*.pem: it takes too long"},
        {{5000, 100, 1000, ticking, NULL}, 0, ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_world_ struct world world;

        build(&world, NULL, "m .env\nm *.pem");
        for (unsigned j = 0; j < 300; j++)
            fakefs_addf(world.planner.fakefs, "f " P "/many/%u 0644 0 x", j);
        mask_rules_set_budget(world.rules, &rows[i].budget);
        walk(&world);
        assert_int_equal(world.result, rows[i].result);
        if (!strstr(world.error.text, rows[i].message))
            fail_msg("%s", world.error.text);
    }
}

/* ---- where the jail shows it ---- */

/* A mask names a path of the host: a map shows it elsewhere, and another map shows something else at
 * that place. */
static void maps_are_seen_through(void **state)
{
    _cleanup_world_ struct world world;
    struct plan *plan = &world.planner.plan;
    struct plan_view view;

    (void)state;
    build(&world, "d /data/x\nf /data/x/.env 0600 0 x", "m .env\nd /data/x/.env");
    plan_add_bind(plan, world.planner.host.fs, GROUP_MAPS_OUTSIDE, PLAN_RO, P, "/copy", "test");
    plan_add_bind(plan, world.planner.host.fs, GROUP_MAPS_INSIDE, PLAN_RO, "/data/x", P "/a",
                  "test");
    walk(&world);
    plan_finish(plan, world.planner.host.fs, &world.planner.notes);
    view = plan_look(plan, "/copy/.env");
    assert_int_equal(view.entry->kind, PLAN_COVER_EMPTY);
    view = plan_look(plan, P "/.env");
    assert_int_equal(view.entry->kind, PLAN_COVER_EMPTY);
    view = plan_look(plan, P "/a/.env");
    assert_int_equal(view.entry->kind, PLAN_COVER_DENY);
    assert_int_equal(planner_count_notes(&world.planner, NOTE_WARNING, ""), 0);
}

/* What the jail does not show needs no cover and no word. */
static void what_is_not_shown_is_left_out(void **state)
{
    _cleanup_world_ struct world world;
    _cleanup_free_ char *got = NULL;

    (void)state;
    build(&world, NULL, "m ~/.netrc\nm outside\nm /srv/data/x\nm /proc/1");
    fakefs_add(world.planner.fakefs, "d /proc/1");
    walk(&world);
    got = covers(&world);
    assert_string_equal(got, "");
    for (size_t i = 0; i < world.planner.plan.n; i++)
        assert_string_not_equal(world.planner.plan.v[i].dest, "/proc/1");
    assert_int_equal(planner_count_notes(&world.planner, NOTE_WARNING, ""), 0);
    assert_int_equal(planner_count_notes(&world.planner, NOTE_SECURITY, ""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_find_what_is_there),
        cmocka_unit_test(exceptions_subtract),
        cmocka_unit_test(wrong_entries_are_fatal),
        cmocka_unit_test(the_rules_hold_for_what_appears),
        cmocka_unit_test(own_rules_stay),
        cmocka_unit_test(directories_are_remembered),
        cmocka_unit_test(only_what_can_match_is_searched),
        cmocka_unit_test(the_user_is_told),
        cmocka_unit_test(a_second_name_is_told),
        cmocka_unit_test(an_idle_exception_is_told),
        cmocka_unit_test(the_walk_is_bounded),
        cmocka_unit_test(maps_are_seen_through),
        cmocka_unit_test(what_is_not_shown_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
