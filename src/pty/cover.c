// SPDX-License-Identifier: GPL-3.0-only
/*
 * cover: enters a jail from outside and places the covers of its plan.
 *
 *  1. The mount namespace of the jail and the user namespace that *owns* it are joined (bubblewrap
 *     nests a second user namespace, so the process's own one is the wrong one; ioctl_ns(2)).
 *  2. All mounts become private: what the host mounts later does not appear inside.
 *  3. Every bind is compared by device and inode with what the planner examined.
 *  4. A read-only tmpfs with one empty file and one empty directory is mounted over /proc/sys and
 *     hidden again by the read-only copy of /proc/sys: cloning needs an attached mount before
 *     Linux 6.15 (mount_setattr(2), open_tree(2)).
 *  5. Each cover is a clone of that file or directory, or of the covered object itself made
 *     read-only, moved onto the object through a descriptor that was opened without following links
 *     and compared with what was examined. What is not there is left alone.
 */
#include "pty/cover.h"

#include "pty/pidlimit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/nsfs.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
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
static int open_object(const char *path)
{
    struct open_how how = {
        .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

    return fd < 0 ? -errno : (int)fd;
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

struct covers {
    int empty;    /* root of the tmpfs with "file" and "dir" */
    int proc_sys; /* clone of /proc/sys, taken before it was hidden */
};

static int make_empty(void)
{
    _cleanup_close_ int root = -1;
    _cleanup_close_ int file = -1;

    if (mount("tmpfs", EMPTY_AT, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
              "size=4096,nr_inodes=8,mode=0555") < 0)
        return -errno;
    root = open_object(EMPTY_AT);
    if (root < 0)
        return root;
    file = openat(root, "file", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
    if (file < 0 || mkdirat(root, "dir", 0555) < 0)
        return -errno;
    close(steal_fd(&file));
    if (mount("none", EMPTY_AT, NULL, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
              NULL) < 0)
        return -errno;
    return steal_fd(&root);
}

static int clone_read_only(int object)
{
    struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};
    _cleanup_close_ int tree = open_tree_at(object, "", OPEN_TREE_CLONE | AT_EMPTY_PATH);

    if (tree < 0)
        return tree;
    if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
        return -errno;
    return steal_fd(&tree);
}

static int prepare(struct covers *covers)
{
    _cleanup_close_ int object = open_object(EMPTY_AT);

    if (object < 0)
        return object;
    covers->proc_sys = clone_read_only(object);
    if (covers->proc_sys < 0)
        return covers->proc_sys;
    covers->empty = make_empty();
    return covers->empty < 0 ? covers->empty : 0;
}

/* The tree to move onto the object: 0 or positive descriptor, or -errno. */
static int make_tree(const struct covers *covers, const struct plan_entry *entry, int object,
                     const struct stat *st)
{
    if (entry->kind == PLAN_COVER_RO)
        return clone_read_only(object);
    return open_tree_at(covers->empty, S_ISDIR(st->st_mode) ? "dir" : "file", OPEN_TREE_CLONE);
}

static struct cover_result place_one(const struct covers *covers, const struct plan *plan,
                                     size_t index)
{
    const struct plan_entry *entry = &plan->v[index];
    _cleanup_close_ int object = open_object(entry->dest);
    _cleanup_close_ int tree = -1;
    struct stat st;
    int r;

    if (object == -ENOENT)
        return failed(COVER_OK, 0, -1);
    if (object < 0)
        return failed(COVER_OPEN, -object, (ptrdiff_t)index);
    if (fstat(object, &st) < 0)
        return failed(COVER_OPEN, errno, (ptrdiff_t)index);
    if (entry->st.type != FS_NONE && !is_same(&st, &entry->st))
        return failed(COVER_COMPARE, ESTALE, (ptrdiff_t)index);
    tree = make_tree(covers, entry, object, &st);
    r = tree < 0 ? tree : move_onto(tree, object);
    return r < 0 ? failed(COVER_PLACE, -r, (ptrdiff_t)index) : failed(COVER_OK, 0, -1);
}

static struct cover_result place_all(const struct covers *covers, const struct plan *plan)
{
    for (size_t i = 0; i < plan->n; i++) {
        struct cover_result result;

        if (!plan_is_cover(plan->v[i].kind) || strcmp(plan->v[i].dest, EMPTY_AT) == 0)
            continue;
        result = place_one(covers, plan, i);
        if (result.stage != COVER_OK)
            return result;
    }
    return failed(COVER_OK, 0, -1);
}

static struct cover_result place_covers(const struct plan *plan)
{
    struct covers covers = {-1, -1};
    struct cover_result result;
    _cleanup_close_ int over = -1;
    int r = prepare(&covers);

    if (r < 0) {
        result = failed(COVER_TMPFS, -r, -1);
    } else {
        result = place_all(&covers, plan);
        over = open_object(EMPTY_AT);
        r = over < 0 ? over : move_onto(covers.proc_sys, over);
        if (r < 0 && result.stage == COVER_OK)
            result = failed(COVER_TMPFS, -r, -1);
    }
    if (covers.empty >= 0)
        close(covers.empty);
    if (covers.proc_sys >= 0)
        close(covers.proc_sys);
    return result;
}

struct cover_result cover_place(pid_t pid, const struct plan *plan,
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
    return result.stage == COVER_OK ? place_covers(plan) : result;
}
