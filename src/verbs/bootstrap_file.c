// SPDX-License-Identifier: GPL-3.0-only
/*
 * bootstrap_file: one file of an agent's in HOME.
 *
 * An agent that ran in a jail may have left anything in its own directory: links are not followed, not even
 * on the way there, and the names that are written are new ones.
 */
#include "verbs/bootstrap_file.h"

#include "base/fd.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BACKUPS_MAX 1000

static int fail(const struct bootstrap_file *file, int code, struct error *error)
{
    if (code == ELOOP || code == ENOTDIR)
        return error_set(error, code,
                         "%s: a symbolic link or no directory is on the way: left alone",
                         file->path);
    return error_set(error, code, "%s: %s", file->path, strerror(code));
}

/* One component below dir, which stays open. Descriptor or -errno. */
static int enter(int dir, const char *name, uid_t owner, bool makes)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(dir, name, flags);
    struct stat st;

    if (fd < 0 && errno == ENOENT && makes) {
        if (mkdirat(dir, name, 0700) < 0 && errno != EEXIST)
            return -errno;
        fd = openat(dir, name, flags);
    }
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) < 0 || st.st_uid != owner) {
        close(fd);
        return -EPERM;
    }
    return fd;
}

/* Descriptor of the directory of rest, or -errno. */
static int walk(const char *top, const char *rest, uid_t owner, bool makes)
{
    int dir = enter(AT_FDCWD, top, owner, false);
    const char *name = rest;

    while (dir >= 0 && strchr(name, '/')) {
        size_t len = strcspn(name, "/");
        _cleanup_free_ char *component = xstrndup(name, len);
        int next = enter(dir, component, owner, makes);

        close(dir);
        dir = next;
        name += len + 1;
    }
    return dir;
}

static int read_old(struct bootstrap_file *file, struct error *error)
{
    _cleanup_close_ int fd =
        openat(file->dir, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;
    int r;

    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0 || fstat(fd, &st) < 0)
        return fail(file, errno, error);
    if (!S_ISREG(st.st_mode) || st.st_uid != file->owner)
        return error_set(error, EPERM, "%s: no ordinary file of yours: left alone", file->path);
    r = fd_read_all(fd, &file->old, 1 * MIB);
    if (r < 0)
        return fail(file, -r, error);
    file->exists = true;
    file->mode = st.st_mode & 0777;
    return 0;
}

int bootstrap_file_open(struct bootstrap_file *file, const char *top, const char *rest, uid_t owner,
                        bool makes, struct error *error)
{
    int dir;

    *file = (struct bootstrap_file){.dir = -1, .mode = 0600, .owner = owner};
    buf_init(&file->old, 1 * MIB);
    file->path = path_join(top, rest);
    file->name = xstrdup(path_base(rest));
    dir = walk(top, rest, owner, makes);
    if (dir == -ENOENT && !makes)
        return 0;
    if (dir == -EPERM)
        return error_set(error, EPERM, "%s: a directory on the way belongs to somebody else",
                         file->path);
    if (dir < 0)
        return fail(file, -dir, error);
    file->dir = dir;
    return read_old(file, error);
}

static int write_new(int dir, const char *name, const void *bytes, size_t len, mode_t mode)
{
    _cleanup_close_ int fd =
        openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int r;

    if (fd < 0)
        return -errno;
    r = fd_write_all(fd, bytes, len);
    if (r == 0 && (fchmod(fd, mode) < 0 || fsync(fd) < 0))
        r = -errno;
    if (r < 0)
        unlinkat(dir, name, 0);
    return r;
}

static int keep_old(const struct bootstrap_file *file, unsigned *backup)
{
    int r = -EEXIST;

    for (*backup = 1; r == -EEXIST && *backup <= BACKUPS_MAX; ++*backup) {
        _cleanup_free_ char *name = xasprintf("%s.bak.%u", file->name, *backup);

        r = write_new(file->dir, name, file->old.data, file->old.len, 0600);
    }
    --*backup;
    return r;
}

int bootstrap_file_replace(struct bootstrap_file *file, const char *text, unsigned *backup,
                           struct error *error)
{
    _cleanup_free_ char *fresh = xasprintf("%s.new.%d", file->name, (int)getpid());
    int r = 0;

    *backup = 0;
    if (file->exists)
        r = keep_old(file, backup);
    if (r == 0)
        r = write_new(file->dir, fresh, text, strlen(text), file->mode);
    if (r == 0 && renameat(file->dir, fresh, file->dir, file->name) < 0) {
        r = -errno;
        unlinkat(file->dir, fresh, 0);
    }
    return r < 0 ? fail(file, -r, error) : 0;
}

void bootstrap_file_close(struct bootstrap_file *file)
{
    if (file->dir >= 0)
        close(file->dir);
    free(file->path);
    free(file->name);
    buf_free(&file->old);
}
