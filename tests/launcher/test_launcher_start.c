// SPDX-License-Identifier: GPL-3.0-only
/*
 * Starting: orders, descriptors, what the command finds, and what happens when it cannot start.
 * P-LAU-6, P-LAU-11, P-LAU-12, E-FD-01, E-FD-04.
 */
#include "launcher/common.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_exit_code_is_the_commands(void **state)
{
    struct fixture *fixture = *state;
    int status;

    fixture_command(fixture, "sh", "-c", "exit 7", NULL);
    status = fixture_run(fixture);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_int_equal(jail_wait(&fixture->jail), 7 << 8);
}

static void test_argv_and_env_arrive_whole(void **state)
{
    struct fixture *fixture = *state;
    const size_t size = 100000;
    char *big = xcalloc(size + 1, 1);
    char *env[] = {(char *)(uintptr_t) "PATH=/usr/bin:/bin", big,
                   (char *)(uintptr_t) "EMPTY=", NULL};

    memset(big, 'x', size);
    memcpy(big, "BIG=", 4);
    fixture->options.orders.env = env;
    fixture_command(fixture, "sh", "-c", "echo \"${#BIG} [$1] [$2] [${EMPTY-unset}] $#\"", "sh", "",
                    "a b\n", NULL);
    assert_int_equal(fixture_run(fixture), 0);
    assert_string_equal(fixture_output(fixture), "99996 [] [a b\n] [] 2\n");
    free(big);
}

/* Descriptors of ours without CLOEXEC reach bubblewrap, which hands them on. */
static void test_only_stdio_is_open(void **state)
{
    struct fixture *fixture = *state;
    int low = open("/", O_RDONLY | O_DIRECTORY);
    int high = fcntl(low, F_DUPFD, 250);

    assert_true(low > 2 && high >= 250);
    assert_int_equal(fixture_probe(fixture, "descriptors", NULL, NULL), 0);
    assert_int_equal(fixture_probe(fixture, "sockets", NULL, NULL), 0);
    close(low);
    close(high);
}

static void test_missing_stdio_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct control_message message;

    fixture->options.stdio[0] = -1;
    fixture_command(fixture, "true", NULL);
    assert_int_equal(jail_start(&fixture->jail, &fixture->options), 0);
    assert_true(jail_receives(&fixture->jail, CONTROL_FAILED, &message));
    assert_int_equal(message.a, STAGE_STDIO);
    assert_int_equal(message.b, EBADF);
}

static void test_broken_orders_are_refused(void **state)
{
    struct fixture *fixture = *state;
    struct control_message message;

    fixture->options.raw_orders = "these are no orders";
    fixture->options.raw_len = 19;
    assert_int_equal(jail_start(&fixture->jail, &fixture->options), 0);
    assert_true(jail_receives(&fixture->jail, CONTROL_FAILED, &message));
    assert_int_equal(message.a, STAGE_ORDERS);
    assert_int_equal(message.b, EBADMSG);
    assert_int_equal(jail_wait(&fixture->jail), 125 << 8);
}

static void test_missing_directory_is_refused(void **state)
{
    struct fixture *fixture = *state;
    char cwd[] = "/no/such/directory";

    fixture->options.orders.cwd = cwd;
    fixture_command(fixture, "true", NULL);
    fixture_fails(fixture, STAGE_CWD, ENOENT);
}

static void test_command_runs_in_cwd(void **state)
{
    struct fixture *fixture = *state;
    char cwd[] = "/usr/lib";

    fixture->options.orders.cwd = cwd;
    fixture_command(fixture, "pwd", NULL);
    assert_int_equal(fixture_run(fixture), 0);
    assert_string_equal(fixture_output(fixture), "/usr/lib\n");
}

static void add_file(struct fixture *fixture, int index, const char *path, const char *perms,
                     const char *text)
{
    fixture->options.files[index] =
        (struct jail_file){.path = path, .perms = perms, .bytes = text, .len = strlen(text)};
}

static void test_unknown_commands_are_not_found(void **state)
{
    struct fixture *fixture = *state;
    static const char *const names[] = {"no-such-command", "/no/such/command", "./no-such",
                                        "/etc/passwd/x", ""};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        bool is_inside_file = strcmp(names[i], "/etc/passwd/x") == 0;

        fixture_command(fixture, names[i], NULL);
        fixture_fails(fixture, STAGE_NOT_FOUND, is_inside_file ? ENOTDIR : ENOENT);
    }
}

static void test_unusable_commands_are_told_apart(void **state)
{
    struct fixture *fixture = *state;
    char *env[] = {(char *)(uintptr_t) "PATH=/tmp/bin:/usr/bin", NULL};
    static const struct {
        const char *name;
        int error;
    } cases[] = {
        {"/tmp/bin/plain", EACCES}, {"plain", EACCES},
        {"/usr", EACCES},           {"/tmp/bin/badinterp", ENOENT},
        {"badinterp", ENOENT},      {"/tmp/bin/binary", ENOEXEC},
        {"binary", ENOEXEC},
    };

    fixture->options.orders.env = env;
    add_file(fixture, 1, "/tmp/bin/plain", "0444", "#!/bin/sh\n");
    add_file(fixture, 2, "/tmp/bin/badinterp", "0555", "#!/no/such/interpreter\n");
    add_file(fixture, 3, "/tmp/bin/binary", "0555", "\177ELF but not really");
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        fixture_command(fixture, cases[i].name, NULL);
        fixture_fails(fixture, STAGE_EXEC, cases[i].error);
    }
}

/* execvp(3): a later entry is tried after EACCES, a missing interpreter, or a missing directory. */
static void test_search_goes_on_after_a_bad_hit(void **state)
{
    struct fixture *fixture = *state;
    char *env[] = {(char *)(uintptr_t) "PATH=/tmp/a:/tmp/b:/tmp/c", NULL};

    fixture->options.orders.env = env;
    add_file(fixture, 1, "/tmp/a/tool", "0444", "#!/bin/sh\nexit 1\n");
    add_file(fixture, 2, "/tmp/b/tool", "0555", "#!/no/such/interpreter\n");
    add_file(fixture, 3, "/tmp/c/tool", "0555", "#!/bin/sh\nexit 3\n");
    fixture_command(fixture, "tool", NULL);
    assert_int_equal(fixture_run(fixture), 3 << 8);
}

static void test_script_without_hash_bang_runs(void **state)
{
    struct fixture *fixture = *state;
    char *env[] = {(char *)(uintptr_t) "PATH=/tmp/bin", NULL};

    fixture->options.orders.env = env;
    add_file(fixture, 1, "/tmp/bin/tool", "0555", "echo \"$0 $1\"\n");
    fixture_command(fixture, "tool", "one", NULL);
    assert_int_equal(fixture_run(fixture), 0);
    assert_string_equal(fixture_output(fixture), "/tmp/bin/tool one\n");
}

/* Runs "echo $PATH" and expects the counts first if some entries go. */
static void expect_path(struct fixture *fixture, const char *given, int kept, int total,
                        const char *left)
{
    char *env[] = {(char *)(uintptr_t)given, NULL};
    struct control_message message;
    struct jail *jail = &fixture->jail;

    fixture->options.orders.env = env;
    fixture_command(fixture, "env", NULL);
    assert_int_equal(jail_start(jail, &fixture->options), 0);
    assert_true(jail_receives(jail, CONTROL_HELLO, NULL));
    assert_int_equal(control_send(jail->control, CONTROL_GO, 0, 0, -1), 0);
    if (kept < total) {
        assert_true(jail_receives(jail, CONTROL_PATH_PRUNED, &message));
        assert_int_equal(message.a, kept);
        assert_int_equal(message.b, total);
    }
    assert_true(jail_receives(jail, CONTROL_STARTED, NULL));
    assert_true(jail_receives(jail, CONTROL_EXITED, &message));
    assert_int_equal(message.a, 0);
    assert_string_equal(fixture_output(fixture), left);
    fixture_again(fixture);
}

static void test_path_is_pruned(void **state)
{
    struct fixture *fixture = *state;

    expect_path(fixture, "PATH=/no/such/directory:/usr/bin:/etc/passwd:/bin", 2, 4,
                "PATH=/usr/bin:/bin\n");
    expect_path(fixture, "PATH=/usr/bin:/no/such/directory", 1, 2, "PATH=/usr/bin\n");
    expect_path(fixture, "PATH=/usr/bin:/bin", 2, 2, "PATH=/usr/bin:/bin\n");
    /* Empty, it would mean the current directory. */
    expect_path(fixture, "PATH=/no/such/directory:/etc/passwd", 0, 2, "");
    expect_path(fixture, "NOPATH=1", 0, 0, "NOPATH=1\n");
}

/* P-LAU-12. Bit 9 of the mask is SIGUSR1, bit 12 of the ignored ones SIGPIPE. */
static void test_signals_and_umask_are_the_callers(void **state)
{
    struct fixture *fixture = *state;
    const char *text;

    fixture->options.orders.sigmask = 1ULL << (SIGUSR1 - 1) | 1ULL << (SIGRTMAX - 1);
    fixture->options.orders.sigignore = 1ULL << (SIGPIPE - 1) | 1ULL << (SIGHUP - 1);
    fixture->options.orders.umask_bits = 027;
    fixture_command(fixture, "cat", "/proc/self/status", NULL);
    assert_int_equal(fixture_run(fixture), 0);
    text = fixture_output(fixture);
    assert_non_null(strstr(text, "\nUmask:\t0027\n"));
    assert_non_null(strstr(text, "\nSigBlk:\t8000000000000200\n"));
    assert_non_null(strstr(text, "\nSigIgn:\t0000000000001001\n"));
    assert_non_null(strstr(text, "\nCapEff:\t0000000000000000\n"));
    assert_non_null(strstr(text, "\nCapBnd:\t0000000000000000\n"));
    assert_non_null(strstr(text, "\nNoNewPrivs:\t1\n"));
}

static void test_signals_are_clean_by_default(void **state)
{
    struct fixture *fixture = *state;
    const char *text;

    /* Ignored by us, so bubblewrap and the launcher inherit it; the orders do not say so. */
    signal(SIGUSR2, SIG_IGN);
    fixture_command(fixture, "cat", "/proc/self/status", NULL);
    assert_int_equal(fixture_run(fixture), 0);
    signal(SIGUSR2, SIG_DFL);
    text = fixture_output(fixture);
    assert_non_null(strstr(text, "\nSigBlk:\t0000000000000000\n"));
    assert_non_null(strstr(text, "\nSigIgn:\t0000000000000000\n"));
    assert_non_null(strstr(text, "\nUmask:\t0000\n"));
}

/* An ignored SIGCHLD, inherited, must not cost us the exit status. */
static void test_inherited_sigchld_ignore_is_harmless(void **state)
{
    struct fixture *fixture = *state;

    fixture->options.orders.sigignore = 1ULL << (SIGCHLD - 1);
    signal(SIGCHLD, SIG_IGN);
    fixture_command(fixture, "sh", "-c", "exit 5", NULL);
    assert_int_equal(fixture_run(fixture), 5 << 8);
    signal(SIGCHLD, SIG_DFL);
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
        T(test_exit_code_is_the_commands),
        T(test_argv_and_env_arrive_whole),
        T(test_only_stdio_is_open),
        T(test_missing_stdio_is_refused),
        T(test_broken_orders_are_refused),
        T(test_missing_directory_is_refused),
        T(test_command_runs_in_cwd),
        T(test_unknown_commands_are_not_found),
        T(test_unusable_commands_are_told_apart),
        T(test_search_goes_on_after_a_bad_hit),
        T(test_script_without_hash_bang_runs),
        T(test_path_is_pruned),
        T(test_signals_and_umask_are_the_callers),
        T(test_signals_are_clean_by_default),
        T(test_inherited_sigchld_ignore_is_harmless),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    return common_main(run);
}
