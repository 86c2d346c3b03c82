// SPDX-License-Identifier: GPL-3.0-only
/*
 * cover: enters a jail from outside and places the covers of its plan.
 *
 *  1. The mount namespace of the jail and the user namespace that *owns* it are joined (bubblewrap
 *     nests a second user namespace, so the process's own one is the wrong one; ioctl_ns(2)).
 *  2. All mounts become private: what the host mounts later does not appear inside.
 *  3. Every bind is compared by device and inode with what the planner examined.
 *  4. A read-only tmpfs with the empty files and directories is mounted over /proc/sys and hidden
 *     again by the read-only copy of /proc/sys: cloning needs an attached mount before Linux 6.15
 *     (mount_setattr(2), open_tree(2)).
 *  5. Each cover is a clone of one of them, or of the covered object itself made read-only, moved
 *     onto the object through a descriptor that was opened without following links. What is not
 *     there is left alone.
 *
 * The same clones are put onto what appears later (watch_cover.c).
 */
#include "pty/cover.h"

#include "base/path.h"
#include "pty/pidlimit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/nsfs.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* <sys/mount.h> of glibc 2.36 and <linux/mount.h> clash; these are the few things needed. */
extern int mount(const char *source, const char *target, const char *type, unsigned long flags,
                 const void *data);

#define EMPTY_AT "/proc/sys"

static int open_tree_at(int dir, const char *path, unsigned flags)
{
    long fd = syscall(SYS_open_tree, dir, path, flags | OPEN_TREE_CLOEXEC);

    return fd < 0 ? -errno : (int)fd;
}

static int move_onto(int tree, int target)
{
    if (syscall(SYS_move_mount, tree, "", target, "",
                MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
        return -errno;
    return 0;
}

/* O_PATH without following any link. */
static int open_object_at(int dir, const char *path, int flags, uint64_t resolve)
{
    struct open_how how = {
        .flags = (uint64_t)(unsigned)(O_PATH | O_NOFOLLOW | O_CLOEXEC | flags),
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | resolve,
    };
    long fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));

    return fd < 0 ? -errno : (int)fd;
}

static int open_object(const char *path)
{
    return open_object_at(AT_FDCWD, path, 0, 0);
}

int cover_open_below(int dir, const char *path, int flags)
{
    return open_object_at(dir, path, flags, RESOLVE_BENEATH);
}

static struct cover_result failed(enum cover_stage stage, int code, ptrdiff_t index)
{
    return (struct cover_result){.stage = stage, .code = code, .index = (int32_t)index};
}

/* Also opens the jail's PID namespace, while its process can still be named. */
static struct cover_result join(pid_t pid, int *pid_namespace)
{
    char path[64];
    _cleanup_close_ int mounts = -1;
    _cleanup_close_ int users = -1;

    snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
    mounts = open(path, O_RDONLY | O_CLOEXEC);
    if (mounts < 0)
        return failed(COVER_OPEN_NAMESPACE, errno, -1);
    users = ioctl(mounts, NS_GET_USERNS);
    if (users < 0)
        return failed(COVER_OPEN_NAMESPACE, errno, -1);
    snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
    *pid_namespace = open(path, O_RDONLY | O_CLOEXEC);
    if (*pid_namespace < 0)
        return failed(COVER_OPEN_NAMESPACE, errno, -1);
    if (setns(users, CLONE_NEWUSER) < 0 || setns(mounts, CLONE_NEWNS) < 0)
        return failed(COVER_JOIN, errno, -1);
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return failed(COVER_PRIVATE, errno, -1);
    return failed(COVER_OK, 0, -1);
}

static bool is_same(const struct stat *st, const struct fs_stat *examined)
{
    return st->st_dev == examined->dev && st->st_ino == examined->ino;
}

/* An overlay is another object than its lower directory, which is what was examined: who mounted it
 * has compared that. Here it must be that overlay. */
static struct cover_result compare_overlay(const struct plan_entry *entry,
                                           const struct overlay_mark *mark, ptrdiff_t index)
{
    _cleanup_close_ int object = open_object(entry->dest);
    struct stat st;

    if (object < 0)
        return failed(COVER_COMPARE, -object, index);
    if (fstat(object, &st) < 0)
        return failed(COVER_COMPARE, errno, index);
    return mark && overlay_is_marked(object, &st, mark) ? failed(COVER_OK, 0, -1)
                                                        : failed(COVER_COMPARE, ESTALE, index);
}

static struct cover_result compare_binds(const struct plan *plan, const struct overlay_mark *marks)
{
    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_entry *entry = &plan->v[i];
        struct cover_result result;
        struct stat st;

        if (entry->kind == PLAN_OVERLAY) {
            result = compare_overlay(entry, marks ? &marks[i] : NULL, (ptrdiff_t)i);
            if (result.stage != COVER_OK)
                return result;
            continue;
        }
        if (!plan_is_bind(entry->kind))
            continue;
        if (fstatat(AT_FDCWD, entry->dest, &st, AT_SYMLINK_NOFOLLOW) < 0)
            return failed(COVER_COMPARE, errno, (ptrdiff_t)i);
        if (!is_same(&st, &entry->st))
            return failed(COVER_COMPARE, ESTALE, (ptrdiff_t)i);
    }
    return failed(COVER_OK, 0, -1);
}

/* What is in the tmpfs: by what it covers and how. */
static const struct empty {
    const char *name;
    bool is_dir;
    bool denies;
    mode_t mode;
} empties[] = {
    {"file", false, false, 0400},
    {"dir", true, false, 0555},
    {"denied-file", false, true, 0},
    {"denied-dir", true, true, 0},
};

static int make_objects(int root)
{
    for (size_t i = 0; i < ARRAY_SIZE(empties); i++) {
        const struct empty *empty = &empties[i];
        _cleanup_close_ int file = -1;

        if (empty->is_dir && mkdirat(root, empty->name, 0700) < 0)
            return -errno;
        file =
            openat(root, empty->name,
                   O_CLOEXEC | (empty->is_dir ? O_RDONLY | O_DIRECTORY : O_WRONLY | O_CREAT), 0600);
        /* The umask has no say. */
        if (file < 0 || fchmod(file, empty->mode) < 0)
            return -errno;
    }
    return 0;
}

static int make_empty(struct cover_set *set)
{
    static const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    struct stat st;
    int r;

    if (mount("tmpfs", EMPTY_AT, "tmpfs", flags, "size=4096,nr_inodes=8,mode=0555") < 0)
        return -errno;
    set->root = open_object(EMPTY_AT);
    if (set->root < 0)
        return set->root;
    r = make_objects(set->root);
    if (r < 0)
        return r;
    if (mount("none", EMPTY_AT, NULL, MS_REMOUNT | MS_RDONLY | flags, NULL) < 0 ||
        fstat(set->root, &st) < 0)
        return -errno;
    set->dev = st.st_dev;
    return 0;
}

/* With everything that is mounted below it, so that no cover there is lost. */
static int clone_read_only(int object)
{
    struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};
    _cleanup_close_ int tree =
        open_tree_at(object, "", OPEN_TREE_CLONE | AT_EMPTY_PATH | AT_RECURSIVE);

    if (tree < 0)
        return tree;
    if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) < 0)
        return -errno;
    return steal_fd(&tree);
}

/* The tree to move onto the object: 0 or positive descriptor, or -errno. */
static int make_tree(const struct cover_set *set, enum plan_kind kind, int object,
                     const struct stat *st)
{
    for (size_t i = 0; plan_hides(kind) && i < ARRAY_SIZE(empties); i++)
        if (empties[i].is_dir == S_ISDIR(st->st_mode) &&
            empties[i].denies == (kind == PLAN_COVER_DENY))
            return open_tree_at(set->root, empties[i].name, OPEN_TREE_CLONE);
    return clone_read_only(object);
}

bool cover_is_on(const struct cover_set *set, enum plan_kind kind, int object,
                 const struct stat *st)
{
    struct statvfs vfs;
    struct statx sx;

    if (st->st_dev == set->dev)
        return true;
    if (plan_hides(kind))
        return false;
    return fstatvfs(object, &vfs) == 0 && (vfs.f_flag & ST_RDONLY) &&
           statx(object, "", AT_EMPTY_PATH, 0, &sx) == 0 &&
           (sx.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

int cover_put(const struct cover_set *set, enum plan_kind kind, int object, const struct stat *st)
{
    _cleanup_close_ int tree = make_tree(set, kind, object, st);

    return tree < 0 ? tree : move_onto(tree, object);
}

/* The directory that was used last: neighbours in the plan are mostly neighbours in a directory. */
struct place {
    const struct plan *plan;
    const struct cover_set *set;
    char *parent;
    int parent_fd;
};

static int open_cached(struct place *place, const char *path)
{
    const char *base = path_base(path);
    size_t len = (size_t)(base - path);

    if (!*base)
        return open_object(path);
    if (!place->parent || strncmp(place->parent, path, len) != 0 || place->parent[len]) {
        free(place->parent);
        if (place->parent_fd >= 0)
            close(place->parent_fd);
        place->parent = xstrndup(path, len);
        place->parent_fd = open_object_at(AT_FDCWD, place->parent, O_DIRECTORY, 0);
    }
    return place->parent_fd < 0 ? place->parent_fd : cover_open_below(place->parent_fd, base, 0);
}

static struct cover_result place_one(struct place *place, size_t index)
{
    const struct plan_entry *entry = &place->plan->v[index];
    _cleanup_close_ int object = open_cached(place, entry->dest);
    struct stat st;
    int r;

    if (object == -ENOENT)
        return failed(COVER_OK, 0, -1);
    if (object < 0)
        return failed(COVER_OPEN, -object, (ptrdiff_t)index);
    if (fstat(object, &st) < 0)
        return failed(COVER_OPEN, errno, (ptrdiff_t)index);
    /* What a name shows now is what has to be hidden: an editor may have saved meanwhile. */
    if (!plan_hides(entry->kind) && entry->st.type != FS_NONE && !is_same(&st, &entry->st))
        return failed(COVER_COMPARE, ESTALE, (ptrdiff_t)index);
    r = cover_put(place->set, entry->kind, object, &st);
    if (r == -ENOENT) /* removed this very moment */
        r = 0;
    return r < 0 ? failed(COVER_PLACE, -r, (ptrdiff_t)index) : failed(COVER_OK, 0, -1);
}

static struct cover_result place_all(const struct cover_set *set, const struct plan *plan)
{
    struct place place = {.plan = plan, .set = set, .parent_fd = -1};
    struct cover_result result = failed(COVER_OK, 0, -1);

    for (size_t i = 0; i < plan->n && result.stage == COVER_OK; i++)
        if (plan_is_cover(plan->v[i].kind) && strcmp(plan->v[i].dest, EMPTY_AT) != 0)
            result = place_one(&place, i);
    free(place.parent);
    if (place.parent_fd >= 0)
        close(place.parent_fd);
    return result;
}

struct cover_result cover_place(struct cover_set *set, const struct plan *plan)
{
    _cleanup_close_ int object = open_object(EMPTY_AT);
    _cleanup_close_ int proc_sys = -1;
    _cleanup_close_ int over = -1;
    struct cover_result result;
    int r = object;

    if (r >= 0)
        r = proc_sys = clone_read_only(object);
    if (r >= 0)
        r = make_empty(set);
    if (r < 0)
        return failed(COVER_TMPFS, -r, -1);
    result = place_all(set, plan);
    over = open_object(EMPTY_AT);
    r = over < 0 ? over : move_onto(proc_sys, over);
    if (r < 0 && result.stage == COVER_OK)
        result = failed(COVER_TMPFS, -r, -1);
    return result;
}

struct cover_result cover_enter(pid_t pid, const struct plan *plan,
                                const struct overlay_mark *marks, uint64_t pid_limit)
{
    _cleanup_close_ int pid_namespace = -1;
    struct cover_result result = join(pid, &pid_namespace);
    int r;

    if (result.stage == COVER_OK)
        result = compare_binds(plan, marks);
    if (result.stage == COVER_OK && pid_limit) {
        r = pidlimit_set(pid_namespace, pid_limit);
        if (r < 0)
            result = failed(COVER_PID_LIMIT, -r, -1);
    }
    return result;
}
