// SPDX-License-Identifier: GPL-3.0-only
/*
 * --overlay-map: which directories become overlays, and where their changes are kept.
 */
#include "policy/overlays.h"
#include "support/jail.h"
#include "support/planner.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

static const char tree[] = "d /data/in/deep\n"
                           "d /data/other\n"
                           "f /data/file 0644 0 x\n"
                           "l /short /data/in\n"
                           "d /home/u/proj/sub/deep\n"
                           "l /home/u/proj/out /data/in\n"
                           "d /home/u/src\n"
                           "d /home/u/.local/state/ai-jail/overlays\n"
                           "d /home/u/.local/share/ai-jail/cache\n";

struct result {
    struct overlays overlays;
    struct error error;
    int r;
};

/* names: separated by blanks. */
static void add(struct planner *planner, const char *names, bool is_untrusted,
                struct result *result)
{
    struct config cli;
    _cleanup_strv_ struct strv list = {0};

    *result = (struct result){.r = 0};
    config_init(&cli, is_untrusted ? LAYER_PROJECT : LAYER_CLI);
    cli.place.is_untrusted = is_untrusted;
    strv_split(&list, names, ' ');
    for (size_t i = 0; i < list.n; i++)
        config_add(&cli, SET_OVERLAY_MAPS, list.v[i]);
    config_merge(&planner->config, &cli);
    config_free(&cli);
    result->r = overlays_add(&result->overlays, &planner->plan, &planner->config, &planner->host,
                             PLANNER_PROJECT, &planner->notes, &result->error);
}

static const struct plan_entry *find(const struct planner *planner, const char *dest)
{
    for (size_t i = 0; i < planner->plan.n; i++)
        if (planner->plan.v[i].kind == PLAN_OVERLAY && str_eq(planner->plan.v[i].dest, dest))
            return &planner->plan.v[i];
    return NULL;
}

static void directories_become_entries_at_their_own_place(void **state)
{
    static const struct {
        const char *said;
        const char *path;
        enum plan_group group;
    } rows[] = {
        {"/data/in", "/data/in", GROUP_MAPS_OUTSIDE},
        {"/data/../data/in/", "/data/in", GROUP_MAPS_OUTSIDE},
        {"/short/deep", "/data/in/deep", GROUP_MAPS_OUTSIDE},
        {"~/src", "/home/u/src", GROUP_MAPS_OUTSIDE},
        {"sub", "/home/u/proj/sub", GROUP_MAPS_INSIDE},
        {".", "/home/u/proj", GROUP_MAPS_INSIDE},
        {"out", "/data/in", GROUP_MAPS_OUTSIDE},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_planner_ struct planner planner;
        const struct plan_entry *entry;
        struct result result;

        planner_init(&planner, tree, NULL);
        add(&planner, rows[i].said, false, &result);
        if (result.r < 0)
            fail_msg("%s: %s", rows[i].said, result.error.text);
        plan_finish(&planner.plan, planner.host.fs, &planner.notes);
        entry = find(&planner, rows[i].path);
        if (!entry)
            fail_msg("%s: no overlay at %s", rows[i].said, rows[i].path);
        assert_true(entry->group == rows[i].group);
        assert_string_equal(entry->source, rows[i].path);
        assert_int_equal(result.overlays.n, 1);
        assert_string_equal(result.overlays.v[0].path, rows[i].path);
        assert_string_equal(result.overlays.v[0].project, PLANNER_PROJECT);
        assert_int_equal(planner_count_notes(&planner, NOTE_INFO, "/upper"), 1);
        overlays_free(&result.overlays);
    }
}

static void places_that_cannot_be_overlays_are_fatal(void **state)
{
    static const struct {
        const char *said;
        const char *why;
    } rows[] = {
        {"/", "its own view"},
        {"/tmp", "its own view"},
        {"/usr", "its own view"},
        {"/proc", "by itself"},
        {"/home/u", "home directory"},
        {"/home", "home directory"},
        {"/home/u/.local/state/ai-jail", "own files"},
        {"/home/u/.local/state/ai-jail/overlays", "own files"},
        {"/home/u/.local/share/ai-jail/cache", "own files"},
        {"/home/u/.local", "kept inside"},
        {"/home/u/.local/state", "kept inside"},
        {"/data/file", "not a directory"},
        {"/data/in /data/in/deep", "overlaps"},
        {"/data/in/deep /data/in", "overlaps"},
        {"/data/in /short", "overlaps"},
        {"sub .", "overlaps"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_planner_ struct planner planner;
        struct result result;

        planner_init(&planner, tree, NULL);
        add(&planner, rows[i].said, false, &result);
        assert_int_equal(result.r, -EINVAL);
        if (!strstr(result.error.text, rows[i].why) || !strstr(result.error.text, "--overlay-map"))
            fail_msg("%s: %s", rows[i].said, result.error.text);
        overlays_free(&result.overlays);
    }
}

static void a_missing_directory_is_a_warning(void **state)
{
    _cleanup_planner_ struct planner planner;
    struct result result;

    (void)state;
    planner_init(&planner, tree, NULL);
    add(&planner, "/absent /data/other", false, &result);
    assert_int_equal(result.r, 0);
    assert_int_equal(result.overlays.n, 1);
    assert_int_equal(planner_count_notes(&planner, NOTE_WARNING, "/absent"), 1);
    overlays_free(&result.overlays);
}

/* A project that is not trusted gets overlays of its own directories, and cannot stop the start. */
static void an_untrusted_file_stays_in_the_project(void **state)
{
    _cleanup_planner_ struct planner planner;
    struct result result;

    (void)state;
    planner_init(&planner, tree, NULL);
    add(&planner, "sub out /data/other /home/u sub/deep", true, &result);
    assert_int_equal(result.r, 0);
    assert_int_equal(result.overlays.n, 1);
    assert_string_equal(result.overlays.v[0].path, "/home/u/proj/sub");
    assert_int_equal(planner_count_notes(&planner, NOTE_SECURITY, "is skipped"), 4);
    overlays_free(&result.overlays);
}

/* P-PLAN-28. The digests are those of sha256sum. */
static void the_storage_is_named_by_project_and_path(void **state)
{
    _cleanup_planner_ struct planner planner;
    _cleanup_free_ char *one = NULL;
    _cleanup_free_ char *other = NULL;
    _cleanup_free_ char *shifted = NULL;

    (void)state;
    planner_init(&planner, tree, NULL);
    one = overlays_storage(&planner.host, "/p", "/d");
    other = overlays_storage(&planner.host, "/p/", "d");
    shifted = overlays_storage(&planner.host, "/d", "/p");
    /* printf '/p\0/d' | sha256sum */
    assert_string_equal(one,
                        "/home/u/.local/state/ai-jail/overlays/87fe64fb33f23f43c463f4f11746b6e7");
    assert_string_not_equal(one, other);
    assert_string_not_equal(one, shifted);
}

static void the_state_directory_is_canonical(void **state)
{
    static const char *const environ_[] = {"XDG_STATE_HOME=/l/new/state", NULL};
    static const char *const relative[] = {"XDG_STATE_HOME=state", NULL};
    _cleanup_planner_ struct planner planner;
    _cleanup_planner_ struct planner ignoring;
    _cleanup_free_ char *state_dir = NULL;
    _cleanup_free_ char *preset = NULL;

    (void)state;
    planner_init(&planner, "l /l /disk\nd /disk/new\n", environ_);
    state_dir = overlays_state_dir(&planner.host);
    assert_string_equal(state_dir, "/disk/new/state");
    planner_init(&ignoring, tree, relative);
    preset = overlays_state_dir(&ignoring.host);
    assert_string_equal(preset, "/home/u/.local/state");
}

/* P-PLAN-18: a cover below an overlay stays, and is not compared with the lower directory. */
static void covers_below_stay(void **state)
{
    _cleanup_planner_ struct planner planner;
    const struct plan_entry *cover = NULL;
    struct result result;

    (void)state;
    planner_init(&planner, tree, NULL);
    fakefs_add(planner.fakefs, "f /data/in/secret 0600 1000 x\n");
    add(&planner, "/data/in", false, &result);
    plan_add(&planner.plan, GROUP_MASKS, PLAN_COVER_EMPTY, "/data/in/secret", "test");
    plan_finish(&planner.plan, planner.host.fs, &planner.notes);
    for (size_t i = 0; i < planner.plan.n; i++)
        if (str_eq(planner.plan.v[i].dest, "/data/in/secret"))
            cover = &planner.plan.v[i];
    assert_non_null(cover);
    assert_true(cover->kind == PLAN_COVER_EMPTY);
    assert_true(cover->st.type == FS_NONE);
    overlays_free(&result.overlays);
}

static bool has_words(const struct jail *jail, const char *text)
{
    _cleanup_free_ char *all = strv_join(&jail->launch.words, " ");

    return strstr(all, text) != NULL;
}

/* P-PLAN-15 */
static void bubblewrap_mounts_where_it_can(void **state)
{
    static const char *const environ_[] = {"HOME=/home/u", "PATH=/usr/bin", NULL};
    static const char *const words[] = {"--overlay-map", "/data/in", NULL};
    _cleanup_free_ char *want = NULL;
    _cleanup_free_ char *storage = NULL;

    (void)state;
    for (int has = 0; has < 2; has++) {
        _cleanup_jail_ struct jail jail;

        jail_init(&jail, tree, environ_);
        jail.planner.host.bwrap.has_overlay = has;
        jail.planner.host.bwrap.has_bind_fd = false;
        if (jail_build(&jail, words) < 0)
            fail_msg("%s", jail.error.text);
        free(storage);
        free(want);
        storage = overlays_storage(&jail.planner.host, PLANNER_PROJECT, "/data/in");
        want = xasprintf("--overlay-src /data/in --overlay %s/upper %s/work /data/in", storage,
                         storage);
        assert_int_equal(has_words(&jail, want), has);
        assert_int_equal(has_words(&jail, "--bind /data/in /data/in"), !has);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directories_become_entries_at_their_own_place),
        cmocka_unit_test(places_that_cannot_be_overlays_are_fatal),
        cmocka_unit_test(a_missing_directory_is_a_warning),
        cmocka_unit_test(an_untrusted_file_stays_in_the_project),
        cmocka_unit_test(the_storage_is_named_by_project_and_path),
        cmocka_unit_test(the_state_directory_is_canonical),
        cmocka_unit_test(covers_below_stay),
        cmocka_unit_test(bubblewrap_mounts_where_it_can),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
