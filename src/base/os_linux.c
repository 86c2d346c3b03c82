// SPDX-License-Identifier: GPL-3.0-only
/*
 * os_linux: what os.h promises, on Linux.
 */
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FD_LINK_SIZE 64 /* of a name below /proc/self/fd */

const int os_open_path = O_PATH;
const int os_send_quietly = MSG_NOSIGNAL;
const int os_receive_closed = MSG_CMSG_CLOEXEC;

static void fd_link(int fd, char link[FD_LINK_SIZE])
{
    snprintf(link, FD_LINK_SIZE, "/proc/self/fd/%d", fd);
}

int os_open_beneath(int dir, const char *path, enum os_links links)
{
    struct open_how how = {
        /* without O_NOFOLLOW, which would let a link in the last place pass */
        .flags = O_PATH | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS |
                   (links == OS_LINKS_NONE ? RESOLVE_NO_SYMLINKS : 0),
    };
    int fd = (int)syscall(SYS_openat2, dir, path[0] ? path : ".", &how, sizeof(how));

    return fd < 0 ? -errno : fd;
}

char *os_path_of(int fd)
{
    char link[FD_LINK_SIZE];
    char target[PATH_MAX];
    ssize_t len;

    fd_link(fd, link);
    len = readlink(link, target, sizeof(target));
    return len > 0 && (size_t)len < sizeof(target) ? xstrndup(target, (size_t)len) : NULL;
}

int os_reopen_terminal(int fd, int flags)
{
    char link[FD_LINK_SIZE];

    fd_link(fd, link);
    return open(link, flags);
}

bool os_is_pty_master(int fd)
{
    int number;

    return ioctl(fd, TIOCGPTN, &number) == 0;
}

bool os_is_same_terminal(int a, int b)
{
    unsigned int device_a;
    unsigned int device_b;

    return ioctl(a, TIOCGDEV, &device_a) == 0 && ioctl(b, TIOCGDEV, &device_b) == 0 &&
           device_a == device_b;
}

int os_create_unnamed(int dir, unsigned mode)
{
    int fd = openat(dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, (mode_t)mode);

    if (fd >= 0)
        return fd;
    /* What file systems and kernels without O_TMPFILE answer. */
    return errno == EISDIR || errno == ENOENT || errno == EINVAL ? -EOPNOTSUPP : -errno;
}

int os_link_unnamed(int fd, int dir, const char *name)
{
    char link[FD_LINK_SIZE];

    fd_link(fd, link);
    return linkat(AT_FDCWD, link, dir, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

int os_pipe(int fds[2])
{
    return pipe2(fds, O_CLOEXEC) < 0 ? -errno : 0;
}

int os_message_pair(int fds[2])
{
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0 ? -errno : 0;
}

int os_stream_pair(int fds[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) < 0 ? -errno : 0;
}

int os_stream_socket(int domain)
{
    int fd = socket(domain, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    return fd < 0 ? -errno : fd;
}

int os_accept(int fd)
{
    return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

void os_close_from(int first)
{
    /* By number: not every C library for small programs has close_range(2). */
    (void)syscall(SYS_close_range, (unsigned)first, ~0U, 0U);
}

bool os_end_with(int parent)
{
    return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid() == parent;
}

int os_random(void *bytes, size_t len)
{
    ssize_t n = getrandom(bytes, len, GRND_NONBLOCK);

    if (n < 0)
        return -errno;
    return n == (ssize_t)len ? 0 : -EIO; /* up to 256 are never cut short */
}

void os_wipe(void *bytes, size_t len)
{
    explicit_bzero(bytes, len);
}

void os_hide_memory(void *page, size_t size)
{
    (void)madvise(page, size, MADV_DONTDUMP);
    (void)madvise(page, size, MADV_WIPEONFORK);
}

void os_sort(void *base, size_t count, size_t size,
             int (*compare)(const void *a, const void *b, void *arg), void *arg)
{
    qsort_r(base, count, size, compare, arg);
}
