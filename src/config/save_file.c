// SPDX-License-Identifier: GPL-3.0-only
/*
 * save_file: a new file is made without a name and then linked; an old one is overwritten.
 *
 * The command in a jail may hold a lock on the file for ever (flock(2) needs no right to write), so
 * waiting for it ends.
 */
#include "config/save_file.h"

#include "base/fd.h"
#include "base/os.h"
#include "config/load.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_MODE     0600
#define LOCK_TRIES    200
#define LOCK_PAUSE_NS 10000000L /* 10 ms */

static int write_synced(int fd, const char *text, size_t len)
{
    int r = fd_write_all(fd, text, len);

    if (r == 0 && fsync(fd) < 0)
        r = -errno;
    return r;
}

/* Where every file has a name: an exclusive name, which is gone again when this returns. */
static int create_named(int dir, const char *name, const char *text, size_t len)
{
    _cleanup_free_ char *fresh = xasprintf("%s.new.%d", name, (int)getpid());
    _cleanup_close_ int fd =
        openat(dir, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    int r;

    if (fd < 0)
        return -errno;
    r = write_synced(fd, text, len);
    if (r == 0 && linkat(dir, fresh, dir, name, 0) < 0)
        r = -errno;
    unlinkat(dir, fresh, 0);
    return r;
}

int save_file_create(int dir, const char *name, const char *text, size_t len)
{
    _cleanup_close_ int fd = os_create_unnamed(dir, FILE_MODE);
    int r;

    if (fd < 0)
        return fd == -EOPNOTSUPP ? create_named(dir, name, text, len) : fd;
    r = write_synced(fd, text, len);
    if (r < 0)
        return r;
    r = os_link_unnamed(fd, dir, name);
    if (r < 0)
        return r == -ENOENT ? create_named(dir, name, text, len) : r;
    return fsync(dir) < 0 ? -errno : 0;
}

static int lock(int fd)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};

    for (unsigned i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return 0;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -errno;
        nanosleep(&pause, NULL);
    }
    return -EBUSY;
}

static int open_checked(int dir, const char *name, uid_t owner, bool writes, struct error *error)
{
    int access_mode = writes ? O_RDWR : O_RDONLY;
    _cleanup_close_ int fd =
        openat(dir, name, access_mode | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;
    int r = 0;

    if (fd < 0 && errno == ELOOP)
        return error_set(error, ELOOP, "it is a symbolic link");
    if (fd < 0 || fstat(fd, &st) < 0)
        return error_set(error, errno, "%s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return error_set(error, EINVAL, "it is no regular file");
    if (st.st_uid != owner)
        return error_set(error, EPERM, "it belongs to somebody else");
    if (writes)
        r = lock(fd);
    if (r < 0)
        return error_set(error, -r, "it cannot be locked: %s", strerror(-r));
    return steal_fd(&fd);
}

static int overwrite(int fd, const struct buf *text)
{
    int r = lseek(fd, 0, SEEK_SET) < 0 ? -errno : fd_write_all(fd, text->data, text->len);

    if (r == 0 && (ftruncate(fd, (off_t)text->len) < 0 || fsync(fd) < 0))
        r = -errno;
    return r;
}

/* The old bytes had their place, so writing them again needs none. */
static int write_or_put_back(int fd, const struct buf *old, const struct buf *fresh,
                             struct error *error)
{
    int r = overwrite(fd, fresh);

    if (r == 0)
        return 1;
    if (overwrite(fd, old) < 0)
        return error_set(error, -r, "%s, and the old text could not be put back", strerror(-r));
    return error_set(error, -r, "%s: it is as it was", strerror(-r));
}

int save_file_update(int dir, const char *name, uid_t owner, save_file_edit *edit, void *arg,
                     struct buf *shown, struct error *error)
{
    _cleanup_close_ int fd = open_checked(dir, name, owner, shown == NULL, error);
    struct buf old CLEANUP(buf_free) = {0};
    struct buf fresh CLEANUP(buf_free) = {0};
    int r = fd;

    if (r < 0)
        return r;
    buf_init(&old, LOAD_BYTES_MAX);
    buf_init(&fresh, LOAD_BYTES_MAX);
    r = fd_read_all(fd, &old, LOAD_BYTES_MAX);
    if (r < 0)
        return error_set(error, -r, "it cannot be read: %s", strerror(-r));
    r = edit(arg, buf_cstr(&old), old.len, &fresh, error);
    if (r < 0)
        return r;
    if (shown)
        return buf_append(shown, fresh.data, fresh.len);
    if (fresh.len == old.len && (old.len == 0 || memcmp(old.data, fresh.data, old.len) == 0))
        return 0;
    return write_or_put_back(fd, &old, &fresh, error);
}
