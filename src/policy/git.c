// SPDX-License-Identifier: GPL-3.0-only
/*
 * git: which parts of a repository would run on the host later.
 *
 * git runs what hooks/ holds and what config names (core.fsmonitor, core.hooksPath, filters, aliases,
 * included files), and where a file commondir exists it takes both from the directory named there.
 * Everything else in a repository is data that the command has to write.
 *
 * From a .git the way goes to its repository (a directory, a link, or a file that names one), from a
 * repository to its submodules (modules/, recursively) and linked worktrees (worktrees/). Only what
 * lies in the project, or was given as worktree directory, and has the parts of a repository counts:
 * caches have entries called .git that are none.
 *
 * The project is then walked, breadth first and within limits, for repositories nested in it, among
 * them bare ones: git uses any directory of that shape in which it is started. What appears
 * later, or lies deeper, is for whoever watches the project.
 *
 * What a read-only name cannot stop: a directory above it may be renamed together with the mount, and
 * a copy put in its place. git_pin() closes that for the project's own .git, by making it a mount
 * point itself (a file .git is one already, by its rule). It cannot be closed for nested
 * repositories without pinning the directories of the project that lead to them.
 */
#include "policy/git.h"

#include "base/path.h"
#include "policy/gitfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX     6    /* directories below the project, or below modules/ */
#define DIRS_MAX      512  /* directories of the project that are listed: every launch pays */
#define NAMES_MAX     4096 /* names in them that are looked at */
#define MODULES_MAX   2048 /* directories below modules/ that are listed */
#define WORKTREES_MAX 256  /* of one repository */

static const char origin[] = "git protection";

const char *const git_protected_names[] = {"commondir", "config", "config.worktree", "hooks", NULL};

/* What is left of a walk. */
struct budget {
    size_t dirs;
    size_t names;
};

struct git {
    struct mask_rules *rules;
    const struct host *host;
    const char *project;
    const struct strv *worktree_dirs;
    struct strv seen; /* repositories that are done */
    struct budget modules;
    bool is_incomplete; /* a repository has more than the bounds allow */
};

static void protect(struct git *git, const char *dir, const char *name)
{
    _cleanup_free_ char *path = path_join(dir, name);

    mask_rules_add(git->rules, PLAN_COVER_RO, path, origin);
}

static void protect_names(struct git *git, const char *dir)
{
    for (size_t i = 0; git_protected_names[i]; i++)
        protect(git, dir, git_protected_names[i]);
}

static bool is_real_dir(const struct git *git, const char *path, struct fs_stat *st)
{
    return fs_stat(git->host->fs, path, false, st) == 0 && st->type == FS_DIR;
}

/* ---- listing ---- */

/* The names in a directory. */
struct listing {
    struct strv names;
    enum fs_type *types; /* FS_NONE: not told */
    size_t cap;
    struct budget *budget;
};

static void listing_free(struct listing *listing)
{
    strv_free(&listing->names);
    free(listing->types);
}

#define _cleanup_listing_ CLEANUP(listing_free)

static int keep_name(void *arg, const char *name, enum fs_type type)
{
    struct listing *listing = arg;

    if (listing->budget->names == 0)
        return 1;
    listing->budget->names--;
    if (listing->names.n == listing->cap) {
        listing->cap = listing->cap ? listing->cap * 2 : 64;
        listing->types = xrealloc(listing->types, listing->cap, sizeof(*listing->types));
    }
    listing->types[listing->names.n] = type;
    strv_push(&listing->names, name);
    return 0;
}

/* Reads dir into an empty listing; false if the budget did not suffice for all. */
static bool list(const struct git *git, const char *dir, struct budget *budget,
                 struct listing *listing)
{
    listing->budget = budget;
    if (budget->dirs == 0)
        return false;
    budget->dirs--;
    return fs_scan(git->host->fs, dir, keep_name, listing) != 1;
}

/* True if a listed name is a directory. Most are files, and known to be. */
static bool is_listed_dir(const struct git *git, const struct listing *listing, size_t number,
                          const char *path, struct fs_stat *st)
{
    enum fs_type type = listing->types[number];

    return (type == FS_DIR || type == FS_NONE) && is_real_dir(git, path, st);
}

/* ---- one repository ---- */

/* True if the worktree with this directory of its own is checked out in the project. One whose place
 * cannot be told is not. */
static bool is_checked_out_here(const struct git *git, const char *own)
{
    _cleanup_free_ char *path = path_join(own, "gitdir");
    _cleanup_free_ char *place = NULL;

    return strv_find(git->worktree_dirs, own) >= 0 ||
           (gitfile_follow(git->host->fs, path, "", own, &place, NULL) == 0 &&
            path_is_within(place, git->project));
}

/* A worktree outside the project is no business of the command. Not being visible in the jail it would
 * seem to be deleted, and be pruned. */
static void protect_worktrees(struct git *git, const char *repository)
{
    struct budget budget = {.dirs = 1, .names = WORKTREES_MAX};
    _cleanup_free_ char *dir = path_join(repository, "worktrees");
    struct listing listing _cleanup_listing_ = {0};
    struct fs_stat st;

    if (!is_real_dir(git, dir, &st))
        return;
    if (!list(git, dir, &budget, &listing))
        git->is_incomplete = true;
    for (size_t i = 0; i < listing.names.n; i++) {
        _cleanup_free_ char *own = path_join(dir, listing.names.v[i]);

        if (!is_listed_dir(git, &listing, i, own, &st))
            continue;
        if (is_checked_out_here(git, own))
            protect_names(git, own);
        else
            protect(git, dir, listing.names.v[i]);
    }
}

static void protect_modules(struct git *git, const char *dir, unsigned depth);

static void protect_repository(struct git *git, const char *dir, unsigned depth)
{
    _cleanup_free_ char *modules = NULL;
    struct fs_stat st;

    if (strv_find(&git->seen, dir) >= 0)
        return;
    strv_push(&git->seen, dir);
    protect_names(git, dir);
    protect_worktrees(git, dir);
    modules = path_join(dir, "modules");
    if (is_real_dir(git, modules, &st))
        protect_modules(git, modules, depth + 1);
}

/* Repositories of submodules. The name of one may have slashes, so there are directories between. */
static void protect_modules(struct git *git, const char *dir, unsigned depth)
{
    struct listing listing _cleanup_listing_ = {0};
    struct fs_stat st;

    /* The first condition also ends the recursion. */
    if (depth > DEPTH_MAX || !list(git, dir, &git->modules, &listing))
        git->is_incomplete = true;
    for (size_t i = 0; i < listing.names.n; i++) {
        _cleanup_free_ char *path = path_join(dir, listing.names.v[i]);

        if (!is_listed_dir(git, &listing, i, path, &st))
            continue;
        if (gitfile_is_repository(git->host->fs, path))
            protect_repository(git, path, depth);
        else
            protect_modules(git, path, depth + 1);
    }
}

/* A directory that .git leads to: a repository, or what a linked worktree has of its own. */
static void protect_git_dir(struct git *git, const char *dir)
{
    _cleanup_free_ char *commondir = path_join(dir, "commondir");
    _cleanup_free_ char *common = NULL;

    if (!path_is_within(dir, git->project) || strv_find(&git->seen, dir) >= 0)
        return;
    if (gitfile_is_repository(git->host->fs, dir))
        protect_repository(git, dir, 0);
    else
        strv_push(&git->seen, dir);
    if (gitfile_follow(git->host->fs, commondir, "", dir, &common, NULL) < 0)
        return;
    protect_names(git, dir);
    if (path_is_within(common, git->project) && gitfile_is_repository(git->host->fs, common))
        protect_repository(git, common, 0);
}

/* True if .git in dir leads to a directory, which is then protected if it is a repository. */
static bool protect_dot_git(struct git *git, const char *dir)
{
    const struct fs *fs = git->host->fs;
    _cleanup_free_ char *path = path_join(dir, ".git");
    _cleanup_free_ char *target = NULL;
    struct fs_stat st;

    if (fs_stat(fs, path, false, &st) < 0)
        return false;
    if (st.type == FS_FILE ? gitfile_follow(fs, path, "gitdir: ", dir, &target, NULL) < 0
                           : fs_resolve(fs, path, &target, NULL, NULL) < 0)
        return false;
    if (!is_real_dir(git, target, &st))
        return false;
    protect_git_dir(git, target);
    return true;
}

/* ---- the project ---- */

struct place {
    char *path;
    unsigned depth;
    bool is_leaf; /* no directory in it */
};

/* Directories still to be looked at, in the order in which they were found. */
struct places {
    struct place *v;
    size_t n;
    size_t cap;
};

static void places_free(struct places *places)
{
    for (size_t i = 0; i < places->n; i++)
        free(places->v[i].path);
    free(places->v);
}

/* Where the file system counts the ".." of subdirectories as links, two links mean: none. */
static void add_place(struct places *places, const char *path, unsigned depth,
                      const struct fs_stat *st)
{
    if (places->n == places->cap) {
        places->cap = places->cap ? places->cap * 2 : 64;
        places->v = xrealloc(places->v, places->cap, sizeof(*places->v));
    }
    places->v[places->n++] =
        (struct place){.path = xstrdup(path), .depth = depth, .is_leaf = st->nlink == 2};
}

/* Directories full of other people's things; and .git, which is not walked but followed. */
static bool is_skipped(const char *name)
{
    static const char *const names[] = {".cache",      ".git",         ".gradle", ".tox", ".venv",
                                        "__pycache__", "node_modules", "target",  "venv"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static void look_into(struct git *git, const struct place *place, const struct listing *listing,
                      struct places *places)
{
    const struct strv *names = &listing->names;
    unsigned parts = 0;

    for (size_t i = 0; i < names->n; i++) {
        const char *name = names->v[i];

        if (strcmp(name, ".git") == 0 && place->depth > 0)
            protect_dot_git(git, place->path);
        parts +=
            strcmp(name, "HEAD") == 0 || strcmp(name, "objects") == 0 || strcmp(name, "refs") == 0;
    }
    if (parts == 3 && gitfile_is_repository(git->host->fs, place->path)) {
        protect_repository(git, place->path, 0);
        return;
    }
    if (place->is_leaf || place->depth == DEPTH_MAX)
        return;
    for (size_t i = 0; i < names->n && places->n < DIRS_MAX; i++) {
        _cleanup_free_ char *path = NULL;
        struct fs_stat st;

        if (is_skipped(names->v[i]))
            continue;
        path = path_join(place->path, names->v[i]);
        if (is_listed_dir(git, listing, i, path, &st))
            add_place(places, path, place->depth + 1, &st);
    }
}

static bool has_name(const struct git *git, const char *dir, const char *name)
{
    _cleanup_free_ char *path = path_join(dir, name);
    struct fs_stat st;

    return fs_stat(git->host->fs, path, false, &st) == 0;
}

/* Without directories there is less to look for than a listing would cost. What cannot be looked at
 * cannot be listed either. */
static bool is_plain(const struct git *git, const struct place *place)
{
    return place->is_leaf && !has_name(git, place->path, ".git") &&
           !has_name(git, place->path, "HEAD");
}

/* False if it ended early. */
static bool walk(struct git *git)
{
    struct budget budget = {.dirs = DIRS_MAX, .names = NAMES_MAX};
    struct places places CLEANUP(places_free) = {0};
    struct fs_stat st;

    if (is_real_dir(git, git->project, &st))
        add_place(&places, git->project, 0, &st);
    for (size_t i = 0; i < places.n; i++) {
        struct place place = places.v[i]; /* the array moves when it grows */
        struct listing listing _cleanup_listing_ = {0};
        bool is_whole;

        if (is_plain(git, &place))
            continue;
        is_whole = list(git, place.path, &budget, &listing);
        look_into(git, &place, &listing, &places);
        if (!is_whole)
            return false;
    }
    return places.n < DIRS_MAX;
}

void git_protect(struct mask_rules *rules, const struct host *host, const char *project,
                 const struct strv *worktree_dirs, struct notes *notes)
{
    struct git git = {
        .rules = rules,
        .host = host,
        .project = project,
        .worktree_dirs = worktree_dirs,
        .modules = {.dirs = MODULES_MAX, .names = 8 * MODULES_MAX},
    };
    _cleanup_free_ char *dot_git = path_join(project, ".git");
    struct fs_stat st;

    for (size_t i = 0; i < worktree_dirs->n; i++) {
        if (gitfile_is_repository(host->fs, worktree_dirs->v[i]))
            protect_repository(&git, worktree_dirs->v[i], 0);
        protect_names(&git, worktree_dirs->v[i]);
    }
    if (protect_dot_git(&git, project) && fs_stat(host->fs, dot_git, false, &st) == 0 &&
        st.type == FS_FILE)
        mask_rules_add(rules, PLAN_COVER_RO, dot_git, origin);
    if (!walk(&git))
        notes_add(notes, NOTE_VERBOSE,
                  "git protection: the project is large; repositories nested in it were not looked "
                  "for everywhere");
    if (git.is_incomplete)
        notes_add(notes, NOTE_SECURITY,
                  "git protection: a repository of the project has more submodules or worktrees "
                  "than are looked at (%u directories, %u levels, %u worktrees); hooks and "
                  "configuration of the rest can be changed",
                  MODULES_MAX, DEPTH_MAX, WORKTREES_MAX);
    strv_free(&git.seen);
}

void git_pin(struct plan *plan, const struct host *host, const char *project)
{
    _cleanup_free_ char *dot_git = path_join(project, ".git");
    struct plan_view view = plan_look(plan, dot_git);
    bool is_projects_own = view.entry && view.entry->kind == PLAN_RW &&
                           str_eq(view.entry->dest, project) && view.host_path &&
                           str_eq(view.host_path, dot_git);
    struct plan_entry *entry = NULL;
    struct fs_stat st;

    free(view.host_path);
    /* A map or mask of the user at this place is a mount already, and not ours to replace. */
    if (is_projects_own && fs_stat(host->fs, dot_git, false, &st) == 0 && st.type == FS_DIR &&
        gitfile_is_repository(host->fs, dot_git))
        entry = plan_add_bind(plan, host->fs, GROUP_GIT, PLAN_RW, dot_git, dot_git, origin);
    if (entry)
        entry->optional = true;
}
