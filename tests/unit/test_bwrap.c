// SPDX-License-Identifier: GPL-3.0-only
/*
 * The plan as bubblewrap options.
 */
#include "backend/bwrap.h"
#include "support/jail.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

static const char *const environ_[] = {"HOME=/home/u", "PATH=/usr/bin", NULL};

static void build(struct jail *jail, const char *tree, const char *const *words)
{
    jail_init(jail, tree, environ_);
    if (jail_build(jail, words) < 0)
        fail_msg("%s", jail->error.text);
}

/* Index of the first place where the words stand one behind the other, or -1. */
static ptrdiff_t find(const struct jail *jail, const char *words)
{
    const struct strv *all = &jail->launch.words;
    struct strv wanted CLEANUP(strv_free) = {0};

    strv_split(&wanted, words, ' ');
    for (size_t i = 0; i + wanted.n <= all->n; i++) {
        size_t same = 0;

        while (same < wanted.n && strcmp(all->v[i + same], wanted.v[same]) == 0)
            same++;
        if (same == wanted.n)
            return (ptrdiff_t)i;
    }
    return -1;
}

static void check_has(const struct jail *jail, const char *words)
{
    if (find(jail, words) < 0)
        fail_msg("no \"%s\"", words);
}

static void check_lacks(const struct jail *jail, const char *words)
{
    if (find(jail, words) >= 0)
        fail_msg("\"%s\" at %td", words, find(jail, words));
}

static void namespaces_come_first_in_a_fixed_order(void **state)
{
    static const char want[] = "--unshare-user --unshare-pid --unshare-ipc --unshare-uts "
                               "--unshare-cgroup-try --unshare-net --disable-userns --cap-drop ALL "
                               "--die-with-parent --new-session --as-pid-1 --hostname ai-sandbox "
                               "--clearenv";
    _cleanup_jail_ struct jail jail;

    (void)state;
    build(&jail, NULL, NULL);
    assert_int_equal(find(&jail, want), 0);
}

static void network_and_missing_options_are_left_out(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    jail_init(&jail, NULL, environ_);
    jail.planner.host.bwrap.has_cgroup_try = false;
    jail.planner.host.bwrap.has_disable_userns = false;
    assert_int_equal(jail_build(&jail, (const char *const[]){"--network", NULL}), 0);
    check_lacks(&jail, "--unshare-cgroup-try");
    check_lacks(&jail, "--disable-userns");
    check_lacks(&jail, "--unshare-net");
    check_has(&jail, "--unshare-uts --cap-drop ALL");
}

static void entries_become_options(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    build(&jail, "d /data\n",
          (const char *const[]){"--map", "/data", "--rw-map", "/data:/m", NULL});
    check_has(&jail, "--perms 1777 --size 1073741824 --tmpfs /tmp");
    check_has(&jail, "--perms 0700 --size 1073741824 --tmpfs /home/u");
    check_has(&jail, "--perms 0700 --dir /run/user/1000");
    check_has(&jail, "--symlink usr/bin /bin");
    check_has(&jail, "--proc /proc");
    check_has(&jail, "--dev /dev");
    check_has(&jail, "--remount-ro /dev --remount-ro / --chdir /home/u/proj --seccomp");
    assert_int_equal(find(&jail, "--info-fd"), jail.launch.words.n - 2);
}

static const struct launch_fd *fd_of(const struct jail *jail, size_t index)
{
    return &jail->launch.fds[strtoul(jail->launch.words.v[index] + 1, NULL, 10)];
}

/* The descriptors stand in the order of the words, and each is what its option needs. */
static void descriptor_words_match_their_options(void **state)
{
    static const struct {
        const char *option;
        enum launch_fd_kind kind;
        int entry; /* enum plan_kind, -1: none */
    } rows[] = {
        {"--ro-bind-fd", LAUNCH_FD_BIND, PLAN_RO},
        {"--bind-fd", LAUNCH_FD_BIND, PLAN_RW},
        {"--ro-bind-data", LAUNCH_FD_DATA, PLAN_DATA},
        {"--seccomp", LAUNCH_FD_SECCOMP, -1},
        {"--info-fd", LAUNCH_FD_INFO, -1},
    };
    _cleanup_jail_ struct jail jail;
    size_t seen = 0;

    (void)state;
    build(&jail, NULL, NULL);
    for (size_t i = 0; i < jail.launch.words.n; i++) {
        bool is_known = false;

        if (!launch_is_fd_word(&jail.launch, i))
            continue;
        assert_int_equal(strtoul(jail.launch.words.v[i] + 1, NULL, 10), seen++);
        for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
            const struct launch_fd *fd = fd_of(&jail, i);

            if (strcmp(rows[row].option, jail.launch.words.v[i - 1]) != 0)
                continue;
            is_known = true;
            assert_true(fd->kind == rows[row].kind);
            assert_true(rows[row].entry < 0 ? !fd->entry : (int)fd->entry->kind == rows[row].entry);
            if (fd->entry)
                assert_string_equal(jail.launch.words.v[i + 1], fd->entry->dest);
        }
        assert_true(is_known);
    }
    assert_int_equal(seen, jail.launch.fd_count);
    assert_true(seen > 5);
}

static void binds_go_by_name_where_descriptors_are_unknown(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    jail_init(&jail, "d /data\n", environ_);
    jail.planner.host.bwrap.has_bind_fd = false;
    assert_int_equal(jail_build(&jail, (const char *const[]){"--map", "/data:/m", NULL}), 0);
    check_has(&jail, "--ro-bind /data /m");
    check_has(&jail, "--ro-bind /usr /usr");
    check_has(&jail, "--bind /home/u/proj /home/u/proj");
    check_lacks(&jail, "--ro-bind-fd");
    check_lacks(&jail, "--bind-fd");
}

/* The file would have bubblewrap's 0600 otherwise. */
static void generated_files_are_readable(void **state)
{
    _cleanup_jail_ struct jail jail;
    ptrdiff_t at;

    (void)state;
    build(&jail, NULL, NULL);
    at = find(&jail, "--perms 0444 --ro-bind-data");
    assert_true(at >= 0);
    assert_string_equal(jail.launch.words.v[at + 4], "/etc/hosts");
}

static void covers_are_no_words(void **state)
{
    _cleanup_jail_ struct jail jail;
    unsigned covers = 0;

    (void)state;
    build(&jail, "f /home/u/proj/.ai-jail 0644 1000 x\n", NULL);
    for (size_t i = 0; i < jail.policy.plan.n; i++) {
        if (!plan_is_cover(jail.policy.plan.v[i].kind))
            continue;
        covers++;
        check_lacks(&jail, jail.policy.plan.v[i].dest);
    }
    assert_true(covers > 20);
}

/* P-BW-7: names that look like options or placeholders stay names. */
static void hostile_names_stay_names(void **state)
{
    _cleanup_jail_ struct jail jail;
    ptrdiff_t at;

    (void)state;
    build(&jail, "d /--seccomp\nl /data --info-fd\nl /l @0\nd /@0\nd /--info-fd\n",
          (const char *const[]){"--map", "/--seccomp", "--map", "/data", "--map", "/l", NULL});
    at = find(&jail, "--symlink --info-fd /data");
    assert_true(at >= 0);
    assert_false(launch_is_fd_word(&jail.launch, (size_t)at + 2));
    at = find(&jail, "--symlink @0 /l");
    assert_true(at >= 0);
    assert_false(launch_is_fd_word(&jail.launch, (size_t)at + 1));
}

static void no_seccomp_means_no_option(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    build(&jail, NULL, (const char *const[]){"--no-seccomp", NULL});
    check_lacks(&jail, "--seccomp");
    check_has(&jail, "--chdir /home/u/proj --info-fd");
}

static void too_many_words_are_refused(void **state)
{
    struct launch launch = {.seccomp_program = -1};
    _cleanup_jail_ struct jail jail;
    struct error error = {0};

    (void)state;
    build(&jail, NULL, NULL);
    for (unsigned i = 0; i < 3000; i++) {
        _cleanup_free_ char *dest = xasprintf("/l/%u", i);

        plan_add(&jail.policy.plan, GROUP_MAPS_OUTSIDE, PLAN_SYMLINK, dest, "test")->target =
            xstrdup("x");
        if (i == 2900) {
            assert_int_equal(bwrap_options(&launch, &jail.policy, &error), 0);
            launch_free(&launch);
            launch.seccomp_program = -1;
        }
    }
    assert_int_equal(bwrap_options(&launch, &jail.policy, &error), -E2BIG);
    assert_non_null(strstr(error.text, "9000"));
    launch_free(&launch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(namespaces_come_first_in_a_fixed_order),
        cmocka_unit_test(network_and_missing_options_are_left_out),
        cmocka_unit_test(entries_become_options),
        cmocka_unit_test(descriptor_words_match_their_options),
        cmocka_unit_test(binds_go_by_name_where_descriptors_are_unknown),
        cmocka_unit_test(generated_files_are_readable),
        cmocka_unit_test(covers_are_no_words),
        cmocka_unit_test(hostile_names_stay_names),
        cmocka_unit_test(no_seccomp_means_no_option),
        cmocka_unit_test(too_many_words_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
