// SPDX-License-Identifier: GPL-3.0-only
/*
 * launcher_trial: instead of a command, tries from inside what a jail must refuse (--doctor).
 *
 * Runs where the command would: behind every wall, as the child that would become it. One line for
 * each trial goes to descriptor 1: its name and the errno that came back, 0 if it was let through.
 */
#include "backend/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* 192.0.2.1, reserved for documentation (RFC 5737): no packet of a trial reaches anybody. */
#define TEST_ADDRESS 0xC0000201

static int errno_of(int result)
{
    return result < 0 ? errno : 0;
}

static const char *find_home(const struct orders *orders)
{
    for (size_t i = 0; orders->env[i]; i++)
        if (str_starts(orders->env[i], "HOME="))
            return orders->env[i] + strlen("HOME=");
    return "/";
}

static int try_keys(const struct orders *orders)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/.ssh", find_home(orders));
    return errno_of(open(path, O_RDONLY | O_CLOEXEC));
}

static int try_system(const struct orders *orders)
{
    static const char path[] = "/usr/.ai-jail-trial";
    int answer = errno_of(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));

    (void)orders;
    if (answer == 0)
        unlink(path);
    return answer;
}

static int try_network(const struct orders *orders)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(TEST_ADDRESS)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int answer;

    (void)orders;
    answer =
        fd < 0 ? errno : errno_of(connect(fd, (const struct sockaddr *)&address, sizeof(address)));
    return answer == EINPROGRESS ? 0 : answer;
}

static int try_ptrace(const struct orders *orders)
{
    (void)orders;
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? errno : 0;
}

static int try_unshare(const struct orders *orders)
{
    (void)orders;
    return errno_of(unshare(CLONE_NEWUSER));
}

/* Pushing input needs a controlling terminal: a pair of its own, in a session of its own. */
static int push_input(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    const char *name;
    int slave;

    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 || !(name = ptsname(master)))
        return errno;
    setsid();
    slave = open(name, O_RDWR | O_CLOEXEC);
    return slave < 0 ? errno : errno_of(ioctl(slave, TIOCSTI, "x"));
}

static int try_input(const struct orders *orders)
{
    pid_t pid = fork();
    int status;

    (void)orders;
    if (pid < 0)
        return errno;
    if (pid == 0)
        _exit(push_input() & 0xFF);
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

/* The control: what a jail must allow. */
static int try_scratch(const struct orders *orders)
{
    static const char path[] = "/tmp/.ai-jail-trial";
    int answer = errno_of(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));

    (void)orders;
    unlink(path);
    return answer;
}

static const struct trial {
    const char *name;
    int (*run)(const struct orders *orders);
} trials[] = {
    {"scratch", try_scratch}, {"keys", try_keys},     {"system", try_system},
    {"network", try_network}, {"ptrace", try_ptrace}, {"unshare", try_unshare},
    {"input", try_input},
};

_Noreturn void trial_run(const struct orders *orders)
{
    for (size_t i = 0; i < ARRAY_SIZE(trials); i++) {
        char line[64];
        int len = snprintf(line, sizeof(line), "%s %d\n", trials[i].name, trials[i].run(orders));

        if (write(1, line, (size_t)len) != len)
            _exit(1);
    }
    _exit(0);
}
