// SPDX-License-Identifier: GPL-3.0-only
/*
 * mise: when the launcher is told to ask, what is shown, and which names stay.
 */
#include "policy/home.h"
#include "policy/mise.h"
#include "support/planner.h"
#include "support/test.h"

#include <string.h>

#define TREE                                                                                       \
    "f /home/u/.local/bin/mise 0755 1000\n"                                                        \
    "d /home/u/.local/share/mise 0755 1000\n"                                                      \
    "d /home/u/.config/mise 0755 1000\n"

static void add(struct planner *planner, struct mise *mise, enum network_mode network)
{
    struct environment_parts parts = {0};

    strv_push(&parts.forced, "SECRET=placeholder");
    *mise = (struct mise){0};
    mise_add(mise, &planner->plan, &parts, &planner->config, &planner->host, PLANNER_PROJECT,
             network, &planner->notes);
    environment_parts_free(&parts);
}

static void test_found(void **state)
{
    static const struct {
        const char *id;
        const char *tree;
        const char *environ[4];
        const char *program;
        const char *want; /* entries of GROUP_HOME_PARTS */
    } cases[] = {
        {"all there",
         TREE,
         {"PATH=/home/u/.local/bin:/usr/bin"},
         "/home/u/.local/bin/mise",
         "ro /home/u/.local/share/mise\nro /home/u/.config/mise\n"},
        {"not on PATH", TREE, {"PATH=/usr/bin"}, NULL, ""},
        {"no PATH", TREE, {NULL}, NULL, ""},
        {"never used", "f /usr/bin/mise 0755 0\n", {"PATH=/usr/bin"}, NULL, ""},
        {"data alone",
         "f /usr/bin/mise 0755 0\nd /home/u/.local/share/mise 0755 1000\n",
         {"PATH=/usr/bin"},
         "/usr/bin/mise",
         "ro /home/u/.local/share/mise\n"},
        {"moved",
         "f /usr/bin/mise 0755 0\nd /home/u/m/d 0755 1000\nd /data/c 0755 1000\n",
         {"PATH=/usr/bin", "MISE_DATA_DIR=/home/u/m/d", "MISE_CONFIG_DIR=/data/c"},
         "/usr/bin/mise",
         "ro /home/u/m/d\nro /data/c\n"},
        {"moved by XDG",
         "f /usr/bin/mise 0755 0\nd /home/u/d/mise 0755 1000\n",
         {"PATH=/usr/bin", "XDG_DATA_HOME=/home/u/d"},
         "/usr/bin/mise",
         "ro /home/u/d/mise\n"},
        {"the project's own mise",
         "f /home/u/proj/bin/mise 0755 1000\n" TREE,
         {"PATH=/home/u/proj/bin"},
         NULL,
         ""},
        {"a link to the project's own",
         "f /home/u/proj/mise 0755 1000\n"
         "d /home/u/.local/share/mise 0755 1000\nl /home/u/bin/mise /home/u/proj/mise\n",
         {"PATH=/home/u/bin"},
         NULL,
         ""},
        {"its data is HOME",
         "f /usr/bin/mise 0755 0\n",
         {"PATH=/usr/bin", "MISE_DATA_DIR=/home/u"},
         "/usr/bin/mise",
         ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct planner planner _cleanup_planner_;
        struct mise mise CLEANUP(mise_free);

        planner_init(&planner, cases[i].tree, cases[i].environ);
        add(&planner, &mise, NETWORK_OFF);
        if (!str_eq(mise.program ? mise.program : "none",
                    cases[i].program ? cases[i].program : "none"))
            fail_msg("%s: %s", cases[i].id, mise.program);
        if (!planner_has_exactly(&planner, GROUP_HOME_PARTS, cases[i].want))
            fail_msg("%s", cases[i].id);
    }
}

/* P-TOOL-1: nothing in which mise remembers what it trusts can be written. */
static void test_shown_home(void **state)
{
    static const char *const environ[] = {"PATH=/home/u/.local/bin", NULL};
    static const char *const absent[] = {"", "d /home/u/.local/state/mise 0755 1000\n"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(absent); i++) {
        struct planner planner _cleanup_planner_;
        struct mise mise CLEANUP(mise_free);

        planner_init(&planner, TREE "d /home/u/.local/state 0755 1000\n", environ);
        fakefs_add(planner.fakefs, absent[i]);
        plan_free(&planner.plan);
        home_add(&planner.plan, &planner.host, PLANNER_PROJECT, false, &planner.notes);
        add(&planner, &mise, NETWORK_OFF);
        /* The plan has a mount point for what will be there when it is built. */
        fakefs_add(planner.fakefs, absent[1]);
        assert_true(planner_has_exactly(&planner, GROUP_HOME_PARTS,
                                        "rw /home/u/.config\nro /home/u/.config/mise\n"
                                        "ro /home/u/.local\nrw /home/u/.local/state\n"
                                        "ro /home/u/.local/state/mise\n"
                                        "ro /home/u/.local/share/mise\n"));
    }
}

static void test_fixed(void **state)
{
    static const char *const environ[] = {"PATH=/home/u/.local/bin", NULL};
    struct planner planner _cleanup_planner_;
    struct mise mise CLEANUP(mise_free);
    struct config cli;
    _cleanup_free_ char *names = NULL;

    (void)state;
    planner_init(&planner, TREE, environ);
    config_init(&cli, LAYER_CLI);
    config_add(&cli, SET_ENV_PASS, "A=1");
    config_add(&cli, SET_ENV_PASS, "B");
    config_add(&cli, SET_ENV_PASS, "A=2");
    config_merge(&planner.config, &cli);
    config_free(&cli);
    strv_push(&planner.config.env_file, "C=3");
    add(&planner, &mise, NETWORK_FILTERED);
    names = strv_join(&mise.fixed, " ");
    assert_string_equal(names, "AI_JAIL HOME NODE_USE_ENV_PROXY C A B SECRET");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_shown_home),
        cmocka_unit_test(test_fixed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
