// SPDX-License-Identifier: GPL-3.0-only
/*
 * pidlimit: kernel.pid_max of a PID namespace.
 *
 * The kernel decides by the namespace of the process that opens the file whose value it is. So the
 * parent, which stays outside, can see that its own value has not moved, and a child inside writes.
 */
#include "pty/pidlimit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PID_MAX "/proc/sys/kernel/pid_max"

bool pidlimit_is_namespaced(const unsigned kernel[2])
{
    return kernel[0] > 6 || (kernel[0] == 6 && kernel[1] >= 14);
}

static long read_limit(void)
{
    _cleanup_close_ int fd = open(PID_MAX, O_RDONLY | O_CLOEXEC);
    char text[32] = "";

    return fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 ? -1 : strtol(text, NULL, 10);
}

static int write_limit(uint64_t limit)
{
    _cleanup_close_ int fd = open(PID_MAX, O_WRONLY | O_CLOEXEC);
    char text[32];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)limit);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        return -errno;
    return 0;
}

int pidlimit_set(int pid_namespace, uint64_t limit)
{
    long before = read_limit();
    int status;
    pid_t pid;

    if (before < 0)
        return -ENOENT;
    if (setns(pid_namespace, CLONE_NEWPID) < 0)
        return -errno;
    pid = fork();
    if (pid < 0)
        return -errno;
    if (pid == 0)
        _exit(-write_limit(limit));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    if (read_limit() != before) {
        write_limit((uint64_t)before);
        return -ENOTSUP;
    }
    return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}
