// SPDX-License-Identifier: GPL-3.0-only
/*
 * live: main of the tests that make real system calls under the filters.
 *
 *     test_seccomp_live [--ordinary]
 *
 * With --ordinary a run by root goes on as uid and gid 65534; a run by anybody else is one by an
 * ordinary user already.
 */
#include "seccomp/live.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { ORDINARY_ID = 65534, EXIT_SKIPPED = 77, CHILD_SECONDS = 120 };

int live_file = -1;
char live_path[] = "/tmp/ai-jail-seccomp-XXXXXX";

_Noreturn void live_fail(const char *file, int line, const char *what)
{
    dprintf(STDERR_FILENO, "%s:%d: %s (errno %d)\n", file, line, what, errno);
    _exit(1);
}

void live_check_errno(const char *file, int line, const char *what, long result, int expected)
{
    if (result == -1 && errno == expected)
        return;
    dprintf(STDERR_FILENO, "%s:%d: %s: result %ld, errno %d instead of %d\n", file, line, what,
            result, errno, expected);
    _exit(1);
}

/* cmocka would go on with the next test, in the child. */
static void reset_signals(void)
{
    static const int caught[] = {SIGSEGV, SIGSYS, SIGBUS, SIGILL, SIGFPE};

    for (size_t i = 0; i < ARRAY_SIZE(caught); i++)
        CHECK(signal(caught[i], SIG_DFL) != SIG_ERR);
}

static _Noreturn void run_child(int program, void (*body)(void))
{
    alarm(CHILD_SECONDS);
    reset_signals();
    CHECK(setsid() > 0);
    if (program != LIVE_UNFILTERED)
        CHECK(seccomp_install((enum seccomp_program)program) == 0);
    body();
    _exit(0);
}

int live_status(int program, void (*body)(void))
{
    pid_t pid = fork();
    int status;

    assert_true(pid >= 0);
    if (pid == 0)
        run_child(program, body);
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return status;
}

void live_run(int program, void (*body)(void))
{
    int status = live_status(program, body);

    if (WIFSIGNALED(status))
        fail_msg("program %d: the child died of signal %d", program, WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        fail_msg("program %d: the child failed", program);
}

static int become_ordinary(void)
{
    if (geteuid() != 0)
        return 0;
    if (setgroups(0, NULL) != 0 || setresgid(ORDINARY_ID, ORDINARY_ID, ORDINARY_ID) != 0 ||
        setresuid(ORDINARY_ID, ORDINARY_ID, ORDINARY_ID) != 0)
        return -1;
    return 0;
}

static int give_up(const char *why)
{
    printf("skipped: %s\n", why);
    return getenv("AI_JAIL_TESTS_MUST_RUN") ? EXIT_FAILURE : EXIT_SKIPPED;
}

int main(int argc, char **argv)
{
    int failed;

    if (!seccomp_arch())
        return give_up("the filters are not built for this architecture");
    if (!seccomp_available())
        return give_up("this kernel has no system call filters");
    if (argc == 2 && strcmp(argv[1], "--ordinary") == 0 && become_ordinary() != 0)
        return give_up("cannot become an ordinary user");
    live_file = mkstemp(live_path);
    if (live_file < 0)
        return give_up("cannot write to /tmp");
    failed = live_run_refusals() + live_run_arguments() + live_run_programs();
    unlink(live_path);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
