// SPDX-License-Identifier: GPL-3.0-only
/*
 * fs: the real file system behind the planner's interface, and path resolution on top of it.
 */
#include "base/fs.h"

#include "base/os.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40 /* path_resolution(7) */

static enum fs_type type_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return FS_FILE;
    case S_IFDIR:
        return FS_DIR;
    case S_IFLNK:
        return FS_LINK;
    case S_IFCHR:
        return FS_CHAR;
    case S_IFBLK:
        return FS_BLOCK;
    case S_IFIFO:
        return FS_FIFO;
    case S_IFSOCK:
        return FS_SOCKET;
    default:
        return FS_NONE;
    }
}

static struct fs_stat facts_of(const struct stat *st)
{
    return (struct fs_stat){
        .type = type_of(st->st_mode),
        .mode = st->st_mode & 07777,
        .uid = st->st_uid,
        .gid = st->st_gid,
        .dev = st->st_dev,
        .ino = st->st_ino,
        .size = (uint64_t)st->st_size,
        .nlink = st->st_nlink,
    };
}

static int real_stat(void *ctx, const char *path, bool follow, struct fs_stat *out)
{
    struct stat st;

    (void)ctx;
    if (fstatat(AT_FDCWD, path, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    *out = facts_of(&st);
    return 0;
}

static ssize_t real_readlink(void *ctx, const char *path, char *target, size_t size)
{
    ssize_t len = readlink(path, target, size);

    (void)ctx;
    if (len < 0)
        return -errno;
    if ((size_t)len >= size)
        return -ENAMETOOLONG;
    target[len] = '\0';
    return len;
}

static ssize_t real_read_head(void *ctx, const char *path, void *bytes, size_t size)
{
    _cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;
    size_t got = 0;

    (void)ctx;
    if (fd < 0 || fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -EINVAL;
    while (got < size) {
        ssize_t n = read(fd, (char *)bytes + got, size - got);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    return (ssize_t)got;
}

/* What is done with each entry of a directory: one of the three. */
struct visit {
    int (*name)(void *arg, const char *name);
    int (*type)(void *arg, const char *name, enum fs_type type);
    int (*facts)(void *arg, const char *name, const struct fs_stat *st);
    void *arg;
};

static int visit_entry(const struct visit *visit, int dir, const struct dirent *entry)
{
    struct fs_stat facts = {.type = FS_LINK};
    struct stat st;

    if (visit->name)
        return visit->name(visit->arg, entry->d_name);
    if (visit->type)
        return visit->type(visit->arg, entry->d_name, type_of(DTTOIF(entry->d_type)));
    if (entry->d_type != DT_LNK) {
        if (fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            return 0;
        facts = facts_of(&st);
    }
    return visit->facts(visit->arg, entry->d_name, &facts);
}

static int visit_dir(const char *path, const struct visit *visit)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    int r = 0;

    if (!dir)
        return -errno;
    while (r == 0 && (entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            r = visit_entry(visit, dirfd(dir), entry);
    closedir(dir);
    return r;
}

static int real_list(void *ctx, const char *path, int (*each)(void *arg, const char *name),
                     void *arg)
{
    (void)ctx;
    return visit_dir(path, &(struct visit){.name = each, .arg = arg});
}

static int real_scan(void *ctx, const char *path,
                     int (*each)(void *arg, const char *name, enum fs_type type), void *arg)
{
    (void)ctx;
    return visit_dir(path, &(struct visit){.type = each, .arg = arg});
}

static int real_look(void *ctx, const char *path,
                     int (*each)(void *arg, const char *name, const struct fs_stat *st), void *arg)
{
    (void)ctx;
    return visit_dir(path, &(struct visit){.facts = each, .arg = arg});
}

static int real_stat_beneath(void *ctx, const char *dir, const char *rest, struct fs_stat *out)
{
    _cleanup_close_ int top = open(dir, os_open_path | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    _cleanup_close_ int fd = -1;
    struct stat st;

    (void)ctx;
    if (top < 0)
        return -errno;
    fd = os_open_beneath(top, rest, OS_LINKS_NONE);
    if (fd < 0)
        return fd;
    if (fstat(fd, &st) < 0)
        return -errno;
    *out = facts_of(&st);
    return 0;
}

const struct fs fs_real = {
    .stat = real_stat,
    .readlink = real_readlink,
    .read_head = real_read_head,
    .list = real_list,
    .stat_beneath = real_stat_beneath,
    .scan = real_scan,
    .look = real_look,
};

int fs_stat(const struct fs *fs, const char *path, bool follow, struct fs_stat *out)
{
    return fs->stat(fs->ctx, path, follow, out);
}

int fs_stat_beneath(const struct fs *fs, const char *dir, const char *rest, struct fs_stat *out)
{
    return fs->stat_beneath ? fs->stat_beneath(fs->ctx, dir, rest, out) : -ENOSYS;
}

struct without_type {
    int (*each)(void *arg, const char *name, enum fs_type type);
    void *arg;
};

static int each_untyped(void *arg, const char *name)
{
    const struct without_type *without = arg;

    return without->each(without->arg, name, FS_NONE);
}

int fs_scan(const struct fs *fs, const char *path,
            int (*each)(void *arg, const char *name, enum fs_type type), void *arg)
{
    struct without_type without = {each, arg};

    return fs->scan ? fs->scan(fs->ctx, path, each, arg)
                    : fs->list(fs->ctx, path, each_untyped, &without);
}

struct with_facts {
    const struct fs *fs;
    const char *path;
    int (*each)(void *arg, const char *name, const struct fs_stat *st);
    void *arg;
};

static int each_named(void *arg, const char *name)
{
    const struct with_facts *with = arg;
    _cleanup_free_ char *path = path_join(with->path, name);
    struct fs_stat st;

    return fs_stat(with->fs, path, false, &st) < 0 ? 0 : with->each(with->arg, name, &st);
}

int fs_look(const struct fs *fs, const char *path,
            int (*each)(void *arg, const char *name, const struct fs_stat *st), void *arg)
{
    struct with_facts with = {fs, path, each, arg};

    return fs->look ? fs->look(fs->ctx, path, each, arg)
                    : fs->list(fs->ctx, path, each_named, &with);
}

bool fs_is_dir(const struct fs *fs, const char *path)
{
    struct fs_stat st;

    return fs_stat(fs, path, true, &st) == 0 && st.type == FS_DIR;
}

bool fs_exists(const struct fs *fs, const char *path)
{
    struct fs_stat st;

    return fs_stat(fs, path, true, &st) == 0;
}

char *fs_read_text(const struct fs *fs, const char *path, size_t max)
{
    char *text = xrealloc(NULL, max + 2, 1);
    ssize_t n = fs->read_head(fs->ctx, path, text, max + 1);

    if (n < 0 || (size_t)n > max) {
        free(text);
        return NULL;
    }
    text[n] = '\0';
    return text;
}

int fs_resolve(const struct fs *fs, const char *path, char **canonical,
               void (*hop)(void *arg, const char *link, const char *target), void *arg)
{
    _cleanup_free_ char *todo = xstrdup(path); /* what is left to walk */
    _cleanup_free_ char *done = xstrdup("/");  /* canonical so far */
    unsigned links = 0;

    if (path[0] != '/')
        return -EINVAL;
    for (;;) {
        size_t skip = strspn(todo, "/");
        size_t part = strcspn(todo + skip, "/");
        _cleanup_free_ char *name = xstrndup(todo + skip, part);
        _cleanup_free_ char *next = NULL;
        bool last_has_slash = todo[skip + part] == '/';
        struct fs_stat st;
        char target[PATH_MAX];
        ssize_t n;
        int r;

        memmove(todo, todo + skip + part, strlen(todo + skip + part) + 1);
        if (part == 0)
            break;
        if (strcmp(name, ".") == 0)
            continue;
        if (strcmp(name, "..") == 0) {
            char *parent = path_parent(done);

            free(done);
            done = parent;
            continue;
        }
        next = path_join(done, name);
        r = fs_stat(fs, next, false, &st);
        if (r < 0)
            return r;
        if (st.type != FS_LINK) {
            if (last_has_slash && st.type != FS_DIR)
                return -ENOTDIR;
            free(done);
            done = steal_ptr(&next);
            continue;
        }
        if (++links > LINKS_MAX)
            return -ELOOP;
        n = fs->readlink(fs->ctx, next, target, sizeof(target));
        if (n < 0)
            return (int)n;
        if (hop)
            hop(arg, next, target);
        if (target[0] == '/') {
            free(done);
            done = xstrdup("/");
        }
        char *joined = xasprintf("%s%s", target, todo);

        free(todo);
        todo = joined;
    }
    *canonical = steal_ptr(&done);
    return 0;
}

char *fs_resolve_future(const struct fs *fs, const char *path)
{
    _cleanup_free_ char *existing = xstrdup(path);
    _cleanup_free_ char *canonical = NULL;

    while (fs_resolve(fs, existing, &canonical, NULL, NULL) < 0 && !str_eq(existing, "/")) {
        char *parent = path_parent(existing);

        free(existing);
        existing = parent;
    }
    if (!canonical)
        return xstrdup(path);
    if (str_eq(existing, path))
        return steal_ptr(&canonical);
    return path_join(canonical, path_rest(path, existing));
}
