// SPDX-License-Identifier: GPL-3.0-only
/*
 * report_place: where the file of --report goes.
 */
#include "pty/report_place.h"

#include "base/fd.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int report_place_open(struct report_place *place, const char *path, struct error *error)
{
    _cleanup_free_ char *dir = path ? path_parent(path) : NULL;
    struct stat st;

    *place = REPORT_PLACE_NONE;
    if (!path)
        return 0;
    place->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (place->dir < 0 || faccessat(place->dir, ".", W_OK, AT_EACCESS) < 0)
        return error_set(error, errno, "--report %s: %s: %s", path, dir, strerror(errno));
    place->name = xstrdup(path_base(path));
    if (fstatat(place->dir, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode))
        return error_set(error, EINVAL,
                         "--report %s: what is there is no ordinary file: choose another name",
                         path);
    return 0;
}

static int make(const struct report_place *place, const char *name, int (*fill)(void *arg, int fd),
                void *arg)
{
    _cleanup_close_ int fd =
        openat(place->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int r = fd < 0 ? -errno : fill(arg, fd);

    return r == 0 && fsync(fd) < 0 ? -errno : r;
}

int report_place_put(const struct report_place *place, int (*fill)(void *arg, int fd), void *arg)
{
    _cleanup_free_ char *name = xasprintf(".%s.ai-jail-%d", place->name, (int)getpid());
    int r = make(place, name, fill, arg);

    if (r == 0 && renameat(place->dir, name, place->dir, place->name) < 0)
        r = -errno;
    if (r < 0 && r != -EEXIST)
        unlinkat(place->dir, name, 0);
    return r;
}

void report_place_close(struct report_place *place)
{
    if (place->dir >= 0)
        close(place->dir);
    free(place->name);
    *place = REPORT_PLACE_NONE;
}
