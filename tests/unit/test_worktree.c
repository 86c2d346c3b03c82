// SPDX-License-Identifier: GPL-3.0-only
/*
 * --worktree: which repository is shown, and which layouts are refused (P-WT-1, P-WT-2, P-WT-8,
 * E-GIT-01 to E-GIT-06).
 */
#include "policy/worktree.h"

#include "policy/gitfile.h"
#include "support/planner.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

#define COMMON "/home/u/main/.git"
#define OWN    COMMON "/worktrees/wt"

static const char genuine[] = "d /home/u/main 0755 1000\n"
                              "d " COMMON " 0755 1000\n"
                              "f " COMMON "/HEAD 0644 1000 ref: refs/heads/main\\n\n"
                              "f " COMMON "/config 0644 1000 [core]\\n\n"
                              "d " COMMON "/objects 0755 1000\n"
                              "d " COMMON "/refs 0755 1000\n"
                              "d " OWN " 0755 1000\n"
                              "f " OWN "/commondir 0644 1000 ../..\\n\n"
                              "f " OWN "/gitdir 0644 1000 /home/u/proj/.git\\n\n"
                              "f /home/u/proj/.git 0644 1000 gitdir: " OWN "\\n\n"
                              /* what forgers want */
                              "d /home/u/.ssh 0700 1000\n"
                              "f /home/u/.ssh/id 0600 1000 canary\n"
                              "d /home/u/private 0700 1000\n"
                              "d /home/u/private/.git 0755 1000\n"
                              "f /home/u/private/id 0600 1000 canary\n";

static void add(struct planner *planner, struct strv *dirs)
{
    planner->config.place.layer = LAYER_CLI;
    config_set_bool(&planner->config, SET_WORKTREE, true);
    worktree_add(&planner->plan, &planner->config, &planner->host, PLANNER_PROJECT, dirs,
                 &planner->notes);
}

static const struct plan_entry *shown(const struct planner *planner)
{
    const struct plan_entry *found = NULL;

    for (size_t i = 0; i < planner->plan.n; i++) {
        if (planner->plan.v[i].group != GROUP_WORKTREE)
            continue;
        assert_null(found);
        found = &planner->plan.v[i];
    }
    return found;
}

static void check_shown(const char *more)
{
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv dirs = {0};

    planner_init(&planner, genuine, NULL);
    fakefs_add(planner.fakefs, more);
    add(&planner, &dirs);
    if (dirs.n != 2)
        fail_msg("%s: %s", more, planner.notes.n ? planner.notes.v[0].text : "no note");
    assert_string_equal(dirs.v[0], COMMON);
    assert_string_equal(dirs.v[1], OWN);
    assert_int_equal(planner.notes.n, 1);
    assert_int_equal(planner_count_notes(&planner, NOTE_INFO,
                                         "the command can change the repository " COMMON
                                         ", outside of the project (--worktree)"),
                     1);
    assert_int_equal(shown(&planner)->st.ino, fakefs_node(planner.fakefs, COMMON)->ino);
    assert_true(planner_has_exactly(&planner, GROUP_WORKTREE, "rw " COMMON "\n"));
}

static void genuine_layouts_are_shown(void **state)
{
    static const char *const more[] = {
        "",
        "f /home/u/proj/.git 0644 1000 gitdir: ../main/.git/worktrees/wt\\n\n",
        "f /home/u/proj/.git 0644 1000 gitdir: " OWN "\n",
        "f /home/u/proj/.git 0644 1000 gitdir: " OWN "\\r\\n\n",
        "f " OWN "/commondir 0644 1000 " COMMON "\\n\n",
        "f " OWN "/gitdir 0644 1000 ../../../../proj/.git\\n\n",
        /* HOME by another name */
        "l /h home/u\n"
        "f /home/u/proj/.git 0644 1000 gitdir: /h/main/.git/worktrees/wt\\n\n"
        "f " OWN "/gitdir 0644 1000 /h/proj/.git\\n\n",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(more); i++)
        check_shown(more[i]);
}

/* A bare repository around its worktrees. */
static void project_may_lie_in_the_repository(void **state)
{
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv dirs = {0};

    (void)state;
    planner_init(&planner,
                 "d /home/u/b 0755 1000\n"
                 "f /home/u/b/HEAD 0644 1000 x\n"
                 "d /home/u/b/objects 0755 1000\n"
                 "d /home/u/b/refs 0755 1000\n"
                 "d /home/u/b/worktrees/p 0755 1000\n"
                 "f /home/u/b/worktrees/p/commondir 0644 1000 ../..\\n\n"
                 "f /home/u/b/worktrees/p/gitdir 0644 1000 /home/u/b/p/.git\\n\n"
                 "f /home/u/b/p/.git 0644 1000 gitdir: /home/u/b/worktrees/p\\n\n",
                 NULL);
    worktree_add(&planner.plan, &planner.config, &planner.host, "/home/u/b/p", &dirs,
                 &planner.notes);
    assert_int_equal(dirs.n, 2);
    assert_true(planner_has_exactly(&planner, GROUP_WORKTREE, "rw /home/u/b\n"));
}

static void no_worktree_no_word(void **state)
{
    _cleanup_planner_ struct planner none;
    _cleanup_planner_ struct planner whole;
    _cleanup_strv_ struct strv dirs = {0};

    (void)state;
    planner_init(&none, NULL, NULL);
    add(&none, &dirs);
    planner_init(&whole, "f /home/u/proj/.git/HEAD 0644 1000 x\n", NULL);
    add(&whole, &dirs);
    assert_int_equal(none.notes.n + whole.notes.n + dirs.n, 0);
    assert_null(shown(&none));
    assert_null(shown(&whole));
}

struct forged {
    const char *tree; /* over the genuine one */
    const char *why;  /* part of the note */
};

static const struct forged forgeries[] = {
    /* E-GIT-01: a directory in the project whose commondir leads away */
    {"f /home/u/proj/.git 0644 1000 gitdir: /home/u/proj/d\\n\n"
     "f /home/u/proj/d/commondir 0644 1000 /home/u/.ssh\\n\n",
     "is not /home/u/.ssh/worktrees/NAME"},
    {"f /home/u/proj/.git 0644 1000 gitdir: d\\n\n"
     "f /home/u/proj/d/commondir 0644 1000 /\\n\n",
     "is not /worktrees/NAME"},
    {"f /home/u/proj/.git 0644 1000 gitdir: d\\n\n"
     "f /home/u/proj/d/commondir 0644 1000 ..\\n\n",
     "is not /home/u/proj/worktrees/NAME"},
    {"f /home/u/proj/.git 0644 1000 gitdir: d\\n\n"
     "f /home/u/proj/d/commondir 0644 1000 ../../..\\n\n",
     "is not /home/worktrees/NAME"},
    {"f /home/u/proj/.git 0644 1000 gitdir: /home/u/.ssh\\n\n", "/home/u/.ssh/commondir: No such"},
    {"f /home/u/proj/.git 0644 1000 gitdir: /\\n\n", "/commondir: No such"},
    {"f /home/u/proj/.git 0644 1000 gitdir: /home/u/proj/c/worktrees/w\\n\n"
     "f /home/u/proj/c/HEAD 0644 1000 x\n"
     "d /home/u/proj/c/objects 0755 1000\n"
     "d /home/u/proj/c/refs 0755 1000\n"
     "d /home/u/proj/c 0755 1000\n"
     "d /home/u/proj/c/worktrees/w 0755 1000\n"
     "f /home/u/proj/c/worktrees/w/commondir 0644 1000 ../..\n"
     "f /home/u/proj/c/worktrees/w/gitdir 0644 1000 /home/u/proj/.git\n",
     "lies in the project"},
    /* a link in the project to a directory of secrets that has the shape */
    {"f /home/u/proj/.git 0644 1000 gitdir: c/worktrees/w\\n\n"
     "l /home/u/proj/c /home/u/.ssh\n"
     "f /home/u/.ssh/HEAD 0644 1000 x\n"
     "d /home/u/.ssh/objects 0755 1000\n"
     "d /home/u/.ssh/refs 0755 1000\n"
     "d /home/u/.ssh/worktrees/w 0755 1000\n"
     "f /home/u/.ssh/worktrees/w/commondir 0644 1000 ../..\n"
     "f /home/u/.ssh/worktrees/w/gitdir 0644 1000 /home/u/proj/.git\n",
     "a jail never shows"},
    /* E-GIT-02: the way back, links, names */
    {"f " OWN "/gitdir 0644 1000 /home/u/other/.git\n", "leads to /home/u/other/.git: No such"},
    {"f " OWN "/gitdir 0644 1000 /home/u/other/.git\n"
     "f /home/u/other/.git 0644 1000 gitdir: " OWN "\n",
     "leads to another place, /home/u/other/.git"},
    {"l " OWN "/gitdir back\n"
     "f " OWN "/back 0644 1000 /home/u/proj/.git\n",
     "gitdir is a symbolic link"},
    {"l " OWN "/commondir there\n"
     "f " OWN "/there 0644 1000 ../..\n",
     "commondir is a symbolic link"},
    {"l /home/u/proj/.git dot\n"
     "f /home/u/proj/dot 0644 1000 gitdir: " OWN "\n",
     ".git is a symbolic link"},
    {"f /home/u/proj/.git 0644 1000 gitdir: " COMMON "/worktrees/..\n", "commondir: No such"},
    {"f /home/u/proj/.git 0644 1000 gitdir: " COMMON "/worktrees\n"
     "f " COMMON "/worktrees/commondir 0644 1000 ..\n",
     "is not " COMMON "/worktrees/NAME"},
    {"f /home/u/proj/.git 0644 1000 gitdir: " OWN "/deep\n"
     "f " OWN "/deep/commondir 0644 1000 ../../..\n",
     "is not " COMMON "/worktrees/NAME"},
    {"f /home/u/proj/.git 0644 1000 gitdir: " COMMON "/worktrees/w\\0t\n", "a NUL byte"},
    {"f /home/u/proj/.git 0644 1000 gitdir: " COMMON "/worktrees/w\\nt\n", "holds a newline"},
    {"f " OWN "/commondir 0644 1000 ../..\\n/home/u/.ssh\n", "holds a newline"},
    {"f " OWN "/gitdir 0644 1000 /home/u/proj/.git\\0x\n", "a NUL byte"},
    /* E-GIT-03: no repository, another user's, too much */
    {"l " COMMON "/HEAD refs/heads/main\n", "no regular file HEAD"},
    {"d " COMMON "/HEAD 0755 1000\n", "no regular file HEAD"},
    {"f " COMMON "/objects 0644 1000 x\n", "no directory objects"},
    {"l " COMMON "/refs ../refs\nd /home/u/main/refs 0755 1000\n", "no directory refs"},
    {"d " COMMON " 0755 1001\n", COMMON " belongs to another user"},
    {"d " OWN " 0755 0\n", OWN " belongs to another user"},
    {"f /home/u/proj/.git 0644 1000 gitdir: /home/u/worktrees/w\n"
     "d /home/u 0755 1000\n"
     "f /home/u/HEAD 0644 1000 x\n"
     "d /home/u/objects 0755 1000\n"
     "d /home/u/refs 0755 1000\n"
     "d /home/u/worktrees/w 0755 1000\n"
     "f /home/u/worktrees/w/commondir 0644 1000 ../..\n"
     "f /home/u/worktrees/w/gitdir 0644 1000 /home/u/proj/.git\n",
     "is your home directory or holds it"},
    /* a secret directory really lies in the repository */
    {"l /home/u/.aws " COMMON "/aws\nd " COMMON "/aws 0755 1000\n", "a jail never shows"},
    /* E-GIT-04, P-WT-8: not files, or not such files */
    {"p /home/u/proj/.git 0644 1000\n", ".git is a FIFO"},
    {"c /home/u/proj/.git 0644 1000\n", ".git is a device"},
    {"s /home/u/proj/.git 0644 1000\n", ".git is a socket"},
    {"f /home/u/proj/.git 0000 1000 x\n", "cannot be read: Permission denied"},
    {"f /home/u/proj/.git 0644 1000 \n", "does not begin with"},
    {"f /home/u/proj/.git 0644 1000 GITDIR: x\n", "does not begin with"},
    {"f /home/u/proj/.git 0644 1000 gitdir: \\n\n", "names no path"},
    {"f /home/u/proj/.git 0644 1000 gitdir: /nowhere\\n\n", "leads to /nowhere: No such"},
    {"f /home/u/proj/.git 0644 1000 gitdir: " COMMON "/HEAD\\n\n", "which is no directory"},
    {"p " OWN "/commondir 0644 1000\n", "commondir is a FIFO"},
    {"f " OWN "/commondir 0000 1000 ../..\n", "cannot be read"},
    {"f " OWN "/commondir 0644 1000 \\n\\n\n", "names no path"},
    {"f " OWN "/commondir 0644 1000 HEAD\nf " OWN "/HEAD 0644 1000 x\n", "which is no directory"},
    {"b " OWN "/gitdir 0644 1000\n", "gitdir is a device"},
    {"l " COMMON "/loop loop\nf " OWN "/commondir 0644 1000 ../../loop\n", "Too many levels"},
};

static void check_refused(const char *tree, const char *why)
{
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv dirs = {0};

    planner_init(&planner, genuine, NULL);
    fakefs_add(planner.fakefs, tree);
    add(&planner, &dirs);
    if (shown(&planner) || dirs.n)
        fail_msg("shown in spite of: %s", tree);
    if (planner.notes.n != 1 || planner_count_notes(&planner, NOTE_WARNING, why) != 1)
        fail_msg("%s: \"%s\" instead of \"%s\"", tree,
                 planner.notes.n ? planner.notes.v[0].text : "nothing", why);
    assert_non_null(strstr(planner.notes.v[0].text, "--worktree"));
}

static void forged_layouts_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(forgeries); i++)
        check_refused(forgeries[i].tree, forgeries[i].why);
}

static void files_are_bounded(void **state)
{
    static const char *const files[] = {"/home/u/proj/.git", OWN "/commondir", OWN "/gitdir"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        _cleanup_planner_ struct planner planner;
        _cleanup_strv_ struct strv dirs = {0};
        char long_text[GITFILE_MAX + 2];

        memset(long_text, '/', sizeof(long_text));
        memcpy(long_text, "gitdir: ", 8);
        planner_init(&planner, genuine, NULL);
        fakefs_set_content(planner.fakefs, files[i], long_text, sizeof(long_text) - 1);
        add(&planner, &dirs);
        assert_null(shown(&planner));
        assert_int_equal(planner_count_notes(&planner, NOTE_WARNING, "is longer"), 1);
    }
}

static void each_missing_part_is_refused(void **state)
{
    static const char *const parts[] = {COMMON "/HEAD",   COMMON "/objects", COMMON "/refs",
                                        OWN "/commondir", OWN "/gitdir",     OWN};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        _cleanup_planner_ struct planner planner;
        _cleanup_strv_ struct strv dirs = {0};

        planner_init(&planner, genuine, NULL);
        fakefs_remove(planner.fakefs, parts[i]);
        add(&planner, &dirs);
        if (shown(&planner) || planner_count_notes(&planner, NOTE_WARNING, "") != 1)
            fail_msg("without %s", parts[i]);
    }
}

/* ---- E-GIT-06: a file system that changes while it is looked at ---- */

struct changing {
    struct fs fs;
    const struct fs *below;
    struct fakefs *fakefs;
    unsigned calls;
    unsigned first; /* call before which it becomes what the forger wants */
    unsigned last;  /* call before which it is genuine again */
    const char *forged;
};

static const struct fs *change(void *ctx)
{
    struct changing *changing = ctx;

    if (changing->calls == changing->first)
        fakefs_add(changing->fakefs, changing->forged);
    if (changing->calls == changing->last)
        fakefs_add(changing->fakefs, genuine);
    changing->calls++;
    return changing->below;
}

static int changing_stat(void *ctx, const char *path, bool follow, struct fs_stat *out)
{
    return fs_stat(change(ctx), path, follow, out);
}

static ssize_t changing_readlink(void *ctx, const char *path, char *target, size_t size)
{
    const struct fs *fs = change(ctx);

    return fs->readlink(fs->ctx, path, target, size);
}

static ssize_t changing_read_head(void *ctx, const char *path, void *bytes, size_t size)
{
    const struct fs *fs = change(ctx);

    return fs->read_head(fs->ctx, path, bytes, size);
}

/* One walk sees one state. */
static int changing_stat_beneath(void *ctx, const char *dir, const char *rest, struct fs_stat *out)
{
    return fs_stat_beneath(change(ctx), dir, rest, out);
}

/* Number of calls that were made. */
static unsigned try_change(const char *forged, unsigned first, unsigned last, unsigned *successes)
{
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv dirs = {0};
    struct changing changing = {.first = first, .last = last, .forged = forged};
    const struct plan_entry *entry;

    planner_init(&planner, genuine, NULL);
    changing.fakefs = planner.fakefs;
    changing.below = planner.host.fs;
    changing.fs = (struct fs){.ctx = &changing,
                              .stat = changing_stat,
                              .readlink = changing_readlink,
                              .read_head = changing_read_head,
                              .stat_beneath = changing_stat_beneath};
    planner.host.fs = &changing.fs;
    add(&planner, &dirs);
    entry = shown(&planner);
    if (entry && (!str_eq(entry->source, COMMON) ||
                  entry->st.ino != fakefs_node(planner.fakefs, COMMON)->ino))
        fail_msg("%s from call %u to %u: %s is shown", forged, first, last, entry->source);
    *successes += entry != NULL;
    return changing.calls;
}

static void races_show_nothing_else(void **state)
{
    static const char *const forged[] = {
        "f /home/u/proj/.git 0644 1000 gitdir: /home/u/private/worktrees/w\n"
        "d /home/u/private/worktrees/w 0755 1000\n"
        "f /home/u/private/worktrees/w/commondir 0644 1000 ../..\n"
        "f /home/u/private/worktrees/w/gitdir 0644 1000 /home/u/proj/.git\n",
        "f " OWN "/commondir 0644 1000 /home/u/private\n",
        "f " OWN "/commondir 0644 1000 /home/u\n",
        /* The directory itself, and one on the way to it, as links: only the object tells. */
        "l " COMMON " ../private\n",
        "l /home/u/main private\n",
        "l " OWN " /home/u/private\n",
    };
    static const unsigned lengths[] = {1, 2, 3, 4, 6, 10, 20, 40, 1000};
    unsigned successes = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(forged); i++) {
        unsigned calls = try_change(forged[i], 0, 0, &successes);

        assert_in_range(calls, 50, 400);
        for (unsigned first = 0; first <= calls; first++)
            for (size_t j = 0; j < ARRAY_SIZE(lengths); j++)
                try_change(forged[i], first, first + lengths[j], &successes);
    }
    /* The rest is not refused for some other reason. */
    assert_true(successes > 100);
}

static void the_flag_is_offered(void **state)
{
    _cleanup_planner_ struct planner planner;
    _cleanup_planner_ struct planner forged;

    (void)state;
    planner_init(&planner, genuine, NULL);
    worktree_hint(&planner.host, PLANNER_PROJECT, &planner.notes);
    assert_int_equal(planner.notes.n, 1);
    assert_int_equal(planner_count_notes(&planner, NOTE_INFO, "--worktree"), 1);
    planner_init(&forged, genuine, NULL);
    fakefs_add(forged.fakefs, forgeries[0].tree);
    worktree_hint(&forged.host, PLANNER_PROJECT, &forged.notes);
    assert_int_equal(forged.notes.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(genuine_layouts_are_shown),
        cmocka_unit_test(project_may_lie_in_the_repository),
        cmocka_unit_test(no_worktree_no_word),
        cmocka_unit_test(forged_layouts_are_refused),
        cmocka_unit_test(files_are_bounded),
        cmocka_unit_test(each_missing_part_is_refused),
        cmocka_unit_test(races_show_nothing_else),
        cmocka_unit_test(the_flag_is_offered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
