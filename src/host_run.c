// SPDX-License-Identifier: GPL-3.0-only
/*
 * host_run: see host_run.h. Everything that a program could be led by is kept away: no shell, no
 * descriptor of ours, no variable that the caller did not name.
 */
#include "host_run.h"

#include "base/os.h"
#include "base/reap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

/* Between fork and exec. */
static _Noreturn void run(const char *program, char *const *argv, char *const *env, int out,
                          pid_t parent)
{
    static char *const none[] = {NULL};
    const struct rlimit no_core = {0, 0};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (!os_end_with(parent))
        _exit(126);
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGXFSZ, SIG_DFL);
    if (setsid() < 0 || chdir("/") < 0 || null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 ||
        dup2(null, 2) < 0)
        _exit(126);
    os_close_from(3);
    execve(program, argv, env ? env : none);
    _exit(126);
}

pid_t host_run_start(const char *program, char *const *argv, char *const *env, int out)
{
    pid_t parent = getpid();
    pid_t pid = fork();

    if (pid == 0)
        run(program, argv, env, out, parent);
    return pid < 0 ? -errno : pid;
}

void host_run_end(pid_t pid)
{
    kill(-pid, SIGKILL);
    reap_child(&pid, 0); /* it may have no session of its own yet */
}
