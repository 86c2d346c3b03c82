// SPDX-License-Identifier: GPL-3.0-only
/*
 * watch_dir: the directories of the host that are watched.
 *
 * Directories are opened below the descriptor of a root that was opened before the mounter joined the
 * jail's namespaces, without following links, and compared with the inode that the node stands for.
 * So neither the covers in the jail nor a name that was swapped lead to another directory.
 *
 * A directory is looked at after its watch has been added: what was made in between is seen twice
 * rather than never.
 */
#include "pty/watch_parts.h"

#include "base/path.h"
#include "pty/mounter_event.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENTS                                                                                     \
    (IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB | IN_ONLYDIR |                \
     IN_DONT_FOLLOW | IN_EXCL_UNLINK)

static int open_below(int dir, const char *path, int flags)
{
    struct open_how how = {
        .flags = (uint64_t)(unsigned)(O_NOFOLLOW | O_CLOEXEC | flags),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    long fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));

    return fd < 0 ? -errno : (int)fd;
}

static int root_fd(const struct watch *watch, uint32_t root)
{
    for (size_t i = 0; i < watch->root_count; i++)
        if (watch->roots[i].node == root)
            return watch->roots[i].fd;
    return -1;
}

static bool is_node(const struct watch_node *node, int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_dev == node->dev && st.st_ino == node->ino;
}

int watch_open_dir(const struct watch *watch, uint32_t id, int flags)
{
    char path[PATH_MAX];
    int r = -ESTALE;

    /* Its name, or the one it had: somebody may be swapping them. */
    for (int old = 0; old < 2; old++) {
        const char *rest;
        uint32_t root = watch_tree_path(&watch->tree, id, NULL, old, path, sizeof(path), &rest);
        _cleanup_close_ int fd = -1;

        if (root == WATCH_NODE_NONE)
            continue;
        fd = open_below(root_fd(watch, root), *rest ? rest : ".", flags | O_DIRECTORY);
        if (fd < 0 && fd != -ENOENT && fd != -ENOTDIR && fd != -ELOOP)
            r = fd;
        if (fd >= 0 && is_node(&watch->tree.v[id], fd))
            return steal_fd(&fd);
    }
    return r;
}

static void on_gone(void *arg, int wd)
{
    struct watch *watch = arg;

    inotify_rm_watch(watch->inotify, wd);
    watch->watch_count--;
}

void watch_remove_dir(struct watch *watch, uint32_t id)
{
    watch_tree_remove(&watch->tree, id, on_gone, watch);
}

void watch_queue(struct watch *watch, uint32_t id)
{
    struct watch_node *node = &watch->tree.v[id];

    if (node->flags & WATCH_FLAG_QUEUED)
        return;
    node->flags |= WATCH_FLAG_QUEUED;
    if (watch->queue_n == watch->queue_cap) {
        watch->queue_cap = watch->queue_cap ? watch->queue_cap * 2 : 64;
        watch->queue = xrealloc(watch->queue, watch->queue_cap, sizeof(*watch->queue));
    }
    watch->queue[watch->queue_n++] = id;
}

/* The number of the watch, or -errno. */
static int add_watch(struct watch *watch, int dir)
{
    int wd;

    if (watch->watch_count >= WATCH_DIRECTORIES_MAX)
        return -E2BIG;
    /* A watch is asked for by path, and the jail has no /proc of ours. */
    if (fchdir(dir) < 0)
        return -errno;
    wd = inotify_add_watch(watch->inotify, ".", EVENTS);
    return wd < 0 ? -errno : wd;
}

/* The directory has to be looked at every second instead. */
static void do_without(struct watch *watch, uint32_t id, int code)
{
    char path[PATH_MAX] = "";

    watch->tree.v[id].flags |= WATCH_FLAG_UNWATCHED;
    watch->has_unwatched = true;
    if (watch->no_watch_code || code == EACCES)
        return;
    watch->no_watch_code = code;
    watch_tree_path(&watch->tree, id, NULL, false, path, sizeof(path), NULL);
    watch_say(watch, MOUNTER_EVENT_NO_WATCH, 0, code, path, NULL);
}

static void set_watch(struct watch *watch, uint32_t id, int wd)
{
    if (wd < 0) {
        do_without(watch, id, -wd);
        return;
    }
    watch->tree.v[id].flags &= ~(unsigned)WATCH_FLAG_UNWATCHED;
    watch_tree_set_wd(&watch->tree, id, wd);
    watch->watch_count++;
}

void watch_start(struct watch *watch, uint32_t id, int dir)
{
    set_watch(watch, id, add_watch(watch, dir));
    watch_queue(watch, id);
}

/* A node that stands for the directory already: it has been moved here, and the event that tells so
 * is still on its way. */
static uint32_t adopt(struct watch *watch, uint32_t id, uint32_t parent, const char *name)
{
    bool is_orphan = watch->tree.v[id].flags & WATCH_FLAG_ORPHAN;
    char before[PATH_MAX], now[PATH_MAX];
    bool is_known = watch_tree_path(&watch->tree, id, NULL, is_orphan, before, sizeof(before),
                                    NULL) != WATCH_NODE_NONE;

    /* A bind mount on the host shows a directory below itself. */
    if (watch_tree_is_within(&watch->tree, parent, id) ||
        (watch->tree.v[id].parent == WATCH_NODE_NONE && !is_orphan))
        return WATCH_NODE_NONE;
    watch_tree_detach(&watch->tree, id);
    watch_tree_attach(&watch->tree, id, parent, name);
    if (is_known &&
        watch_tree_path(&watch->tree, id, NULL, false, now, sizeof(now), NULL) != WATCH_NODE_NONE)
        watch_carry(watch, id, before, now);
    for (uint32_t at = id; at != WATCH_NODE_NONE; at = watch_tree_next(&watch->tree, id, at))
        watch_queue(watch, at);
    return id;
}

/* A node for the directory, which has none under this name. */
static uint32_t add_node(struct watch *watch, uint32_t parent, const char *name, int dir)
{
    int wd = add_watch(watch, dir);
    uint32_t id = wd < 0 ? WATCH_NODE_NONE : watch_tree_by_wd(&watch->tree, wd);

    if (id != WATCH_NODE_NONE)
        return adopt(watch, id, parent, name);
    id = watch_tree_add(&watch->tree, parent, name);
    if (id == WATCH_NODE_NONE)
        watch_fail(watch, E2BIG, name);
    else
        set_watch(watch, id, wd);
    return id;
}

uint32_t watch_add_dir(struct watch *watch, uint32_t parent, const char *name, unsigned flags)
{
    _cleanup_close_ int above = watch_open_dir(watch, parent, O_PATH);
    _cleanup_close_ int dir = above < 0 ? above : open_below(above, name, O_RDONLY | O_DIRECTORY);
    uint32_t id = watch_tree_child(&watch->tree, parent, name);
    struct stat st;

    /* One that can only be searched cannot be watched. */
    if (dir == -EACCES && faccessat(above, name, X_OK, AT_EACCESS) == 0)
        dir = open_below(above, name, O_PATH | O_DIRECTORY);
    if (dir < 0 || fstat(dir, &st) < 0) {
        if (id != WATCH_NODE_NONE && above >= 0)
            watch_remove_dir(watch, id);
        return WATCH_NODE_NONE;
    }
    if (id != WATCH_NODE_NONE && !is_node(&watch->tree.v[id], dir)) {
        watch_remove_dir(watch, id);
        id = WATCH_NODE_NONE;
    }
    if (id == WATCH_NODE_NONE) {
        id = add_node(watch, parent, name, dir);
        if (id == WATCH_NODE_NONE)
            return id;
        watch->tree.v[id].dev = st.st_dev;
        watch->tree.v[id].ino = st.st_ino;
        watch_queue(watch, id);
    } else if (watch->tree.v[id].flags & WATCH_FLAG_UNWATCHED) {
        watch_start(watch, id, dir);
    }
    if (flags & ~watch->tree.v[id].flags)
        watch_queue(watch, id);
    watch->tree.v[id].flags |= flags;
    return id;
}

static bool is_git_part(const char *name)
{
    static const char *const parts[] = {"objects",  "refs", "hooks",    "info",
                                        "branches", "logs", "rr-cache", "lfs"};

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (strcmp(name, parts[i]) == 0)
            return true;
    return false;
}

/* How the directory belongs to a repository: 0, or the flags for its node. */
static unsigned git_flags(const struct watch *watch, uint32_t parent, const char *name,
                          const char *path)
{
    unsigned above = watch->tree.v[parent].flags;

    if (!watch->options.protect_git)
        return 0;
    if ((above & (WATCH_FLAG_REPOSITORY | WATCH_FLAG_MODULE)) && strcmp(name, "modules") == 0)
        return WATCH_FLAG_MODULE;
    if (above & WATCH_FLAG_MODULE)
        return is_git_part(name) ? 0 : WATCH_FLAG_MODULE;
    if (!(above & WATCH_FLAG_REPOSITORY) && strcmp(name, ".git") == 0 &&
        path_is_below(path, watch->options.project))
        return WATCH_FLAG_REPOSITORY;
    return 0;
}

void watch_consider_dir(struct watch *watch, uint32_t parent, const char *name, const char *path)
{
    unsigned flags = git_flags(watch, parent, name, path);
    uint32_t id;

    if (plan_hides(watch_find(watch, parent, name, path).kind))
        return;
    if (!flags && !mask_rules_leads_on(watch->options.rules, path))
        return;
    id = watch_add_dir(watch, parent, name, flags);
    if (id != WATCH_NODE_NONE && flags)
        watch_git_found(watch, id);
}

static void look_at_name(struct watch *watch, uint32_t id, const struct dirent *entry, char *path,
                         size_t len)
{
    size_t name_len = strlen(entry->d_name);

    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
        len + name_len + 2 > PATH_MAX)
        return;
    path[len] = '/';
    memcpy(path + len + 1, entry->d_name, name_len + 1);
    watch_check_name(watch, id, entry->d_name, path);
    if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN)
        watch_consider_dir(watch, id, entry->d_name, path);
}

/* Something else has its name: what that is, the directory above tells. */
static void lose_dir(struct watch *watch, uint32_t id)
{
    uint32_t parent = watch->tree.v[id].parent;

    if (parent == WATCH_NODE_NONE)
        return;
    watch_remove_dir(watch, id);
    watch_queue(watch, parent);
}

static void look_at_names(struct watch *watch, uint32_t id)
{
    struct watch_ref ref = watch_ref(watch, id);
    char path[PATH_MAX];
    int fd = watch_open_dir(watch, id, O_RDONLY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    size_t len;

    if (fd == -ESTALE)
        lose_dir(watch, id);
    if (!dir && fd >= 0)
        close(fd);
    if (!dir)
        return;
    if (watch_tree_path(&watch->tree, id, NULL, false, path, sizeof(path), NULL) !=
        WATCH_NODE_NONE) {
        len = strcmp(path, "/") == 0 ? 0 : strlen(path);
        for (struct dirent *entry; !watch->fatal && (entry = readdir(dir));)
            if (watch_deref(watch, ref) == id)
                look_at_name(watch, id, entry, path, len);
    }
    closedir(dir);
}

/* The literals below a directory that cannot be listed are still looked for: by name. */
static void look_at_literals(struct watch *watch, uint32_t id)
{
    char path[PATH_MAX];

    if (watch_tree_path(&watch->tree, id, NULL, false, path, sizeof(path), NULL) == WATCH_NODE_NONE)
        return;
    for (size_t i = 0; i < mask_rules_literal_count(watch->options.rules); i++) {
        struct mask_literal literal = mask_rules_literal(watch->options.rules, i);
        const char *name = path_base(literal.path);
        size_t len = (size_t)(name - literal.path);

        if (len == strlen(path) + 1 && strncmp(literal.path, path, len - 1) == 0)
            watch_check_name(watch, id, name, literal.path);
    }
}

void watch_run_queue(struct watch *watch)
{
    while (watch->queue_n > 0 && !watch->fatal) {
        uint32_t id = watch->queue[--watch->queue_n];
        struct watch_node *node = &watch->tree.v[id];

        if (!node->name || !(node->flags & WATCH_FLAG_QUEUED))
            continue; /* gone, or another one by now */
        node->flags &= ~(unsigned)(WATCH_FLAG_QUEUED | WATCH_FLAG_LATE);
        if (node->flags & WATCH_FLAG_UNWATCHED)
            look_at_literals(watch, id);
        look_at_names(watch, id);
    }
}
