// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay: makes the overlay mounts of a plan, in the process that becomes bubblewrap.
 *
 * An unprivileged overlay needs a user namespace that owns the mount namespace, so the process
 * enters one of each before it executes bubblewrap, which nests its own inside; the mounter joins
 * whichever owns the jail's mounts and asks nobody for their number. Lower, upper and work directory
 * are opened again there (descriptors of another mount namespace cannot be mounted), compared with
 * what was examined and locked, and named by descriptor: no path has to be quoted, none can be
 * exchanged meanwhile, and the jail's mount table tells nothing about the store.
 *
 * Options (Documentation/filesystems/overlayfs.rst): userxattr, since user.overlay.* is all that an
 * ordinary user may write; redirect_dir=nofollow and metacopy=off, so that no attribute that somebody
 * planted in the lower directory leads anywhere. ("off" would follow where the kernel is built to
 * always follow, and userxattr refuses that.)
 *
 * Between fork and exec only async-signal-safe calls are used.
 */
#include "pty/overlay.h"

#include "backend/overlay_walk.h"
#include "pty/userns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define OPTIONS_MAX 256

const char *overlay_stage_text(enum overlay_stage stage)
{
    static const char *const texts[OVERLAY_STAGE_COUNT] = {
        [OVERLAY_OK] = "done",
        [OVERLAY_NAMESPACE] = "a user namespace for the overlay cannot be made",
        [OVERLAY_MAP] = "the ids of the overlay's user namespace cannot be set",
        [OVERLAY_PRIVATE] = "the mounts of the overlay's namespace cannot be made private",
        [OVERLAY_REPLACED] = "it or its storage was replaced meanwhile",
        [OVERLAY_MOUNT] = "overlayfs cannot be mounted there (something mounted below it?)",
        [OVERLAY_BIND] = "the mounted overlay cannot be opened",
    };

    return stage >= 0 && stage < OVERLAY_STAGE_COUNT ? texts[stage] : "it failed";
}

/* ---- before the fork ---- */

static const struct overlay *find_overlay(const struct overlays *overlays, const char *path)
{
    for (size_t i = 0; i < overlays->n; i++)
        if (str_eq(overlays->v[i].path, path))
            return &overlays->v[i];
    return NULL;
}

/* A path of components that are no links. Async-signal-safe. */
static int open_exact(const char *path)
{
    struct open_how how = {
        .flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };

    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

static bool is_examined(int fd, const struct overlay *overlay)
{
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_dev == overlay->st.dev && st.st_ino == overlay->st.ino;
}

static int prepare_one(struct overlay_mount *mount, const struct overlay *overlay,
                       struct error *error)
{
    _cleanup_close_ int lower = overlay_open_exact(overlay->path);
    int r;

    mount->overlay = overlay;
    if (lower < 0)
        return error_set(error, -lower, "%s: %s", overlay->origin, strerror(-lower));
    if (!is_examined(lower, overlay))
        return error_set(error, ESTALE,
                         "%s: %s was replaced while the jail was being planned; try "
                         "again",
                         overlay->origin, overlay->path);
    r = overlay_store_make(&mount->store, overlay, lower, error);
    return r < 0 ? error_wrap(error, "%s", overlay->origin) : 0;
}

static int make_marks(struct overlay_mounts *mounts, size_t count, struct error *error)
{
    mounts->marks = mmap(NULL, count * sizeof(*mounts->marks), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mounts->marks == MAP_FAILED) {
        mounts->marks = NULL;
        return error_set(error, errno, "shared memory of the overlays: %s", strerror(errno));
    }
    mounts->mark_count = count;
    return 0;
}

int overlay_prepare(struct overlay_mounts *mounts, const struct plan *plan,
                    const struct overlays *overlays, struct error *error)
{
    int r = 0;

    *mounts = (struct overlay_mounts){0};
    for (size_t i = 0; i < plan->n && r == 0; i++) {
        const struct overlay *overlay;
        struct overlay_mount *mount;

        if (plan->v[i].kind != PLAN_OVERLAY)
            continue;
        overlay = find_overlay(overlays, plan->v[i].dest);
        if (!overlay)
            return error_set(error, EINVAL, "%s: no overlay is known for it", plan->v[i].dest);
        if (!mounts->marks)
            r = make_marks(mounts, plan->n, error);
        if (r < 0)
            return r;
        mounts->v = xrealloc(mounts->v, mounts->n + 1, sizeof(*mounts->v));
        mount = &mounts->v[mounts->n++];
        *mount = (struct overlay_mount){.store = OVERLAY_STORE_NONE, .mark = &mounts->marks[i]};
        r = prepare_one(mount, overlay, error);
    }
    return r;
}

void overlay_mounts_free(struct overlay_mounts *mounts)
{
    for (size_t i = 0; i < mounts->n; i++)
        overlay_store_close(&mounts->v[i].store);
    cleanup_free(&mounts->v);
    if (mounts->marks)
        munmap(mounts->marks, mounts->mark_count * sizeof(*mounts->marks));
    *mounts = (struct overlay_mounts){0};
}

/* ---- between fork and exec ---- */

/* Dumpable from here on, which the exec that follows would make the process anyway. */
static enum overlay_stage enter_namespaces(uid_t uid, gid_t gid)
{
    enum userns_step step = userns_enter(uid, gid);

    if (step != USERNS_DONE)
        return step == USERNS_MAKE ? OVERLAY_NAMESPACE : OVERLAY_MAP;
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? OVERLAY_PRIVATE : OVERLAY_OK;
}

/* The storage, opened in this mount namespace: the same directory as the locked one. */
static int reopen_store(const struct overlay_mount *mount)
{
    int fd = open_exact(mount->overlay->storage);
    struct stat here;
    struct stat locked;

    if (fd >= 0 && fstat(fd, &here) == 0 && fstat(mount->store.dir, &locked) == 0 &&
        here.st_dev == locked.st_dev && here.st_ino == locked.st_ino)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* What is at the path now must be an overlay. */
static enum overlay_stage take_mounted(const struct overlay_mount *mount)
{
    int fd = open_exact(mount->overlay->path);
    struct statfs fs;
    struct stat st;

    if (fd < 0 || fstatfs(fd, &fs) < 0 || fs.f_type != OVERLAYFS_SUPER_MAGIC ||
        fstat(fd, &st) < 0 || is_examined(fd, mount->overlay))
        return OVERLAY_BIND;
    mount->mark->dev = st.st_dev;
    mount->mark->ino = st.st_ino;
    if (mount->bind_fd && dup3(fd, *mount->bind_fd, O_CLOEXEC) < 0)
        return OVERLAY_BIND;
    close(fd);
    return OVERLAY_OK;
}

static enum overlay_stage mount_one(const struct overlay_mount *overlay)
{
    const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    char options[OPTIONS_MAX];
    char target[64];
    int lower = open_exact(overlay->overlay->path);
    int store = reopen_store(overlay);
    int upper = store < 0 ? -1 : openat(store, "upper", flags);
    int work = store < 0 ? -1 : openat(store, "work", flags);

    if (lower < 0 || upper < 0 || work < 0 || !is_examined(lower, overlay->overlay))
        return OVERLAY_REPLACED;
    snprintf(target, sizeof(target), "/proc/self/fd/%d", lower);
    snprintf(options, sizeof(options),
             "lowerdir=/proc/self/fd/%d,upperdir=/proc/self/fd/%d,workdir=/proc/self/fd/%d,"
             "userxattr,redirect_dir=nofollow,metacopy=off",
             lower, upper, work);
    if (mount("overlay", target, "overlay", MS_NOSUID | MS_NODEV, options) < 0)
        return OVERLAY_MOUNT;
    close(lower);
    close(upper);
    close(work);
    close(store);
    return take_mounted(overlay);
}

enum overlay_stage overlay_mount_all(const struct overlay_mounts *mounts, uid_t uid, gid_t gid,
                                     int *index)
{
    enum overlay_stage stage;

    *index = -1;
    if (mounts->n == 0)
        return OVERLAY_OK;
    stage = enter_namespaces(uid, gid);
    for (size_t i = 0; i < mounts->n && stage == OVERLAY_OK; i++) {
        stage = mount_one(&mounts->v[i]);
        if (stage != OVERLAY_OK)
            *index = (int)i;
    }
    return stage;
}

/* ---- in the mounter ---- */

bool overlay_is_marked(int fd, const struct stat *st, const struct overlay_mark *mark)
{
    struct statfs fs;

    if (fstatfs(fd, &fs) < 0 || fs.f_type != OVERLAYFS_SUPER_MAGIC)
        return false;
    return mark->ino != 0 && st->st_dev == mark->dev && st->st_ino == mark->ino;
}
