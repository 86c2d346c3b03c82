// SPDX-License-Identifier: GPL-3.0-only
/*
 * reap: who ends in time is not killed, who does not is; nobody stays behind.
 */
#include "base/reap.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* It waits until nobody can write to it any more, and then says so; *out hears it. */
static pid_t start_child(int *in, int *out)
{
    int to[2];
    int from[2];
    pid_t pid;
    char byte;

    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(to[1]);
        while (read(to[0], &byte, 1) > 0)
            ;
        _exit(write(from[1], "x", 1) == 1 ? 0 : 1);
    }
    close(to[0]);
    close(from[1]);
    *in = to[1];
    *out = from[0];
    return pid;
}

static void check_gone(pid_t pid)
{
    assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void test_one_that_ends_is_not_killed(void **state)
{
    int in;
    int out;
    pid_t pid = start_child(&in, &out);
    pid_t reaped = pid;
    char byte;

    (void)state;
    close(in);
    reap_child(&reaped, 60000);
    assert_int_equal(reaped, 0);
    check_gone(pid);
    assert_int_equal(read(out, &byte, 1), 1);
    close(out);
}

static void test_one_that_stays_is_killed(void **state)
{
    static const int patience_ms[] = {0, 20};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(patience_ms); i++) {
        int in;
        int out;
        pid_t pid = start_child(&in, &out);
        pid_t reaped = pid;
        char byte;

        reap_child(&reaped, patience_ms[i]);
        assert_int_equal(reaped, 0);
        check_gone(pid);
        assert_int_equal(read(out, &byte, 1), 0);
        close(in);
        close(out);
    }
}

static void test_nobody(void **state)
{
    pid_t none = 0;
    pid_t failed = -EAGAIN;

    (void)state;
    reap_child(&none, 60000);
    reap_child(&failed, 60000);
    assert_int_equal(none, 0);
    assert_int_equal(failed, -EAGAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_that_ends_is_not_killed),
        cmocka_unit_test(test_one_that_stays_is_killed),
        cmocka_unit_test(test_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
