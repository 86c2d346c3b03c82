// SPDX-License-Identifier: GPL-3.0-only
/*
 * gitfile: the small files by which git finds a repository.
 */
#include "policy/gitfile.h"

#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

char *gitfile_parse(const void *bytes, size_t len, const char *prefix, const char **why)
{
    const char *text = bytes;
    size_t skip = strlen(prefix);

    *why = "is longer than any that git writes";
    if (len > GITFILE_MAX)
        return NULL;
    *why = "does not begin with \"gitdir: \"";
    if (len < skip || memcmp(text, prefix, skip) != 0)
        return NULL;
    while (len > skip && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        len--;
    *why = "names no path";
    if (len == skip)
        return NULL;
    *why = "holds a newline or a NUL byte";
    if (memchr(text, '\n', len) || memchr(text, '\0', len))
        return NULL;
    *why = NULL;
    return xstrndup(text + skip, len - skip);
}

static const char *type_name(enum fs_type type)
{
    static const char *const names[] = {
        [FS_NONE] = "of an unknown kind",
        [FS_FILE] = "a file",
        [FS_DIR] = "a directory",
        [FS_LINK] = "a symbolic link",
        [FS_CHAR] = "a device",
        [FS_BLOCK] = "a device",
        [FS_FIFO] = "a FIFO",
        [FS_SOCKET] = "a socket",
    };

    return names[type];
}

int gitfile_follow(const struct fs *fs, const char *path, const char *prefix, const char *dir,
                   char **canonical, struct error *error)
{
    char bytes[GITFILE_MAX + 1];
    _cleanup_free_ char *named = NULL;
    _cleanup_free_ char *joined = NULL;
    const char *why;
    struct fs_stat st;
    ssize_t n;
    int r = fs_stat(fs, path, false, &st);

    if (r < 0)
        return error_set(error, -r, "%s: %s", path, strerror(-r));
    if (st.type != FS_FILE)
        return error_set(error, EINVAL, "%s is %s, not a regular file", path, type_name(st.type));
    n = fs->read_head(fs->ctx, path, bytes, sizeof(bytes));
    if (n < 0)
        return error_set(error, (int)-n == ENOENT ? ESTALE : (int)-n, "%s cannot be read: %s", path,
                         strerror((int)-n));
    named = gitfile_parse(bytes, (size_t)n, prefix, &why);
    if (!named)
        return error_set(error, EINVAL, "%s %s", path, why);
    /* Not cleaned: "link/.." is not the directory that holds the link. */
    joined = path_join(dir, named);
    r = fs_resolve(fs, joined, canonical, NULL, NULL);
    if (r < 0)
        return error_set(error, r == -ENOENT ? ESTALE : -r, "%s leads to %s: %s", path, joined,
                         strerror(-r));
    return 0;
}

static bool has(const struct fs *fs, const char *dir, const char *name, bool is_dir)
{
    _cleanup_free_ char *path = path_join(dir, name);
    struct fs_stat st;

    /* HEAD of an old repository is a link to a branch that need not exist yet. */
    return fs_stat(fs, path, is_dir, &st) == 0 && (!is_dir || st.type == FS_DIR);
}

bool gitfile_is_repository(const struct fs *fs, const char *dir)
{
    return has(fs, dir, "HEAD", false) && has(fs, dir, "objects", true) &&
           has(fs, dir, "refs", true);
}
