// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_store: the directory in which the changes of one overlay are kept.
 *
 * The path is walked from the root with one descriptor per component, none of which may be a link.
 * From "ai-jail" on every directory must be the caller's and closed to others. Whoever waits for the
 * lock may get the one of a storage that was removed meanwhile: the name is compared afterwards.
 */
#include "backend/overlay_store.h"

#include "backend/overlay_base.h"
#include "backend/overlay_remove.h"
#include "base/fd.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCE_MAX   (32 * KIB)
#define LOCK_TRIES   10
#define LOCK_STEP_MS 10
#define PID_TEXT_MAX 32

/* ---- the way there ---- */

static int problem_of(const char *path, int code, struct error *error)
{
    if (code == ELOOP || code == ENOTDIR)
        return error_set(error, code,
                         "overlay storage: %s is a link or no directory; it must be a directory "
                         "of yours",
                         path);
    return error_set(error, code, "overlay storage: %s: %s", path, strerror(code));
}

/* One component below dir; made if create. Descriptor or -errno. */
static int enter(int dir, const char *name, bool create, struct error *error, const char *path)
{
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(dir, name, flags);
    struct stat st;

    if (fd < 0 && errno == EACCES) /* on the way there search permission is enough */
        fd = openat(dir, name, flags | O_PATH);
    if (fd >= 0)
        return fd;
    if (errno != ENOENT || !create)
        return problem_of(path, errno, error);
    /* Started by root with the HOME of a user, we would leave directories of root there. */
    if (fstat(dir, &st) < 0 || (st.st_uid != geteuid() && st.st_uid != 0))
        return error_set(error, EPERM,
                         "overlay storage: %s cannot be made: the directory above "
                         "it belongs to another user",
                         path);
    if (mkdirat(dir, name, 0700) < 0 && errno != EEXIST)
        return problem_of(path, errno, error);
    fd = openat(dir, name, flags);
    return fd < 0 ? problem_of(path, errno, error) : fd;
}

static int check_own(int fd, const char *path, struct error *error)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return problem_of(path, errno, error);
    if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
        return error_set(error, EPERM,
                         "overlay storage: %s must be yours alone (owner and mode 0700)", path);
    return 0;
}

/* The last three components are ours: ai-jail, overlays, and the storage itself. */
static int walk(const char *storage, bool create, struct error *error)
{
    size_t depth = path_depth(storage);
    _cleanup_close_ int dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    _cleanup_free_ char *done = xstrdup(storage);
    const char *name = storage + 1;

    for (size_t i = 1; i <= depth; i++) {
        size_t len = strcspn(name, "/");
        _cleanup_free_ char *component = xstrndup(name, len);
        int next;

        done[(size_t)(name - storage) + len] = '\0';
        next = enter(dir, component, create, error, done);
        if (next < 0)
            return next;
        close(dir);
        dir = next;
        if (i + 3 > depth && check_own(dir, done, error) < 0)
            return -error->code;
        if (i < depth)
            done[(size_t)(name - storage) + len] = '/';
        name += len + (i < depth);
    }
    return steal_fd(&dir);
}

/* ---- lock ---- */

static long read_pid(int lock)
{
    char text[PID_TEXT_MAX] = "";
    ssize_t n = pread(lock, text, sizeof(text) - 1, 0);

    return n > 0 && strtol(text, NULL, 10) > 0 ? strtol(text, NULL, 10) : -1;
}

static int open_lock(int dir)
{
    return openat(dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
}

/* Somebody who only asks holds it for a moment. */
static int take(int lock)
{
    int r = flock(lock, LOCK_EX | LOCK_NB);

    for (int i = 0; r < 0 && errno == EWOULDBLOCK && i < LOCK_TRIES; i++) {
        poll(NULL, 0, LOCK_STEP_MS);
        r = flock(lock, LOCK_EX | LOCK_NB);
    }
    return r;
}

static bool is_still_there(int dir, int lock)
{
    struct stat held;
    struct stat named;

    return fstat(lock, &held) == 0 && fstatat(dir, "lock", &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

int overlay_store_lock(struct overlay_store *store, const char *storage, struct error *error)
{
    _cleanup_close_ int lock = open_lock(store->dir);
    char text[PID_TEXT_MAX];
    long holder;
    int len;

    if (lock < 0)
        return error_set(error, errno, "overlay storage: %s/lock: %s", storage, strerror(errno));
    if (take(lock) < 0) {
        holder = read_pid(lock);
        if (errno != EWOULDBLOCK)
            return error_set(error, errno, "overlay storage: %s/lock: %s", storage,
                             strerror(errno));
        return error_set(error, EBUSY,
                         "the overlay is in use by another run (pid %ld); wait for its end (%s)",
                         holder, storage);
    }
    if (!is_still_there(store->dir, lock))
        return error_set(error, ESTALE, "overlay storage: %s has just been removed; try again",
                         storage);
    len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
    if (ftruncate(lock, 0) < 0 || pwrite(lock, text, (size_t)len, 0) != len)
        return error_set(error, EIO, "overlay storage: %s/lock: %s", storage, strerror(errno));
    store->lock = steal_fd(&lock);
    return 0;
}

long overlay_store_holder(const struct overlay_store *store)
{
    _cleanup_close_ int lock =
        openat(store->dir, "lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (lock < 0 || flock(lock, LOCK_SH | LOCK_NB) == 0)
        return 0;
    return errno == EWOULDBLOCK ? read_pid(lock) : -1;
}

/* ---- content ---- */

static int read_source(int dir, struct buf *text)
{
    _cleanup_close_ int fd = openat(dir, "source", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    return fd < 0 ? -errno : fd_read_all(fd, text, SOURCE_MAX);
}

int overlay_store_read_source(const struct overlay_store *store, char **project, char **path)
{
    struct buf text CLEANUP(buf_free);
    const char *bytes;
    size_t first;
    int r;

    buf_init(&text, SOURCE_MAX + 4096);
    r = read_source(store->dir, &text);
    if (r < 0)
        return r;
    bytes = buf_cstr(&text);
    first = strlen(bytes) + 1;
    if (first >= text.len || first + strlen(bytes + first) + 1 != text.len)
        return -EBADMSG;
    *project = xstrdup(bytes);
    *path = xstrdup(bytes + first);
    return 0;
}

static int write_source(int dir, const struct overlay *overlay)
{
    _cleanup_close_ int fd = -1;
    int r;

    unlinkat(dir, "source.new", 0);
    fd = openat(dir, "source.new", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    r = fd_write_all(fd, overlay->project, strlen(overlay->project) + 1);
    if (r == 0)
        r = fd_write_all(fd, overlay->path, strlen(overlay->path) + 1);
    if (r == 0 && (fsync(fd) < 0 || renameat(dir, "source.new", dir, "source") < 0))
        r = -errno;
    return r;
}

/* The storage's name is a hash: what it is of must agree. */
static int settle_source(const struct overlay_store *store, const struct overlay *overlay,
                         struct error *error)
{
    _cleanup_free_ char *project = NULL;
    _cleanup_free_ char *path = NULL;
    int r = overlay_store_read_source(store, &project, &path);

    if (r == -ENOENT)
        r = write_source(store->dir, overlay);
    else if (r == 0 && (!str_eq(project, overlay->project) || !str_eq(path, overlay->path)))
        r = -EBADMSG;
    return r < 0 ? error_set(error, -r, "overlay storage: %s/source: %s", overlay->storage,
                             strerror(-r))
                 : 0;
}

/* upper/ has the mode of the directory that it stands for: it is what the command sees. */
static int make_part(int dir, const char *name, mode_t mode, bool *is_new)
{
    struct stat st;

    *is_new = mkdirat(dir, name, 0700) == 0;
    if (*is_new)
        return fchmodat(dir, name, mode, 0) < 0 ? -errno : 0;
    if (errno != EEXIST || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    return S_ISDIR(st.st_mode) && st.st_uid == geteuid() ? 0 : -ENOTDIR;
}

static bool is_empty(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    size_t n = 0;

    if (!list)
        return false;
    while (n < 3 && readdir(list))
        n++;
    closedir(list);
    return n == 2; /* "." and ".." */
}

static int make_parts(const struct overlay_store *store, const struct overlay *overlay, int lower,
                      struct error *error)
{
    const char *storage = overlay->storage;
    bool is_new;
    int r = make_part(store->dir, "upper", overlay->st.mode & 0777, &is_new);

    if (r < 0)
        return error_set(error, -r, "overlay storage: %s/upper: %s", storage, strerror(-r));
    r = make_part(store->dir, "work", 0700, &is_new);
    if (r < 0)
        return error_set(error, -r, "overlay storage: %s/work: %s", storage, strerror(-r));
    if (faccessat(store->dir, "base", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return 0;
    if (!is_empty(store->dir, "upper"))
        return error_set(error, EBADMSG,
                         "overlay storage: %s is damaged (changes without a base); look at what is "
                         "in upper, then --overlay-discard %s",
                         storage, overlay->path);
    r = overlay_base_write(store->dir, lower);
    return r < 0 ? error_set(error, -r, "overlay storage: %s/base: %s", storage, strerror(-r)) : 0;
}

int overlay_store_make(struct overlay_store *store, const struct overlay *overlay, int lower,
                       struct error *error)
{
    int r;

    *store = OVERLAY_STORE_NONE;
    store->dir = walk(overlay->storage, true, error);
    if (store->dir < 0)
        return store->dir;
    r = overlay_store_lock(store, overlay->storage, error);
    if (r == 0)
        r = settle_source(store, overlay, error);
    if (r == 0)
        r = make_parts(store, overlay, lower, error);
    if (r < 0)
        overlay_store_close(store);
    return r;
}

int overlay_store_open(struct overlay_store *store, const char *storage, struct error *error)
{
    *store = OVERLAY_STORE_NONE;
    store->dir = walk(storage, false, error);
    return store->dir < 0 ? store->dir : 0;
}

void overlay_store_close(struct overlay_store *store)
{
    if (store->lock >= 0)
        close(store->lock);
    if (store->dir >= 0)
        close(store->dir);
    *store = OVERLAY_STORE_NONE;
}

/* ---- removal ---- */

/* The name of something in the storage that is not to be kept, or NULL. malloc'ed. */
static char *next_to_remove(int dir)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    char *name = NULL;

    if (!list)
        return NULL;
    while (!name && (entry = readdir(list)))
        if (!str_eq(entry->d_name, ".") && !str_eq(entry->d_name, "..") &&
            !str_eq(entry->d_name, "lock"))
            name = xstrdup(entry->d_name);
    closedir(list);
    return name;
}

int overlay_store_remove(struct overlay_store *store, const char *storage, struct error *error)
{
    _cleanup_free_ char *parent_path = path_parent(storage);
    _cleanup_close_ int parent = walk(parent_path, false, error);
    char *name;
    int r = 0;

    if (parent < 0)
        return parent;
    assert(store->lock >= 0);
    while (r == 0 && (name = next_to_remove(store->dir))) {
        r = overlay_remove_tree(store->dir, name);
        if (r < 0)
            error_set(error, -r, "overlay storage: %s/%s cannot be removed: %s", storage, name,
                      strerror(-r));
        free(name);
    }
    if (r < 0)
        return r;
    /* The lock last: until then nobody begins anew. */
    if (unlinkat(store->dir, "lock", 0) < 0 ||
        unlinkat(parent, path_base(storage), AT_REMOVEDIR) < 0)
        return error_set(error, errno, "overlay storage: %s cannot be removed: %s", storage,
                         strerror(errno));
    return 0;
}
