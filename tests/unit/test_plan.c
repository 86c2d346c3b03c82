// SPDX-License-Identifier: GPL-3.0-only
/*
 * The plan: its order, what may stand where, covers, and what a path shows.
 */
#include "base/strv.h"
#include "policy/plan.h"
#include "support/fakefs.h"
#include "support/test.h"

#include <string.h>

static const char tree[] = "d /usr/bin\n"
                           "l /bin usr/bin\n"
                           "f /etc/hosts 0644 0 \n"
                           "d /data/in/deep\n"
                           "f /data/in/file 0644 0 \n"
                           "l /data/link in\n"
                           "d /p/sub/x\n"
                           "f /p/.env 0600 1000 \n"
                           "d /p/secrets/nested\n"
                           "l /p/out ../data/in\n"
                           "d /home/u\n";

struct world {
    struct fakefs *fakefs;
    const struct fs *fs;
    struct plan plan;
    struct notes notes;
};

static void world_init(struct world *world)
{
    *world = (struct world){.fakefs = fakefs_new(tree)};
    world->fs = fakefs_fs(world->fakefs);
}

static void world_free(struct world *world)
{
    plan_free(&world->plan);
    notes_free(&world->notes);
    fakefs_free(world->fakefs);
}

#define _cleanup_world_ CLEANUP(world_free)

static void bind(struct world *world, enum plan_group group, enum plan_kind kind,
                 const char *source, const char *dest)
{
    assert_non_null(plan_add_bind(&world->plan, world->fs, group, kind, source, dest, "test"));
}

static void add(struct world *world, enum plan_group group, enum plan_kind kind, const char *dest)
{
    plan_add(&world->plan, group, kind, dest, "test");
}

/* "kind dest" of every entry in order, joined by ", ". malloc'ed. */
static char *summary(const struct plan *plan)
{
    _cleanup_strv_ struct strv parts = {0};

    for (size_t i = 0; i < plan->n; i++)
        strv_pushf(&parts, "%s %s", plan_kind_name(plan->v[i].kind), plan->v[i].dest);
    return strv_join(&parts, ", ");
}

static void finish(struct world *world, const char *want)
{
    _cleanup_free_ char *found = NULL;

    plan_finish(&world->plan, world->fs, &world->notes);
    found = summary(&world->plan);
    assert_string_equal(found, want);
}

static void no_notes(const struct world *world)
{
    if (world->notes.n)
        fail_msg("unexpected note: %s", world->notes.v[0].text);
}

/* The only note is a warning with this part. */
static void one_warning(const struct world *world, const char *part)
{
    assert_int_equal(world->notes.n, 1);
    assert_int_equal(world->notes.v[0].class, NOTE_WARNING);
    if (!strstr(world->notes.v[0].text, part))
        fail_msg("\"%s\" has no \"%s\"", world->notes.v[0].text, part);
}

static void check_host_path(const struct world *world, const char *path, const char *want)
{
    struct plan_view view = plan_look(&world->plan, path);
    _cleanup_free_ char *host_path = view.host_path;

    if (!str_eq(host_path, want))
        fail_msg("%s shows %s, not %s", path, host_path ? host_path : "nothing",
                 want ? want : "nothing");
}

/* ---- order ---- */

static void groups_follow_one_another(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    add(&world, GROUP_HOME, PLAN_TMPFS, "/home/u");
    bind(&world, GROUP_BASE, PLAN_RO, "/usr", "/usr");
    finish(&world, "ro /usr, tmpfs /home/u, rw /p");
    no_notes(&world);
}

/* A map above HOME has a later group and must come first all the same (P-BW-14). */
static void ancestor_of_a_later_group_comes_first(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    add(&world, GROUP_BASE, PLAN_TMPFS, "/run");
    add(&world, GROUP_HOME, PLAN_TMPFS, "/home/u");
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RO, "/home", "/home");
    bind(&world, GROUP_RUNTIME, PLAN_RO, "/etc/hosts", "/home/u/hosts");
    finish(&world, "tmpfs /run, ro /home, tmpfs /home/u, ro /home/u/hosts");
    no_notes(&world);
}

static void later_group_wins_at_equal_destinations(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RO, "/data", "/p");
    finish(&world, "rw /p");
    check_host_path(&world, "/p", "/p");
    no_notes(&world);
}

static void last_one_wins_within_a_group(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RO, "/data", "/m");
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RW, "/usr", "/m");
    finish(&world, "rw /m");
    check_host_path(&world, "/m/bin", "/usr/bin");
}

static void remounts_come_deepest_first_and_after_every_mount(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    add(&world, GROUP_OWN, PLAN_REMOUNT_RO, "/");
    add(&world, GROUP_OWN, PLAN_REMOUNT_RO, "/dev");
    add(&world, GROUP_MASKS, PLAN_COVER_EMPTY, "/p/.env");
    bind(&world, GROUP_OWN, PLAN_RO, "/data", "/dev/x");
    add(&world, GROUP_BASE, PLAN_DEV, "/dev");
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    finish(&world, "dev /dev, rw /p, ro /dev/x, remount-ro /dev, remount-ro /, mask /p/.env");
}

static void root_that_is_bound_writable_is_not_remounted(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    add(&world, GROUP_OWN, PLAN_REMOUNT_RO, "/");
    bind(&world, GROUP_PROJECT, PLAN_RW, "/", "/");
    finish(&world, "rw /");
    no_notes(&world);
}

static void destinations_are_cleaned(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RO, "/data", "//a/./b/../m/");
    finish(&world, "ro /a/m");
}

/* ---- mount points ---- */

/* P-PLAN-12, P-PLAN-4: bubblewrap would make the missing name on the host. */
static void missing_mount_point_on_the_host_is_left_out(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    bind(&world, GROUP_MAPS_INSIDE, PLAN_RO, "/data", "/p/new");
    finish(&world, "rw /p");
    one_warning(&world, "/p/new (test) is left out: there is no mount point");
}

static void what_lies_below_a_dropped_entry_is_judged_without_it(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    add(&world, GROUP_MAPS_INSIDE, PLAN_TMPFS, "/p/new");
    bind(&world, GROUP_MAPS_INSIDE, PLAN_RO, "/data", "/p/new/deep");
    finish(&world, "rw /p");
    assert_int_equal(world.notes.n, 2);
}

static void mount_point_may_lie_on_memory_of_the_jail(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    add(&world, GROUP_BASE, PLAN_TMPFS, "/run");
    add(&world, GROUP_BASE, PLAN_DIR, "/run/user/1");
    bind(&world, GROUP_RUNTIME, PLAN_RO, "/etc/hosts", "/run/user/1/a/b");
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RO, "/data", "/not/on/the/host");
    finish(&world, "tmpfs /run, dir /run/user/1, ro /run/user/1/a/b, ro /not/on/the/host");
    no_notes(&world);
}

static void mount_point_must_have_the_right_type(void **state)
{
    static const struct {
        const char *source;
        const char *dest;
        const char *why;
    } rows[] = {
        {"/etc/hosts", "/p/sub", "of another type"},
        {"/data", "/p/.env", "of another type"},
        {"/data", "/p/.env/x", "no mount point"},
        {"/data", "/p/out", "a link of the host"},
        {"/data", "/p/out/deep", "a link of the host"},
        {"/data", "/hosts/x", "its parent is a file"},
        {"/data", "/proc/x", "nothing can be mounted in /proc"},
        {"/data", "/bin/x", "a link stands in the way"},
        {"/data", "/generated/x", "its parent is a file"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_world_ struct world world;

        world_init(&world);
        add(&world, GROUP_BASE, PLAN_PROC, "/proc");
        plan_add(&world.plan, GROUP_BASE, PLAN_SYMLINK, "/bin", "test")->target =
            xstrdup("usr/bin");
        plan_add(&world.plan, GROUP_BASE, PLAN_DATA, "/generated", "test")->data = xstrdup("x");
        bind(&world, GROUP_BASE, PLAN_RO, "/etc/hosts", "/hosts");
        bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
        bind(&world, GROUP_MAPS_INSIDE, PLAN_RO, rows[i].source, rows[i].dest);
        plan_finish(&world.plan, world.fs, &world.notes);
        one_warning(&world, rows[i].why);
        one_warning(&world, rows[i].dest);
        assert_int_equal(world.plan.n, 5);
    }
}

static void optional_entries_go_quietly(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    plan_add(&world.plan, GROUP_GENERATED, PLAN_DATA, "/p/none", "test")->optional = true;
    finish(&world, "rw /p");
    no_notes(&world);
}

/* The link that a map asks for is often there already, behind the project's bind. */
static void link_that_the_host_shows_anyway_is_no_trouble(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    plan_add(&world.plan, GROUP_MAPS_OUTSIDE, PLAN_SYMLINK, "/p/out", "test")->target =
        xstrdup("../data/in");
    finish(&world, "rw /p");
    no_notes(&world);
}

static void other_link_cannot_be_made_on_the_host(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    plan_add(&world.plan, GROUP_MAPS_OUTSIDE, PLAN_SYMLINK, "/p/out", "test")->target =
        xstrdup("elsewhere");
    finish(&world, "rw /p");
    one_warning(&world, "a link cannot be made");
}

static void bind_of_nothing_or_of_a_link_is_not_added(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    assert_null(plan_add_bind(&world.plan, world.fs, GROUP_BASE, PLAN_RO, "/none", "/x", "t"));
    assert_null(plan_add_bind(&world.plan, world.fs, GROUP_BASE, PLAN_RO, "/bin", "/x", "t"));
    assert_int_equal(world.plan.n, 0);
}

/* ---- covers ---- */

static void cover_remembers_what_it_hides(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    add(&world, GROUP_MASKS, PLAN_COVER_EMPTY, "/p/.env");
    finish(&world, "rw /p, mask /p/.env");
    assert_int_equal(world.plan.v[1].st.type, FS_FILE);
    assert_int_equal(world.plan.v[1].st.ino, fakefs_node(world.fakefs, "/p/.env")->ino);
    check_host_path(&world, "/p/.env", NULL);
    check_host_path(&world, "/p/sub", "/p/sub");
}

/* P-PLAN-11: nothing can be placed below a covered directory, and nobody needs to know. */
static void descendants_of_a_mask_go_quietly(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    add(&world, GROUP_GIT, PLAN_COVER_RO, "/p/secrets/nested");
    add(&world, GROUP_MASKS, PLAN_COVER_EMPTY, "/p/secrets/nested");
    add(&world, GROUP_MASKS, PLAN_COVER_EMPTY, "/p/secrets");
    finish(&world, "rw /p, mask /p/secrets");
    no_notes(&world);
}

static void mask_inside_a_protected_directory_stays(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    add(&world, GROUP_GIT, PLAN_COVER_RO, "/p/secrets");
    add(&world, GROUP_MASKS, PLAN_COVER_EMPTY, "/p/secrets/nested");
    add(&world, GROUP_MASKS, PLAN_COVER_EMPTY, "/p/secrets/none");
    finish(&world, "rw /p, protect /p/secrets, mask /p/secrets/nested");
    one_warning(&world, "/p/secrets/none");
    assert_int_equal(world.plan.v[2].st.ino, fakefs_node(world.fakefs, "/p/secrets/nested")->ino);
    check_host_path(&world, "/p/secrets", "/p/secrets");
    check_host_path(&world, "/p/secrets/nested", NULL);
}

static void mask_beats_protection_of_the_same_path(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    add(&world, GROUP_MASKS, PLAN_COVER_EMPTY, "/p/.env");
    add(&world, GROUP_GIT, PLAN_COVER_RO, "/p/.env");
    finish(&world, "rw /p, mask /p/.env");
}

static void cover_of_something_that_is_not_shown_is_left_out(void **state)
{
    static const char *const paths[] = {"/nowhere", "/home/u/x", "/p/none", "/p/out", "/bin"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        _cleanup_world_ struct world world;

        world_init(&world);
        bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
        add(&world, GROUP_HOME, PLAN_TMPFS, "/home/u");
        plan_add(&world.plan, GROUP_BASE, PLAN_SYMLINK, "/bin", "test")->target =
            xstrdup("usr/bin");
        add(&world, GROUP_MASKS, PLAN_COVER_EMPTY, paths[i]);
        plan_finish(&world.plan, world.fs, &world.notes);
        assert_int_equal(world.plan.n, 3);
        one_warning(&world, paths[i]);
    }
}

/* The mask would hide it anyway, and a Landlock rule for it could not be made. */
static void mount_below_a_mask_is_left_out(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    bind(&world, GROUP_MAPS_INSIDE, PLAN_RO, "/data", "/p/secrets/nested");
    add(&world, GROUP_MASKS, PLAN_COVER_EMPTY, "/p/secrets");
    finish(&world, "rw /p, mask /p/secrets");
    one_warning(&world, "/p/secrets/nested (test) is left out: it lies below a masked or");
}

static void directory_that_the_host_has_is_not_made(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    add(&world, GROUP_BASE, PLAN_DIR, "/p/sub");
    finish(&world, "rw /p");
    no_notes(&world);
    check_host_path(&world, "/p/sub/x", "/p/sub/x");
}

/* P-PLAN-8: a second bind of the same directory must not show what is masked in the first. */
static void cover_follows_its_content_into_every_bind(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RW, "/p", "/copy");
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RO, "/", "/host");
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RO, "/p/sub", "/sub");
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RO, "/p/.env", "/env");
    add(&world, GROUP_MASKS, PLAN_COVER_EMPTY, "/p/.env");
    finish(&world, "rw /copy, ro /host, ro /sub, ro /env, rw /p, "
                   "mask /env, mask /p/.env, mask /copy/.env, mask /host/p/.env");
    no_notes(&world);
    for (size_t i = 5; i < world.plan.n; i++)
        assert_int_equal(world.plan.v[i].st.ino, fakefs_node(world.fakefs, "/p/.env")->ino);
}

static void cover_does_not_follow_to_where_something_else_stands(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RW, "/p", "/copy");
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RO, "/data", "/copy/secrets");
    add(&world, GROUP_MASKS, PLAN_COVER_EMPTY, "/p/secrets/nested");
    finish(&world, "rw /copy, ro /copy/secrets, rw /p, mask /p/secrets/nested");
    no_notes(&world);
}

/* ---- looking ---- */

static void look_finds_the_deepest_entry(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RO, "/data", "/m");
    add(&world, GROUP_MAPS_OUTSIDE, PLAN_TMPFS, "/m/in");
    for (int finished = 0; finished < 2; finished++) {
        check_host_path(&world, "/m/file", "/data/file");
        check_host_path(&world, "/m", "/data");
        check_host_path(&world, "/m/in/x", NULL);
        check_host_path(&world, "/mm", NULL);
        check_host_path(&world, "/", NULL);
        assert_null(plan_look(&world.plan, "/mm").entry);
        assert_string_equal(plan_look(&world.plan, "/m/in/x").entry->dest, "/m/in");
        plan_finish(&world.plan, world.fs, &world.notes);
    }
    no_notes(&world);
}

static void shows_wants_the_same_content_and_the_same_way(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_BASE, PLAN_RO, "/usr", "/usr");
    bind(&world, GROUP_PROJECT, PLAN_RW, "/p", "/p");
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RO, "/data", "/m");
    add(&world, GROUP_MASKS, PLAN_COVER_EMPTY, "/p/.env");
    assert_true(plan_shows(&world.plan, world.fs, "/usr/bin"));
    assert_true(plan_shows(&world.plan, world.fs, "/p/sub/../sub"));
    assert_false(plan_shows(&world.plan, world.fs, "/p/.env"));  /* masked */
    assert_false(plan_shows(&world.plan, world.fs, "/p/none"));  /* not there */
    assert_false(plan_shows(&world.plan, world.fs, "/data/in")); /* shown elsewhere */
    assert_false(plan_shows(&world.plan, world.fs, "/m/in"));    /* the host has no /m */
    assert_false(plan_shows(&world.plan, world.fs, "/bin"));     /* the link is missing */
    plan_add(&world.plan, GROUP_BASE, PLAN_SYMLINK, "/bin", "test")->target = xstrdup("usr/bin");
    assert_true(plan_shows(&world.plan, world.fs, "/bin"));
    assert_false(plan_shows(&world.plan, world.fs, "/p/out")); /* its target is not shown */
    bind(&world, GROUP_MAPS_OUTSIDE, PLAN_RO, "/data/in", "/data/in");
    assert_true(plan_shows(&world.plan, world.fs, "/p/out/file"));
}

static void shows_refuses_another_link(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    bind(&world, GROUP_BASE, PLAN_RO, "/usr", "/usr");
    plan_add(&world.plan, GROUP_BASE, PLAN_SYMLINK, "/bin", "test")->target = xstrdup("elsewhere");
    assert_false(plan_shows(&world.plan, world.fs, "/bin"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_follow_one_another),
        cmocka_unit_test(ancestor_of_a_later_group_comes_first),
        cmocka_unit_test(later_group_wins_at_equal_destinations),
        cmocka_unit_test(last_one_wins_within_a_group),
        cmocka_unit_test(remounts_come_deepest_first_and_after_every_mount),
        cmocka_unit_test(root_that_is_bound_writable_is_not_remounted),
        cmocka_unit_test(destinations_are_cleaned),
        cmocka_unit_test(missing_mount_point_on_the_host_is_left_out),
        cmocka_unit_test(what_lies_below_a_dropped_entry_is_judged_without_it),
        cmocka_unit_test(mount_point_may_lie_on_memory_of_the_jail),
        cmocka_unit_test(mount_point_must_have_the_right_type),
        cmocka_unit_test(optional_entries_go_quietly),
        cmocka_unit_test(link_that_the_host_shows_anyway_is_no_trouble),
        cmocka_unit_test(other_link_cannot_be_made_on_the_host),
        cmocka_unit_test(bind_of_nothing_or_of_a_link_is_not_added),
        cmocka_unit_test(cover_remembers_what_it_hides),
        cmocka_unit_test(descendants_of_a_mask_go_quietly),
        cmocka_unit_test(mask_inside_a_protected_directory_stays),
        cmocka_unit_test(mask_beats_protection_of_the_same_path),
        cmocka_unit_test(cover_of_something_that_is_not_shown_is_left_out),
        cmocka_unit_test(mount_below_a_mask_is_left_out),
        cmocka_unit_test(directory_that_the_host_has_is_not_made),
        cmocka_unit_test(cover_follows_its_content_into_every_bind),
        cmocka_unit_test(cover_does_not_follow_to_where_something_else_stands),
        cmocka_unit_test(look_finds_the_deepest_entry),
        cmocka_unit_test(shows_wants_the_same_content_and_the_same_way),
        cmocka_unit_test(shows_refuses_another_link),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
