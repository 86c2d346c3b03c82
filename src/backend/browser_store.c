// SPDX-License-Identifier: GPL-3.0-only
/*
 * browser_store: see browser_store.h.
 *
 * Everything is reached from descriptors of directories that were entered one component at a time
 * without following a link. The lock is a file beside the profile, not in it: the browser could remove
 * or take what it can see.
 */
#include "backend/browser_store.h"

#include "backend/directories.h"
#include "backend/overlay_remove.h"
#include "backend/overlay_walk.h"
#include "base/fd.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCKS        "browser-locks"
#define REMOVED      "browser-removed"
#define PREFS        "user.js"
#define PREFS_NEW    "user.js.ai-jail"
#define PID_BYTES    32
#define LOCK_TRIES   100
#define LOCK_STEP_MS 10

/* ---- directories ---- */

/* One of the directories of the store, to be read and changed in: ours alone. Descriptor or -errno. */
static int open_part(const char *store, const char *part, bool create, struct error *error)
{
    _cleanup_free_ char *own = path_parent(store);
    _cleanup_free_ char *path = part ? path_join(own, part) : xstrdup(store);
    _cleanup_close_ int found = directories_open(path, create, NULL);
    int fd = found < 0 ? found : openat(found, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat st;

    if (found >= 0 && fd < 0)
        fd = -errno;
    if (fd < 0)
        return error_set(error, -fd, "browser profiles: %s: %s", path, strerror(-fd));
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)))
        return fd;
    close(fd);
    return error_set(error, EPERM, "browser profiles: %s must be yours alone (owner and mode 0700)",
                     path);
}

/* The profile itself, made private: its browser may have changed the mode. */
static int settle_profile(int store, const char *path, struct error *error)
{
    const char *name = path_base(path);
    struct stat st;

    if (fstatat(store, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return error_set(error, errno, "browser profile %s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return error_set(error, ENOTDIR, "browser profile %s is not a directory", path);
    if (st.st_uid != geteuid())
        return error_set(error, EPERM, "browser profile %s belongs to another user", path);
    /* The store is ours alone, so nobody exchanges the name. */
    if ((st.st_mode & 07777) != 0700 && fchmodat(store, name, 0700, 0) < 0)
        return error_set(error, errno, "browser profile %s: %s", path, strerror(errno));
    return 0;
}

/* ---- lock ---- */

/* Of the one run of this process. */
static int held_lock = -1;

static long read_pid(int lock)
{
    char text[PID_BYTES] = "";
    ssize_t n = pread(lock, text, sizeof(text) - 1, 0);

    return n > 0 && strtol(text, NULL, 10) > 0 ? strtol(text, NULL, 10) : -1;
}

/* A list that asks holds it for a moment, and so does the jail of a run that was just killed. */
static int take(int lock)
{
    int r = flock(lock, LOCK_EX | LOCK_NB);

    for (int i = 0; r < 0 && errno == EWOULDBLOCK && i < LOCK_TRIES; i++) {
        poll(NULL, 0, LOCK_STEP_MS);
        r = flock(lock, LOCK_EX | LOCK_NB);
    }
    return r < 0 ? -errno : 0;
}

/* Who waited for a removal has the lock of a file that is gone. */
static bool is_still_there(int locks, const char *name, int lock)
{
    struct stat held;
    struct stat named;

    return fstat(lock, &held) == 0 && fstatat(locks, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

/* Descriptor that holds the lock, or -errno with the reason. */
static int lock_profile(int locks, const char *name, const char *advice, struct error *error)
{
    _cleanup_close_ int lock =
        openat(locks, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    int r = lock < 0 ? -errno : take(lock);

    if (r == -EWOULDBLOCK)
        return error_set(
            error, EBUSY,
            "the browser profile %s is in use by another run (pid %ld); end that one%s", name,
            read_pid(lock), advice);
    if (r == 0 && !is_still_there(locks, name, lock))
        r = -ESTALE;
    return r < 0 ? error_set(error, -r, "the browser profile %s cannot be locked: %s", name,
                             strerror(-r))
                 : steal_fd(&lock);
}

static int write_pid(int lock)
{
    char text[PID_BYTES];
    int len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());

    if (ftruncate(lock, 0) < 0 || pwrite(lock, text, (size_t)len, 0) != len)
        return errno ? -errno : -EIO;
    return 0;
}

/* ---- preferences ---- */

/* Whatever has the name goes: it may be a directory. */
static int clear_name(int dir, const char *name)
{
    int r = overlay_remove_tree(dir, name);

    return r == -ENOENT ? 0 : r;
}

static int write_prefs(int profile, const char *text)
{
    _cleanup_close_ int fd = -1;
    int r = clear_name(profile, PREFS_NEW);

    if (r < 0)
        return r;
    fd = openat(profile, PREFS_NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    r = fd_write_all(fd, text, strlen(text));
    if (r == 0)
        r = clear_name(profile, PREFS);
    if (r == 0 && renameat(profile, PREFS_NEW, profile, PREFS) < 0)
        r = -errno;
    return r;
}

static int settle_prefs(int store, const struct browser *browser, struct error *error)
{
    _cleanup_close_ int profile =
        openat(store, path_base(browser->state), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int r;

    if (!browser->prefs)
        return 0;
    r = profile < 0 ? -errno : write_prefs(profile, browser->prefs);
    return r < 0 ? error_set(error, -r, "%s/" PREFS " cannot be written: %s", browser->state,
                             strerror(-r))
                 : 0;
}

int browser_store_hold(const struct browser *browser, struct error *error)
{
    _cleanup_free_ char *path = NULL;
    _cleanup_close_ int store = -1;
    _cleanup_close_ int locks = -1;
    int lock;
    int r;

    if (browser->profile != BROWSER_SOFT)
        return 0;
    path = path_parent(browser->state);
    store = open_part(path, NULL, false, error);
    if (store < 0)
        return store;
    locks = open_part(path, LOCKS, true, error);
    if (locks < 0)
        return locks;
    lock = lock_profile(locks, browser->name, ", or start with --browser=hard", error);
    if (lock < 0)
        return lock;
    r = settle_profile(store, browser->state, error);
    if (r == 0)
        r = settle_prefs(store, browser, error);
    if (r == 0 && write_pid(lock) < 0)
        r = error_set(error, EIO, "the lock of the browser profile %s cannot be written",
                      browser->name);
    if (r < 0)
        close(lock);
    else
        held_lock = lock;
    return r;
}

int browser_store_lock(void)
{
    return held_lock;
}

void browser_store_release(void)
{
    if (held_lock >= 0)
        (void)flock(held_lock, LOCK_UN);
}

/* ---- list ---- */

void browser_kept_free(struct browser_kept_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->v[i].name);
    free(list->v);
    *list = (struct browser_kept_list){0};
}

static int add_size(void *arg, const char *path, const struct stat *st)
{
    uint64_t *bytes = arg;

    (void)path;
    *bytes += (uint64_t)st->st_blocks * 512; /* stat(2): the unit whatever the file system's is */
    return 0;
}

/* What a profile holds of names too long for a path is not counted. */
static uint64_t size_of(int store, const char *name)
{
    _cleanup_close_ int dir = openat(store, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    uint64_t bytes = 0;

    if (dir >= 0)
        overlay_walk(dir, add_size, &bytes);
    return bytes;
}

static void read_lock(struct browser_kept *kept, int locks)
{
    _cleanup_close_ int lock =
        openat(locks, kept->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;

    if (lock < 0 || fstat(lock, &st) < 0)
        return;
    kept->last_use = st.st_mtime;
    if (flock(lock, LOCK_SH | LOCK_NB) < 0)
        kept->holder = errno == EWOULDBLOCK ? read_pid(lock) : -1;
}

static void add_kept(struct browser_kept_list *list, int store, int locks, const char *name)
{
    struct browser_kept kept = {0};
    struct stat st;

    if (fstatat(store, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))
        return;
    kept.name = xstrdup(name);
    kept.bytes = size_of(store, name);
    kept.last_use = st.st_mtime;
    read_lock(&kept, locks);
    list->v = xrealloc(list->v, list->n + 1, sizeof(*list->v));
    list->v[list->n++] = kept;
}

int browser_store_list(struct browser_kept_list *list, const char *store_path, struct error *error)
{
    _cleanup_close_ int store = open_part(store_path, NULL, false, error);
    _cleanup_close_ int locks = -1;
    _cleanup_strv_ struct strv names = {0};
    struct error ignored = {0};
    int r;

    *list = (struct browser_kept_list){0};
    if (store < 0)
        return store == -ENOENT ? 0 : store;
    r = overlay_names(store, &names);
    if (r < 0)
        return error_set(error, -r, "browser profiles: %s: %s", store_path, strerror(-r));
    locks = open_part(store_path, LOCKS, false, &ignored);
    for (size_t i = 0; i < names.n; i++)
        add_kept(list, store, locks, names.v[i]);
    return 0;
}

/* ---- removal ---- */

/* Also what an earlier removal, interrupted, has left. */
static int empty(int removed)
{
    _cleanup_strv_ struct strv names = {0};
    int r = overlay_names(removed, &names);

    for (size_t i = 0; i < names.n && r == 0; i++)
        r = clear_name(removed, names.v[i]);
    return r;
}

/* Out of the store in one step: what is found there is whole. */
static int move_away(int store, int removed, const char *name)
{
    int r = empty(removed);

    if (r < 0)
        return r;
    /* Moving a directory elsewhere writes its "..": it must be writable itself. */
    if (fchmodat(store, name, 0700, 0) < 0 || renameat(store, name, removed, name) < 0)
        return -errno;
    return empty(removed);
}

static bool is_profile(int store, const char *name)
{
    struct stat st;

    return name[0] && !str_eq(name, ".") && !str_eq(name, "..") && !strchr(name, '/') &&
           fstatat(store, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static int no_such(const char *name, struct error *error)
{
    return error_set(error, ENOENT,
                     "there is no kept browser profile %s; --browser-list shows those there are",
                     name);
}

int browser_store_forget(const char *store_path, const char *name, struct error *error)
{
    _cleanup_close_ int store = open_part(store_path, NULL, false, error);
    _cleanup_close_ int locks = -1;
    _cleanup_close_ int removed = -1;
    _cleanup_close_ int lock = -1;
    int r;

    if (store == -ENOENT || (store >= 0 && !is_profile(store, name)))
        return no_such(name, error);
    if (store < 0)
        return store;
    locks = open_part(store_path, LOCKS, true, error);
    removed = locks < 0 ? locks : open_part(store_path, REMOVED, true, error);
    if (removed < 0)
        return removed;
    lock = lock_profile(locks, name, "", error);
    if (lock < 0)
        return lock;
    if (!is_profile(store, name)) /* somebody else was quicker */
        return no_such(name, error);
    r = move_away(store, removed, name);
    if (r < 0)
        return error_set(error, -r, "browser profile %s/%s cannot be removed: %s", store_path, name,
                         strerror(-r));
    /* The lock last: until then nobody begins anew. */
    unlinkat(locks, name, 0);
    return 0;
}
