// SPDX-License-Identifier: GPL-3.0-only
/*
 * report_git: what of a repository changed during the run and would be run by git later.
 *
 * What is protected cannot have changed, and is looked at all the same: a repository that was made
 * during the run has the configuration and the hooks that the command gave it, and a directory on
 * the way to a protected one may have been exchanged. git looks into a repository that is nested in
 * another one when nobody asks for it: "git status" does so for every submodule, and any directory
 * with a .git can be made one.
 */
#include "base/fd.h"
#include "base/path.h"
#include "policy/git.h"
#include "pty/report_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MAX 8 /* below modules/, and of repositories in repositories there */

/* A directory of the repository. */
struct part {
    struct report_walk *walk;
    const char *path;
    bool is_fresh;
    unsigned depth;
};

static void note(const struct part *part, int dir, const char *name)
{
    const struct report_walk *walk = part->walk;
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(st.st_mode) &&
        (part->is_fresh || report_is_later(&st, &walk->began)))
        report_add(walk->findings, REPORT_GIT,
                   part->is_fresh || report_is_born_later(dir, name, &walk->began), 1,
                   *part->path ? path_join(part->path, name) : xstrdup(name));
}

static void note_names(const struct part *part, int dir)
{
    for (size_t i = 0; git_protected_names[i]; i++)
        note(part, dir, git_protected_names[i]);
}

/* Opens the directory name, and calls each for every entry of it. */
static void each_entry(const struct part *part, int above, const char *name,
                       void (*each)(const struct part *part, int dir, const char *name))
{
    _cleanup_free_ char *path = path_join(part->path, name);
    const struct part below = {part->walk, path, part->is_fresh, part->depth + 1};
    int fd = report_open_directory(above, name);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    if (!dir && fd >= 0)
        close(fd);
    while (dir && !part->walk->is_cut && (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        report_count(part->walk);
        each(&below, fd, entry->d_name);
    }
    if (dir)
        closedir(dir);
}

static void look_at_hook(const struct part *hooks, int dir, const char *name)
{
    if (fnmatch("*.sample", name, 0) != 0)
        note(hooks, dir, name);
}

static void look_at_worktree(const struct part *worktrees, int dir, const char *name)
{
    _cleanup_close_ int fd = report_open_directory(dir, name);
    _cleanup_free_ char *path = path_join(worktrees->path, name);

    if (fd >= 0)
        note_names(&(struct part){worktrees->walk, path, worktrees->is_fresh, 0}, fd);
}

static void look_at_repository(const struct part *part, int dir);

/* The name of a submodule may have slashes, so there are directories between. */
static void look_at_module(const struct part *modules, int dir, const char *name)
{
    _cleanup_close_ int fd = report_open_directory(dir, name);
    _cleanup_free_ char *path = path_join(modules->path, name);
    const struct part module = {modules->walk, path, modules->is_fresh, modules->depth};

    if (fd < 0)
        return;
    if (module.depth > DEPTH_MAX)
        module.walk->is_partial = true;
    else if (report_is_repository(fd))
        look_at_repository(&module, fd);
    else
        each_entry(modules, dir, name, look_at_module);
}

static void look_at_repository(const struct part *part, int dir)
{
    note_names(part, dir);
    each_entry(part, dir, "hooks", look_at_hook);
    each_entry(part, dir, "worktrees", look_at_worktree);
    each_entry(part, dir, "modules", look_at_module);
}

static bool has(int dir, const char *name, bool as_directory)
{
    struct stat st;

    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           (S_ISLNK(st.st_mode) || S_ISDIR(st.st_mode) == as_directory);
}

bool report_is_repository(int dir)
{
    return has(dir, "HEAD", false) &&
           ((has(dir, "objects", true) && has(dir, "refs", true)) || has(dir, "commondir", false));
}

void report_walk_repository(struct report_walk *walk, int fd, const char *path, bool is_fresh)
{
    look_at_repository(&(struct part){walk, path, is_fresh, 0}, fd);
}
