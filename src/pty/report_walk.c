// SPDX-License-Identifier: GPL-3.0-only
/*
 * report_walk: what was made or changed in a tree during the run and will run on the host later.
 *
 * ctime decides: nobody without privileges can set it back. A directory that was moved to a name that matters
 * brings its old files along; so those directories are compared with what stood there at the start.
 * What package managers fill with thousands of files is not entered, but for the programs in it;
 * repositories are looked at by report_git.c.
 */
#include "base/fd.h"
#include "base/file_time.h"
#include "base/path.h"
#include "pty/report_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENTRIES_MAX 200000
#define DEPTH_MAX   64

const char *const report_marked[REPORT_MARKS_MAX] = {
    ".vscode", ".idea", ".devcontainer", ".claude", ".github", ".circleci", ".husky",
};

/* Everything below a directory with this name matters. */
static const struct {
    const char *parent; /* NULL: any */
    const char *name;
    enum report_class class;
} directories[] = {
    {NULL, ".idea", REPORT_EDITOR},      {NULL, ".devcontainer", REPORT_EDITOR},
    {".github", "workflows", REPORT_CI}, {".github", "actions", REPORT_CI},
    {NULL, ".husky", REPORT_GIT},
};

/* Files that matter by their name; patterns of fnmatch(3). */
static const struct {
    const char *parent; /* NULL: any */
    const char *name;
    enum report_class class;
} files[] = {
    {NULL, ".envrc", REPORT_SHELL},
    {NULL, ".mise.toml", REPORT_SHELL},
    {NULL, "mise.toml", REPORT_SHELL},
    {NULL, ".tool-versions", REPORT_SHELL},
    {NULL, ".mcp.json", REPORT_AGENT},
    {".claude", "settings*.json", REPORT_AGENT},
    {".vscode", "tasks.json", REPORT_EDITOR},
    {".vscode", "launch.json", REPORT_EDITOR},
    {".vscode", "settings.json", REPORT_EDITOR},
    {NULL, ".gitlab-ci.yml", REPORT_CI},
    {NULL, "Jenkinsfile", REPORT_CI},
    {".circleci", "config.yml", REPORT_CI},
    {NULL, ".pre-commit-config.yaml", REPORT_GIT},
    {NULL, ".git", REPORT_GIT}, /* leads to a repository elsewhere */
    {NULL, ".ai-jail", REPORT_POLICY},
};

static const char *const not_entered[] = {
    "node_modules", ".venv", "venv", "__pycache__", ".tox", ".gradle", "target",
};

/* In an agent's directory. */
static const char *const agent_files[] = {
    "settings*.json", "config.toml",    "config.json", "mcp*.json",
    ".mcp.json",      "opencode.json*", "hooks.json",  "crush.json",
};

void report_add(struct report_findings *findings, enum report_class class, bool is_new,
                uint32_t count, char *path)
{
    if (findings->n == REPORT_FINDINGS_MAX) {
        findings->more++;
        free(path);
        return;
    }
    findings->v[findings->n++] = (struct report_finding){class, is_new, count, path};
}

void report_count(struct report_walk *walk)
{
    if (++walk->seen > ENTRIES_MAX)
        walk->is_cut = walk->is_partial = true;
}

static bool is_not_before(const struct timespec *time, const struct timespec *began)
{
    return time->tv_sec > began->tv_sec ||
           (time->tv_sec == began->tv_sec && time->tv_nsec >= began->tv_nsec);
}

bool report_is_later(const struct stat *st, const struct timespec *began)
{
    struct timespec changed = file_time_changed(st);

    return is_not_before(&changed, began);
}

bool report_is_born_later(int dir, const char *name, const struct timespec *began)
{
    struct timespec born;

    return file_time_born(dir, name, &born) == 0 && is_not_before(&born, began);
}

/* A directory on the way. */
struct place {
    const char *path;        /* relative to the project; "" for itself */
    const char *name;        /* its last component */
    enum report_class class; /* of everything in it */
    bool is_fresh;           /* stands where another one stood, or none */
    unsigned depth;
};

static bool matches(const char *parent_wanted, const char *pattern, const char *parent,
                    const char *name)
{
    return (!parent_wanted || strcmp(parent_wanted, parent) == 0) && fnmatch(pattern, name, 0) == 0;
}

static enum report_class class_of_file(const struct place *place, const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        if (matches(files[i].parent, files[i].name, place->name, name))
            return files[i].class;
    return place->class;
}

static enum report_class class_of_directory(const struct place *place, const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
        if (matches(directories[i].parent, directories[i].name, place->name, name))
            return directories[i].class;
    return place->class;
}

static bool is_entered(const struct place *place, const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(not_entered); i++)
        if (strcmp(name, not_entered[i]) == 0)
            return false;
    return place->depth < DEPTH_MAX;
}

static char *join(const struct place *place, const char *name)
{
    return *place->path ? xasprintf("%s/%s", place->path, name) : xstrdup(name);
}

/* Lexically: what other links on the way do is named where they stand. */
static bool leads_out(const struct report_walk *walk, int dir, const struct place *place,
                      const char *name)
{
    char target[4096];
    ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);
    _cleanup_free_ char *here = path_join(walk->project, place->path);
    _cleanup_free_ char *joined = NULL;
    _cleanup_free_ char *clean = NULL;

    if (n < 0)
        return false;
    target[n] = '\0';
    joined = path_join(here, target);
    clean = path_clean(joined);
    return !path_is_within(clean, walk->project);
}

static void look_at(struct report_walk *walk, int dir, const struct place *place, const char *name,
                    enum report_class class, bool is_link)
{
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
        (!place->is_fresh && !report_is_later(&st, &walk->began)))
        return;
    if (class == REPORT_NONE && is_link && leads_out(walk, dir, place, name))
        class = REPORT_LINK;
    if (class != REPORT_NONE)
        report_add(walk->findings, class,
                   place->is_fresh || report_is_born_later(dir, name, &walk->began), 1,
                   join(place, name));
}

static bool is_marked_fresh(const struct report_walk *walk, int fd, const char *name)
{
    struct stat st;

    for (size_t i = 0; i < REPORT_MARKS_MAX && report_marked[i]; i++)
        if (strcmp(name, report_marked[i]) == 0)
            return fstat(fd, &st) < 0 || st.st_ino != walk->marks[i].ino ||
                   st.st_dev != walk->marks[i].dev;
    return false;
}

static void walk_directory(struct report_walk *walk, int fd, const struct place *place);

int report_open_directory(int dir, const char *name)
{
    return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static void look_at_git(struct report_walk *walk, int dir, const struct place *place)
{
    _cleanup_free_ char *path = join(place, ".git");
    _cleanup_close_ int git_dir = report_open_directory(dir, ".git");

    if (git_dir >= 0)
        report_walk_repository(walk, git_dir, path, place->is_fresh);
}

static void enter(struct report_walk *walk, int dir, const struct place *place, const char *name)
{
    _cleanup_free_ char *path = NULL;
    struct place next;
    int fd;

    if (strcmp(name, ".git") == 0) {
        look_at_git(walk, dir, place);
        return;
    }
    if (place->depth >= DEPTH_MAX)
        walk->is_partial = true;
    fd = is_entered(place, name) ? report_open_directory(dir, name) : -1;
    if (fd < 0)
        return;
    path = join(place, name);
    next = (struct place){
        .path = path,
        .name = path_base(path),
        .class = class_of_directory(place, name),
        .is_fresh = place->is_fresh || (place->depth == 0 && is_marked_fresh(walk, fd, name)),
        .depth = place->depth + 1,
    };
    walk_directory(walk, fd, &next);
}

static unsigned char type_of(int dir, const struct dirent *entry)
{
    struct stat st;

    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type;
    if (fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return DT_UNKNOWN;
    return (unsigned char)IFTODT(st.st_mode);
}

/* The project's own is told of by a line of its own. It is covered for the command as long as it is the
 * file that was there at the start. */
static void look_at_policy(struct report_walk *walk, int dir, const struct place *place,
                           const char *name)
{
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    if (place->depth == 0) {
        if (st.st_dev != walk->policy->dev || st.st_ino != walk->policy->ino)
            report_mark_policy(dir, name);
    } else if (place->is_fresh || report_is_later(&st, &walk->began)) {
        look_at(walk, dir, place, name, REPORT_POLICY, false);
        report_mark_policy(dir, name);
    }
}

static void look_at_entry(struct report_walk *walk, int dir, const struct place *place,
                          const struct dirent *entry, bool has_changed)
{
    enum report_class class;
    unsigned char type = type_of(dir, entry);

    if (type == DT_DIR) {
        enter(walk, dir, place, entry->d_name);
        return;
    }
    if (strcmp(entry->d_name, "HEAD") == 0 && report_is_repository(dir))
        report_walk_repository(walk, dir, place->path, place->is_fresh);
    class = class_of_file(place, entry->d_name);
    /* A link is new only where its directory has changed. */
    if (class == REPORT_POLICY)
        look_at_policy(walk, dir, place, entry->d_name);
    else if (class != REPORT_NONE || (type == DT_LNK && has_changed))
        look_at(walk, dir, place, entry->d_name, class, type == DT_LNK);
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* fd is taken. */
static void walk_directory(struct report_walk *walk, int fd, const struct place *place)
{
    DIR *dir = fdopendir(fd);
    const struct dirent *entry;
    struct stat st;
    bool has_changed;

    if (!dir) {
        close(fd);
        return;
    }
    has_changed = place->is_fresh || fstat(fd, &st) < 0 || report_is_later(&st, &walk->began);
    while (!walk->is_cut && (entry = readdir(dir))) {
        if (is_dots(entry->d_name))
            continue;
        report_count(walk);
        look_at_entry(walk, fd, place, entry, has_changed);
    }
    closedir(dir);
}

void report_walk_project(struct report_walk *walk, int fd)
{
    static const struct place top = {.path = "", .name = ""};

    walk_directory(walk, fd, &top);
}

/* Calls each(arg, dir, name) for what is no directory; fd is taken. */
static void each_file(struct report_walk *walk, int fd,
                      void (*each)(void *arg, int dir, const char *name), void *arg)
{
    DIR *dir = fdopendir(fd);
    const struct dirent *entry;

    if (!dir) {
        close(fd);
        return;
    }
    while (!walk->is_cut && (entry = readdir(dir))) {
        report_count(walk);
        if (type_of(fd, entry) != DT_DIR)
            each(arg, fd, entry->d_name);
    }
    closedir(dir);
}

struct programs {
    const struct report_walk *walk;
    uint32_t count;
    char *first;
};

static void count_program(void *arg, int dir, const char *name)
{
    struct programs *programs = arg;
    struct stat st, target;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
        !report_is_later(&st, &programs->walk->began) || fstatat(dir, name, &target, 0) < 0 ||
        !S_ISREG(target.st_mode) || !(target.st_mode & 0111))
        return;
    if (programs->count++ == 0)
        programs->first = xstrdup(name);
}

void report_walk_programs(struct report_walk *walk, int fd, const char *path)
{
    struct programs programs = {.walk = walk};
    _cleanup_free_ char *first = NULL;

    each_file(walk, fd, count_program, &programs);
    first = programs.first;
    if (programs.count == 1)
        report_add(walk->findings, REPORT_PROGRAM, true, 1, xasprintf("%s/%s", path, first));
    else if (programs.count > 1)
        report_add(walk->findings, REPORT_PROGRAM, true, programs.count, xstrdup(path));
}

struct agent_place {
    struct report_walk *walk;
    const char *path;
    bool all; /* whatever the name */
};

static void look_at_agent_file(void *arg, int dir, const char *name)
{
    const struct agent_place *place = arg;
    struct report_walk *walk = place->walk;
    bool matters = place->all;
    struct stat st;

    for (size_t i = 0; i < ARRAY_SIZE(agent_files) && !matters; i++)
        matters = fnmatch(agent_files[i], name, 0) == 0;
    if (matters && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        report_is_later(&st, &walk->began))
        report_add(walk->findings, REPORT_AGENT, report_is_born_later(dir, name, &walk->began), 1,
                   xasprintf("%s/%s", place->path, name));
}

void report_walk_agent(struct report_walk *walk, int fd, const char *path)
{
    int hooks = openat(fd, "hooks", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    _cleanup_free_ char *hooks_path = path_join(path, "hooks");
    struct agent_place place = {walk, path, false};
    struct agent_place hooks_place = {walk, hooks_path, true};

    if (hooks >= 0)
        each_file(walk, hooks, look_at_agent_file, &hooks_place);
    each_file(walk, fd, look_at_agent_file, &place);
}
