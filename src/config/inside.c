// SPDX-License-Identifier: GPL-3.0-only
/*
 * inside: paths of an untrusted project file, resolved beneath the project.
 */
#include "config/inside.h"

#include "base/path.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void inside_init(struct inside *inside, const char *project)
{
    *inside = (struct inside){
        .fd = open(project, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
        .project = project,
    };
}

void inside_free(struct inside *inside)
{
    if (inside->fd >= 0)
        close(inside->fd);
    inside->fd = -1;
}

/* Links that stay in the project are followed: RESOLVE_BENEATH judges each step. */
static int open_beneath(int dir, const char *rest)
{
    struct open_how how = {
        .flags = O_PATH | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };

    return (int)syscall(SYS_openat2, dir, rest[0] ? rest : ".", &how, sizeof(how));
}

static bool is_project(const struct inside *inside, const char *dir)
{
    struct stat project;
    struct stat st;

    return fstat(inside->fd, &project) == 0 && stat(dir, &st) == 0 && st.st_dev == project.st_dev &&
           st.st_ino == project.st_ino;
}

/* The part of path behind the project: by its canonical name, else behind the first directory on the
 * way that is the project under another name. NULL: nothing on the way is. malloc'ed. */
static char *rest_behind(const struct inside *inside, const char *path)
{
    if (path_is_within(path, inside->project))
        return xstrdup(path_rest(path, inside->project));
    for (size_t end = 1; path[end]; end++) {
        _cleanup_free_ char *front = NULL;

        if (path[end + 1] != '/' && path[end + 1] != '\0')
            continue;
        front = xstrndup(path, end + 1);
        if (is_project(inside, front))
            return xstrdup(path_rest(path, front));
    }
    return NULL;
}

/* Where the kernel says that the object is; NULL if that is not in the project (or no longer
 * anywhere). */
static char *location_of(const struct inside *inside, int fd)
{
    char link[64];
    char target[PATH_MAX];
    ssize_t len;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    len = readlink(link, target, sizeof(target));
    if (len <= 0 || (size_t)len >= sizeof(target))
        return NULL;
    target[len] = '\0';
    return path_is_within(target, inside->project) ? xstrdup(target) : NULL;
}

bool inside_resolve(const struct inside *inside, const char *path, char **canonical)
{
    _cleanup_free_ char *rest = NULL;
    _cleanup_free_ char *location = NULL;
    _cleanup_close_ int fd = -1;

    if (inside->fd < 0 || path[0] != '/')
        return false;
    rest = rest_behind(inside, path);
    if (!rest)
        return false;
    fd = open_beneath(inside->fd, rest);
    if (fd < 0)
        return false;
    location = location_of(inside, fd);
    if (!location)
        return false;
    if (canonical)
        *canonical = steal_ptr(&location);
    return true;
}
