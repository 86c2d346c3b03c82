// SPDX-License-Identifier: GPL-3.0-only
/*
 * fd: descriptors.
 */
#include "base/fd.h"

#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int fd_write_all(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;

    while (len) {
        ssize_t n = write(fd, at, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

int fd_read_all(int fd, struct buf *out, size_t limit)
{
    size_t total = 0;

    for (;;) {
        uint8_t *room = buf_reserve(out, 4096);
        ssize_t n;

        if (!room)
            return -EFBIG;
        n = read(fd, room, 4096);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            return 0;
        total += (size_t)n;
        if (total > limit)
            return -EFBIG;
        buf_commit(out, (size_t)n);
    }
}

int fd_set_cloexec(int fd, bool on)
{
    return fcntl(fd, F_SETFD, on ? FD_CLOEXEC : 0) < 0 ? -errno : 0;
}

int fd_set_nonblocking(int fd, bool on)
{
    int flags = fcntl(fd, F_GETFL);

    if (flags < 0)
        return -errno;
    flags = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
    return fcntl(fd, F_SETFL, flags) < 0 ? -errno : 0;
}

int fd_enter_directory(int dir, const char *name, bool create, bool *made)
{
    const int flags = os_open_path | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(dir, name, flags);
    struct stat st;

    if (made)
        *made = false;
    if (fd >= 0 || errno != ENOENT || !create)
        return fd >= 0 ? fd : -errno;
    if (fstat(dir, &st) < 0)
        return -errno;
    if (st.st_uid != geteuid())
        return -EPERM;
    if (mkdirat(dir, name, 0700) < 0 && errno != EEXIST)
        return -errno;
    if (made)
        *made = true;
    fd = openat(dir, name, flags);
    return fd >= 0 ? fd : -errno;
}

int fd_fill_stdio(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) >= 0)
            continue;
        /* The lowest free number is fd, because all below it are open. */
        if (open("/dev/null", O_RDWR) != fd)
            return errno ? -errno : -EBADF;
    }
    return 0;
}
