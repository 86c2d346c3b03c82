// SPDX-License-Identifier: GPL-3.0-only
/*
 * cgroup: reading what the kernel says about control groups; the group itself, where one can be made.
 */
#include "pty/cgroup.h"
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void own_path_is_the_line_of_version_2(void **state)
{
    static const struct {
        const char *text;
        const char *path;
    } rows[] = {
        {"0::/\n", "/"},
        {"0::/user.slice/user-1000.slice/session-2.scope\n",
         "/user.slice/user-1000.slice/session-2.scope"},
        {"9:name=systemd:/\n4:memory:/a\n0::/b c\n", "/b c"},
        {"4:memory:/a\n", NULL},
        {"", NULL},
        {"10::/x\n", NULL},
        {"0::/../outside\n", NULL},
        {"0::/gone (deleted)\n", NULL},
        {"0::", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_free_ char *path = cgroup_own_path(rows[i].text);

        assert_true(str_eq(path, rows[i].path));
    }
}

static void controllers_are_whole_words(void **state)
{
    (void)state;
    assert_true(cgroup_lists("cpu memory pids\n", "pids"));
    assert_true(cgroup_lists("pids", "pids"));
    assert_true(cgroup_lists("xpids pids x", "pids"));
    assert_false(cgroup_lists("xpids pidsx\n", "pids"));
    assert_false(cgroup_lists("\n", "pids"));
}

/* Most machines give an ordinary session no group of its own; then there is nothing to see. */
static void a_group_is_entered_and_removed(void **state)
{
    struct cgroup cgroup;
    struct stat st;
    int entered[2];
    char byte;
    int status;
    pid_t pid;

    (void)state;
    if (!cgroup_make(&cgroup, 77, 0)) {
        print_message("no control group can be made here\n");
        assert_int_equal(cgroup.parent, -1);
        return;
    }
    assert_int_equal(pipe(entered), 0);
    pid = fork();
    if (pid == 0) {
        cgroup_enter(&cgroup);
        (void)!write(entered[1], "x", 1);
        pause();
        _exit(0);
    }
    assert_int_equal(read(entered[0], &byte, 1), 1);
    close(entered[0]);
    close(entered[1]);
    cgroup_remove(&cgroup, 0); /* not empty: it stays */
    assert_int_equal(fstatat(cgroup.parent, cgroup.name, &st, 0), 0);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    cgroup_remove(&cgroup, 2000);
    assert_int_equal(fstatat(cgroup.parent, cgroup.name, &st, 0), -1);
    cgroup_close(&cgroup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_path_is_the_line_of_version_2),
        cmocka_unit_test(controllers_are_whole_words),
        cmocka_unit_test(a_group_is_entered_and_removed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
