// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_walk: trees below a descriptor, without following a link or leaving the file system.
 *
 * The directories that wait to be read are a list of paths, each opened from the root (overlay_open.c,
 * overlay_open_macos.c), so neither descriptors nor stack grow with the depth.
 */
#include "backend/overlay_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *overlay_path(const char *dir, const char *name)
{
    return dir[0] ? xasprintf("%s/%s", dir, name) : xstrdup(name);
}

char *overlay_split(const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');

    *name = slash ? slash + 1 : path;
    return slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup("");
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int overlay_names(int dir, struct strv *names)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    if (!list)
        return -errno;
    errno = 0;
    while ((entry = readdir(list)))
        if (!str_eq(entry->d_name, ".") && !str_eq(entry->d_name, ".."))
            strv_push(names, entry->d_name);
    closedir(list);
    if (names->n)
        qsort(names->v, names->n, sizeof(*names->v), compare_names);
    return 0;
}

/* One directory: each entry is reported, directories wait. */
static int walk_dir(int root, const char *path, struct strv *waiting,
                    int (*each)(void *arg, const char *path, const struct stat *st), void *arg)
{
    _cleanup_close_ int dir = overlay_open_dir(root, path, 0);
    _cleanup_strv_ struct strv names = {0};
    int r = 0;

    if (dir < 0 || overlay_names(dir, &names) < 0)
        return path[0] ? 0 : -errno;
    for (size_t i = 0; i < names.n && r == 0; i++) {
        _cleanup_free_ char *below = overlay_path(path, names.v[i]);
        struct stat st;

        if (fstatat(dir, names.v[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue; /* it has just gone */
        r = each(arg, below, &st);
        if (S_ISDIR(st.st_mode))
            strv_push_owned(waiting, steal_ptr(&below));
    }
    return r;
}

int overlay_walk(int root, int (*each)(void *arg, const char *path, const struct stat *st),
                 void *arg)
{
    _cleanup_strv_ struct strv waiting = {0};
    int r = walk_dir(root, "", &waiting, each, arg);

    while (r == 0 && waiting.n) {
        _cleanup_free_ char *path = waiting.v[--waiting.n];

        waiting.v[waiting.n] = NULL;
        r = walk_dir(root, path, &waiting, each, arg);
    }
    return r;
}
