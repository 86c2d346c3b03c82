// SPDX-License-Identifier: GPL-3.0-only
/*
 * file_time_macos: times of files on macOS.
 */
#include "base/file_time.h"

#include <errno.h>
#include <fcntl.h>

struct timespec file_time_changed(const struct stat *st)
{
    return st->st_ctimespec;
}

int file_time_born(int dir, const char *name, struct timespec *at)
{
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    *at = st.st_birthtimespec;
    return 0;
}

/* HFS+ keeps whole seconds. */
void file_time_now(struct timespec *now)
{
    clock_gettime(CLOCK_REALTIME, now);
    now->tv_nsec = 0;
}
