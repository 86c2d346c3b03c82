// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_git: what git would run on the host later. The project is a repository with a submodule's
 * repository below it, the sibling one too.
 */
#include "probe.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

static long create(const char *path)
{
    long fd = RESULT(open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0700));

    if (fd >= 0)
        close((int)fd);
    return fd < 0 ? fd : 0;
}

/* Renames there and back. */
static long move_away(const char *path)
{
    char away[PATH_MAX + 16];
    long rc;

    snprintf(away, sizeof away, "%s-escape", path);
    rc = RESULT(rename(path, away));
    if (rc >= 0)
        rename(away, path);
    return rc;
}

/* Lists: 0 content, 1 names. */
static void write_file(struct trial *t, const char *dir, const char *name)
{
    char path[PATH_MAX], fresh[PATH_MAX];
    struct stat st;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    snprintf(fresh, sizeof fresh, "%s/escape-new", dir);
    if (stat(path, &st) < 0)
        trial_must(t, false, "stat(%s)", path);
    trial_call(t, 0, file_write(path, NULL), "open(%s, O_WRONLY)", path);
    trial_call(t, 0, RESULT(truncate(path, st.st_size)), "truncate(%s)", path);
    trial_call(t, 0, RESULT(chmod(path, st.st_mode & 0777)), "chmod(%s)", path);
    trial_call(t, 1, move_away(path), "rename(%s)", path);
    if (t->lockdown && !t->control) {
        trial_call(t, 1, create(fresh), "open(%s, O_CREAT)", fresh);
    } else {
        if (create(fresh) < 0)
            trial_must(t, false, "open(%s, O_CREAT)", fresh);
        trial_call(t, 1, RESULT(rename(fresh, path)), "rename over %s", path);
    }
    unlink(fresh);
}

static void hooks(struct trial *t, const char *dir)
{
    char path[PATH_MAX], fresh[PATH_MAX];
    long rc;

    snprintf(path, sizeof path, "%s/hooks/post-commit", dir);
    snprintf(fresh, sizeof fresh, "%s/hooks/escape-new", dir);
    trial_call(t, 0, file_write(path, NULL), "open(%s, O_WRONLY)", path);
    rc = create(fresh);
    trial_call(t, 0, rc, "open(%s, O_CREAT)", fresh);
    unlink(fresh);
    trial_call(t, 0, move_away(path), "rename(%s)", path);
    snprintf(path, sizeof path, "%s/hooks", dir);
    trial_call(t, 1, move_away(path), "rename(%s)", path);
}

static void what_runs_later(struct trial *t)
{
    static const char *const dirs[] = {".git", ".git/modules/s"};

    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        write_file(t, dirs[i], "config");
        write_file(t, dirs[i], "config.worktree");
        hooks(t, dirs[i]);
    }
}

/* A copy without read-only parts would take its place. */
static void whole_directory(struct trial *t)
{
    trial_call(t, 0, move_away(".git"), "rename(.git)");
}

/* Without --worktree nothing outside the project is shown. */
static void other_repository(struct trial *t)
{
    char buf[64];

    trial_call(t, 0, file_read("../sibling/.git/config", buf, sizeof buf),
               "read(../sibling/.git/config)");
}

const struct probe probes_git[] = {
    {"E-GIT-07", what_runs_later, "EROFS; EBUSY", NORMAL, CONTROL_ALL, NULL, "EROFS; EBUSY"},
    {"E-GIT-07", what_runs_later, "EROFS; EBUSY EROFS", ONLY_LOCKDOWN, CONTROL_ALL, NULL, NULL},
    {"E-GIT-09", whole_directory, "EBUSY", NORMAL, CONTROL_SAME, NULL, "EBUSY"},
    {"E-GIT-09", whole_directory, "EBUSY EROFS", ONLY_LOCKDOWN, CONTROL_SAME, NULL, NULL},
    {"E-GIT-10", other_repository, "ENOENT", EVERY, CONTROL_SAME, NULL, "ENOENT"},
    {0},
};
