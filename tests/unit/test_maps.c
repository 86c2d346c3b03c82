// SPDX-License-Identifier: GPL-3.0-only
/*
 * --map and --rw-map.
 */
#include "policy/maps.h"

#include "config/map_text.h"
#include "support/planner.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

static const char tree[] = "d /data/in/deep\n"
                           "d /proc/1\n"
                           "f /data/file 0644 0 x\n"
                           "l /data/link in\n"
                           "l /short /data/in\n"
                           "d /data/a:b\n"
                           "d /data/\\xff\\x1b\n"
                           "s /data/socket 0600 1000\n"
                           "d /home/u/proj/sub\n"
                           "d /home/u/proj/keep\n"
                           "l /home/u/proj/out ../../../data/in\n"
                           "d /home/u/src/lib\n"
                           "d /home/u/.local/state/ai-jail\n"
                           "f /home/u/.local/state/ai-jail/bwrap-probe 0600 1000 x\n";

/* Adds maps by "r TEXT" (read-only) and "w TEXT" (writable), separated by newlines. */
static int add_maps(struct planner *planner, const char *maps, struct error *error)
{
    struct config cli;
    _cleanup_strv_ struct strv lines = {0};
    int r;

    config_init(&cli, LAYER_CLI);
    strv_split(&lines, maps, '\n');
    for (size_t i = 0; i < lines.n; i++)
        config_add(&cli, lines.v[i][0] == 'w' ? SET_RW_MAPS : SET_RO_MAPS, lines.v[i] + 2);
    config_merge(&planner->config, &cli);
    config_free(&cli);
    r = maps_add(&planner->plan, &planner->config, &planner->host, PLANNER_PROJECT, &planner->notes,
                 error);
    return r;
}

struct expected {
    const char *maps;
    const char *outside; /* entries of group 11 */
    const char *inside;  /* entries of group 13 */
};

static void check(const struct expected *want)
{
    _cleanup_planner_ struct planner planner;
    struct error error = {0};

    planner_init(&planner, tree, NULL);
    if (add_maps(&planner, want->maps, &error) < 0)
        fail_msg("%s: %s", want->maps, error.text);
    assert_true(planner_has_exactly(&planner, GROUP_MAPS_OUTSIDE, want->outside));
    assert_true(planner_has_exactly(&planner, GROUP_MAPS_INSIDE, want->inside));
    if (planner.notes.n)
        fail_msg("%s: %s", want->maps, planner.notes.v[0].text);
}

/* ---- the text ---- */

static void text_is_split_at_the_first_bare_colon(void **state)
{
    static const struct {
        const char *text;
        const char *source;
        const char *dest;
    } rows[] = {
        {"/a", "/a", NULL},
        {"/a:/b", "/a", "/b"},
        {"/a:/b:/c", "/a", "/b:/c"},
        {"/a\\:b:/c", "/a:b", "/c"},
        {"/a:/b\\:c", "/a", "/b:c"},
        {"/a\\\\:/b", "/a\\", "/b"},
        {"/a\\b", "/a\\b", NULL},
        {"/a\\", "/a\\", NULL},
        {"\xff:\xfe", "\xff", "\xfe"},
        {"", NULL, NULL},
        {":", NULL, NULL},
        {":/b", NULL, NULL},
        {"/a:", NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *source = NULL;
        char *dest = NULL;
        int r = map_text_split(rows[i].text, &source, &dest);

        assert_int_equal(r, rows[i].source ? 0 : -EINVAL);
        if (!str_eq(source, rows[i].source) || !str_eq(dest, rows[i].dest))
            fail_msg("%s: %s and %s", rows[i].text, source ? source : "-", dest ? dest : "-");
        free(source);
        free(dest);
    }
}

/* ---- what is added ---- */

static void sources_become_canonical_paths(void **state)
{
    static const struct expected rows[] = {
        {"r /data/in", "ro /data/in\n", ""},
        {"w /data/in", "rw /data/in\n", ""},
        {"r /data/file", "ro /data/file\n", ""},
        {"r /data/socket", "ro /data/socket\n", ""},
        {"r ~/src", "ro /home/u/src\n", ""},
        {"r ../src/./lib/", "ro /home/u/src/lib\n", ""},
        {"r /data/in:/m", "ro /m = /data/in\n", ""},
        {"w /data/in:~/m", "rw /home/u/m = /data/in\n", ""},
        {"r /data/in://m/../k/", "ro /k = /data/in\n", ""},
        {"r /data/a\\:b", "ro /data/a:b\n", ""},
        {"r /data/\xff\x1b", "ro /data/\xff\x1b\n", ""},
        {"r /data/in\nw /data/file", "ro /data/in\nrw /data/file\n", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check(&rows[i]);
}

/* P-PLAN-26: the canonical destination, and the user's spelling as a link. */
static void links_are_made_again(void **state)
{
    static const struct expected rows[] = {
        {"r /short", "ro /data/in\nlink /short -> /data/in\n", ""},
        {"r /short/deep", "ro /data/in/deep\nlink /short -> /data/in\n", ""},
        {"r /data/link/deep", "ro /data/in/deep\nlink /data/link -> in\n", ""},
        /* not when the destination is given */
        {"r /short:/m", "ro /m = /data/in\n", ""},
        /* the project shows its own link already */
        {"r out", "ro /data/in\n", ""},
        /* ".." behind a link is the target's parent */
        {"r out/../file", "ro /data/file\n", ""},
        {"r /short\nr /short/deep", "ro /data/in\nro /data/in/deep\nlink /short -> /data/in\n", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check(&rows[i]);
}

/* P-PLAN-9 */
static void destinations_inside_the_project_come_after_it(void **state)
{
    static const struct expected rows[] = {
        {"r sub", "", "ro /home/u/proj/sub\n"},
        {"r ./sub\nw keep", "", "ro /home/u/proj/sub\nrw /home/u/proj/keep\n"},
        {"r /data/in:sub", "", "ro /home/u/proj/sub = /data/in\n"},
        {"r ~/src:sub", "", "ro /home/u/proj/sub = /home/u/src\n"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check(&rows[i]);
}

static void project_stays_writable_under_a_map_of_its_own_path(void **state)
{
    _cleanup_planner_ struct planner planner;
    struct error error = {0};
    struct plan_view view;

    (void)state;
    planner_init(&planner, tree, NULL);
    assert_int_equal(add_maps(&planner, "r .", &error), 0);
    assert_true(planner_has_exactly(&planner, GROUP_MAPS_OUTSIDE, ""));
    assert_true(planner_has_exactly(&planner, GROUP_PROJECT, "rw /home/u/proj\n"));
    view = plan_look(&planner.plan, PLANNER_PROJECT "/sub");
    assert_true(view.entry->kind == PLAN_RW);
    free(view.host_path);
}

/* ---- refusals ---- */

static void refused_places_are_errors(void **state)
{
    static const char *const dests[] = {
        "/",       "/proc", "/proc/self", "/dev",  "/dev/shm", "/sys",        "/sys/x",
        "/usr",    "/etc",  "/bin",       "/sbin", "/lib",     "/lib32",      "/lib64",
        "/libx32", "/run",  "/tmp",       "/var",  "/usr/",    "/tmp/../etc", "//",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(dests); i++)
        for (unsigned writable = 0; writable < 2; writable++) {
            _cleanup_planner_ struct planner planner;
            _cleanup_free_ char *map = xasprintf("%c /data/in:%s", writable ? 'w' : 'r', dests[i]);
            struct error error = {0};
            size_t before;

            planner_init(&planner, tree, NULL);
            before = planner.plan.n;
            assert_int_equal(add_maps(&planner, map, &error), -EINVAL);
            assert_non_null(strstr(error.text, map + 2));
            assert_non_null(strstr(error.text, writable ? "--rw-map" : "--map"));
            assert_int_equal(planner.plan.n, before);
        }
}

static void neighbours_of_refused_places_are_fine(void **state)
{
    static const char *const dests[] = {"/usr2", "/tmp/x", "/run/x", "/var/x", "/procfs", "/lib6"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(dests); i++) {
        _cleanup_free_ char *map = xasprintf("r /data/in:%s", dests[i]);
        _cleanup_free_ char *want = xasprintf("ro %s = /data/in\n", dests[i]);

        check(&(struct expected){map, want, ""});
    }
}

static void root_and_proc_are_no_sources(void **state)
{
    static const char *const texts[] = {"r /", "r /:/m", "w /data/..:/m", "r /proc:/m",
                                        "r /proc/1:/m"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        _cleanup_planner_ struct planner planner;
        struct error error = {0};

        planner_init(&planner, tree, NULL);
        assert_int_equal(add_maps(&planner, texts[i], &error), -EINVAL);
    }
}

static void empty_parts_are_errors(void **state)
{
    _cleanup_planner_ struct planner planner;
    struct error error = {0};

    (void)state;
    planner_init(&planner, tree, NULL);
    assert_int_equal(add_maps(&planner, "r /data/in:", &error), -EINVAL);
    assert_non_null(strstr(error.text, "SRC:DST"));
}

/* One line, of this class, and nothing is added. */
static void check_skipped(const char *map, enum note_class class, const char *part)
{
    _cleanup_planner_ struct planner planner;
    struct error error = {0};

    planner_init(&planner, tree, NULL);
    if (add_maps(&planner, map, &error) < 0)
        fail_msg("%s: %s", map, error.text);
    assert_true(planner_has_exactly(&planner, GROUP_MAPS_OUTSIDE, ""));
    assert_true(planner_has_exactly(&planner, GROUP_MAPS_INSIDE, ""));
    assert_int_equal(planner.notes.n, 1);
    if (planner_count_notes(&planner, class, part) != 1)
        fail_msg("%s: %s", map, planner.notes.v[0].text);
}

static void what_cannot_be_placed_is_skipped_with_a_line(void **state)
{
    (void)state;
    check_skipped("r /data/none", NOTE_WARNING, "No such file");
    check_skipped("r /data/file/x", NOTE_WARNING, "Not a directory");
    check_skipped("r /data/file/", NOTE_WARNING, "Not a directory");
    check_skipped("r /data/in:/home/u/proj/none", NOTE_WARNING, "no mount point");
    check_skipped("r /data/in:/usr/none", NOTE_WARNING, "no mount point");
    check_skipped("r /data/in:/bin/none", NOTE_WARNING, "a link stands in the way");
    check_skipped("r /data/file:/home/u/proj/sub", NOTE_WARNING, "of another type");
}

/* P-PLAN-19: whoever writes there decides about the next run. */
static void own_files_are_never_mapped(void **state)
{
    (void)state;
    check_skipped("r ~/.local/state/ai-jail", NOTE_SECURITY, "never shown");
    check_skipped("w ~/.local/state/ai-jail:/m", NOTE_SECURITY, "never shown");
    check_skipped("r ~/.local/state/ai-jail/bwrap-probe:/m", NOTE_SECURITY, "never shown");
}

static void mapping_home_is_said_aloud(void **state)
{
    static const char *const texts[] = {"r ~", "r /home", "r ~:/m", "w /home:/m"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        _cleanup_planner_ struct planner planner;
        struct error error = {0};

        planner_init(&planner, tree, NULL);
        assert_int_equal(add_maps(&planner, texts[i], &error), 0);
        assert_int_equal(planner_count_notes(&planner, NOTE_SECURITY, "whole home"), 1);
    }
}

/* P-PLAN-24: a writable map would open the read-only one, or be closed by it. */
static void writable_maps_do_not_touch_read_only_ones(void **state)
{
    static const struct {
        const char *maps;
        const char *outside;
        unsigned refused;
    } rows[] = {
        {"r /data/in:/m\nw /data:/m", "ro /m = /data/in\n", 1},
        {"w /data:/m\nr /data/in:/m", "ro /m = /data/in\n", 1},
        {"r /data/in:/m/x\nw /data:/m", "ro /m/x = /data/in\n", 1},
        {"r /data:/m\nw /data/in:/m/in", "ro /m = /data\n", 1},
        {"r /data:/m\nw /data/in:/m/in\nw /home/u/src:/m/file", "ro /m = /data\n", 2},
        {"r /data:/m\nw /data/in:/mm", "ro /m = /data\nrw /mm = /data/in\n", 0},
        {"r /data:/m\nr /data/in:/m/in", "ro /m = /data\nro /m/in = /data/in\n", 0},
        {"w /data:/m\nw /data/file:/m/file", "rw /m = /data\nrw /m/file = /data/file\n", 0},
        /* a map that is skipped refuses nothing */
        {"r /none:/m\nw /data:/m", "rw /m = /data\n", 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_planner_ struct planner planner;
        struct error error = {0};

        planner_init(&planner, tree, NULL);
        assert_int_equal(add_maps(&planner, rows[i].maps, &error), 0);
        assert_true(planner_has_exactly(&planner, GROUP_MAPS_OUTSIDE, rows[i].outside));
        if (planner_count_notes(&planner, NOTE_SECURITY, "overlaps the read-only") !=
            rows[i].refused)
            fail_msg("%s", rows[i].maps);
    }
}

/* A link of the host must not replace something that the plan has there. */
static void link_does_not_replace_an_entry(void **state)
{
    _cleanup_planner_ struct planner planner;

    (void)state;
    planner_init(&planner, "d /private/tmp/x\nl /tmp private/tmp\n", NULL);
    maps_add_links(&planner.plan, planner.host.fs, GROUP_MAPS_OUTSIDE, "/tmp/x", "test");
    assert_true(planner_has_exactly(&planner, GROUP_MAPS_OUTSIDE, ""));
    assert_true(plan_look(&planner.plan, "/tmp/x").entry->kind == PLAN_TMPFS);
}

/* ---- maps of files ---- */

/* The same as add_maps(), said by line 7 of a file. */
static int add_maps_of(struct planner *planner, enum layer_kind kind, bool is_untrusted,
                       const char *maps, struct error *error)
{
    struct config layer;
    _cleanup_strv_ struct strv lines = {0};

    config_init(&layer, kind);
    layer.place.line = 7;
    layer.place.is_untrusted = is_untrusted;
    strv_split(&lines, maps, '\n');
    for (size_t i = 0; i < lines.n; i++)
        config_add(&layer, lines.v[i][0] == 'w' ? SET_RW_MAPS : SET_RO_MAPS, lines.v[i] + 2);
    config_merge(&planner->config, &layer);
    config_free(&layer);
    return maps_add(&planner->plan, &planner->config, &planner->host, PLANNER_PROJECT,
                    &planner->notes, error);
}

/* P-PLAN-25 */
static void a_file_cannot_end_the_launch_with_a_map(void **state)
{
    static const char *const texts[] = {"r /data/in:/etc", "w /data/in:/proc/1", "r /:/m",
                                        "r /proc/1:/m", "r /data/in:"};
    static const enum layer_kind kinds[] = {LAYER_GLOBAL, LAYER_COMMAND_TABLE, LAYER_PROJECT};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts) * ARRAY_SIZE(kinds); i++) {
        _cleanup_planner_ struct planner planner;
        enum layer_kind kind = kinds[i % ARRAY_SIZE(kinds)];
        struct error error = {0};

        planner_init(&planner, tree, NULL);
        if (add_maps_of(&planner, kind, false, texts[i / ARRAY_SIZE(kinds)], &error) < 0)
            fail_msg("%s", error.text);
        assert_int_equal(planner.notes.n, 1);
        assert_int_equal(planner_count_notes(&planner, NOTE_SECURITY, "is skipped"), 1);
        /* by file, line and key */
        assert_int_equal(planner_count_notes(&planner, NOTE_SECURITY, "/.ai-jail:7: r"), 1);
        assert_true(planner_has_exactly(&planner, GROUP_MAPS_OUTSIDE, ""));
    }
}

static void untrusted_maps_stay_in_the_project(void **state)
{
    static const struct {
        const char *maps;
        const char *inside;
        unsigned refused;
    } rows[] = {
        {"r sub", "ro /home/u/proj/sub\n", 0},
        {"w keep:sub", "rw /home/u/proj/sub = /home/u/proj/keep\n", 0},
        {"r in-link", "ro /home/u/proj/sub\n", 0},
        {"r sub:in-link", "ro /home/u/proj/sub\n", 0},
        {"r out", "", 1},
        {"r /data/in", "", 1},
        {"r sub:/m", "", 1},
        {"r sub:out", "", 1},
        {"r ~/src:sub", "", 1},
        {"w ..", "", 1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_planner_ struct planner planner;
        struct error error = {0};

        planner_init(&planner, tree, NULL);
        fakefs_add(planner.fakefs, "l /home/u/proj/in-link sub\n");
        assert_int_equal(add_maps_of(&planner, LAYER_PROJECT, true, rows[i].maps, &error), 0);
        if (planner_count_notes(&planner, NOTE_SECURITY, "inside the project") != rows[i].refused)
            fail_msg("%s", rows[i].maps);
        assert_true(planner_has_exactly(&planner, GROUP_MAPS_INSIDE, rows[i].inside));
        assert_true(planner_has_exactly(&planner, GROUP_MAPS_OUTSIDE, ""));
    }
}

/* A file system in which the name of the map leads to HOME by the time that it is looked at by its
 * name, while the walk below the project still finds what is there. */
static const struct fs *calm;

static int flipped_stat(void *ctx, const char *path, bool follow, struct fs_stat *out)
{
    bool is_map = strcmp(path, PLANNER_PROJECT "/sub/dir") == 0;

    return calm->stat(ctx, is_map ? PLANNER_HOME : path, follow, out);
}

static int flipped_stat_beneath(void *ctx, const char *dir, const char *rest, struct fs_stat *out)
{
    (void)ctx;
    (void)dir;
    (void)rest;
    (void)out;
    return -ELOOP;
}

/* E-FS-22: what was examined below the project is what must be mounted, not what the name gives. */
static void the_examined_object_is_mounted(void **state)
{
    (void)state;
    for (unsigned gone = 0; gone < 2; gone++) {
        _cleanup_planner_ struct planner planner;
        struct error error = {0};
        struct fs flipped;
        const struct plan_entry *found = NULL;

        planner_init(&planner, tree, NULL);
        fakefs_add(planner.fakefs, "d /home/u/proj/sub/dir\n");
        calm = planner.host.fs;
        flipped = *calm;
        flipped.stat = flipped_stat;
        if (gone)
            flipped.stat_beneath = flipped_stat_beneath;
        planner.host.fs = &flipped;
        assert_int_equal(add_maps_of(&planner, LAYER_PROJECT, true, "r sub/dir", &error), 0);
        for (size_t i = 0; i < planner.plan.n; i++)
            if (planner.plan.v[i].group == GROUP_MAPS_INSIDE)
                found = &planner.plan.v[i];
        if (gone) {
            assert_null(found);
            assert_int_equal(planner_count_notes(&planner, NOTE_SECURITY, "is skipped"), 1);
        } else {
            assert_non_null(found);
            assert_int_equal(found->st.ino,
                             fakefs_node(planner.fakefs, "/home/u/proj/sub/dir")->ino);
        }
        planner.host.fs = calm;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_split_at_the_first_bare_colon),
        cmocka_unit_test(sources_become_canonical_paths),
        cmocka_unit_test(links_are_made_again),
        cmocka_unit_test(destinations_inside_the_project_come_after_it),
        cmocka_unit_test(project_stays_writable_under_a_map_of_its_own_path),
        cmocka_unit_test(refused_places_are_errors),
        cmocka_unit_test(neighbours_of_refused_places_are_fine),
        cmocka_unit_test(root_and_proc_are_no_sources),
        cmocka_unit_test(empty_parts_are_errors),
        cmocka_unit_test(what_cannot_be_placed_is_skipped_with_a_line),
        cmocka_unit_test(own_files_are_never_mapped),
        cmocka_unit_test(mapping_home_is_said_aloud),
        cmocka_unit_test(writable_maps_do_not_touch_read_only_ones),
        cmocka_unit_test(link_does_not_replace_an_entry),
        cmocka_unit_test(a_file_cannot_end_the_launch_with_a_map),
        cmocka_unit_test(untrusted_maps_stay_in_the_project),
        cmocka_unit_test(the_examined_object_is_mounted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
