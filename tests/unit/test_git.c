// SPDX-License-Identifier: GPL-3.0-only
/*
 * Git protection: which names become read-only (P-WT-3, P-WT-6, P-WT-9, E-GIT-07, E-GIT-09).
 */
#include "policy/git.h"

#include "policy/gitfile.h"
#include "support/planner.h"
#include "support/test.h"

#include <string.h>

/* A repository at path: what every one has. */
#define REPOSITORY(path)                                                                           \
    "f " path "/HEAD 0644 1000 ref: refs/heads/main\\n\n"                                          \
    "d " path "/objects 0755 1000\n"                                                               \
    "d " path "/refs 0755 1000\n"

#define P "/home/u/proj"

struct git_jail {
    struct planner planner;
    struct mask_rules *rules;
};

static void git_jail_init(struct git_jail *jail, const char *tree)
{
    struct error error = {0};

    planner_init(&jail->planner, tree, NULL);
    if (mask_rules_build(&jail->rules, &jail->planner.config, &jail->planner.host, P,
                         &jail->planner.notes, &error) < 0)
        fail_msg("%s", error.text);
}

static void git_jail_free(struct git_jail *jail)
{
    mask_rules_free(jail->rules);
    planner_free(&jail->planner);
}

#define _cleanup_git_jail_ CLEANUP(git_jail_free)

static void protect(struct git_jail *jail, const struct strv *worktree_dirs)
{
    static const struct strv none = {0};
    struct error error = {0};

    git_protect(jail->rules, &jail->planner.host, P, worktree_dirs ? worktree_dirs : &none,
                &jail->planner.notes);
    if (mask_rules_walk(jail->rules, &jail->planner.plan, &jail->planner.host, &jail->planner.notes,
                        &error) < 0)
        fail_msg("%s", error.text);
}

static bool is_protected(const struct git_jail *jail, const char *path)
{
    struct mask_verdict verdict = mask_rules_find(jail->rules, path);

    return verdict.kind == PLAN_COVER_RO && strcmp(verdict.origin, "git protection") == 0;
}

/* All or none of the names in the directory. */
static void check_names(const struct git_jail *jail, const char *dir, bool want)
{
    for (size_t i = 0; git_protected_names[i]; i++) {
        _cleanup_free_ char *path = xasprintf("%s/%s", dir, git_protected_names[i]);

        if (is_protected(jail, path) != want)
            fail_msg("%s is %sprotected", path, want ? "not " : "");
    }
}

static void check_tree(const char *tree, const char *const *want, const char *const * not )
{
    struct git_jail jail CLEANUP(git_jail_free) = {0};

    git_jail_init(&jail, tree);
    protect(&jail, NULL);
    for (; want && *want; want++)
        check_names(&jail, *want, true);
    for (; not &&*not ; not ++)
        check_names(&jail, *not, false);
    assert_int_equal(jail.planner.notes.n, 0);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void names_are_those_that_run(void **state)
{
    (void)state;
    assert_string_equal(git_protected_names[0], "commondir");
    assert_string_equal(git_protected_names[1], "config");
    assert_string_equal(git_protected_names[2], "config.worktree");
    assert_string_equal(git_protected_names[3], "hooks");
    assert_null(git_protected_names[4]);
}

static void the_projects_own(void **state)
{
    (void)state;
    check_tree(REPOSITORY(P "/.git"), LIST(P "/.git"), LIST(P, "/home/u", P "/.git/modules"));
    /* E-GIT-07: existing or absent. */
    check_tree(REPOSITORY(P "/.git") "d " P "/.git/hooks\nf " P "/.git/config 0644 1000 x\n",
               LIST(P "/.git"), NULL);
    /* by a link, and a bare one */
    check_tree(REPOSITORY(P "/real") "l " P "/.git real\n", LIST(P "/real"), NULL);
    check_tree(REPOSITORY(P), LIST(P), NULL);
}

static void what_exists_is_covered_in_the_plan(void **state)
{
    _cleanup_git_jail_ struct git_jail jail = {0};

    (void)state;
    git_jail_init(&jail, REPOSITORY(P "/.git") "d " P "/.git/hooks\n"
                                               "f " P "/.git/config 0644 1000 x\n");
    protect(&jail, NULL);
    plan_finish(&jail.planner.plan, jail.planner.host.fs, &jail.planner.notes);
    for (size_t i = 0; i < 2; i++) {
        const char *path = i ? P "/.git/hooks" : P "/.git/config";
        struct plan_view view = plan_look(&jail.planner.plan, path);

        assert_non_null(view.entry);
        assert_int_equal(view.entry->kind, PLAN_COVER_RO);
        assert_string_equal(view.entry->dest, path);
        /* P-WT-7: still readable. */
        assert_string_equal(view.host_path, path);
        free(view.host_path);
    }
    assert_int_equal(jail.planner.notes.n, 0);
}

/* P-WT-9 */
static void what_is_no_repository_is_left_alone(void **state)
{
    (void)state;
    check_tree("d " P "/.git\n", NULL, LIST(P "/.git"));
    check_tree("f " P "/.git/HEAD 0644 1000 x\nd " P "/.git/objects\n", NULL, LIST(P "/.git"));
    check_tree("f " P "/.git 0644 1000 \n", NULL, LIST(P "/.git"));
    check_tree("p " P "/.git 0644 1000\n", NULL, LIST(P "/.git"));
    check_tree(REPOSITORY("/home/u/.cache/uv/x/.git") REPOSITORY("/tmp/.git"), NULL,
               LIST("/home/u/.cache/uv/x/.git", "/tmp/.git"));
    check_tree(REPOSITORY(P "/node_modules/x/.git"), NULL, LIST(P "/node_modules/x/.git"));
    /* A link or file that leads out of the project. */
    check_tree(REPOSITORY("/home/u/x/.git") "l " P "/.git ../x/.git\n", NULL,
               LIST("/home/u/x/.git"));
    check_tree(REPOSITORY("/home/u/x/.git") "f " P "/.git 0644 1000 gitdir: ../x/.git\n", NULL,
               LIST("/home/u/x/.git"));
}

static void submodules(void **state)
{
    (void)state;
    check_tree(REPOSITORY(P "/.git") REPOSITORY(P "/.git/modules/s")
                   REPOSITORY(P "/.git/modules/libs/deep/name")
                       REPOSITORY(P "/.git/modules/s/modules/inner")
                           REPOSITORY(P "/.git/modules/a/b/c/d/e/f"),
               LIST(P "/.git/modules/s", P "/.git/modules/libs/deep/name",
                    P "/.git/modules/s/modules/inner", P "/.git/modules/a/b/c/d/e/f"),
               LIST(P "/.git/modules", P "/.git/modules/libs", P "/.git/modules/s/modules"));
}

static void too_deep_is_said(void **state)
{
    _cleanup_git_jail_ struct git_jail jail = {0};

    (void)state;
    git_jail_init(&jail, REPOSITORY(P "/.git") REPOSITORY(P "/.git/modules/a/b/c/d/e/f/g"));
    protect(&jail, NULL);
    check_names(&jail, P "/.git", true);
    check_names(&jail, P "/.git/modules/a/b/c/d/e/f/g", false);
    assert_int_equal(planner_count_notes(&jail.planner, NOTE_SECURITY, "submodules"), 1);
}

/* P-WT-6, E-GIT-09 */
static void nested_repositories(void **state)
{
    (void)state;
    check_tree(REPOSITORY(P "/sub/.git") REPOSITORY(P "/a/b/c/.git") REPOSITORY(P "/bare.git"),
               LIST(P "/sub/.git", P "/a/b/c/.git", P "/bare.git"), LIST(P "/.git", P "/sub"));
    /* a planted directory behind a file .git */
    check_tree(REPOSITORY(P "/x/planted") "f " P "/sub/.git 0644 1000 gitdir: ../x/planted\\n\n",
               LIST(P "/x/planted"), LIST(P "/sub/.git"));
    /* the same with a common directory of its own */
    check_tree(
        REPOSITORY(P "/1/2/3/4/5/6/7/common") "f " P "/sub/.git 0644 1000 gitdir: ../w\\n\n"
                                              "f " P
                                              "/w/commondir 0644 1000 ../1/2/3/4/5/6/7/common\\n\n",
        LIST(P "/w", P "/1/2/3/4/5/6/7/common"), NULL);
    /* deeper than the walk */
    check_tree(REPOSITORY(P "/1/2/3/4/5/6/7/.git"), NULL, LIST(P "/1/2/3/4/5/6/7/.git"));
    /* a loop of links is no way down */
    check_tree(REPOSITORY(P "/s/.git") "l " P "/s/loop ..\n", LIST(P "/s/.git"), NULL);
}

/* Where two links mean that there is no directory inside, none is looked for. */
static void leaves_are_not_searched(void **state)
{
    _cleanup_git_jail_ struct git_jail jail = {0};

    (void)state;
    git_jail_init(&jail, REPOSITORY(P "/leaf/x/.git") REPOSITORY(P "/other/.git"));
    fakefs_node(jail.planner.fakefs, P "/leaf")->nlink = 2;
    fakefs_node(jail.planner.fakefs, P "/other")->nlink = 3;
    protect(&jail, NULL);
    check_names(&jail, P "/leaf/x/.git", false);
    check_names(&jail, P "/other/.git", true);
}

static void a_large_project_ends_the_walk(void **state)
{
    _cleanup_git_jail_ struct git_jail jail = {0};

    (void)state;
    git_jail_init(&jail, REPOSITORY(P "/.git"));
    for (unsigned i = 0; i < 3000; i++)
        fakefs_addf(jail.planner.fakefs, "d " P "/d%u 0755 1000\n", i);
    protect(&jail, NULL);
    check_names(&jail, P "/.git", true);
    assert_int_equal(planner_count_notes(&jail.planner, NOTE_VERBOSE, "large"), 1);
    assert_int_equal(planner_count_notes(&jail.planner, NOTE_SECURITY, ""), 0);
}

#define COMMON "/home/u/main/.git"

/* A linked worktree: file .git, common directory, own one, those of others. */
static void worktrees(void **state)
{
    static const char tree[] =
        REPOSITORY(COMMON) "f " P "/.git 0644 1000 gitdir: " COMMON "/worktrees/proj\\n\n"
                           "f " COMMON "/worktrees/proj/commondir 0644 1000 ../..\\n\n"
                           "f " COMMON "/worktrees/proj/gitdir 0644 1000 " P "/.git\\n\n"
                           "f " COMMON "/worktrees/inner/gitdir 0644 1000 " P "/inner/.git\\n\n"
                           "f " P "/inner/.git 0644 1000 gitdir: " COMMON "/worktrees/inner\\n\n"
                           "f " COMMON "/worktrees/away/gitdir 0644 1000 /home/u/away/.git\\n\n"
                           "f /home/u/away/.git 0644 1000 gitdir: " COMMON "/worktrees/away\\n\n"
                           "f " COMMON "/worktrees/gone/gitdir 0644 1000 /home/u/gone/.git\\n\n"
                           "f " COMMON
                           "/worktrees/file 0644 1000 x\n" REPOSITORY(COMMON "/modules/s");
    _cleanup_git_jail_ struct git_jail jail = {0};
    _cleanup_strv_ struct strv dirs = {0};

    (void)state;
    strv_push(&dirs, COMMON);
    strv_push(&dirs, COMMON "/worktrees/proj");
    git_jail_init(&jail, tree);
    protect(&jail, &dirs);
    check_names(&jail, COMMON, true);
    check_names(&jail, COMMON "/modules/s", true);
    check_names(&jail, COMMON "/worktrees/proj", true);
    check_names(&jail, COMMON "/worktrees/inner", true);
    assert_false(is_protected(&jail, COMMON "/worktrees/proj"));
    assert_false(is_protected(&jail, COMMON "/worktrees/inner"));
    assert_true(is_protected(&jail, COMMON "/worktrees/away"));
    assert_true(is_protected(&jail, COMMON "/worktrees/gone"));
    assert_false(is_protected(&jail, COMMON "/worktrees/file"));
    assert_false(is_protected(&jail, COMMON "/HEAD"));
    /* It cannot be replaced by a directory with hooks. */
    assert_true(is_protected(&jail, P "/.git"));
}

static const struct plan_entry *pin_of(const struct planner *planner)
{
    for (size_t i = 0; i < planner->plan.n; i++)
        if (planner->plan.v[i].group == GROUP_GIT && planner->plan.v[i].kind == PLAN_RW)
            return &planner->plan.v[i];
    return NULL;
}

static void own_directory_is_pinned(void **state)
{
    static const struct {
        const char *tree;
        enum plan_kind map; /* of another source at P/.git */
        bool want;
    } rows[] = {
        {REPOSITORY(P "/.git"), PLAN_KIND_COUNT, true},
        {"d " P "/.git\n", PLAN_KIND_COUNT, false},
        {REPOSITORY(P "/real") "l " P "/.git real\n", PLAN_KIND_COUNT, false},
        {"f " P "/.git 0644 1000 gitdir: x\n", PLAN_KIND_COUNT, false},
        {"", PLAN_KIND_COUNT, false},
        /* What the user put there stays what it is, above all if it is read-only. */
        {REPOSITORY(P "/.git"), PLAN_RO, false},
        {REPOSITORY(P "/.git"), PLAN_COVER_EMPTY, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_planner_ struct planner planner;

        planner_init(&planner, rows[i].tree, NULL);
        if (rows[i].map == PLAN_RO)
            plan_add_bind(&planner.plan, planner.host.fs, GROUP_MAPS_INSIDE, PLAN_RO, P "/.git",
                          P "/.git", "--map");
        else if (rows[i].map == PLAN_COVER_EMPTY)
            plan_add(&planner.plan, GROUP_MASKS, PLAN_COVER_EMPTY, P "/.git", "--mask");
        git_pin(&planner.plan, &planner.host, P);
        if ((pin_of(&planner) != NULL) != rows[i].want)
            fail_msg("row %zu: %s", i, rows[i].tree);
        if (rows[i].want)
            assert_string_equal(pin_of(&planner)->source, P "/.git");
        plan_finish(&planner.plan, planner.host.fs, &planner.notes);
        assert_int_equal(planner_count_notes(&planner, NOTE_WARNING, ""), 0);
    }
}

static void parsing(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *prefix;
        const char *want; /* NULL: refused */
    } rows[] = {
        {"gitdir: /x\n", 11, "gitdir: ", "/x"},
        {"gitdir: /x\r\n\n", 13, "gitdir: ", "/x"},
        {"gitdir:  /x y \n", 15, "gitdir: ", " /x y "},
        {"gitdir: a\rb", 11, "gitdir: ", "a\rb"},
        {"../..", 5, "", "../.."},
        {"", 0, "", NULL},
        {"\n", 1, "", NULL},
        {"gitdir:/x\n", 10, "gitdir: ", NULL},
        {"gitdir: ", 8, "gitdir: ", NULL},
        {"gitdir", 6, "gitdir: ", NULL},
        {"gitdir: a\nb\n", 12, "gitdir: ", NULL},
        {"gitdir: a\0b", 11, "gitdir: ", NULL},
        {"gitdir: a\0", 10, "gitdir: ", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *why;
        _cleanup_free_ char *path = gitfile_parse(rows[i].bytes, rows[i].len, rows[i].prefix, &why);

        if (!str_eq(path, rows[i].want) || (why == NULL) != (path != NULL))
            fail_msg("row %zu: %s", i, path ? path : "NULL");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_those_that_run),
        cmocka_unit_test(the_projects_own),
        cmocka_unit_test(what_exists_is_covered_in_the_plan),
        cmocka_unit_test(what_is_no_repository_is_left_alone),
        cmocka_unit_test(submodules),
        cmocka_unit_test(too_deep_is_said),
        cmocka_unit_test(nested_repositories),
        cmocka_unit_test(leaves_are_not_searched),
        cmocka_unit_test(a_large_project_ends_the_walk),
        cmocka_unit_test(worktrees),
        cmocka_unit_test(own_directory_is_pinned),
        cmocka_unit_test(parsing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
