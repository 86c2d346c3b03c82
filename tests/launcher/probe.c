// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe: tries one thing inside the jail. Its exit code is the errno of the answer, 0 for success,
 * 200 and above when the probe itself could not be made.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CANNOT_PROBE 200

static int errno_of(long result)
{
    return result < 0 ? errno : 0;
}

/* open PATH r|w|c */
static int probe_open(char **args)
{
    int flags = args[1][0] == 'r' ? O_RDONLY : args[1][0] == 'w' ? O_WRONLY : O_WRONLY | O_CREAT;

    return errno_of(open(args[0], flags | O_CLOEXEC, 0600));
}

static int probe_readlink(char **args)
{
    char target[512];

    return errno_of(readlink(args[0], target, sizeof(target)));
}

static int probe_whiteout(char **args)
{
    return errno_of(mknod(args[0], S_IFCHR | 0600, makedev(0, 0)));
}

/* kill PID SIGNAL */
static int probe_kill(char **args)
{
    return errno_of(kill((pid_t)atoi(args[0]), atoi(args[1])));
}

static int probe_seize(char **args)
{
    return errno_of(ptrace(PTRACE_SEIZE, atoi(args[0]), NULL, NULL));
}

static int probe_vm_read(char **args)
{
    char byte;
    struct iovec local = {.iov_base = &byte, .iov_len = 1};
    /* Our own image is at another address than the target's: EFAULT means that we were let in. */
    struct iovec remote = {.iov_base = &byte, .iov_len = 1};

    return errno_of(process_vm_readv(atoi(args[0]), &local, 1, &remote, 1, 0));
}

static int probe_get_fd(char **args)
{
    long pidfd = syscall(SYS_pidfd_open, atoi(args[0]), 0);

    return pidfd < 0 ? CANNOT_PROBE : errno_of(syscall(SYS_pidfd_getfd, pidfd, 3, 0));
}

/* The number of open descriptors above 2. */
static int probe_descriptors(char **args)
{
    int count = 0;

    (void)args;
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            count++;
    return count;
}

/* The number of sockets among the descriptors. */
static int probe_sockets(char **args)
{
    int count = 0;

    (void)args;
    for (int fd = 0; fd < 1024; fd++) {
        struct stat st;

        if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode))
            count++;
    }
    return count;
}

/* A grandchild without a parent ends; whoever adopts it has to reap it. 0 once it is gone. */
static int probe_orphan(char **args)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    int pipe_fds[2];
    pid_t orphan = 0;
    pid_t child;

    (void)args;
    if (pipe(pipe_fds) < 0)
        return CANNOT_PROBE;
    child = fork();
    if (child == 0) {
        orphan = fork();
        if (orphan == 0)
            _exit(0);
        (void)!write(pipe_fds[1], &orphan, sizeof(orphan));
        _exit(0);
    }
    if (read(pipe_fds[0], &orphan, sizeof(orphan)) != (ssize_t)sizeof(orphan) ||
        waitpid(child, NULL, 0) != child)
        return CANNOT_PROBE;
    for (int i = 0; i < 30000; i++) {
        if (kill(orphan, 0) < 0)
            return errno == ESRCH ? 0 : errno;
        nanosleep(&pause, NULL);
    }
    return ETIMEDOUT;
}

/* leave N: N processes that ignore every signal outlive the command. */
static int probe_leave(char **args)
{
    for (int i = atoi(args[0]); i > 0; i--) {
        pid_t pid = fork();

        if (pid < 0)
            return CANNOT_PROBE;
        if (pid == 0) {
            setsid();
            for (int number = 1; number < NSIG; number++)
                signal(number, SIG_IGN);
            for (;;)
                pause();
        }
    }
    return 0;
}

/* Gives up stdout, then waits for a signal. */
static int probe_close_stdout(char **args)
{
    (void)args;
    close(STDOUT_FILENO);
    pause();
    return 0;
}

static const struct {
    const char *name;
    int args;
    int (*run)(char **args);
} probes[] = {
    {"close-stdout", 0, probe_close_stdout},
    {"descriptors", 0, probe_descriptors},
    {"get-fd", 1, probe_get_fd},
    {"kill", 2, probe_kill},
    {"leave", 1, probe_leave},
    {"open", 2, probe_open},
    {"orphan", 0, probe_orphan},
    {"readlink", 1, probe_readlink},
    {"seize", 1, probe_seize},
    {"sockets", 0, probe_sockets},
    {"vm-read", 1, probe_vm_read},
    {"whiteout", 1, probe_whiteout},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(probes); i++)
        if (strcmp(argv[1], probes[i].name) == 0 && argc == 2 + probes[i].args)
            return probes[i].run(argv + 2);
    return CANNOT_PROBE + 1;
}
