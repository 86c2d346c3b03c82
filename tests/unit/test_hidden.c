// SPDX-License-Identifier: GPL-3.0-only
/*
 * --hide-dotdir: a directory of HOME that nothing brings into the jail.
 */
#include "policy/hidden.h"

#include "policy/home.h"
#include "support/planner.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

static const char tree[] = "f /home/u/.foo/in/file 0600 1000 x\n"
                           "f /home/u/.claude/x 0600 1000 x\n"
                           "f /home/u/.claude.json 0600 1000 x\n"
                           "f /home/u/.claude.json5 0600 1000 x\n"
                           "f /data/elsewhere/file 0600 1000 x\n"
                           "d /data/other\n"
                           "l /home/u/.linked /data/elsewhere\n"
                           "l /home/u/.up /home\n";

struct world {
    struct planner planner;
    struct strv paths;
    struct error error;
    int result;
};

static void world_free(struct world *world)
{
    strv_free(&world->paths);
    planner_free(&world->planner);
}

#define _cleanup_world_ CLEANUP(world_free)

/* names with blanks between. */
static void hide(struct world *world, const char *names, const char *project)
{
    _cleanup_strv_ struct strv list = {0};
    struct config cli;

    *world = (struct world){0};
    planner_init(&world->planner, tree, NULL);
    config_init(&cli, LAYER_CLI);
    strv_split(&list, names, ' ');
    for (size_t i = 0; i < list.n; i++)
        config_add(&cli, SET_HIDE_DOTDIRS, list.v[i]);
    config_merge(&world->planner.config, &cli);
    config_free(&cli);
    world->result = hidden_paths(&world->paths, &world->planner.config, &world->planner.host,
                                 project, &world->error);
}

static void bind(struct world *world, const char *source, const char *dest)
{
    assert_non_null(plan_add_bind(&world->planner.plan, world->planner.host.fs, GROUP_MAPS_OUTSIDE,
                                  PLAN_RW, source, dest, "--rw-map x"));
}

static void finish(struct world *world)
{
    hidden_apply(&world->planner.plan, &world->paths, &world->planner.notes);
    plan_finish(&world->planner.plan, world->planner.host.fs, &world->planner.notes);
}

/* True if the host's object behind the path is reachable inside. */
static bool shows(const struct world *world, const char *path)
{
    struct plan_view view = plan_look(&world->planner.plan, path);
    bool result = view.host_path != NULL;

    free(view.host_path);
    return result;
}

static void the_dot_is_optional(void **state)
{
    static const char *const names[] = {"foo", ".foo", "foo .foo"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        _cleanup_world_ struct world world;

        hide(&world, names[i], PLANNER_PROJECT);
        assert_int_equal(world.result, 0);
        assert_int_equal(world.paths.n, 1);
        assert_string_equal(world.paths.v[0], "/home/u/.foo");
    }
}

static void other_words_are_refused(void **state)
{
    static const char *const names[] = {"a/b", ".", "..", "...", "/", ".foo/"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        _cleanup_world_ struct world world;

        hide(&world, names[i], PLANNER_PROJECT);
        if (world.result != -EINVAL || !strstr(world.error.text, names[i]))
            fail_msg("%s: %d %s", names[i], world.result, world.error.text);
    }
}

static void maps_are_taken_out(void **state)
{
    static const struct {
        const char *names;
        const char *source;
        const char *path; /* inside, the source is bound at /m */
        bool is_shown;
    } rows[] = {
        {"foo", "/home/u/.foo", "/m/in", false},
        {"foo", "/home/u/.foo/in", "/m/file", false},
        {"foo", "/home/u/.foo/in/file", "/m", false},
        {"foo", "/home/u", "/m/.foo/in/file", false},
        {"foo", "/home/u", "/m/.claude/x", true},
        {"foo", "/home", "/m/u/.foo", false},
        {"linked", "/data", "/m/elsewhere/file", false},
        {"linked", "/data", "/m/other", true},
        {"linked", "/data/elsewhere", "/m/file", false},
        {"claude", "/home/u", "/m/.claude.json", false},
        {"claude", "/home/u", "/m/.claude.json5", true},
        {"claude", "/home/u/.claude.json", "/m", false},
        {"up", "/home/u", "/m/.foo", true},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_world_ struct world world;

        hide(&world, rows[i].names, PLANNER_PROJECT);
        bind(&world, rows[i].source, "/m");
        finish(&world);
        if (shows(&world, rows[i].path) != rows[i].is_shown)
            fail_msg("%s: %s as %s", rows[i].names, rows[i].source, rows[i].path);
    }
}

static void a_refused_map_is_told(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    hide(&world, "foo", PLANNER_PROJECT);
    bind(&world, "/home/u/.foo/in", "/m");
    finish(&world);
    assert_int_equal(planner_count_notes(&world.planner, NOTE_SECURITY, "--hide-dotdir"), 1);
}

static void a_project_inside_is_refused(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    hide(&world, "foo", "/home/u/.foo/in");
    assert_int_equal(world.result, -EPERM);
    assert_non_null(strstr(world.error.text, "/home/u/.foo/in"));
}

/* Without a private home the directory would be there by itself. */
static void the_open_home_lacks_it(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    hide(&world, "foo linked", PLANNER_PROJECT);
    home_add(&world.planner.plan, &world.planner.host, PLANNER_PROJECT, false,
             &world.planner.notes);
    finish(&world);
    assert_true(shows(&world, "/home/u/.claude/x"));
    assert_false(shows(&world, "/home/u/.foo/in") || shows(&world, "/home/u/.linked/file"));
    assert_int_equal(planner_count_notes(&world.planner, NOTE_SECURITY, ""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_dot_is_optional),         cmocka_unit_test(other_words_are_refused),
        cmocka_unit_test(maps_are_taken_out),          cmocka_unit_test(a_refused_map_is_told),
        cmocka_unit_test(a_project_inside_is_refused), cmocka_unit_test(the_open_home_lacks_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
