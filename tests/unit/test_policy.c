// SPDX-License-Identifier: GPL-3.0-only
/*
 * The whole decision: what the parts make together, and what is said about it.
 */
#include "support/jail.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

static const char *const environ_[] = {"HOME=/home/u", "PATH=/usr/bin", NULL};

static void init(struct jail *jail, const char *tree)
{
    jail_init(jail, tree, environ_);
}

static void build(struct jail *jail, const char *const *words)
{
    if (jail_build(jail, words) < 0)
        fail_msg("%s", jail->error.text);
}

static void check(const struct jail *jail, const char *path, const char *want)
{
    struct plan_view view = plan_look(&jail->policy.plan, path);
    const char *found = view.entry ? plan_kind_name(view.entry->kind) : "none";

    free(view.host_path);
    if (strcmp(found, want) != 0)
        fail_msg("%s: %s instead of %s", path, found, want);
}

static unsigned notes_of(const struct jail *jail, enum note_class class)
{
    return planner_count_notes(&jail->planner, class, "");
}

static void default_jail_says_nothing(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    init(&jail, NULL);
    build(&jail, NULL);
    check(&jail, "/home/u/proj/x", "rw");
    check(&jail, "/home/u/x", "tmpfs");
    check(&jail, "/usr/bin/env", "ro");
    check(&jail, "/home/v", "none");
    assert_int_equal(jail.policy.argv.n, 1);
    assert_string_equal(jail.policy.argv.v[0], "bash");
    assert_int_equal(notes_of(&jail, NOTE_SECURITY) + notes_of(&jail, NOTE_WARNING), 0);
}

/* P-CLI-9: what weakens the jail is said. */
static void weaker_jails_are_named(void **state)
{
    static const struct {
        const char *flag;
        enum note_class class;
        const char *part;
    } rows[] = {
        {"--no-seccomp", NOTE_SECURITY, "--no-seccomp"},
        {"--no-landlock", NOTE_VERBOSE, "--no-landlock"},
        {"--network", NOTE_INFO, "--network"},
        {"--allow-debug", NOTE_INFO, "--allow-debug"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_jail_ struct jail jail;

        init(&jail, NULL);
        build(&jail, (const char *const[]){rows[i].flag, NULL});
        assert_int_equal(planner_count_notes(&jail.planner, rows[i].class, rows[i].part), 1);
    }
}

/* P-HOST-7, P-BW-2 */
static void root_is_told_and_sees_no_shadow_file(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    init(&jail, "f /etc/shadow 0640 0 x\nd /data\n");
    jail.planner.host.uid = 0;
    build(&jail, (const char *const[]){"--map", "/etc:/copy", NULL});
    assert_int_equal(planner_count_notes(&jail.planner, NOTE_SECURITY, "started by root"), 1);
    check(&jail, "/etc/shadow", "mask");
    check(&jail, "/copy/shadow", "mask");
    check(&jail, "/copy/passwd", "ro");
}

static void program_inside_the_project_is_named(void **state)
{
    static const struct {
        const char *exe;
        unsigned notes;
    } rows[] = {{"/home/u/proj/bin/ai-jail", 1}, {"/usr/bin/ai-jail", 0}, {NULL, 0}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_jail_ struct jail jail;

        init(&jail, NULL);
        jail.planner.host.exe = rows[i].exe ? xstrdup(rows[i].exe) : NULL;
        build(&jail, NULL);
        assert_int_equal(planner_count_notes(&jail.planner, NOTE_SECURITY, "inside the project"),
                         rows[i].notes);
    }
}

static void policy_file_is_hidden_in_every_place(void **state)
{
    static const struct {
        const char *tree;
        const char *path;
        const char *want;
    } rows[] = {
        {"f /home/u/proj/.ai-jail 0644 1000 x", "/home/u/proj/.ai-jail", "mask"},
        {"f /home/u/proj/.ai-jail 0644 1000 x", "/copy/proj/.ai-jail", "mask"},
        {"d /home/u/proj/.ai-jail 0755 1000", "/home/u/proj/.ai-jail", "mask"},
        {"f /home/u/proj/conf 0644 1000 x\nl /home/u/proj/.ai-jail conf", "/home/u/proj/conf",
         "mask"},
        {"l /home/u/proj/.ai-jail none", "/home/u/proj/.ai-jail", "rw"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_jail_ struct jail jail;

        init(&jail, rows[i].tree);
        build(&jail, (const char *const[]){"--rw-map", "/home/u:/copy", NULL});
        check(&jail, rows[i].path, rows[i].want);
        assert_int_equal(notes_of(&jail, NOTE_WARNING), 0);
    }
}

/* P-PLAN-19 */
static void own_directories_are_covered_in_every_map(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    init(&jail, "f /home/u/.local/state/ai-jail/bwrap-probe 0600 1000 x\n"
                "d /home/u/.local/share/ai-jail\nd /home/u/.local/state/other\n");
    build(&jail, (const char *const[]){"--rw-map", "/home/u/.local:/m", "--no-private-home", NULL});
    check(&jail, "/m/state/ai-jail/bwrap-probe", "mask");
    check(&jail, "/m/share/ai-jail", "mask");
    check(&jail, "/m/state/other", "rw");
    check(&jail, "/home/u/.local/state/ai-jail", "mask");
    check(&jail, "/home/u/.local/share/ai-jail", "mask");
}

static void spelling_of_the_working_directory_is_a_link(void **state)
{
    _cleanup_jail_ struct jail jail;
    struct plan_view view;

    (void)state;
    init(&jail, "l /work /home/u\n");
    free(jail.planner.host.cwd_spelling);
    jail.planner.host.cwd_spelling = xstrdup("/work/proj");
    build(&jail, NULL);
    view = plan_look(&jail.policy.plan, "/work");
    assert_true(view.entry->kind == PLAN_SYMLINK);
    assert_string_equal(view.entry->target, "/home/u");
}

static void broad_project_needs_the_flag(void **state)
{
    _cleanup_jail_ struct jail refused;
    _cleanup_jail_ struct jail jail;
    static const char *const roots[] = {"/", "/home/u", "/home"};

    (void)state;
    init(&refused, NULL);
    free(refused.planner.host.cwd);
    refused.planner.host.cwd = xstrdup("/home/u");
    assert_int_equal(jail_build(&refused, NULL), -EPERM);
    for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
        init(&jail, NULL);
        free(jail.planner.host.cwd);
        jail.planner.host.cwd = xstrdup(roots[i]);
        build(&jail, (const char *const[]){"--allow-broad-project", NULL});
        check(&jail, roots[i], "rw");
        if (i < ARRAY_SIZE(roots) - 1)
            jail_free(&jail);
    }
}

/* A map must not take away the place where the command starts. */
static void map_in_the_way_of_home_or_project_is_an_error(void **state)
{
    static const char *const maps[] = {"/data/u:/home", "/data/u:/home/u"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
        _cleanup_jail_ struct jail jail;

        init(&jail, "d /data/u\n");
        assert_int_equal(jail_build(&jail, (const char *const[]){"--map", maps[i], NULL}), -EINVAL);
        assert_non_null(strstr(jail.error.text, "--map"));
        assert_non_null(strstr(jail.error.text, "stands in its way"));
    }
}

/* The jail's /var/tmp is a link, unless something has to be shown below it. */
static void places_below_var_tmp_are_there(void **state)
{
    _cleanup_jail_ struct jail plain;
    _cleanup_jail_ struct jail home;
    _cleanup_jail_ struct jail map;

    (void)state;
    init(&plain, "d /var/tmp\n");
    build(&plain, NULL);
    check(&plain, "/var/tmp", "symlink");

    init(&home, "d /var/tmp/h 0700 1000\nd /var/tmp/h/.x 0755 1000\n");
    free(home.planner.host.home);
    free(home.planner.host.home_spelling);
    home.planner.host.home = xstrdup("/var/tmp/h");
    home.planner.host.home_spelling = xstrdup("/var/tmp/h");
    build(&home, (const char *const[]){"--rw-map", "/var/tmp/h/.x", NULL});
    check(&home, "/var/tmp/h", "tmpfs");
    check(&home, "/var/tmp/h/.x", "rw");
    check(&home, "/var/tmp/other", "tmpfs");

    init(&map, "d /var/tmp/m 0755 1000\n");
    build(&map, (const char *const[]){"--map", "/var/tmp/m", NULL});
    check(&map, "/var/tmp/m", "ro");
    assert_int_equal(notes_of(&map, NOTE_WARNING), 0);
}

/* It is not a map's fault if nothing can be mounted there. */
static void impossible_home_is_named_for_what_it_is(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    init(&jail, "d /proc/h\n");
    free(jail.planner.host.home);
    free(jail.planner.host.home_spelling);
    jail.planner.host.home = xstrdup("/proc/h");
    jail.planner.host.home_spelling = xstrdup("/proc/h");
    assert_int_equal(jail_build(&jail, NULL), -EINVAL);
    assert_string_equal(jail.error.text,
                        "/proc/h cannot be placed: the jail has something of its own at /proc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_jail_says_nothing),
        cmocka_unit_test(weaker_jails_are_named),
        cmocka_unit_test(root_is_told_and_sees_no_shadow_file),
        cmocka_unit_test(program_inside_the_project_is_named),
        cmocka_unit_test(policy_file_is_hidden_in_every_place),
        cmocka_unit_test(own_directories_are_covered_in_every_map),
        cmocka_unit_test(spelling_of_the_working_directory_is_a_link),
        cmocka_unit_test(broad_project_needs_the_flag),
        cmocka_unit_test(map_in_the_way_of_home_or_project_is_an_error),
        cmocka_unit_test(places_below_var_tmp_are_there),
        cmocka_unit_test(impossible_home_is_named_for_what_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
