// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_copy: a copy of a regular file that somebody hostile may have made.
 *
 * Its size may be an invention, so only what SEEK_DATA reports is read and written.
 */
#include "backend/overlay_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK (128 * KIB)

static int write_at(int fd, const uint8_t *bytes, size_t len, off_t at)
{
    while (len) {
        ssize_t n = pwrite(fd, bytes, len, at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        bytes += n;
        len -= (size_t)n;
        at += n;
    }
    return 0;
}

static int copy_range(int from, int to, uint8_t *bytes, off_t at, off_t end)
{
    while (at < end) {
        size_t want = end - at < (off_t)CHUNK ? (size_t)(end - at) : CHUNK;
        ssize_t n = pread(from, bytes, want, at);
        int r;

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : 0;
        r = write_at(to, bytes, (size_t)n, at);
        if (r < 0)
            return r;
        at += n;
    }
    return 0;
}

static int copy_data(int from, int to, off_t size)
{
    _cleanup_free_ uint8_t *bytes = xcalloc(1, CHUNK);
    off_t at = 0;
    int r = 0;

    while (at < size && r == 0) {
        off_t data = lseek(from, at, SEEK_DATA);
        off_t hole;

        if (data < 0 && errno == ENXIO)
            break;
        if (data < 0)
            data = at; /* a file system that does not know */
        hole = lseek(from, data, SEEK_HOLE);
        if (hole <= data)
            hole = size;
        r = copy_range(from, to, bytes, data, hole < size ? hole : size);
        at = hole;
    }
    return r < 0 ? r : ftruncate(to, size) < 0 ? -errno : 0;
}

static void take_owner(int fd, int dir, const char *like)
{
    struct stat st;

    if (like && fstatat(dir, like, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        fchown(fd, geteuid() == 0 ? st.st_uid : (uid_t)-1, st.st_gid) < 0)
        return; /* an ordinary user keeps the group only of groups that are the user's */
}

static int fill(int from, int to, mode_t mode, int dir, const char *like)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
    struct stat st;
    int r;

    if (fstat(from, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -ESTALE;
    r = copy_data(from, to, st.st_size);
    if (r < 0)
        return r;
    take_owner(to, dir, like);
    times[1] = st.st_mtim;
    return fchmod(to, mode & 0777) < 0 || futimens(to, times) < 0 ? -errno : 0;
}

int overlay_copy(int from, const char *name, int to, const char *copy, mode_t mode,
                 const char *like)
{
    _cleanup_close_ int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    _cleanup_close_ int out = -1;
    int r;

    if (in < 0)
        return -errno;
    out = openat(to, copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (out < 0)
        return -errno;
    r = fill(in, out, mode, to, like);
    if (r < 0)
        unlinkat(to, copy, 0);
    return r;
}
