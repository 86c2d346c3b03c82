// SPDX-License-Identifier: GPL-3.0-only
/*
 * traces: made, removed, and swept up.
 *
 * A tree of any depth is removed without recursion and with two descriptors: what a directory below holds
 * is moved up to the top until the directory is empty.
 */
#include "pty/traces.h"

#include "base/fd.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX     "ai-jail-"
#define SUFFIX     ".sb"
#define RANDOM_LEN 16
#define ROUNDS_MAX 100000 /* over a directory; each takes away one level of something */

struct removal {
    int top;
    uint32_t moved; /* names given to what was moved up */
    bool has_changed;
};

static bool is_dot(const char *name)
{
    return str_eq(name, ".") || str_eq(name, "..");
}

/* Calls each for every entry of the directory dir, which stays the caller's. */
static void each_entry(int dir, void (*each)(struct removal *removal, int dir, const char *name),
                       struct removal *removal)
{
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *entry;

    if (!stream) {
        if (copy >= 0)
            close(copy);
        return;
    }
    while ((entry = readdir(stream)))
        if (!is_dot(entry->d_name))
            each(removal, dir, entry->d_name);
    closedir(stream);
}

/* True if it is gone: a file, a link, an empty directory. */
static bool remove_simple(int dir, const char *name)
{
    return unlinkat(dir, name, 0) == 0 || errno == ENOENT ||
           unlinkat(dir, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

static void take_out(struct removal *removal, int dir, const char *name)
{
    char fresh[32];

    if (remove_simple(dir, name)) {
        removal->has_changed = true;
        return;
    }
    snprintf(fresh, sizeof(fresh), PREFIX "%08" PRIx32, removal->moved++);
    if (renameat(dir, name, removal->top, fresh) == 0)
        removal->has_changed = true;
}

static void remove_entry(struct removal *removal, int dir, const char *name)
{
    _cleanup_close_ int sub = -1;

    if (remove_simple(dir, name)) {
        removal->has_changed = true;
        return;
    }
    /* A directory without rights for its owner cannot be looked into. */
    (void)fchmodat(dir, name, 0700, AT_SYMLINK_NOFOLLOW);
    sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (sub < 0)
        return;
    each_entry(sub, take_out, removal);
    if (unlinkat(dir, name, AT_REMOVEDIR) == 0)
        removal->has_changed = true;
}

static void remove_tree(const char *path)
{
    struct removal removal = {.has_changed = true};

    removal.top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (removal.top < 0)
        return;
    for (unsigned round = 0; removal.has_changed && round < ROUNDS_MAX; round++) {
        removal.has_changed = false;
        each_entry(removal.top, remove_entry, &removal);
    }
    close(removal.top);
    (void)rmdir(path);
}

char *traces_profile(const char *name)
{
    return xasprintf("%s" SUFFIX, name);
}

void traces_remove(const char *name)
{
    _cleanup_free_ char *profile = traces_profile(name);

    (void)unlink(profile);
    remove_tree(name);
}

int traces_make(const char *name, const char *profile, struct error *error)
{
    _cleanup_free_ char *path = traces_profile(name);
    _cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int r = fd < 0 ? -errno : 0;

    if (r == 0 && fchmod(fd, 0600) < 0)
        r = -errno;
    if (r == 0)
        r = fd_write_all(fd, profile, strlen(profile));
    if (r < 0)
        return error_set(error, -r, "%s cannot be written: %s", path, strerror(-r));
    if (mkdir(name, 0700) < 0 || chmod(name, 0700) < 0)
        return error_set(error, errno, "%s cannot be made: %s", name, strerror(errno));
    return 0;
}

/* The process of a name of ours, 0: it is no such name. *len: without the suffix. */
static pid_t owner_of(const char *name, size_t *len)
{
    const char *digits = name + strlen(PREFIX);
    char *end;
    long pid;

    if (!str_starts(name, PREFIX) || *digits < '1' || *digits > '9')
        return 0;
    errno = 0;
    pid = strtol(digits, &end, 10);
    if (errno || pid > INT32_MAX || *end != '-' ||
        strspn(end + 1, "0123456789abcdef") != RANDOM_LEN)
        return 0;
    *len = (size_t)(end + 1 + RANDOM_LEN - name);
    return name[*len] == '\0' || str_eq(name + *len, SUFFIX) ? (pid_t)pid : 0;
}

void traces_sweep(const char *name)
{
    _cleanup_free_ char *root = path_parent(name);
    DIR *stream = opendir(root);
    const struct dirent *entry;

    while (stream && (entry = readdir(stream))) {
        _cleanup_free_ char *dead = NULL;
        struct stat st;
        size_t len = 0;
        pid_t pid = owner_of(entry->d_name, &len);

        if (pid <= 0 || kill(pid, 0) == 0 || errno != ESRCH)
            continue;
        if (fstatat(dirfd(stream), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            st.st_uid != geteuid())
            continue;
        dead = xasprintf("%s/%.*s", root, (int)len, entry->d_name);
        traces_remove(dead);
    }
    if (stream)
        closedir(stream);
}
