// SPDX-License-Identifier: GPL-3.0-only
/*
 * cgroup: a child control group for the jail.
 *
 * A group can have limited children only if its subtree_control names the controllers, and a group
 * that has processes cannot name any (cgroups(7), "no internal processes"). So the place is usually
 * our parent, and only at the root of the hierarchy it is our own group.
 */
#include "pty/cgroup.h"

#include "base/fd.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX 4096
#define STEP_MS  10

char *cgroup_own_path(const char *text)
{
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (str_starts(line, "0::/")) {
            char *path = xstrndup(line + 3, strcspn(line + 3, "\n"));

            if (!strstr(path, "/..") && !strstr(path, " (deleted)"))
                return path;
            cleanup_free(&path);
        }
    }
    return NULL;
}

bool cgroup_lists(const char *list, const char *controller)
{
    size_t len = strlen(controller);

    for (const char *at = list; (at = strstr(at, controller)); at += len) {
        bool starts = at == list || at[-1] == ' ';
        bool ends = at[len] == ' ' || at[len] == '\n' || at[len] == '\0';

        if (starts && ends)
            return true;
    }
    return false;
}

/* Content of a small file of the kernel in text; false if it cannot be read. */
static bool read_file(int dir, const char *name, char text[TEXT_MAX])
{
    _cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, TEXT_MAX - 1);

    text[n < 0 ? 0 : n] = '\0';
    return n >= 0;
}

static bool write_number(int dir, const char *name, uint64_t number)
{
    _cleanup_close_ int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
    char text[32];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
    return fd >= 0 && fd_write_all(fd, text, strlen(text)) == 0;
}

static int open_dir(int dir, const char *path)
{
    return openat(dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Where cgroup v2 is mounted: alone, or beside version 1. */
static int open_hierarchy(void)
{
    static const char *const roots[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

    for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
        _cleanup_close_ int root = open_dir(AT_FDCWD, roots[i]);

        if (root >= 0 && faccessat(root, "cgroup.controllers", F_OK, 0) == 0)
            return steal_fd(&root);
    }
    return -1;
}

/* Makes the group below dir, which is taken over on success. */
static bool make_below(struct cgroup *cgroup, int *dir, uint64_t pids_max, uint64_t memory_max)
{
    char controllers[TEXT_MAX];
    _cleanup_close_ int group = -1;

    if (!read_file(*dir, "cgroup.subtree_control", controllers) ||
        !cgroup_lists(controllers, "pids") || mkdirat(*dir, cgroup->name, 0755) < 0)
        return false;
    group = open_dir(*dir, cgroup->name);
    if (group >= 0 && write_number(group, "pids.max", pids_max) &&
        (!memory_max || !cgroup_lists(controllers, "memory") ||
         write_number(group, "memory.max", memory_max)))
        cgroup->procs = openat(group, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (cgroup->procs < 0) {
        unlinkat(*dir, cgroup->name, AT_REMOVEDIR);
        return false;
    }
    cgroup->parent = steal_fd(dir);
    return true;
}

bool cgroup_make(struct cgroup *cgroup, uint64_t pids_max, uint64_t memory_max_bytes)
{
    char text[TEXT_MAX];
    _cleanup_close_ int root = open_hierarchy();
    _cleanup_free_ char *own = NULL;
    _cleanup_free_ char *parent = NULL;

    *cgroup = CGROUP_NONE;
    if (root < 0 || !read_file(AT_FDCWD, "/proc/self/cgroup", text))
        return false;
    own = cgroup_own_path(text);
    if (!own)
        return false;
    parent = path_parent(own);
    snprintf(cgroup->name, sizeof(cgroup->name), "ai-jail-%d", (int)getpid());
    for (int up = 0; up < 2; up++) {
        const char *path = up ? parent : own;
        _cleanup_close_ int dir = open_dir(root, path[1] ? path + 1 : ".");

        if (dir >= 0 && make_below(cgroup, &dir, pids_max, memory_max_bytes))
            return true;
    }
    return false;
}

void cgroup_enter(const struct cgroup *cgroup)
{
    if (cgroup->procs >= 0)
        (void)!write(cgroup->procs, "0", 1);
}

void cgroup_remove(const struct cgroup *cgroup, int timeout_ms)
{
    if (cgroup->parent < 0)
        return;
    while (unlinkat(cgroup->parent, cgroup->name, AT_REMOVEDIR) < 0 && errno == EBUSY &&
           timeout_ms > 0) {
        poll(NULL, 0, STEP_MS);
        timeout_ms -= STEP_MS;
    }
}

void cgroup_close(struct cgroup *cgroup)
{
    cleanup_close(&cgroup->parent);
    cleanup_close(&cgroup->procs);
    *cgroup = CGROUP_NONE;
}
