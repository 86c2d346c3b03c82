// SPDX-License-Identifier: GPL-3.0-only
/*
 * report: what a run leaves behind, looked at when it is over.
 *
 * Part of the mounter, which can still read the host and the jail's HOME when the supervisor has
 * given that up and every process of the jail has ended. It names what was written in the project or in an
 * agent's state and will be executed on the host later, and what is lost with HOME. Nothing is
 * parsed but package.json, and of that only where its scripts lie.
 */
#pragma once

#include "base/strv.h"
#include "host.h"
#include "policy/plan.h"

/* Why a changed file matters; the names for the user are in report_class_name(). */
enum report_class {
    REPORT_NONE,
    REPORT_SHELL,   /* read by a shell's hook or a tool manager when the directory is entered */
    REPORT_EDITOR,  /* tasks and settings of editors, development containers */
    REPORT_AGENT,   /* settings, hooks and servers of agents */
    REPORT_CI,      /* run by a continuous integration service */
    REPORT_GIT,     /* hooks and configuration of git */
    REPORT_SCRIPTS, /* scripts of package.json */
    REPORT_PROGRAM, /* executables where PATH or a package manager finds them */
    REPORT_LINK,    /* symbolic links that lead out of the project */
    REPORT_POLICY,  /* .ai-jail below the project: read when somebody starts ai-jail there */
    REPORT_CLASS_COUNT
};

/* "shell", "editor" ...: static text; NULL for what is none. */
const char *report_class_name(int report_class);

/* More findings than this are counted, not listed. */
#define REPORT_FINDINGS_MAX 64

struct report_options {
    const struct plan *plan;
    const struct host *host;
    const char *project; /* canonical */
};

struct report;

/* Before the mounter joins the jail: opens what will be looked at, and remembers how it is. */
void report_open(struct report **report, const struct report_options *options);

/* Gets an event for each finding, then MOUNTER_EVENT_LOOKED. The texts are never NULL. */
struct mounter_event;
struct report_sink {
    void (*say)(void *arg, struct mounter_event *event, const char *path, const char *origin);
    void *arg;
};
void report_free(struct report *report);
/* After the last process of the jail. */
void report_tell(struct report *report, const struct report_sink *sink);
/* The same in the mounter: sends an event for each finding over the socket, then
 * MOUNTER_EVENT_LOOKED. The calling process is in the jail's mount namespace if is_inside. */
void report_look(struct report *report, int socket, bool is_inside);
/* The same without telling anybody, for a run whose supervisor is gone: marks policy files that the
 * command may have made (report_policy.c), as report_look() does. */
void report_mark(const struct report *report);
