// SPDX-License-Identifier: GPL-3.0-only
/*
 * watch_cover: from a name in a directory of the host to a cover in the jail.
 *
 * The host's object is looked at through the host's directory. The jail's is opened below the
 * destination that shows it, never over a link, in a directory that must be the same inode as the
 * host's. Only if both are the same inode is it covered, through its descriptor, whatever its name is
 * by then. The jail may swap directories meanwhile: then nothing fits, and both are opened again.
 *
 * A link that appears is left alone. What it leads to is either protected by its own name, or was
 * there to be read before.
 */
#include "pty/watch_parts.h"

#include "base/path.h"
#include "pty/mounter_event.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SWAPS_MAX    200 /* attempts in a row while directories move */
#define MOTION_MAX   50  /* such rows, some milliseconds apart */
#define FAILURES_MAX 3

static struct mask_verdict stronger(struct mask_verdict a, enum plan_kind kind, const char *origin)
{
    if (kind == PLAN_KIND_COUNT || plan_cover_strength(kind) <= plan_cover_strength(a.kind))
        return a;
    return (struct mask_verdict){kind, origin};
}

struct mask_verdict watch_find(const struct watch *watch, uint32_t dir, const char *name,
                               const char *path)
{
    struct mask_verdict verdict = mask_rules_find(watch->options.rules, path);
    const struct watch_sticky *sticky =
        watch->tree.v[dir].sticky ? watch_tree_sticky(&watch->tree, dir, name) : NULL;
    uint32_t extra = watch->extra_n ? path_table_get(&watch->extra, path) : PATH_TABLE_NONE;

    if (sticky)
        verdict = stronger(verdict, sticky->kind, sticky->origin);
    if (extra != PATH_TABLE_NONE)
        verdict = stronger(verdict, watch->extra_v[extra].kind, "git protection");
    return verdict;
}

/* ---- inside ---- */

static const struct watch_view *find_view(const struct watch *watch, const char *dest)
{
    const struct watch_view *best = NULL;

    for (size_t i = 0; i < watch->view_count; i++)
        if (path_is_below(dest, watch->views[i].dest) &&
            (!best || strlen(watch->views[i].dest) > strlen(best->dest)))
            best = &watch->views[i];
    return best;
}

/* One cover to be placed. */
struct task {
    struct watch *watch;
    uint32_t dir;
    const char *name;
    struct mask_verdict verdict;
    struct stat host_dir;
    struct stat host;
    int result; /* 0, or the last that went wrong */
    bool placed;
};

/* The directory behind dest, which ends with the name; must be the host's. */
static int open_inside_dir(const struct task *task, const struct watch_view *view, const char *dest)
{
    const char *rest = path_rest(dest, view->dest);
    size_t len = (size_t)(path_base(rest) - rest);
    _cleanup_free_ char *above = len ? xstrndup(rest, len - 1) : xstrdup(".");
    _cleanup_close_ int fd = cover_open_below(view->fd, above, O_DIRECTORY);
    struct stat st;

    if (fd < 0)
        return fd;
    if (fstat(fd, &st) < 0)
        return -errno;
    if (!view->is_overlay &&
        (st.st_dev != task->host_dir.st_dev || st.st_ino != task->host_dir.st_ino))
        return -ESTALE;
    return steal_fd(&fd);
}

static int cover_inside(struct task *task, const char *dest)
{
    const struct cover_set *set = &task->watch->set;
    const struct watch_view *view = find_view(task->watch, dest);
    _cleanup_close_ int above = -1;
    _cleanup_close_ int object = -1;
    struct stat st;
    int r;

    if (!view) /* the bind itself, which nothing replaces */
        return 0;
    above = open_inside_dir(task, view, dest);
    if (above < 0)
        return above;
    object = cover_open_below(above, path_base(dest), 0);
    if (object < 0)
        return object;
    if (fstat(object, &st) < 0)
        return -errno;
    if (S_ISLNK(st.st_mode) || cover_is_on(set, task->verdict.kind, object, &st))
        return 0;
    if (!view->is_overlay && (st.st_dev != task->host.st_dev || st.st_ino != task->host.st_ino))
        return -ESTALE;
    r = cover_put(set, task->verdict.kind, object, &st);
    task->placed |= r == 0;
    return r;
}

static void on_view(void *arg, const char *dest)
{
    struct task *task = arg;
    int r = cover_inside(task, dest);

    if (r < 0)
        task->result = r;
}

/* One attempt with the directory under one path. 0: nothing (more) to do. */
static int attempt(struct task *task, bool use_old)
{
    struct watch *watch = task->watch;
    _cleanup_close_ int dir = watch_open_dir(watch, task->dir, O_PATH);
    char path[PATH_MAX];

    if (dir < 0)
        return dir;
    if (fstat(dir, &task->host_dir) < 0)
        return -errno;
    if (fstatat(dir, task->name, &task->host, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT || errno == EACCES ? 0 : -errno;
    if (watch_tree_path(&watch->tree, task->dir, task->name, use_old, path, sizeof(path), NULL) ==
        WATCH_NODE_NONE)
        return -ESTALE;
    if (S_ISLNK(task->host.st_mode)) {
        watch_say(watch, MOUNTER_EVENT_LINK, (int)task->verdict.kind, 0, path,
                  task->verdict.origin);
        return 0;
    }
    task->result = 0;
    plan_each_view(watch->options.plan, path, on_view, task);
    return task->result;
}

/* What opening gives while somebody moves or replaces parts of the path. */
static bool is_motion(int r)
{
    return r == -ESTALE || r == -EAGAIN || r == -ENOENT || r == -ENOTDIR || r == -ELOOP ||
           r == -EXDEV;
}

static int place(struct task *task)
{
    int r = -ESTALE;

    for (int i = 0; i < SWAPS_MAX && is_motion(r); i++) {
        r = attempt(task, i & 1);
        /* Not shown inside at all, which is no race if it is so twice. */
        if (r == -ENOENT && i >= 3)
            return 0;
    }
    return r;
}

static void put_off(struct watch *watch, uint32_t dir, const char *name, unsigned tries)
{
    for (size_t i = 0; i < watch->again_n; i++)
        if (watch->again[i].dir.id == dir && strcmp(watch->again[i].name, name) == 0)
            return;
    if (watch->again_n < WATCH_AGAIN_MAX) {
        watch->again[watch->again_n++] =
            (struct watch_again){watch_ref(watch, dir), xstrdup(name), tries};
        return;
    }
    /* Too many to remember: the whole directory. */
    watch->tree.v[dir].flags |= WATCH_FLAG_LATE;
    watch->has_late = true;
}

static void settle(struct task *task, int r, unsigned tries, const char *path)
{
    struct watch *watch = task->watch;
    bool in_motion = is_motion(r);

    if (task->placed && !watch->is_silent) {
        watch->options.counts->covered++;
        watch_say(watch, MOUNTER_EVENT_COVERED, (int)task->verdict.kind, 0, path,
                  task->verdict.origin);
    }
    if (r < 0 && tries + 1 >= (in_motion ? MOTION_MAX : FAILURES_MAX))
        watch_fail(watch, in_motion ? EBUSY : -r, path);
    else if (r < 0)
        put_off(watch, task->dir, task->name, tries + 1);
}

struct planned {
    const struct watch *watch;
    bool all;
};

static void on_planned(void *arg, const char *dest)
{
    struct planned *planned = arg;

    if (path_table_get(&planned->watch->planned, dest) == PATH_TABLE_NONE)
        planned->all = false;
}

/* While arming: true if the plan covers the host path wherever it is shown. */
static bool is_planned(const struct watch *watch, const char *path)
{
    struct planned planned = {watch, true};

    plan_each_view(watch->options.plan, path, on_planned, &planned);
    return planned.all;
}

static void check(struct watch *watch, uint32_t dir, const char *name, const char *path,
                  unsigned tries)
{
    struct task task = {.watch = watch, .dir = dir, .name = name};

    task.verdict = watch_find(watch, dir, name, path);
    if (task.verdict.kind == PLAN_KIND_COUNT)
        return;
    watch->tree.v[dir].flags |= WATCH_FLAG_HOLDS;
    if (!watch->is_inside) {
        if (!is_planned(watch, path))
            put_off(watch, dir, name, 0);
        return;
    }
    settle(&task, place(&task), tries, path);
}

void watch_check_name(struct watch *watch, uint32_t dir, const char *name, const char *path)
{
    check(watch, dir, name, path, 0);
}

void watch_try_again(struct watch *watch)
{
    size_t n = watch->again_n;
    struct watch_again *old = xcalloc(n, sizeof(*old));
    char path[PATH_MAX];

    memcpy(old, watch->again, n * sizeof(*old));
    watch->again_n = 0;
    for (uint32_t id = 0; watch->has_late && id < watch->tree.n; id++)
        if (watch->tree.v[id].flags & WATCH_FLAG_LATE)
            watch_queue(watch, id);
    watch->has_late = false;
    for (size_t i = 0; i < n; i++) {
        uint32_t dir = watch_deref(watch, old[i].dir);

        if (dir != WATCH_NODE_NONE && watch_tree_path(&watch->tree, dir, old[i].name, false, path,
                                                      sizeof(path), NULL) != WATCH_NODE_NONE)
            check(watch, dir, old[i].name, path, old[i].tries);
        free(old[i].name);
    }
    free(old);
    watch_run_queue(watch);
}
