// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_open: what lies below a descriptor, by openat2(2).
 */
#include "backend/overlay_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_beneath(int root, const char *path, uint64_t flags)
{
    struct open_how how = {
        .flags = flags | O_NOFOLLOW | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
    };
    long fd = syscall(SYS_openat2, root, path[0] ? path : ".", &how, sizeof(how));

    return fd < 0 ? -errno : (int)fd;
}

int overlay_open_dir(int root, const char *path, int flags)
{
    return open_beneath(root, path, (uint64_t)(O_RDONLY | O_DIRECTORY | flags));
}

int overlay_open_exact(const char *path)
{
    struct open_how how = {
        .flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

    return fd < 0 ? -errno : (int)fd;
}

int overlay_stat(int root, const char *path, struct stat *st)
{
    _cleanup_close_ int fd = open_beneath(root, path, O_PATH);

    if (fd == -ELOOP || fd == -ENOTDIR || fd == -EXDEV)
        return -ENOENT;
    if (fd < 0)
        return fd;
    return fstat(fd, st) < 0 ? -errno : 0;
}
