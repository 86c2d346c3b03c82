// SPDX-License-Identifier: GPL-3.0-only
/*
 * The launch: the orders for the launcher and the choice of the seccomp program.
 */
#include "backend/seccomp.h"
#include "support/jail.h"
#include "support/test.h"

#include <string.h>

static const char *const environ_[] = {"HOME=/home/u", "PATH=/usr/bin", NULL};

struct row {
    const char *const words[4];
    uint32_t flags;
};

static void flags_follow_the_switches(void **state)
{
    static const uint32_t all =
        ORDERS_LANDLOCK | ORDERS_RLIMITS | ORDERS_SECCOMP | ORDERS_NETWORK_OFF;
    static const struct row rows[] = {
        {{NULL}, all},
        {{"--no-landlock", NULL}, all & ~ORDERS_LANDLOCK},
        {{"--no-rlimits", NULL}, all & ~ORDERS_RLIMITS},
        {{"--no-seccomp", NULL}, all & ~ORDERS_SECCOMP},
        {{"--network", NULL}, all & ~ORDERS_NETWORK_OFF},
        {{"--allow-debug", NULL}, all | ORDERS_ALLOW_DEBUG},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_jail_ struct jail jail;

        jail_init(&jail, NULL, environ_);
        assert_int_equal(jail_build(&jail, rows[i].words), 0);
        assert_int_equal(jail.launch.orders.flags, rows[i].flags);
    }
}

/* The kernel refuses a ruleset that handles nothing, and the launcher would end the start. */
static void landlock_is_ordered_only_if_it_can_do_something(void **state)
{
    (void)state;
    for (int abi = 0; abi < 10; abi++) {
        _cleanup_jail_ struct jail jail;
        const struct orders *orders = &jail.launch.orders;

        jail_init(&jail, NULL, environ_);
        jail.planner.host.landlock_abi = abi;
        assert_int_equal(jail_build(&jail, NULL), 0);
        assert_int_equal((orders->flags & ORDERS_LANDLOCK) != 0, abi >= 2);
        assert_true(orders->handled_fs || !(orders->flags & ORDERS_LANDLOCK));
    }
}

static void limits_of_the_command(void **state)
{
    _cleanup_jail_ struct jail jail;
    _cleanup_jail_ struct jail old;
    _cleanup_jail_ struct jail off;

    (void)state;
    jail_init(&jail, NULL, environ_);
    assert_int_equal(jail_build(&jail, NULL), 0);
    assert_int_equal(jail.launch.orders.nproc, 4096);
    assert_int_equal(jail.launch.orders.nofile_hard, 65536);
    assert_int_equal(jail.launch.orders.core, 0);
    assert_true(jail.launch.orders.fsize == UINT64_MAX);
    /* before Linux 5.14 the user's tasks outside count too */
    jail_init(&old, NULL, environ_);
    old.planner.host.user_tasks = 100;
    assert_int_equal(jail_build(&old, NULL), 0);
    assert_int_equal(old.launch.orders.nproc, 4196);
    jail_init(&off, NULL, environ_);
    assert_int_equal(jail_build(&off, (const char *const[]){"--no-rlimits", NULL}), 0);
    assert_true(off.launch.orders.nproc == UINT64_MAX);
    assert_true(off.launch.orders.nofile_hard == UINT64_MAX);
    assert_true(off.launch.orders.core == UINT64_MAX);
}

static void seccomp_program_by_user_and_flags(void **state)
{
    static const struct {
        uid_t uid;
        const char *const words[2];
        int program;
    } rows[] = {
        {1000, {NULL}, SECCOMP_JAIL},
        {1000, {"--allow-debug", NULL}, SECCOMP_JAIL_DEBUG},
        {1000, {"--no-seccomp", NULL}, -1},
        {0, {NULL}, SECCOMP_JAIL_ROOT},
        {0, {"--allow-debug", NULL}, SECCOMP_JAIL_ROOT_DEBUG},
        {0, {"--no-seccomp", NULL}, -1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_jail_ struct jail jail;

        jail_init(&jail, NULL, environ_);
        jail.planner.host.uid = rows[i].uid;
        assert_int_equal(jail_build(&jail, rows[i].words), 0);
        assert_int_equal(jail.launch.seccomp_program, rows[i].program);
    }
}

static void orders_carry_the_command_and_decode_again(void **state)
{
    static const char *const words[] = {"--env", "A=1 2", "--", "prog", "", "--x", "\xff\n", NULL};
    _cleanup_jail_ struct jail jail;
    struct buf block CLEANUP(buf_free);
    struct orders decoded;

    (void)state;
    jail_init(&jail, NULL, environ_);
    assert_int_equal(jail_build(&jail, words), 0);
    buf_init(&block, ORDERS_MAX);
    assert_int_equal(orders_encode(&jail.launch.orders, &block), 0);
    assert_int_equal(orders_decode(&decoded, (char *)block.data, block.len), 0);
    assert_string_equal(decoded.cwd, "/home/u/proj");
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(decoded.argv[i], words[i + 3]);
    assert_null(decoded.argv[4]);
    assert_int_equal(decoded.rule_count, jail.launch.orders.rule_count);
    free(decoded.argv);
    free(decoded.env);
    free(decoded.rules);
    free(decoded.mise_fixed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_follow_the_switches),
        cmocka_unit_test(landlock_is_ordered_only_if_it_can_do_something),
        cmocka_unit_test(limits_of_the_command),
        cmocka_unit_test(seccomp_program_by_user_and_flags),
        cmocka_unit_test(orders_carry_the_command_and_decode_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
