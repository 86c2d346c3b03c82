// SPDX-License-Identifier: GPL-3.0-only
/*
 * The walls that the launcher puts up, and its own: Landlock, limits, the self-test, and that
 * nobody inside can look into PID 1. P-LAU-1, P-LAU-5, P-LL-1, P-LL-7, P-RL-5, E-PROC-08, E-PT-02
 * to E-PT-04, E-CAP-01.
 */
#include "backend/landlock.h"
#include "backend/launcher.h"
#include "backend/seccomp.h"
#include "base/fd.h"
#include "launcher/common.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_ALL  (LL_EXECUTE | LL_READ_FILE | LL_READ_DIR)
#define WRITE_ALL (READ_ALL | LL_SET_WRITE)

static struct orders_rule rules[] = {
    {LL_READ_DIR, (char *)(uintptr_t) "/"},
    {READ_ALL, (char *)(uintptr_t) "/usr"},
    {READ_ALL, (char *)(uintptr_t) "/etc"},
    {READ_ALL, (char *)(uintptr_t) "/bin"},
    {READ_ALL, (char *)(uintptr_t) "/lib"},
    {READ_ALL, (char *)(uintptr_t) "/proc"},
    {LL_READ_FILE | LL_WRITE_FILE | LL_READ_DIR | LL_IOCTL_DEV, (char *)(uintptr_t) "/dev"},
    {WRITE_ALL, (char *)(uintptr_t) "/tmp"},
};

/* /tmp may be written by mount and by rule, /var by mount only. */
static const char *const writable_var[] = {"--perms", "1777", "--tmpfs", "/var", NULL};

static void needs_landlock(int abi)
{
    char why[80];

    if (landlock_abi() >= abi)
        return;
    snprintf(why, sizeof(why), "the kernel has Landlock ABI %d, not %d", landlock_abi(), abi);
    test_skip(why);
}

static void use_landlock(struct fixture *fixture)
{
    struct orders *orders = &fixture->options.orders;

    orders->flags |= ORDERS_LANDLOCK;
    orders->handled_fs = landlock_fs_rights(landlock_abi());
    orders->scoped = landlock_scopes(landlock_abi());
    orders->fd_access = LL_READ_FILE | LL_WRITE_FILE | LL_TRUNCATE | LL_IOCTL_DEV;
    orders->rules = rules;
    orders->rule_count = ARRAY_SIZE(rules);
    fixture->options.options = writable_var;
}

/* E-PROC-08. The same on the probe's own process opens, so the probe is able to. */
static void test_launcher_is_closed_to_the_command(void **state)
{
    struct fixture *fixture = *state;
    static const char *const files[] = {"mem", "environ", "maps", "auxv"};
    static const char *const links[] = {"fd/3", "root", "cwd", "exe", "ns/net"};
    char path[64];

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        snprintf(path, sizeof(path), "/proc/1/%s", files[i]);
        assert_int_equal(fixture_probe(fixture, "open", path, "r"), EACCES);
        assert_int_equal(fixture_probe(fixture, "open", path, "r"), EACCES);
        snprintf(path, sizeof(path), "/proc/self/%s", files[i]);
        assert_int_equal(fixture_probe(fixture, "open", path, "r"), 0);
    }
    for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
        snprintf(path, sizeof(path), "/proc/1/%s", links[i]);
        assert_int_equal(fixture_probe(fixture, "readlink", path, NULL), EACCES);
    }
    assert_int_equal(fixture_probe(fixture, "readlink", "/proc/self/exe", NULL), 0);
}

/* No filter is in force here: the launcher has to defend itself. */
static void test_launcher_cannot_be_traced(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(fixture_probe(fixture, "seize", "1", NULL), EPERM);
    assert_int_equal(fixture_probe(fixture, "vm-read", "1", NULL), EPERM);
    assert_int_equal(fixture_probe(fixture, "get-fd", "1", NULL), EPERM);
}

static void test_landlock_denies_what_the_mounts_allow(void **state)
{
    struct fixture *fixture = *state;

    needs_landlock(3);
    fixture->options.options = writable_var;
    assert_int_equal(fixture_probe(fixture, "open", "/var/file", "c"), 0);
    assert_int_equal(fixture_probe(fixture, "whiteout", "/tmp/x", NULL), 0);
    use_landlock(fixture);
    assert_int_equal(fixture_probe(fixture, "open", "/var/file", "c"), EACCES);
    assert_int_equal(fixture_probe(fixture, "whiteout", "/tmp/x", NULL), EACCES);
    assert_int_equal(fixture_probe(fixture, "open", "/tmp/file", "c"), 0);
    assert_int_equal(fixture_probe(fixture, "open", "/etc/passwd", "r"), 0);
    assert_int_equal(fixture_probe(fixture, "open", "/", "r"), 0);
    assert_int_equal(fixture_probe(fixture, "open", "/sbin/ldconfig", "r"), 0);
    /* The self-test left nothing behind. */
    assert_int_equal(fixture_probe(fixture, "open", "/tmp/.ai-jail-self-test", "r"), ENOENT);
}

static void test_landlock_scope_protects_the_launcher(void **state)
{
    struct fixture *fixture = *state;

    needs_landlock(6);
    use_landlock(fixture);
    assert_int_equal(fixture_probe(fixture, "kill", "1", "0"), EPERM);
    assert_int_equal(fixture_probe(fixture, "kill", "1", "9"), EPERM);
    assert_int_equal(fixture_probe(fixture, "seize", "1", NULL), EPERM);
}

static void expect_rule_warning(struct fixture *fixture, int index, int error)
{
    struct jail *jail = &fixture->jail;
    struct control_message message;

    assert_int_equal(jail_start(jail, &fixture->options), 0);
    assert_true(jail_receives(jail, CONTROL_HELLO, NULL));
    assert_int_equal(control_send(jail->control, CONTROL_GO, 0, 0, -1), 0);
    assert_true(jail_receives(jail, CONTROL_WARN_RULE, &message));
    assert_int_equal(message.a, index);
    assert_int_equal(message.b, error);
}

static void test_rule_that_cannot_be_made_is_told(void **state)
{
    struct fixture *fixture = *state;
    struct orders_rule more[ARRAY_SIZE(rules) + 1];
    struct control_message message;

    needs_landlock(1);
    use_landlock(fixture);
    memcpy(more, rules, sizeof(rules));
    more[ARRAY_SIZE(rules)] = more[3];
    more[3] = (struct orders_rule){LL_READ_FILE, (char *)(uintptr_t) "/no/such/place"};
    fixture->options.orders.rules = more;
    fixture->options.orders.rule_count = ARRAY_SIZE(more);
    fixture_command(fixture, "true", NULL);
    expect_rule_warning(fixture, 3, ENOENT);
    assert_true(jail_receives(&fixture->jail, CONTROL_STARTED, NULL));
    fixture_again(fixture);

    fixture->options.orders.flags |= ORDERS_STRICT;
    expect_rule_warning(fixture, 3, ENOENT);
    assert_true(jail_receives(&fixture->jail, CONTROL_FAILED, &message));
    assert_int_equal(message.a, STAGE_LANDLOCK);
    assert_int_equal(message.b, ENOENT);
}

/* A ruleset that the kernel does not know is no reason to go on without. */
static void test_ruleset_that_cannot_be_made_is_fatal(void **state)
{
    struct fixture *fixture = *state;

    needs_landlock(1);
    use_landlock(fixture);
    fixture->options.orders.handled_fs = 1ULL << 63;
    fixture_command(fixture, "true", NULL);
    fixture_fails(fixture, STAGE_LANDLOCK, EINVAL);
}

/* "> /dev/stdout" on a file that no rule covers: allowed as far as it was opened. */
static void test_stdio_can_be_reopened(void **state)
{
    struct fixture *fixture = *state;
    char name[] = "/dev/shm/ai-jail-test-XXXXXX";
    int file = mkstemp(name);
    _cleanup_close_ int reader = open(name, O_RDONLY | O_CLOEXEC);

    needs_landlock(3);
    assert_true(file >= 0 && reader >= 0 && unlink(name) == 0);
    use_landlock(fixture);
    fixture->options.stdio[0] = reader;
    fixture->options.stdio[2] = file;
    assert_int_equal(fixture_probe(fixture, "open", "/proc/self/fd/2", "w"), 0);
    assert_int_equal(fixture_probe(fixture, "open", "/proc/self/fd/0", "r"), 0);
    fixture->options.orders.fd_access = 0;
    assert_int_equal(fixture_probe(fixture, "open", "/proc/self/fd/2", "w"), EACCES);
    close(file);
}

/* Opened for reading only, the file cannot be reopened for writing through the descriptor. */
static void test_stdio_rights_follow_the_open_mode(void **state)
{
    struct fixture *fixture = *state;
    char name[] = "/dev/shm/ai-jail-test-XXXXXX";
    int file = mkstemp(name);
    _cleanup_close_ int reader = open(name, O_RDONLY | O_CLOEXEC);

    needs_landlock(3);
    assert_true(file >= 0 && reader >= 0 && unlink(name) == 0);
    use_landlock(fixture);
    fixture->options.stdio[0] = reader;
    assert_int_equal(fixture_probe(fixture, "open", "/proc/self/fd/0", "w"), EACCES);
    close(file);
}

static void test_pty_is_usable_under_landlock(void **state)
{
    struct fixture *fixture = *state;

    needs_landlock(1);
    use_landlock(fixture);
    fixture->options.orders.flags |= ORDERS_PTY | ORDERS_FOREGROUND;
    fixture_command(fixture, "sh", "-c", "echo one > /dev/stderr; echo two > /dev/tty; stty size",
                    NULL);
    assert_int_equal(jail_start(&fixture->jail, &fixture->options), 0);
    assert_true(jail_runs(&fixture->jail));
    assert_true(jail_read_until(fixture->jail.master, "one\r\ntwo\r\n0 0"));
}

static void test_tcp_is_closed_when_handled(void **state)
{
    struct fixture *fixture = *state;

    needs_landlock(4);
    use_landlock(fixture);
    fixture->options.orders.handled_net = LL_NET_BIND_TCP | LL_NET_CONNECT_TCP;
    fixture_command(fixture, "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/1 || exit 3", NULL);
    fixture->options.stdio[2] = fixture->output;
    assert_int_equal(fixture_run(fixture), 3 << 8);
    assert_non_null(strstr(fixture_output(fixture), "Permission denied"));
}

static void test_filter_is_tested(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        unsigned missing;
        enum launch_stage stage;
    } cases[] = {
        {JAIL_FILTER_UNSHARE, STAGE_SELF_TEST_UNSHARE},
        {JAIL_FILTER_NETLINK, STAGE_SELF_TEST_SOCKET},
        {JAIL_FILTER_ALL, STAGE_SELF_TEST_UNSHARE},
    };

    fixture->options.orders.flags = ORDERS_SECCOMP;
    fixture->options.filter = JAIL_FILTER_ALL;
    fixture_command(fixture, "grep", "^Seccomp:", "/proc/self/status", NULL);
    assert_int_equal(fixture_run(fixture), 0);
    assert_string_equal(fixture_output(fixture), "Seccomp:\t2\n");
    fixture_again(fixture);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        fixture->options.filter = JAIL_FILTER_ALL & ~cases[i].missing;
        fixture_fails(fixture, cases[i].stage, 0);
    }
}

/* Everything at once, with the filter of the program itself: the launcher's own calls pass it, its
 * self-test agrees with it, and the command is a session's foreground as it should be. */
static void test_all_walls_together(void **state)
{
    struct fixture *fixture = *state;
    struct orders *orders = &fixture->options.orders;
    struct control_message message;

    needs_landlock(3);
    fixture->options.program = seccomp_program(geteuid() == 0 ? SECCOMP_JAIL_ROOT : SECCOMP_JAIL,
                                               &fixture->options.program_len);
    if (!fixture->options.program)
        test_skip("this architecture has no filter");
    use_landlock(fixture);
    orders->flags |=
        ORDERS_SECCOMP | ORDERS_RLIMITS | ORDERS_PTY | ORDERS_FOREGROUND | ORDERS_STRICT;
    orders->nproc = 4096;
    orders->nofile_hard = 65536;
    orders->fsize = UINT64_MAX;
    fixture_command(fixture, "sh", "-c", "tty; grep ^Seccomp: /proc/self/status; kill -TSTP $$",
                    NULL);
    assert_int_equal(jail_start(&fixture->jail, &fixture->options), 0);
    assert_true(jail_runs(&fixture->jail));
    assert_true(jail_read_until(fixture->jail.master, "/dev/pts/0\r\nSeccomp:\t2\r\n"));
    assert_true(jail_receives(&fixture->jail, CONTROL_STOPPED, &message));
    assert_int_equal(control_send(fixture->jail.control, CONTROL_FOREGROUND, 0, 0, -1), 0);
    do
        assert_int_equal(jail_receive(&fixture->jail, &message), 1);
    while (message.type == CONTROL_CONTINUED);
    assert_int_equal(message.type, CONTROL_EXITED);
    assert_int_equal(message.a, 0);
}

/* Runs the self-test here, without any wall: every layer that is ordered must be missed. */
static struct selftest selftest_without_walls(const struct orders *orders, bool *passes)
{
    struct {
        struct selftest result;
        bool passes;
    } answer = {0};
    int pipe_fds[2];
    pid_t child;

    assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
    child = fork();
    if (child == 0) {
        answer.passes = selftest_passes(orders, &answer.result);
        (void)!write(pipe_fds[1], &answer, sizeof(answer));
        _exit(0);
    }
    assert_int_equal(read(pipe_fds[0], &answer, sizeof(answer)), sizeof(answer));
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    *passes = answer.passes;
    return answer.result;
}

static void expect_missed(const struct orders *orders, enum launch_stage stage, int answer)
{
    bool passes;
    struct selftest result = selftest_without_walls(orders, &passes);

    assert_false(passes);
    assert_int_equal(result.stage, stage);
    assert_int_equal(result.answer, answer);
}

/* P-LAU-5, E-LIF-05 */
static void test_missing_walls_are_seen(void **state)
{
    struct orders orders = {.flags = ORDERS_LANDLOCK, .handled_fs = LL_MAKE_CHAR};
    bool passes;

    (void)state;
    expect_missed(&orders, STAGE_SELF_TEST_OPEN, 0);
    assert_int_equal(access("/tmp/.ai-jail-self-test", F_OK), -1);
    orders.handled_fs = 0;
    orders.handled_net = LL_NET_BIND_TCP;
    expect_missed(&orders, STAGE_SELF_TEST_SOCKET, 0);
    orders.handled_net = LL_NET_CONNECT_TCP;
    expect_missed(&orders, STAGE_SELF_TEST_SOCKET, ECONNREFUSED);
    /* Nothing that could be probed: not proven. */
    orders.handled_net = 0;
    expect_missed(&orders, STAGE_SELF_TEST_OPEN, EOPNOTSUPP);
    orders.flags = 0;
    selftest_without_walls(&orders, &passes);
    assert_true(passes);
}

/* The value of a line of /proc/self/limits: soft and hard. */
static void expect_limit(const char *text, const char *name, const char *values)
{
    const char *line = strstr(text, name);
    char words[2][32];
    char both[80];

    assert_non_null(line);
    assert_int_equal(sscanf(line + strlen(name), "%31s %31s", words[0], words[1]), 2);
    snprintf(both, sizeof(both), "%s %s", words[0], words[1]);
    assert_string_equal(both, values);
}

static void test_limits_are_lowered(void **state)
{
    struct fixture *fixture = *state;
    struct orders *orders = &fixture->options.orders;
    struct rlimit nofile = {.rlim_cur = 512, .rlim_max = 4000};
    struct rlimit core = {.rlim_cur = 1024, .rlim_max = 2048};
    const char *text;

    assert_int_equal(setrlimit(RLIMIT_NOFILE, &nofile), 0);
    assert_int_equal(setrlimit(RLIMIT_CORE, &core), 0);
    orders->flags = ORDERS_RLIMITS;
    orders->nproc = 300;
    orders->nofile_hard = 2000; /* the soft one is below and stays */
    orders->core = 0;
    orders->fsize = MIB;
    fixture_command(fixture, "cat", "/proc/self/limits", NULL);
    assert_int_equal(fixture_run(fixture), 0);
    text = fixture_output(fixture);
    expect_limit(text, "Max open files", "512 2000");
    expect_limit(text, "Max core file size", "0 0");
    expect_limit(text, "Max file size", "1048576 1048576");
    expect_limit(text, "Max processes", "300 300");
}

static void test_limits_are_never_raised(void **state)
{
    struct fixture *fixture = *state;
    struct orders *orders = &fixture->options.orders;
    struct rlimit nofile = {.rlim_cur = 400, .rlim_max = 1500};
    const char *text;

    assert_int_equal(setrlimit(RLIMIT_NOFILE, &nofile), 0);
    orders->flags = ORDERS_RLIMITS;
    orders->nproc = UINT64_MAX;
    orders->nofile_hard = 65536;
    orders->core = UINT64_MAX;
    orders->fsize = 1ULL << 62;
    fixture_command(fixture, "cat", "/proc/self/limits", NULL);
    assert_int_equal(fixture_run(fixture), 0);
    text = fixture_output(fixture);
    expect_limit(text, "Max open files", "400 1500");
}

/* A soft limit above the new hard one is cut. */
static void test_soft_limit_is_cut(void **state)
{
    struct fixture *fixture = *state;
    struct orders *orders = &fixture->options.orders;

    orders->flags = ORDERS_RLIMITS;
    orders->nproc = orders->core = orders->fsize = UINT64_MAX;
    orders->nofile_hard = 100;
    fixture_command(fixture, "cat", "/proc/self/limits", NULL);
    assert_int_equal(fixture_run(fixture), 0);
    expect_limit(fixture_output(fixture), "Max open files", "100 100");
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
        T(test_launcher_is_closed_to_the_command),
        T(test_launcher_cannot_be_traced),
        T(test_landlock_denies_what_the_mounts_allow),
        T(test_landlock_scope_protects_the_launcher),
        T(test_rule_that_cannot_be_made_is_told),
        T(test_ruleset_that_cannot_be_made_is_fatal),
        T(test_stdio_can_be_reopened),
        T(test_stdio_rights_follow_the_open_mode),
        T(test_pty_is_usable_under_landlock),
        T(test_tcp_is_closed_when_handled),
        T(test_filter_is_tested),
        T(test_all_walls_together),
        T(test_missing_walls_are_seen),
        T(test_limits_are_lowered),
        T(test_limits_are_never_raised),
        T(test_soft_limit_is_cut),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    return common_main(run);
}
