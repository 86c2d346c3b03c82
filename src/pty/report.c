// SPDX-License-Identifier: GPL-3.0-only
/*
 * report: what a run leaves behind, looked at when it is over.
 */
#include "pty/report.h"

#include "base/fd.h"
#include "base/file_time.h"
#include "base/path.h"
#include "policy/toolchains.h"
#include "pty/mounter_event.h"
#include "pty/report_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POLICY_FILE ".ai-jail"
#define PACKAGE_MAX (4 * MIB)
#define PLACES_MAX  64

/* A directory of the host, opened before the mounter leaves for the jail. */
struct place {
    int fd;
    char *path;
};

struct places {
    struct place v[PLACES_MAX];
    size_t n;
};

/* FNV-1a, 64 bits: to see a change, not to withstand somebody. */
struct scripts {
    uint64_t hash;
    bool is_there;
};

struct report {
    struct report_options options;
    struct timespec began;
    struct place project;
    struct report_mark marks[REPORT_MARKS_MAX];
    struct report_mark policy; /* the project's policy file */
    struct scripts scripts;
    struct places programs; /* of PATH, writable in the jail */
    struct places agents;   /* state */
    struct places git;      /* the repository behind a linked worktree */
};

const char *report_home(const struct report *report)
{
    return report->options.host->home;
}

const char *report_class_name(int report_class)
{
    static const char *const names[REPORT_CLASS_COUNT] = {
        [REPORT_SHELL] = "shell",     [REPORT_EDITOR] = "editor", [REPORT_AGENT] = "agent",
        [REPORT_CI] = "ci",           [REPORT_GIT] = "git",       [REPORT_SCRIPTS] = "scripts",
        [REPORT_PROGRAM] = "program", [REPORT_LINK] = "link",     [REPORT_POLICY] = "policy",
    };

    return report_class > REPORT_NONE && report_class < REPORT_CLASS_COUNT ? names[report_class]
                                                                           : NULL;
}

/* ---- before the jail ---- */

static int open_place(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
}

static void add_place(struct places *places, const char *path)
{
    int fd = places->n < PLACES_MAX ? open_place(path) : -1;

    if (fd >= 0)
        places->v[places->n++] = (struct place){fd, xstrdup(path)};
}

static struct scripts read_scripts(int project)
{
    _cleanup_close_ int fd =
        openat(project, "package.json", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    _cleanup_free_ char *text = NULL;
    struct scripts scripts = {.hash = 14695981039346656037U};
    size_t len = 0, start = 0, value_len = 0;
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > (off_t)PACKAGE_MAX)
        return scripts;
    text = xcalloc((size_t)st.st_size + 1, 1);
    while (len < (size_t)st.st_size) {
        ssize_t n = read(fd, text + len, (size_t)st.st_size - len);

        if (n <= 0)
            break;
        len += (size_t)n;
    }
    if (!report_find_scripts(text, len, &start, &value_len)) {
        start = 0;
        value_len = len;
    }
    for (size_t i = 0; i < value_len; i++)
        scripts.hash = (scripts.hash ^ (uint8_t)text[start + i]) * 1099511628211U;
    scripts.is_there = value_len > 0;
    return scripts;
}

static void remember_marks(struct report *report)
{
    struct stat st;

    for (size_t i = 0; i < REPORT_MARKS_MAX && report_marked[i]; i++)
        if (fstatat(report->project.fd, report_marked[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
            report->marks[i] = (struct report_mark){st.st_dev, st.st_ino};
    if (fstatat(report->project.fd, POLICY_FILE, &st, AT_SYMLINK_NOFOLLOW) == 0)
        report->policy = (struct report_mark){st.st_dev, st.st_ino};
}

/* The directories of PATH in which the jail can write. */
static void open_programs(struct report *report)
{
    const char *path = host_getenv(report->options.host, "PATH");
    const struct plan *plan = report->options.plan;

    while (path && *path) {
        size_t len = strcspn(path, ":");
        _cleanup_free_ char *said = xstrndup(path, len);
        _cleanup_free_ char *dir = *said == '/' ? realpath(said, NULL) : NULL;
        bool is_writable = false;

        for (size_t i = 0; dir && i < plan->n && !is_writable; i++)
            is_writable = plan->v[i].kind == PLAN_RW && plan->v[i].source &&
                          path_is_within(dir, plan->v[i].source);
        if (is_writable)
            add_place(&report->programs, dir);
        path += len + (path[len] == ':');
    }
}

static void open_agents(struct report *report)
{
    const struct plan *plan = report->options.plan;
    _cleanup_free_ char *store = toolchains_store(report->options.host);

    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_entry *entry = &plan->v[i];

        if (entry->group == GROUP_HOME_PARTS && entry->kind == PLAN_RW &&
            entry->st.type == FS_DIR && !path_is_within(entry->source, store))
            add_place(&report->agents, entry->source);
    }
}

static void open_git(struct report *report)
{
    const struct plan *plan = report->options.plan;

    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_entry *entry = &plan->v[i];

        if (entry->group == GROUP_WORKTREE && entry->kind == PLAN_RW && entry->st.type == FS_DIR)
            add_place(&report->git, entry->source);
    }
}

void report_open(struct report **report, const struct report_options *options)
{
    struct report *made = xcalloc(1, sizeof(*made));

    made->options = *options;
    file_time_now(&made->began);
    made->project = (struct place){open_place(options->project), xstrdup(options->project)};
    if (made->project.fd >= 0) {
        remember_marks(made);
        made->scripts = read_scripts(made->project.fd);
    }
    open_programs(made);
    open_agents(made);
    open_git(made);
    *report = made;
}

/* ---- after it ---- */

static void look_at_programs(struct report_walk *walk, const struct report *report)
{
    static const char *const usual[] = {"node_modules/.bin", ".venv/bin", "venv/bin"};

    for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
        _cleanup_free_ char *path = path_join(report->project.path, usual[i]);
        int fd = openat(report->project.fd, usual[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        bool is_listed = false;

        for (size_t j = 0; j < report->programs.n && !is_listed; j++)
            is_listed = str_eq(report->programs.v[j].path, path);
        if (fd >= 0 && is_listed)
            close(fd);
        else if (fd >= 0)
            report_walk_programs(walk, fd, usual[i]);
    }
    for (size_t i = 0; i < report->programs.n; i++)
        report_walk_programs(walk, dup(report->programs.v[i].fd), report->programs.v[i].path);
}

static void look_at_scripts(struct report_findings *findings, const struct report *report)
{
    struct scripts now = read_scripts(report->project.fd);

    if (now.is_there && (!report->scripts.is_there || now.hash != report->scripts.hash))
        report_add(findings, REPORT_SCRIPTS, !report->scripts.is_there, 1, xstrdup("package.json"));
}

static void say_findings(const struct report_findings *findings, const struct report_sink *sink)
{
    for (size_t i = 0; i < findings->n; i++) {
        const struct report_finding *finding = &findings->v[i];
        char count[16];
        struct mounter_event event = {
            .type = MOUNTER_EVENT_CHANGED,
            .kind = (int32_t)finding->class,
            .code = finding->is_new,
        };

        snprintf(count, sizeof(count), "%u", finding->count);
        sink->say(sink->arg, &event, finding->path, count);
    }
}

static void free_findings(struct report_findings *findings)
{
    for (size_t i = 0; i < findings->n; i++)
        free(findings->v[i].path);
}

static struct report_walk walk_of(const struct report *report, struct report_findings *findings)
{
    return (struct report_walk){
        .findings = findings,
        .marks = report->marks,
        .policy = &report->policy,
        .project = report->project.path,
        .began = report->began,
    };
}

void report_mark(const struct report *report)
{
    struct report_findings findings CLEANUP(free_findings) = {.n = 0};
    struct report_walk walk = walk_of(report, &findings);

    if (report->project.fd >= 0)
        report_walk_project(&walk, dup(report->project.fd));
}

/* A project full of files is no reason not to look elsewhere. */
static void begin_anew(struct report_walk *walk)
{
    walk->seen = 0;
    walk->is_cut = false;
}

void report_tell(struct report *report, const struct report_sink *sink)
{
    struct report_findings findings CLEANUP(free_findings) = {.n = 0};
    struct report_walk walk = walk_of(report, &findings);
    struct mounter_event end = {.type = MOUNTER_EVENT_LOOKED};

    if (report->project.fd >= 0) {
        report_walk_project(&walk, dup(report->project.fd));
        look_at_scripts(&findings, report);
        begin_anew(&walk);
        look_at_programs(&walk, report);
    }
    for (size_t i = 0; i < report->agents.n; i++) {
        begin_anew(&walk);
        report_walk_agent(&walk, dup(report->agents.v[i].fd), report->agents.v[i].path);
    }
    for (size_t i = 0; i < report->git.n; i++) {
        begin_anew(&walk);
        report_walk_repository(&walk, report->git.v[i].fd, report->git.v[i].path, false);
    }
    say_findings(&findings, sink);
    end.kind = walk.is_partial;
    end.code = (int32_t)findings.more;
    sink->say(sink->arg, &end, "", "");
}

static void close_place(struct place *place)
{
    if (place->fd >= 0)
        close(place->fd);
    free(place->path);
}

void report_free(struct report *report)
{
    if (!report)
        return;
    close_place(&report->project);
    for (size_t i = 0; i < report->programs.n; i++)
        close_place(&report->programs.v[i]);
    for (size_t i = 0; i < report->agents.n; i++)
        close_place(&report->agents.v[i]);
    for (size_t i = 0; i < report->git.n; i++)
        close_place(&report->git.v[i]);
    free(report);
}
