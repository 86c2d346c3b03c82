// SPDX-License-Identifier: GPL-3.0-only
/*
 * inside: paths of an untrusted project file, resolved beneath the project.
 */
#include "config/inside.h"

#include "base/os.h"
#include "base/path.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void inside_init(struct inside *inside, const char *project)
{
    *inside = (struct inside){
        .fd = open(project, os_open_path | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
        .project = project,
    };
}

void inside_free(struct inside *inside)
{
    if (inside->fd >= 0)
        close(inside->fd);
    inside->fd = -1;
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
    char *target = os_path_of(fd);

    if (target && !path_is_within(target, inside->project)) {
        free(target);
        return NULL;
    }
    return target;
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
    /* Links that stay in the project are followed. */
    fd = os_open_beneath(inside->fd, rest, OS_LINKS_INSIDE);
    if (fd < 0)
        return false;
    location = location_of(inside, fd);
    if (!location)
        return false;
    if (canonical)
        *canonical = steal_ptr(&location);
    return true;
}
