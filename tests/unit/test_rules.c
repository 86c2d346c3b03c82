// SPDX-License-Identifier: GPL-3.0-only
/*
 * The Landlock rules of a plan.
 */
#include "backend/landlock.h"
#include "backend/rules.h"
#include "base/path.h"
#include "support/planner.h"
#include "support/test.h"

#include <string.h>

#define READ (LL_EXECUTE | LL_READ_FILE | LL_READ_DIR)
#define WRITE                                                                                      \
    (LL_WRITE_FILE | LL_REMOVE_DIR | LL_REMOVE_FILE | LL_MAKE_DIR | LL_MAKE_REG | LL_MAKE_SOCK |   \
     LL_MAKE_FIFO | LL_MAKE_SYM | LL_REFER | LL_TRUNCATE)

static const char tree[] = "d /data/ro/rw\n"
                           "d /data/rw/ro\n"
                           "d /data/rw/rw\n"
                           "f /data/file 0644 0 x\n"
                           "d /opt/x\n"
                           "f /home/u/.gitconfig 0644 1000 x\n"
                           "f /home/u/proj/.env 0600 1000 x\n"
                           "l /etc/resolv.conf /run/r/resolv.conf\n";

struct world {
    struct planner planner;
    struct policy policy;
    struct orders orders;
};

static void bind_path(struct world *world, enum plan_kind kind, const char *path)
{
    assert_non_null(plan_add_bind(&world->policy.plan, world->planner.host.fs, GROUP_MAPS_OUTSIDE,
                                  kind, path, path, "test"));
}

static void world_init(struct world *world, int abi)
{
    *world = (struct world){0};
    planner_init(&world->planner, tree, NULL);
    world->planner.host.landlock_abi = abi;
    world->policy.host = &world->planner.host;
    world->policy.landlock = true;
    world->policy.plan = world->planner.plan;
    world->planner.plan = (struct plan){0};
    bind_path(world, PLAN_RO, "/data/ro");
    bind_path(world, PLAN_RW, "/data/ro/rw");
    bind_path(world, PLAN_RW, "/data/rw");
    bind_path(world, PLAN_RO, "/data/rw/ro");
    bind_path(world, PLAN_RW, "/data/rw/rw");
    bind_path(world, PLAN_RO, "/data/file");
    plan_add(&world->policy.plan, GROUP_MASKS, PLAN_COVER_EMPTY, "/home/u/proj/.env", "test");
    plan_finish(&world->policy.plan, world->planner.host.fs, &world->planner.notes);
    assert_int_equal(world->planner.notes.n, 0);
    rules_derive(&world->orders, &world->policy);
}

static void world_free(struct world *world)
{
    rules_free(&world->orders);
    plan_free(&world->policy.plan);
    planner_free(&world->planner);
}

#define _cleanup_world_ CLEANUP(world_free)

static const struct orders_rule *find(const struct world *world, const char *path)
{
    for (size_t i = 0; i < world->orders.rule_count; i++)
        if (str_eq(world->orders.rules[i].path, path))
            return &world->orders.rules[i];
    return NULL;
}

/* What Landlock grants for a path: the rules of everything above it together. */
static uint64_t granted(const struct world *world, const char *path)
{
    uint64_t access = 0;

    for (size_t i = 0; i < world->orders.rule_count; i++)
        if (path_is_within(path, world->orders.rules[i].path))
            access |= world->orders.rules[i].access;
    return access;
}

static void what_each_abi_handles(void **state)
{
    const uint64_t first = (1ULL << 13) - 1;
    const struct {
        int abi;
        uint64_t fs;
        uint64_t scoped;
    } rows[] = {
        {0, 0, 0},
        {1, 0, 0},
        {2, first | LL_REFER, 0},
        {3, first | LL_REFER | LL_TRUNCATE, 0},
        {4, first | LL_REFER | LL_TRUNCATE, 0},
        {5, first | LL_REFER | LL_TRUNCATE | LL_IOCTL_DEV, 0},
        {6, first | LL_REFER | LL_TRUNCATE | LL_IOCTL_DEV, 3},
        {7, first | LL_REFER | LL_TRUNCATE | LL_IOCTL_DEV, 3},
        {8, first | LL_REFER | LL_TRUNCATE | LL_IOCTL_DEV, 3},
        {9, first | LL_REFER | LL_TRUNCATE | LL_IOCTL_DEV | LL_RESOLVE_UNIX, 3},
        {42, first | LL_REFER | LL_TRUNCATE | LL_IOCTL_DEV | LL_RESOLVE_UNIX, 3},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_world_ struct world world;
        const struct orders *orders = &world.orders;

        world_init(&world, rows[i].abi);
        assert_true(orders->handled_fs == rows[i].fs);
        assert_true(orders->scoped == rows[i].scoped);
        assert_true(orders->handled_net == 0);
        assert_true((orders->rule_count != 0) == (rows[i].fs != 0));
        for (size_t j = 0; j < orders->rule_count; j++) {
            assert_true(orders->rules[j].access != 0);
            assert_true((orders->rules[j].access & ~rows[i].fs) == 0);
            assert_true((orders->rules[j].access & (LL_MAKE_CHAR | LL_MAKE_BLOCK)) == 0);
        }
        assert_true(orders->fd_access ==
                    ((LL_READ_FILE | LL_WRITE_FILE | LL_TRUNCATE | LL_IOCTL_DEV) & rows[i].fs));
    }
}

static void switched_off_means_nothing(void **state)
{
    _cleanup_world_ struct world world;
    struct orders orders = {0};

    (void)state;
    world_init(&world, 7);
    world.policy.landlock = false;
    rules_derive(&orders, &world.policy);
    assert_true(orders.handled_fs == 0 && orders.scoped == 0 && orders.rule_count == 0);
}

static void rights_by_kind_of_entry(void **state)
{
    static const struct {
        const char *path;
        uint64_t access;
    } rows[] = {
        {"/", LL_READ_DIR},
        {"/usr", READ},
        {"/etc", READ},
        {"/opt", READ},
        {"/sys", READ},
        {"/data/ro", READ},
        {"/data/file", READ},
        {"/home/u", READ | WRITE | LL_RESOLVE_UNIX},
        {"/tmp", READ | WRITE | LL_RESOLVE_UNIX},
        {"/run", READ | WRITE | LL_RESOLVE_UNIX},
        {"/var", READ | WRITE | LL_RESOLVE_UNIX},
        {"/dev/shm", READ | WRITE | LL_RESOLVE_UNIX},
        {"/data/rw", READ | WRITE | LL_RESOLVE_UNIX},
        {"/data/ro/rw", READ | WRITE | LL_RESOLVE_UNIX},
        {"/proc", READ | LL_WRITE_FILE | LL_TRUNCATE},
        {"/dev", LL_READ_FILE | LL_WRITE_FILE | LL_READ_DIR | LL_IOCTL_DEV},
    };
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, 9);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct orders_rule *rule = find(&world, rows[i].path);

        if (!rule || rule->access != rows[i].access)
            fail_msg("%s: %#llx", rows[i].path, rule ? (unsigned long long)rule->access : 0ULL);
    }
    assert_int_equal(world.orders.rule_count, ARRAY_SIZE(rows));
}

/* A rule that says nothing new costs an open at every start. */
static void rules_that_an_ancestor_contains_are_left_out(void **state)
{
    static const char *const paths[] = {
        "/home/u/proj",   "/data/rw/ro",        "/data/rw/rw",       "/home/u/.gitconfig",
        "/run/user/1000", "/run/r/resolv.conf", "/home/u/proj/.env", "/etc/hosts",
    };
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, 9);
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
        assert_null(find(&world, paths[i]));
}

/* P-LL-3: neither more nor less than the mount allows; what is read-only inside something writable
 * is held by the mount alone. */
static void rights_agree_with_the_mounts(void **state)
{
    static const char *const paths[] = {
        "/usr/bin/env", "/etc/hosts",    "/tmp/x",       "/run/user/1000/x",
        "/var/lib/x",   "/home/u/x",     "/home/u/proj", "/home/u/.gitconfig",
        "/data/ro/x",   "/data/rw/x",    "/data/rw/ro",  "/data/ro/rw/deep/x",
        "/data/file",   "/data/rw/rw/x", "/opt/x",       "/dev/shm/x",
        "/none",        "/data",         "/home",        "/home/v",
    };
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, 9);
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        struct plan_view view = plan_look(&world.policy.plan, paths[i]);
        bool is_writable =
            view.entry && (view.entry->kind == PLAN_RW || view.entry->kind == PLAN_TMPFS ||
                           view.entry->kind == PLAN_DIR);
        uint64_t access = granted(&world, paths[i]);
        bool below_writable = false;

        free(view.host_path);
        for (size_t j = 0; j < world.policy.plan.n; j++)
            below_writable |= (world.policy.plan.v[j].kind == PLAN_RW ||
                               world.policy.plan.v[j].kind == PLAN_TMPFS) &&
                              path_is_within(paths[i], world.policy.plan.v[j].dest);
        if (!view.entry)
            assert_true(access == LL_READ_DIR);
        else if (is_writable && (access & (READ | WRITE)) != (READ | WRITE))
            fail_msg("%s is mounted writable, but Landlock denies %#llx", paths[i],
                     (unsigned long long)((READ | WRITE) & ~access));
        else if (!is_writable && !below_writable && (access & WRITE))
            fail_msg("%s is mounted read-only, but Landlock grants writing", paths[i]);
        else
            assert_true((access & READ) == READ);
    }
}

static void bits_have_the_names_of_the_kernel(void **state)
{
    static const struct {
        uint64_t bit;
        const char *name;
    } rows[] = {
        {LL_EXECUTE, "execute"},           {LL_WRITE_FILE, "write_file"},
        {LL_READ_FILE, "read_file"},       {LL_READ_DIR, "read_dir"},
        {LL_REMOVE_DIR, "remove_dir"},     {LL_REMOVE_FILE, "remove_file"},
        {LL_MAKE_CHAR, "make_char"},       {LL_MAKE_DIR, "make_dir"},
        {LL_MAKE_REG, "make_reg"},         {LL_MAKE_SOCK, "make_sock"},
        {LL_MAKE_FIFO, "make_fifo"},       {LL_MAKE_BLOCK, "make_block"},
        {LL_MAKE_SYM, "make_sym"},         {LL_REFER, "refer"},
        {LL_TRUNCATE, "truncate"},         {LL_IOCTL_DEV, "ioctl_dev"},
        {LL_RESOLVE_UNIX, "resolve_unix"},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        assert_true(rows[i].bit == 1ULL << i);
        assert_string_equal(rules_right_name(i), rows[i].name);
    }
    assert_null(rules_right_name(ARRAY_SIZE(rows)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_each_abi_handles),
        cmocka_unit_test(switched_off_means_nothing),
        cmocka_unit_test(rights_by_kind_of_entry),
        cmocka_unit_test(rules_that_an_ancestor_contains_are_left_out),
        cmocka_unit_test(rights_agree_with_the_mounts),
        cmocka_unit_test(bits_have_the_names_of_the_kernel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
