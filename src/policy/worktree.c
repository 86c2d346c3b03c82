// SPDX-License-Identifier: GPL-3.0-only
/*
 * worktree: the repository behind a linked git worktree.
 *
 * The way there, each step checked before the next:
 *
 *     P/.git             a file "gitdir: D"
 *     D/commondir        leads to C, and D is C/worktrees/NAME
 *     D/gitdir           leads back to P/.git
 *     C                  has HEAD, objects and refs
 *     C and D            belong to the caller, lie outside P, hold no secrets and not HOME
 *
 * A forged .git would have to name a directory of that shape that points back at the project: nobody
 * who can only write the project can make one elsewhere. What a jail of this project could change is
 * C itself, and that is why nothing is remembered from one launch to the next.
 *
 * Files may change while they are looked at: .git may be genuine for one look and forged for the
 * next, a directory on the way may become a link. It does not help the forger. Each file is read
 * once; from then on only the canonical C and D count, and all checks are about those two. What is
 * bound is not looked up again by what the files say: the plan keeps device and inode of the object at
 * C to which no link led, the session opens that very object or gives up (pty/spawn), and the mounter
 * compares once more what stands inside (pty/cover).
 */
#include "policy/worktree.h"

#include "base/path.h"
#include "policy/gitfile.h"
#include "policy/project.h"
#include "policy/secrets.h"

#include <errno.h>
#include <stdlib.h>

/* The file name in dir, as gitfile_follow(); must lead to an object of the given type. */
static int follow(const struct fs *fs, const char *dir, const char *name, const char *prefix,
                  enum fs_type type, char **canonical, struct error *error)
{
    _cleanup_free_ char *path = path_join(dir, name);
    struct fs_stat st;
    int r = gitfile_follow(fs, path, prefix, dir, canonical, error);

    if (r < 0)
        return r;
    if (fs_stat(fs, *canonical, false, &st) < 0 || st.type != type)
        return error_set(error, type == FS_DIR ? ENOTDIR : EINVAL, "%s leads to %s, which is no %s",
                         path, *canonical, type == FS_DIR ? "directory" : "regular file");
    return 0;
}

/* own must be common/worktrees/NAME, with one component as NAME. */
static int check_shape(const struct worktree *worktree, struct error *error)
{
    _cleanup_free_ char *all = path_join(worktree->common, "worktrees");
    _cleanup_free_ char *parent = path_parent(worktree->own);

    if (str_eq(parent, all) && !str_eq(worktree->own, all))
        return 0;
    return error_set(error, EPERM, "%s is not %s/NAME", worktree->own, all);
}

static int check_way_back(const struct worktree *worktree, const struct fs *fs, const char *dot_git,
                          struct error *error)
{
    _cleanup_free_ char *back = NULL;
    int r = follow(fs, worktree->own, "gitdir", "", FS_FILE, &back, error);

    if (r < 0)
        return r;
    if (!str_eq(back, dot_git))
        return error_set(error, EPERM, "%s/gitdir leads to another place, %s", worktree->own, back);
    return 0;
}

/* No link among them: what it leads to would not be shown. */
static int check_repository(const char *common, const struct fs *fs, struct error *error)
{
    static const struct {
        const char *name;
        enum fs_type type;
    } parts[] = {{"HEAD", FS_FILE}, {"objects", FS_DIR}, {"refs", FS_DIR}};

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        _cleanup_free_ char *path = path_join(common, parts[i].name);
        struct fs_stat st;

        if (fs_stat(fs, path, false, &st) < 0 || st.type != parts[i].type)
            return error_set(error, EPERM, "%s is no repository: no %s %s in it", common,
                             parts[i].type == FS_DIR ? "directory" : "regular file", parts[i].name);
    }
    return 0;
}

static bool is_our_own(const struct host *host, const char *dir)
{
    _cleanup_strv_ struct strv own = {0};

    project_own_dirs(host, &own);
    for (size_t i = 0; i < own.n; i++)
        if (path_is_within(dir, own.v[i]) || path_is_within(own.v[i], dir))
            return true;
    return false;
}

static int check_place(const char *dir, const struct host *host, const char *project,
                       struct error *error)
{
    struct fs_stat st;

    if (fs_stat(host->fs, dir, false, &st) < 0 || st.type != FS_DIR)
        return error_set(error, ESTALE, "%s has just gone", dir);
    if (st.uid != host->uid)
        return error_set(error, EPERM, "%s belongs to another user", dir);
    if (path_is_within(dir, project))
        return error_set(error, EPERM, "%s lies in the project", dir);
    if (path_is_within(host->home, dir))
        return error_set(error, EPERM, "%s is your home directory or holds it", dir);
    if (secrets_hold(host, dir) || secrets_lie_within(host, dir) || is_our_own(host, dir))
        return error_set(error, EPERM, "%s is or holds a directory that a jail never shows", dir);
    return 0;
}

/* The steps behind .git, whose own directory is known. */
static int check(struct worktree *worktree, const struct host *host, const char *project,
                 const char *dot_git, struct error *error)
{
    int r = follow(host->fs, worktree->own, "commondir", "", FS_DIR, &worktree->common, error);

    if (r == 0)
        r = check_shape(worktree, error);
    if (r == 0)
        r = check_way_back(worktree, host->fs, dot_git, error);
    if (r == 0)
        r = check_repository(worktree->common, host->fs, error);
    if (r == 0)
        r = check_place(worktree->common, host, project, error);
    if (r == 0)
        r = check_place(worktree->own, host, project, error);
    /* Something is missing, but not the .git of the project. */
    return r == -ENOENT ? -ESTALE : r;
}

int worktree_find(struct worktree *worktree, const struct host *host, const char *project,
                  struct error *error)
{
    _cleanup_free_ char *dot_git = path_join(project, ".git");
    struct fs_stat st;
    int r;

    *worktree = (struct worktree){0};
    if (fs_stat(host->fs, dot_git, false, &st) < 0 || st.type == FS_DIR)
        return error_set(error, ENOENT, "%s is no linked worktree", project);
    r = follow(host->fs, project, ".git", "gitdir: ", FS_DIR, &worktree->own, error);
    if (r == 0)
        r = check(worktree, host, project, dot_git, error);
    if (r < 0)
        worktree_free(worktree);
    return r;
}

void worktree_free(struct worktree *worktree)
{
    free(worktree->common);
    free(worktree->own);
    *worktree = (struct worktree){0};
}

/* The object that is kept and compared later is one to which no link leads. */
static int add_bind(struct plan *plan, const struct host *host, const char *dir, const char *origin,
                    struct error *error)
{
    struct plan_entry *entry = NULL;
    struct fs_stat st;
    int r = fs_stat_beneath(host->fs, "/", dir + 1, &st);

    if (r == -ENOSYS)
        r = fs_stat(host->fs, dir, false, &st);
    if (r == 0)
        entry = plan_add_bind(plan, host->fs, GROUP_WORKTREE, PLAN_RW, dir, dir, origin);
    if (!entry)
        return error_set(error, ESTALE, "%s has just changed", dir);
    entry->st = st;
    return 0;
}

void worktree_add(struct plan *plan, const struct config *config, const struct host *host,
                  const char *project, struct strv *dirs, struct notes *notes)
{
    struct worktree worktree CLEANUP(worktree_free) = {0};
    _cleanup_free_ char *origin = config_spelling(config, SET_WORKTREE);
    struct error error = {0};
    int r = worktree_find(&worktree, host, project, &error);

    if (r == -ENOENT)
        return;
    if (r == 0)
        r = add_bind(plan, host, worktree.common, origin, &error);
    if (r < 0) {
        notes_add(notes, NOTE_WARNING, "%s: the repository of %s is not shown: %s", origin, project,
                  error.text);
        return;
    }
    notes_add(notes, NOTE_INFO, "the command can %s the repository %s, outside of the project (%s)",
              config_flag(config, SET_LOCKDOWN) ? "read" : "change", worktree.common, origin);
    /* own lies in common: one bind shows both. */
    strv_push(dirs, worktree.common);
    strv_push(dirs, worktree.own);
}

void worktree_hint(const struct host *host, const char *project, struct notes *notes)
{
    struct worktree worktree CLEANUP(worktree_free) = {0};

    if (worktree_find(&worktree, host, project, NULL) == 0)
        notes_add(notes, NOTE_INFO,
                  "git will not work: %s is a linked worktree of %s, which the jail does not show; "
                  "--worktree shows it",
                  project, worktree.common);
}
