// SPDX-License-Identifier: GPL-3.0-only
/*
 * fd: descriptors.
 */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Linux 6.3, <linux/memfd.h> */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

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

int fd_sealed_memfd(const char *name, const void *bytes, size_t len, bool executable)
{
    unsigned int base = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    _cleanup_close_ int fd = -1;
    int r;

    fd = memfd_create(name, base | (executable ? MFD_EXEC : MFD_NOEXEC_SEAL));
    if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
        fd = memfd_create(name, base);
    if (fd < 0)
        return -errno;
    r = fd_write_all(fd, bytes, len);
    if (r < 0)
        return r;
    if (lseek(fd, 0, SEEK_SET) < 0)
        return -errno;
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
        return -errno;
    return steal_fd(&fd);
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
    const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
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
