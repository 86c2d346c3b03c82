// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_open_macos: what lies below a descriptor. There are no overlays; kept browser profiles are
 * counted and removed by the same walk.
 */
#include "backend/overlay_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* path comes from overlay_walk(): it has no "..". */
int overlay_open_dir(int root, const char *path, int flags)
{
    int fd = openat(root, path[0] ? path : ".",
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW_ANY | O_CLOEXEC | flags);
    struct stat top, st;
    int r = 0;

    if (fd < 0)
        return -errno;
    if (fstat(root, &top) < 0 || fstat(fd, &st) < 0)
        r = -errno;
    else if (top.st_dev != st.st_dev)
        r = -EXDEV;
    if (r < 0)
        close(fd);
    return r < 0 ? r : fd;
}
