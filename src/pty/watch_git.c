// SPDX-License-Identifier: GPL-3.0-only
/*
 * watch_git: repositories that appear in the project during the run.
 *
 * git writes config and hooks while it makes a repository, so a new one is left alone until nothing has
 * changed in it for two seconds and no lock or half-written pack is there. Then the names that would
 * run on the host are protected, present or not, like those of a repository that was there at launch.
 * Only what has HEAD, objects/ and refs/ is a repository: a directory that is merely named .git
 * is left alone, and looked at again when something happens in it.
 *
 * Quiet is judged by the change times (ctime), which nobody can set.
 */
#include "pty/watch_parts.h"

#include "base/path.h"
#include "policy/git.h"
#include "pty/mounter_event.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define QUIET_NS         2000000000LL
#define CANDIDATES_MAX   256
#define REPOSITORIES_MAX 1024

struct watch_candidates {
    struct watch_ref v[CANDIDATES_MAX];
    size_t n;
};

/* Everything whose change tells that git is at work. */
static const char *const busy_parts[] = {
    ".",           "HEAD",       "config",       "index",
    "hooks",       "objects",    "objects/pack", "objects/info",
    "refs",        "refs/heads", "refs/remotes", "logs",
    "packed-refs", "modules",    "info",
};

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool is_type(int dir, const char *name, mode_t type)
{
    struct stat st;

    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && (st.st_mode & S_IFMT) == type;
}

static bool is_repository(int dir)
{
    return (is_type(dir, "HEAD", S_IFREG) || is_type(dir, "HEAD", S_IFLNK)) &&
           is_type(dir, "objects", S_IFDIR) && is_type(dir, "refs", S_IFDIR);
}

/* A name that starts or ends like this, directly in part, is there as long as git is at work. */
static bool has_name(int above, const char *part, const char *start, const char *end)
{
    int fd = openat(above, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    bool found = false;

    if (!dir && fd >= 0)
        close(fd);
    for (struct dirent *entry; dir && !found && (entry = readdir(dir));) {
        size_t len = strlen(entry->d_name);

        found = (start && str_starts(entry->d_name, start)) ||
                (end && len > strlen(end) && strcmp(entry->d_name + len - strlen(end), end) == 0);
    }
    if (dir)
        closedir(dir);
    return found;
}

static bool is_quiet(int dir)
{
    int64_t newest = 0;

    for (size_t i = 0; i < ARRAY_SIZE(busy_parts); i++) {
        struct stat st;
        int64_t at;

        if (fstatat(dir, busy_parts[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        at = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
        if (at > newest)
            newest = at;
    }
    return now_ns() - newest >= QUIET_NS && !has_name(dir, ".", NULL, ".lock") &&
           !has_name(dir, "objects/pack", "tmp_", NULL);
}

static bool is_protected(const struct watch *watch, uint32_t id)
{
    char path[PATH_MAX];

    return watch_tree_path(&watch->tree, id, git_protected_names[0], false, path, sizeof(path),
                           NULL) != WATCH_NODE_NONE &&
           (mask_rules_find(watch->options.rules, path).kind != PLAN_KIND_COUNT ||
            path_table_get(&watch->extra, path) != PATH_TABLE_NONE);
}

/* One that was there at launch is not new. */
static void mark_launch(struct watch *watch, uint32_t id)
{
    _cleanup_close_ int dir = watch_open_dir(watch, id, O_PATH);

    if (dir >= 0 && is_repository(dir))
        watch->tree.v[id].flags |= WATCH_FLAG_LAUNCH;
}

void watch_git_found(struct watch *watch, uint32_t id)
{
    struct watch_candidates *candidates = watch->candidates;

    if ((watch->tree.v[id].flags & WATCH_FLAG_LAUNCH) || is_protected(watch, id))
        return;
    if (!watch->is_inside) {
        mark_launch(watch, id);
        return;
    }
    if (!candidates)
        candidates = watch->candidates = xcalloc(1, sizeof(*candidates));
    watch->tree.v[id].flags |= WATCH_FLAG_CANDIDATE;
    for (size_t i = 0; i < candidates->n; i++)
        if (watch_deref(watch, candidates->v[i]) == id)
            return;
    /* One too many is found again with the next event in it. */
    if (candidates->n < CANDIDATES_MAX)
        candidates->v[candidates->n++] = watch_ref(watch, id);
}

static void add_literal(struct watch *watch, const char *path)
{
    if (path_table_get(&watch->extra, path) != PATH_TABLE_NONE)
        return;
    watch->extra_v = xrealloc(watch->extra_v, watch->extra_n + 1, sizeof(*watch->extra_v));
    watch->extra_v[watch->extra_n] = (struct watch_extra){xstrdup(path), PLAN_COVER_RO};
    *path_table_put(&watch->extra, watch->extra_v[watch->extra_n].path) = (uint32_t)watch->extra_n;
    watch->extra_n++;
}

static void protect(struct watch *watch, uint32_t id)
{
    char path[PATH_MAX];

    if (watch->extra_n >= (size_t)REPOSITORIES_MAX * 3) {
        watch_fail(watch, E2BIG, "repositories");
        return;
    }
    for (const char *const *name = git_protected_names; *name; name++)
        if (watch_tree_path(&watch->tree, id, *name, false, path, sizeof(path), NULL) !=
            WATCH_NODE_NONE)
            add_literal(watch, path);
    for (const char *const *name = git_protected_names; *name; name++)
        if (watch_tree_path(&watch->tree, id, *name, false, path, sizeof(path), NULL) !=
            WATCH_NODE_NONE)
            watch_check_name(watch, id, *name, path);
    if (watch_tree_path(&watch->tree, id, NULL, false, path, sizeof(path), NULL) != WATCH_NODE_NONE)
        watch_say(watch, MOUNTER_EVENT_REPOSITORY, PLAN_COVER_RO, 0, path, NULL);
    watch_queue(watch, id);
}

/* True if nothing is to be waited for any more. */
static bool settle(struct watch *watch, uint32_t id)
{
    _cleanup_close_ int dir = watch_open_dir(watch, id, O_PATH);

    /* What is no repository becomes one by an event in it. */
    if (dir < 0 || !is_repository(dir))
        return true;
    if (!is_quiet(dir))
        return false;
    watch->tree.v[id].flags &= ~(unsigned)WATCH_FLAG_CANDIDATE;
    protect(watch, id);
    return true;
}

void watch_git_step(struct watch *watch)
{
    struct watch_candidates *candidates = watch->candidates;

    if (!candidates || !watch->is_inside)
        return;
    for (size_t i = candidates->n; i-- > 0;) {
        uint32_t id = watch_deref(watch, candidates->v[i]);

        if (id == WATCH_NODE_NONE || settle(watch, id))
            candidates->v[i] = candidates->v[--candidates->n];
    }
    watch_run_queue(watch);
}

bool watch_git_waits(const struct watch *watch)
{
    return watch->candidates && watch->candidates->n > 0;
}
