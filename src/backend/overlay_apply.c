// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_apply: writes the changes of an overlay to the real directory.
 *
 * Other programs of the user, other jails among them, may work in the same directory meanwhile. So
 * every object is reached through a descriptor of its directory, which was opened from the root of
 * the tree without a link, and what is to be replaced or removed is compared with the record of the
 * overlay's beginning once more, just before.
 *
 * Order: directories and files by path; files wait in batches, so that the disk is waited for once
 * per batch and not once per file; then deletions; last the permissions of directories that would
 * have been in the way. What is removed with everything in it is renamed first, so that it vanishes
 * at once.
 */
#include "backend/overlay_apply.h"

#include "backend/overlay_copy.h"
#include "backend/overlay_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BATCH_MAX 256
#define NAME_SIZE 64
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

/* ---- what stands against it ---- */

static bool is_unchanged(const struct overlay_apply *apply, const char *path)
{
    struct stat st;
    int r = overlay_stat(apply->lower, path, &st);

    return (r == 0 || r == -ENOENT) &&
           overlay_base_is_unchanged(apply->base, path, r == 0 ? &st : NULL);
}

struct subtree {
    const struct overlay_base *base;
    const char *path;
    char *changed; /* first that is not as it was */
};

static int check_below(void *arg, const char *path, const struct stat *st)
{
    struct subtree *subtree = arg;
    _cleanup_free_ char *whole = overlay_path(subtree->path, path);

    if (overlay_base_is_unchanged(subtree->base, whole, st))
        return 0;
    subtree->changed = steal_ptr(&whole);
    return 1;
}

/* The first thing in the directory fd, which path names in the record, that is not as it was. */
static char *changed_below(const struct overlay_apply *apply, int fd, const char *path)
{
    struct subtree subtree = {.base = apply->base, .path = path};

    if (overlay_walk(fd, check_below, &subtree) < 0)
        return xstrdup(path);
    return subtree.changed;
}

static bool loses_tree(const struct overlay_change *change)
{
    return S_ISDIR(change->old_mode) && !S_ISDIR(change->mode);
}

void overlay_apply_check(const struct overlay_apply *apply, struct strv *conflicts)
{
    for (size_t i = 0; i < apply->changes->n; i++) {
        const struct overlay_change *change = &apply->changes->v[i];

        if (change->kind == OVERLAY_REFUSED) {
            strv_pushf(conflicts, "%s: cannot be applied: %s", change->path, change->problem);
        } else if (!is_unchanged(apply, change->path)) {
            strv_pushf(conflicts, "%s: changed in the real directory since the overlay began",
                       change->path);
        } else if (loses_tree(change)) {
            _cleanup_close_ int fd = overlay_open_dir(apply->lower, change->path, 0);
            _cleanup_free_ char *changed = changed_below(apply, fd, change->path);

            if (changed)
                strv_pushf(conflicts, "%s: changed in the real directory since the overlay began",
                           changed);
        }
    }
}

/* ---- writing ---- */

/* A copy that waits to get its name. */
struct copy {
    const struct overlay_change *change;
    char temporary[NAME_SIZE];
};

struct work {
    const struct overlay_apply *apply;
    struct notes *notes;
    struct error *error;
    struct copy batch[BATCH_MAX];
    size_t n;
    unsigned long serial;
};

static int fail(struct work *work, const char *path, int code)
{
    return error_set(work->error, code, "%s: %s", path, strerror(code));
}

static int stale(struct work *work, const char *path)
{
    return error_set(work->error, ESTALE,
                     "%s: changed in the real directory just now; nothing more is applied", path);
}

static void temporary_name(struct work *work, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, ".ai-jail.%ld.%lu", (long)getpid(), work->serial++);
}

/* The directory that holds path, O_PATH; *name points into path. */
static int open_parent(const struct work *work, const char *path, const char **name)
{
    _cleanup_free_ char *dir = overlay_split(path, name);

    return overlay_open_dir(work->apply->lower, dir, O_PATH);
}

/* Only the permissions of 0777 change; a link is never followed. */
static int set_mode(int dir, const char *name, mode_t mode)
{
    _cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    mode = (st.st_mode & 07000) | (mode & 0777);
    if (fd >= 0)
        return fchmod(fd, mode) < 0 ? -errno : 0;
    return syscall(SYS_fchmodat2, dir, name, mode, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

struct list {
    struct strv paths;
    struct strv types; /* "d" or "f" */
};

static int list_entry(void *arg, const char *path, const struct stat *st)
{
    struct list *list = arg;

    strv_push(&list->paths, path);
    strv_push(&list->types, S_ISDIR(st->st_mode) ? "d" : "f");
    return 0;
}

/* Everything in the directory fd, the deepest first. */
static int remove_below(int fd)
{
    struct list list = {{0}, {0}};
    int r = overlay_walk(fd, list_entry, &list);

    for (size_t i = list.paths.n; i > 0 && r == 0; i--) {
        const char *name;
        _cleanup_free_ char *parent = overlay_split(list.paths.v[i - 1], &name);
        _cleanup_close_ int dir = overlay_open_dir(fd, parent, O_PATH);

        if (dir < 0 || (unlinkat(dir, name, list.types.v[i - 1][0] == 'd' ? AT_REMOVEDIR : 0) < 0 &&
                        errno != ENOENT))
            r = -errno;
    }
    strv_free(&list.paths);
    strv_free(&list.types);
    return r;
}

/* It was renamed and opened: goes back if something in it is not as it was. */
static int remove_aside(struct work *work, int dir, const char *aside, const char *path)
{
    _cleanup_close_ int fd = openat(dir, aside, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    _cleanup_free_ char *changed = fd < 0 ? NULL : changed_below(work->apply, fd, path);
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    int r;

    if (fd < 0)
        return fail(work, path, errno);
    if (changed) {
        renameat(dir, aside, dir, name);
        return stale(work, changed);
    }
    r = remove_below(fd);
    if (r == 0 && unlinkat(dir, aside, AT_REMOVEDIR) < 0)
        r = -errno;
    return r < 0 ? fail(work, path, -r) : 0;
}

/* The real object goes, with everything in it. */
static int remove_real(struct work *work, const struct overlay_change *change)
{
    const char *name;
    _cleanup_close_ int dir = open_parent(work, change->path, &name);
    char aside[NAME_SIZE];

    if (dir < 0)
        return fail(work, change->path, -dir);
    if (!is_unchanged(work->apply, change->path))
        return stale(work, change->path);
    if (!S_ISDIR(change->old_mode))
        return unlinkat(dir, name, 0) < 0 ? fail(work, change->path, errno) : 0;
    temporary_name(work, aside);
    if (renameat(dir, name, dir, aside) < 0)
        return fail(work, change->path, errno);
    return remove_aside(work, dir, aside, change->path);
}

static void forget_batch(struct work *work)
{
    for (size_t i = 0; i < work->n; i++) {
        const char *name;
        _cleanup_close_ int dir = open_parent(work, work->batch[i].change->path, &name);

        if (dir >= 0)
            unlinkat(dir, work->batch[i].temporary, 0);
    }
    work->n = 0;
}

/* A directory that stood there has been removed by now. */
static bool is_as_expected(const struct overlay_apply *apply, const struct overlay_change *change)
{
    struct stat st;

    if (S_ISDIR(change->old_mode))
        return overlay_stat(apply->lower, change->path, &st) == -ENOENT;
    return is_unchanged(apply, change->path);
}

/* The copies are on the disk before the first gets its name. */
static int finish_batch(struct work *work)
{
    int r = 0;

    if (work->n && syncfs(work->apply->lower) < 0)
        r = fail(work, ".", errno);
    for (size_t i = 0; i < work->n && r == 0; i++) {
        const struct overlay_change *change = work->batch[i].change;
        const char *name;
        _cleanup_close_ int dir = open_parent(work, change->path, &name);

        if (dir < 0)
            r = fail(work, change->path, -dir);
        else if (!is_as_expected(work->apply, change))
            r = stale(work, change->path);
        else if (renameat(dir, work->batch[i].temporary, dir, name) < 0)
            r = fail(work, change->path, errno);
    }
    if (r < 0) {
        struct error why = *work->error;

        forget_batch(work); /* those that have their name are not found by the other */
        *work->error = why;
    }
    work->n = 0;
    return r;
}

/* Copies a file or a link to a temporary name. */
static int stage(struct work *work, const struct overlay_change *change)
{
    struct copy *copy = &work->batch[work->n];
    const char *name;
    _cleanup_close_ int dir = open_parent(work, change->path, &name);
    _cleanup_free_ char *parent = overlay_split(change->path, &name);
    _cleanup_close_ int from = overlay_open_dir(work->apply->upper, parent, O_PATH);
    int r = dir < 0 ? dir : from < 0 ? from : 0;

    if (r < 0)
        return fail(work, change->path, -r);
    *copy = (struct copy){.change = change};
    temporary_name(work, copy->temporary);
    if (S_ISLNK(change->mode))
        r = symlinkat(change->target, dir, copy->temporary) < 0 ? -errno : 0;
    else
        r = overlay_copy(from, name, dir, copy->temporary, change->mode & 0777,
                         S_ISREG(change->old_mode) ? name : NULL);
    if (r < 0)
        return fail(work, change->path, -r);
    work->n++;
    return work->n == BATCH_MAX ? finish_batch(work) : 0;
}

static int make_dir(struct work *work, const struct overlay_change *change)
{
    const char *name;
    _cleanup_close_ int dir = open_parent(work, change->path, &name);

    int r;

    if (dir < 0 || mkdirat(dir, name, 0700) < 0)
        return fail(work, change->path, dir < 0 ? -dir : errno);
    r = set_mode(dir, name, change->mode | 0700);
    return r < 0 ? fail(work, change->path, -r) : 0;
}

static int change_mode(struct work *work, const struct overlay_change *change)
{
    const char *name;
    _cleanup_close_ int dir = open_parent(work, change->path, &name);
    int r = dir < 0 ? dir : set_mode(dir, name, change->mode);

    return r < 0 ? fail(work, change->path, -r) : 0;
}

/* Permissions that would forbid what is still to be done wait until the end. */
static bool mode_waits(const struct overlay_change *change)
{
    return S_ISDIR(change->mode) && (change->mode & 0700) != 0700;
}

static int put(struct work *work, const struct overlay_change *change)
{
    int r = 0;

    if (change->kind == OVERLAY_MODE)
        return mode_waits(change)                         ? 0
               : !is_unchanged(work->apply, change->path) ? stale(work, change->path)
                                                          : change_mode(work, change);
    if (S_ISSOCK(change->mode) || S_ISFIFO(change->mode)) {
        notes_add(work->notes, NOTE_WARNING, "%s is left out: a %s is never applied", change->path,
                  overlay_type_name(change->mode));
        return 0;
    }
    if (change->old_mode && S_ISDIR(change->old_mode) != S_ISDIR(change->mode))
        r = remove_real(work, change);
    if (r < 0)
        return r;
    return S_ISDIR(change->mode) ? make_dir(work, change) : stage(work, change);
}

static int apply_in_order(struct work *work)
{
    const struct overlay_changes *changes = work->apply->changes;
    int r = 0;

    for (size_t i = 0; i < changes->n && r == 0; i++)
        if (changes->v[i].kind != OVERLAY_DELETED)
            r = put(work, &changes->v[i]);
    if (r == 0)
        r = finish_batch(work);
    for (size_t i = 0; i < changes->n && r == 0; i++)
        if (changes->v[i].kind == OVERLAY_DELETED)
            r = remove_real(work, &changes->v[i]);
    for (size_t i = changes->n; i > 0 && r == 0; i--)
        if (changes->v[i - 1].kind != OVERLAY_DELETED && mode_waits(&changes->v[i - 1]))
            r = change_mode(work, &changes->v[i - 1]);
    if (r == 0 && syncfs(work->apply->lower) < 0)
        r = fail(work, ".", errno);
    return r;
}

int overlay_apply_all(const struct overlay_apply *apply, struct notes *notes, struct error *error)
{
    struct error unused = {0};
    struct work *work = xcalloc(1, sizeof(*work));
    int r;

    work->apply = apply;
    work->notes = notes;
    work->error = error ? error : &unused;
    r = apply_in_order(work);
    forget_batch(work);
    free(work);
    return r;
}
