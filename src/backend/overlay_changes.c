// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_changes: what an overlay would change in the real directory, as it is now.
 *
 * overlayfs keeps in upper/ (Documentation/filesystems/overlayfs.rst): a copy of each file that was
 * opened for writing, a character device 0:0 for each name that was deleted ("whiteout"), and
 * directories that either merge with the real one or, with user.overlay.opaque, hide all of it. Below
 * an opaque directory everything is opaque, whatever its own attributes say.
 *
 * Everything in upper/ was written by the command: there may be names, types and depths that no
 * ordinary tree has.
 */
#include "backend/overlay_changes.h"

#include "backend/overlay_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#define CHANGES_MAX 2000000
#define TARGET_MAX  4096
#define COMPARE_MAX (64 * KIB)

const char *overlay_change_name(enum overlay_change_kind kind)
{
    static const char *const names[OVERLAY_KIND_COUNT] = {
        [OVERLAY_REFUSED] = "refused", [OVERLAY_DELETED] = "deleted", [OVERLAY_MODE] = "mode",
        [OVERLAY_CHANGED] = "changed", [OVERLAY_ADDED] = "added",
    };

    return names[kind];
}

const char *overlay_type_name(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return "file";
    case S_IFDIR:
        return "dir";
    case S_IFLNK:
        return "link";
    case S_IFIFO:
        return "fifo";
    case S_IFSOCK:
        return "socket";
    default:
        return "device";
    }
}

/* A directory of upper/ that waits to be read. */
struct branch {
    char *path;
    bool has_lower; /* the real directory has one there, too */
    bool is_opaque; /* which is hidden */
};

struct collect {
    struct overlay_changes *changes;
    int upper;
    int lower;
    struct branch *waiting;
    size_t n;
    size_t cap;
};

/* The two directories that are being read. */
struct pair {
    int upper;
    int lower; /* -1: none */
    const struct branch *branch;
};

static struct overlay_change *add(struct collect *collect, enum overlay_change_kind kind,
                                  char *path, const struct stat *now, const struct stat *old)
{
    struct overlay_changes *changes = collect->changes;
    struct overlay_change *change;

    if (changes->n == changes->cap) {
        changes->cap = changes->cap ? changes->cap * 2 : 256;
        changes->v = xrealloc(changes->v, changes->cap, sizeof(*changes->v));
    }
    change = &changes->v[changes->n++];
    *change = (struct overlay_change){
        .kind = kind,
        .path = path,
        .mode = now ? now->st_mode : 0,
        .old_mode = old ? old->st_mode : 0,
        .size = (uint64_t)(now   ? now->st_size
                           : old ? old->st_size
                                 : 0),
    };
    return change;
}

static void refuse(struct collect *collect, const struct pair *pair, const char *name,
                   const struct stat *st, const char *problem)
{
    add(collect, OVERLAY_REFUSED, overlay_path(pair->branch->path, name), st, NULL)->problem =
        problem;
}

static void wait_for(struct collect *collect, char *path, bool has_lower, bool is_opaque)
{
    if (collect->n == collect->cap) {
        collect->cap = collect->cap ? collect->cap * 2 : 64;
        collect->waiting = xrealloc(collect->waiting, collect->cap, sizeof(*collect->waiting));
    }
    collect->waiting[collect->n++] =
        (struct branch){.path = path, .has_lower = has_lower, .is_opaque = is_opaque};
}

/* ---- files ---- */

static int open_file(int dir, const char *name)
{
    return openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static ssize_t read_full(int fd, uint8_t *bytes, size_t size)
{
    size_t len = 0;

    while (len < size) {
        ssize_t n = read(fd, bytes + len, size - len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : (ssize_t)len;
        len += (size_t)n;
    }
    return (ssize_t)len;
}

/* False also if one of them cannot be read. */
static bool same_bytes(const struct pair *pair, const char *name)
{
    _cleanup_close_ int a = open_file(pair->upper, name);
    _cleanup_close_ int b = open_file(pair->lower, name);
    _cleanup_free_ uint8_t *bytes = xcalloc(2, COMPARE_MAX);
    ssize_t na;

    if (a < 0 || b < 0)
        return false;
    do {
        na = read_full(a, bytes, COMPARE_MAX);
        if (na < 0 || read_full(b, bytes + COMPARE_MAX, COMPARE_MAX) != na ||
            memcmp(bytes, bytes + COMPARE_MAX, (size_t)na) != 0)
            return false;
    } while (na > 0);
    return true;
}

static bool same_permissions(const struct stat *a, const struct stat *b)
{
    return ((a->st_mode ^ b->st_mode) & 0777) == 0;
}

static void compare_file(struct collect *collect, const struct pair *pair, const char *name,
                         const struct stat *now, const struct stat *old)
{
    char *path;

    if (geteuid() != 0 && !(now->st_mode & S_IRUSR)) {
        refuse(collect, pair, name, now, "its owner may not read it");
        return;
    }
    path = overlay_path(pair->branch->path, name);
    if (!old)
        add(collect, OVERLAY_ADDED, path, now, NULL);
    else if (!S_ISREG(old->st_mode) || old->st_size != now->st_size || !same_bytes(pair, name))
        add(collect, OVERLAY_CHANGED, path, now, old);
    else if (!same_permissions(now, old))
        add(collect, OVERLAY_MODE, path, now, old);
    else
        free(path);
}

static bool read_target(int dir, const char *name, char target[TARGET_MAX])
{
    ssize_t n = readlinkat(dir, name, target, TARGET_MAX);

    if (n <= 0 || n == TARGET_MAX)
        return false;
    target[n] = '\0';
    return true;
}

static void compare_link(struct collect *collect, const struct pair *pair, const char *name,
                         const struct stat *now, const struct stat *old)
{
    char target[TARGET_MAX];
    char there[TARGET_MAX];

    if (!read_target(pair->upper, name, target)) {
        refuse(collect, pair, name, now, "the target of the link cannot be read");
        return;
    }
    if (old && S_ISLNK(old->st_mode) && read_target(pair->lower, name, there) &&
        str_eq(target, there))
        return;
    add(collect, old ? OVERLAY_CHANGED : OVERLAY_ADDED, overlay_path(pair->branch->path, name), now,
        old)
        ->target = xstrdup(target);
}

/* ---- directories ---- */

static bool is_opaque(int dir, const char *name)
{
    _cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    char value = '\0';

    return fd >= 0 && fgetxattr(fd, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

static void compare_dir(struct collect *collect, const struct pair *pair, const char *name,
                        const struct stat *now, const struct stat *old)
{
    bool merges = old && S_ISDIR(old->st_mode);
    bool opaque = pair->branch->is_opaque || is_opaque(pair->upper, name);
    char *path;

    if (geteuid() != 0 && (now->st_mode & 0500) != 0500) {
        refuse(collect, pair, name, now, "its owner may not look into it");
        return;
    }
    path = overlay_path(pair->branch->path, name);
    wait_for(collect, xstrdup(path), merges, opaque);
    if (!merges)
        add(collect, old ? OVERLAY_CHANGED : OVERLAY_ADDED, path, now, old);
    else if (!same_permissions(now, old))
        add(collect, OVERLAY_MODE, path, now, old);
    else
        free(path);
}

static bool is_whiteout(const struct stat *st)
{
    return S_ISCHR(st->st_mode) && st->st_rdev == makedev(0, 0);
}

static void compare(struct collect *collect, const struct pair *pair, const char *name)
{
    struct stat now;
    struct stat real;
    const struct stat *old = NULL;

    if (fstatat(pair->upper, name, &now, AT_SYMLINK_NOFOLLOW) < 0)
        return; /* a run that goes on has just removed it */
    if (pair->lower >= 0 && fstatat(pair->lower, name, &real, AT_SYMLINK_NOFOLLOW) == 0)
        old = &real;
    if (is_whiteout(&now)) {
        if (old)
            add(collect, OVERLAY_DELETED, overlay_path(pair->branch->path, name), NULL, old);
    } else if (S_ISREG(now.st_mode)) {
        compare_file(collect, pair, name, &now, old);
    } else if (S_ISLNK(now.st_mode)) {
        compare_link(collect, pair, name, &now, old);
    } else if (S_ISDIR(now.st_mode)) {
        compare_dir(collect, pair, name, &now, old);
    } else if (S_ISSOCK(now.st_mode) || S_ISFIFO(now.st_mode)) {
        add(collect, old ? OVERLAY_CHANGED : OVERLAY_ADDED, overlay_path(pair->branch->path, name),
            &now, old);
    } else {
        refuse(collect, pair, name, &now, "a device is never applied");
    }
}

/* What an opaque directory hides and does not hold itself is deleted. Both lists are sorted. */
static int add_hidden(struct collect *collect, const struct pair *pair, const struct strv *names)
{
    _cleanup_strv_ struct strv real = {0};
    int r = overlay_names(pair->lower, &real);
    size_t at = 0;

    for (size_t i = 0; i < real.n && r == 0; i++) {
        struct stat st;

        while (at < names->n && strcmp(names->v[at], real.v[i]) < 0)
            at++;
        if ((at < names->n && str_eq(names->v[at], real.v[i])) ||
            fstatat(pair->lower, real.v[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        add(collect, OVERLAY_DELETED, overlay_path(pair->branch->path, real.v[i]), NULL, &st);
    }
    return r;
}

static int read_branch(struct collect *collect, const struct branch *branch)
{
    _cleanup_close_ int upper = overlay_open_dir(collect->upper, branch->path, 0);
    _cleanup_close_ int lower =
        branch->has_lower ? overlay_open_dir(collect->lower, branch->path, 0) : -1;
    _cleanup_strv_ struct strv names = {0};
    struct pair pair = {upper, lower, branch};
    int r;

    if (upper < 0) {
        struct stat st = {.st_mode = S_IFDIR};

        add(collect, OVERLAY_REFUSED, xstrdup(branch->path), &st, NULL)->problem =
            upper == -ENAMETOOLONG ? "it is too deep" : "it cannot be read";
        return 0;
    }
    if (branch->has_lower && lower < 0)
        return lower;
    r = overlay_names(upper, &names);
    for (size_t i = 0; i < names.n && r == 0; i++) {
        compare(collect, &pair, names.v[i]);
        if (collect->changes->n > CHANGES_MAX)
            r = -E2BIG;
    }
    return r == 0 && branch->is_opaque && lower >= 0 ? add_hidden(collect, &pair, &names) : r;
}

static int compare_paths(const void *left, const void *right)
{
    const struct overlay_change *a = left;
    const struct overlay_change *b = right;

    return strcmp(a->path, b->path);
}

int overlay_changes_collect(struct overlay_changes *changes, int upper, int lower,
                            struct error *error)
{
    struct collect collect = {.changes = changes, .upper = upper, .lower = lower};
    int r = 0;

    *changes = (struct overlay_changes){0};
    wait_for(&collect, xstrdup(""), lower >= 0, false);
    while (r == 0 && collect.n) {
        struct branch branch = collect.waiting[--collect.n];

        r = read_branch(&collect, &branch);
        if (r < 0)
            error_set(error, -r, "the changes cannot be read: %s: %s",
                      branch.path[0] ? branch.path : ".", strerror(-r));
        free(branch.path);
    }
    while (collect.n)
        free(collect.waiting[--collect.n].path);
    free(collect.waiting);
    if (changes->n)
        qsort(changes->v, changes->n, sizeof(*changes->v), compare_paths);
    return r;
}

void overlay_changes_free(struct overlay_changes *changes)
{
    for (size_t i = 0; i < changes->n; i++) {
        free(changes->v[i].path);
        free(changes->v[i].target);
    }
    free(changes->v);
    *changes = (struct overlay_changes){0};
}
