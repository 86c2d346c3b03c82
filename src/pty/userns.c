// SPDX-License-Identifier: GPL-3.0-only
/*
 * userns: a user namespace in which the caller is who it was.
 */
#include "pty/userns.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static bool write_file(const char *path, const char *text)
{
    _cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);
    size_t len = strlen(text);

    return fd >= 0 && write(fd, text, len) == (ssize_t)len;
}

static bool write_map(const char *path, unsigned id)
{
    char text[64];

    snprintf(text, sizeof(text), "%u %u 1\n", id, id);
    return write_file(path, text);
}

enum userns_step userns_enter(uid_t uid, gid_t gid)
{
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return USERNS_MAKE;
    if (!write_file("/proc/self/setgroups", "deny") || !write_map("/proc/self/uid_map", uid) ||
        !write_map("/proc/self/gid_map", gid))
        return USERNS_MAP;
    return USERNS_DONE;
}
