// SPDX-License-Identifier: GPL-3.0-only
/*
 * path: lexical work on paths.
 */
#include "base/path.h"

#include <string.h>

char *path_join(const char *dir, const char *name)
{
    size_t dir_len = strlen(dir);
    size_t name_len = strlen(name);
    char *path;

    if (name[0] == '/')
        return xstrdup(name);
    if (dir_len && dir[dir_len - 1] == '/')
        dir_len--;
    path = xcalloc(dir_len + name_len + 2, 1);
    memcpy(path, dir, dir_len);
    path[dir_len] = '/';
    memcpy(path + dir_len + 1, name, name_len);
    return path;
}

char *path_clean(const char *path)
{
    char *out = xcalloc(strlen(path) + 2, 1);
    size_t len = 0;

    assert(path[0] == '/');
    while (*path) {
        size_t part;

        while (*path == '/')
            path++;
        part = strcspn(path, "/");
        if (part == 2 && path[0] == '.' && path[1] == '.') {
            while (len && out[--len] != '/')
                ;
        } else if (part && !(part == 1 && path[0] == '.')) {
            out[len++] = '/';
            memcpy(out + len, path, part);
            len += part;
        }
        path += part;
    }
    if (len == 0)
        out[len++] = '/';
    out[len] = '\0';
    return out;
}

char *path_parent(const char *path)
{
    const char *slash = strrchr(path, '/');

    assert(slash);
    return slash == path ? xstrdup("/") : xstrndup(path, (size_t)(slash - path));
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool path_is_within(const char *path, const char *dir)
{
    size_t len = strlen(dir);

    if (len == 1 && dir[0] == '/')
        return path[0] == '/';
    return strncmp(path, dir, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

bool path_is_below(const char *path, const char *dir)
{
    return path_is_within(path, dir) && strcmp(path, dir) != 0;
}

size_t path_depth(const char *path)
{
    size_t depth = 0;

    if (strcmp(path, "/") == 0)
        return 0;
    for (; *path; path++)
        depth += *path == '/';
    return depth;
}

const char *path_rest(const char *path, const char *dir)
{
    assert(path_is_within(path, dir));
    path += strcmp(dir, "/") == 0 ? 0 : strlen(dir);
    return *path == '/' ? path + 1 : path;
}

char *path_base_dir(const char *said, const char *home, const char *below_home)
{
    return said && said[0] == '/' ? xstrdup(said) : path_join(home, below_home);
}

char *path_expand_home(const char *path, const char *home)
{
    if (path[0] == '~' && path[1] == '\0')
        return xstrdup(home);
    if (path[0] == '~' && path[1] == '/')
        return path_join(home, path + 2);
    return xstrdup(path);
}
