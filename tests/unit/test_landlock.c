// SPDX-License-Identifier: GPL-3.0-only
/*
 * landlock: the rights of each ABI, and what a ruleset really does, tried in forked children (a
 * domain cannot be left again).
 */
#include "backend/landlock.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_BROKE 250

static void needs_abi(int abi)
{
    char why[80];

    if (landlock_abi() >= abi)
        return;
    snprintf(why, sizeof(why), "the kernel has Landlock ABI %d, not %d", landlock_abi(), abi);
    test_skip(why);
}

/* Runs attempt in a child; returns its exit code. */
static int in_child(int (*attempt)(const char *dir), const char *dir)
{
    pid_t pid = fork();
    int status;

    if (pid == 0)
        _exit(attempt(dir));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int errno_of(int result)
{
    return result < 0 ? errno : 0;
}

static bool enforce(int ruleset)
{
    return ruleset >= 0 && landlock_enforce(ruleset, landlock_abi()) == 0 &&
           prctl(PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L) == 1;
}

static void join(char path[256], const char *dir, const char *name)
{
    snprintf(path, 256, "%s/%s", dir, name);
}

static void test_rights_follow_the_abi(void **state)
{
    /* <linux/landlock.h>: the highest right that each version knows. */
    static const uint64_t highest[] = {
        0,
        LL_MAKE_SYM,
        LL_REFER,
        LL_TRUNCATE,
        LL_TRUNCATE,
        LL_IOCTL_DEV,
        LL_IOCTL_DEV,
        LL_IOCTL_DEV,
        LL_IOCTL_DEV,
        LL_RESOLVE_UNIX,
        LL_RESOLVE_UNIX,
    };

    (void)state;
    for (int abi = 0; abi < (int)ARRAY_SIZE(highest); abi++) {
        uint64_t all = highest[abi] ? (highest[abi] << 1) - 1 : 0;

        assert_int_equal(landlock_fs_rights(abi), all);
        assert_int_equal(landlock_scopes(abi),
                         abi >= 6 ? LL_SCOPE_ABSTRACT_UNIX | LL_SCOPE_SIGNAL : 0);
    }
}

/* The kernel takes exactly what we say it knows. */
static void test_kernel_agrees_with_the_table(void **state)
{
    int abi = landlock_abi();
    int ruleset;

    (void)state;
    needs_abi(1);
    ruleset = landlock_create(landlock_fs_rights(abi), 0, landlock_scopes(abi));
    assert_true(ruleset >= 0);
    assert_int_equal(fcntl(ruleset, F_GETFD), FD_CLOEXEC);
    close(ruleset);
    assert_int_equal(landlock_create(1ULL << 62, 0, 0), -EINVAL);
    assert_int_equal(landlock_create(0, 0, 0), -ENOMSG);
}

static int write_outside(const char *dir)
{
    int ruleset = landlock_create(landlock_fs_rights(landlock_abi()), 0, 0);
    char inside[256];
    char outside[256];

    join(inside, dir, "in/file");
    join(outside, dir, "out");
    if (landlock_allow_path(ruleset, "/", LL_READ_FILE | LL_READ_DIR) < 0)
        return CHILD_BROKE;
    join(inside, dir, "in");
    if (landlock_allow_path(ruleset, inside, LL_SET_READ | LL_SET_WRITE) < 0 || !enforce(ruleset))
        return CHILD_BROKE;
    join(inside, dir, "in/file");
    if (open(inside, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0)
        return CHILD_BROKE + 1;
    if (open(outside, O_RDONLY | O_CLOEXEC) < 0)
        return CHILD_BROKE + 2;
    return errno_of(open(outside, O_WRONLY | O_CLOEXEC));
}

/* A rule on a file keeps only what has a meaning there; the kernel would refuse the rest. */
static int allow_one_file(const char *dir)
{
    int ruleset = landlock_create(landlock_fs_rights(landlock_abi()), 0, 0);
    char path[256];

    join(path, dir, "out");
    if (landlock_allow_path(ruleset, path, LL_SET_READ | LL_WRITE_FILE | LL_MAKE_REG) < 0 ||
        landlock_allow_path(ruleset, path, LL_MAKE_REG) < 0 || !enforce(ruleset))
        return CHILD_BROKE;
    if (open(path, O_RDWR | O_CLOEXEC) < 0)
        return CHILD_BROKE + 1;
    join(path, dir, "in");
    return errno_of(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static int signal_the_parent(const char *dir)
{
    int ruleset = landlock_create(0, 0, LL_SCOPE_SIGNAL);

    (void)dir;
    return enforce(ruleset) ? errno_of(kill(getppid(), 0)) : CHILD_BROKE;
}

static int setup(void **state)
{
    static char dir[] = "/tmp/ai-jail-landlock-XXXXXX";
    char path[256];
    int fd;

    strcpy(dir + sizeof(dir) - 7, "XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    join(path, dir, "in");
    if (mkdir(path, 0700) < 0)
        return -1;
    join(path, dir, "out");
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    *state = dir;
    return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
    static const char *const names[] = {"in/file", "in", "out"};
    char path[256];

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        join(path, *state, names[i]);
        remove(path);
    }
    return rmdir(*state);
}

static void test_write_outside_the_rules_is_denied(void **state)
{
    needs_abi(3);
    assert_int_equal(in_child(write_outside, *state), EACCES);
}

static void test_file_rules_are_cut_to_file_rights(void **state)
{
    needs_abi(1);
    assert_int_equal(in_child(allow_one_file, *state), EACCES);
}

static void test_signal_scope(void **state)
{
    needs_abi(6);
    assert_int_equal(in_child(signal_the_parent, *state), EPERM);
}

static void test_errors_are_passed_on(void **state)
{
    int ruleset;
    int pipe_fds[2];

    (void)state;
    needs_abi(1);
    ruleset = landlock_create(LL_READ_FILE, 0, 0);
    assert_int_equal(landlock_allow_path(ruleset, "/no/such/place", LL_READ_FILE), -ENOENT);
    /* A right that the ruleset does not handle. */
    assert_int_equal(landlock_allow_path(ruleset, "/", LL_WRITE_FILE), -EINVAL);
    assert_int_equal(landlock_allow_fd(ruleset, -1, LL_READ_FILE), -EBADF);
    /* Pipes lie outside every file system that Landlock looks at; the launcher counts on this. */
    assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
    assert_int_equal(landlock_allow_fd(ruleset, pipe_fds[0], LL_READ_FILE), -EBADFD);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    close(ruleset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rights_follow_the_abi),
        cmocka_unit_test(test_kernel_agrees_with_the_table),
        cmocka_unit_test_setup_teardown(test_write_outside_the_rules_is_denied, setup, teardown),
        cmocka_unit_test_setup_teardown(test_file_rules_are_cut_to_file_rights, setup, teardown),
        cmocka_unit_test(test_signal_scope),
        cmocka_unit_test(test_errors_are_passed_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
