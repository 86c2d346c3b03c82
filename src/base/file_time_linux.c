// SPDX-License-Identifier: GPL-3.0-only
/*
 * file_time_linux: times of files on Linux.
 */
#include "base/file_time.h"

#include <errno.h>
#include <fcntl.h>

struct timespec file_time_changed(const struct stat *st)
{
    return st->st_ctim;
}

int file_time_born(int dir, const char *name, struct timespec *at)
{
    struct statx stx;

    if (statx(dir, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &stx) < 0)
        return -errno;
    if (!(stx.stx_mask & STATX_BTIME))
        return -EOPNOTSUPP;
    *at = (struct timespec){.tv_sec = stx.stx_btime.tv_sec, .tv_nsec = stx.stx_btime.tv_nsec};
    return 0;
}

/* File systems take the time of the last tick. */
void file_time_now(struct timespec *now)
{
    clock_gettime(CLOCK_REALTIME_COARSE, now);
}
