// SPDX-License-Identifier: GPL-3.0-only
/*
 * os_macos: what os.h promises, on macOS (11 or newer).
 *
 * A descriptor is made CLOEXEC in a second step here. In between nobody forks: threads of ours are
 * libuv's alone, which resolve names.
 */
#define __STDC_WANT_LIB_EXT1__ 1 /* memset_s() */

#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is no directory must be opened without waiting: a FIFO has no writer yet. */
const int os_open_path = O_RDONLY | O_NONBLOCK | O_NOCTTY;
const int os_send_quietly = 0;
const int os_receive_closed = 0;

static bool leads_up(const char *path)
{
    for (const char *at = path; *at; at += strcspn(at, "/"), at += strspn(at, "/"))
        if (at[0] == '.' && at[1] == '.' && (at[2] == '/' || at[2] == '\0'))
            return true;
    return path[0] == '/';
}

/* True if the object behind fd lies in the directory behind dir, or is it. */
static bool is_beneath(int dir, int fd)
{
    _cleanup_free_ char *top = os_path_of(dir);
    _cleanup_free_ char *path = os_path_of(fd);
    size_t len = top ? strlen(top) : 0;

    return top && path && strncmp(path, top, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* The kernel refuses links by O_NOFOLLOW_ANY. Where they may be followed it says afterwards where they
 * have led; what lies outside was opened for reading then, and nothing else. */
int os_open_beneath(int dir, const char *path, enum os_links links)
{
    int flags = os_open_path | O_CLOEXEC | (links == OS_LINKS_NONE ? O_NOFOLLOW_ANY : 0);
    int fd;

    if (leads_up(path))
        return -EXDEV;
    fd = openat(dir, path[0] ? path : ".", flags);
    if (fd < 0)
        return -errno;
    if (!is_beneath(dir, fd)) {
        close(fd);
        return -EXDEV;
    }
    return fd;
}

char *os_path_of(int fd)
{
    char path[PATH_MAX];

    return fcntl(fd, F_GETPATH, path) < 0 ? NULL : xstrdup(path);
}

/* /dev/fd/N is a dup on this system. */
int os_reopen_terminal(int fd, int flags)
{
    char name[PATH_MAX];
    int r = ttyname_r(fd, name, sizeof(name));

    errno = r;
    return r == 0 ? open(name, flags) : -1;
}

bool os_is_pty_master(int fd)
{
    return ptsname(fd) != NULL;
}

bool os_is_same_terminal(int a, int b)
{
    struct stat st_a, st_b;

    return fstat(a, &st_a) == 0 && fstat(b, &st_b) == 0 && S_ISCHR(st_a.st_mode) &&
           S_ISCHR(st_b.st_mode) && st_a.st_rdev == st_b.st_rdev;
}

int os_create_unnamed(int dir, unsigned mode)
{
    (void)dir;
    (void)mode;
    return -EOPNOTSUPP;
}

int os_link_unnamed(int fd, int dir, const char *name)
{
    (void)fd;
    (void)dir;
    (void)name;
    return -EOPNOTSUPP;
}

static int prepare(int fd, bool nonblocking)
{
    int flags = fcntl(fd, F_GETFL);

    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || flags < 0 ||
        (nonblocking && fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0))
        return -errno;
    return 0;
}

/* A socket never brings SIGPIPE. Takes the descriptor: it is closed on failure. */
static int prepare_socket(int fd)
{
    const int on = 1;
    int r = prepare(fd, true);

    if (r == 0 && setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on)) < 0 && errno != EINVAL)
        r = -errno;
    if (r < 0)
        close(fd);
    return r < 0 ? r : fd;
}

static int prepare_pair(int fds[2], bool nonblocking)
{
    int r = prepare(fds[0], nonblocking);

    if (r == 0)
        r = prepare(fds[1], nonblocking);
    if (r < 0) {
        close(fds[0]);
        close(fds[1]);
    }
    return r;
}

int os_pipe(int fds[2])
{
    return pipe(fds) < 0 ? -errno : prepare_pair(fds, false);
}

/* There is no SOCK_SEQPACKET: datagrams keep their bounds, too, but do not tell that the other side is
 * gone. The users of such a pair learn that in another way (keeper.h). */
int os_message_pair(int fds[2])
{
    return socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) < 0 ? -errno : prepare_pair(fds, false);
}

int os_stream_pair(int fds[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0 ? -errno : prepare_pair(fds, true);
}

int os_stream_socket(int domain)
{
    int fd = socket(domain, SOCK_STREAM, 0);

    return fd < 0 ? -errno : prepare_socket(fd);
}

int os_accept(int fd)
{
    int client = accept(fd, NULL, NULL);
    int r = client < 0 ? client : prepare_socket(client);

    if (r >= 0 || client < 0)
        return r;
    errno = -r;
    return -1;
}

/* No call closes a range: every number below the limit, which is rarely more than some thousands. */
void os_close_from(int first)
{
    int end = getdtablesize();

    for (int fd = first; fd < end; fd++)
        close(fd);
}

/* Nothing ties the two together: who needs it waits for the end of a pipe (keeper.c). */
bool os_end_with(int parent)
{
    return getppid() == parent;
}

int os_random(void *bytes, size_t len)
{
    return getentropy(bytes, len) < 0 ? -errno : 0;
}

void os_wipe(void *bytes, size_t len)
{
    memset_s(bytes, len, 0, len);
}

/* Core files are off in the supervisor (isolate.h); children inherit by minherit(2). */
void os_hide_memory(void *page, size_t size)
{
    (void)minherit(page, size, VM_INHERIT_NONE);
}

struct sort_call {
    int (*compare)(const void *a, const void *b, void *arg);
    void *arg;
};

static int compare_turned(void *call, const void *a, const void *b)
{
    const struct sort_call *sort = call;

    return sort->compare(a, b, sort->arg);
}

/* BSD's qsort_r() has its arguments in another order. */
void os_sort(void *base, size_t count, size_t size,
             int (*compare)(const void *a, const void *b, void *arg), void *arg)
{
    struct sort_call call = {compare, arg};

    qsort_r(base, count, size, &call, compare_turned);
}
