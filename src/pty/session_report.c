// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_report: what a run leaves behind, as the supervisor tells it.
 *
 * Names come from the project and are escaped on their way out. What was found is no proof of
 * anything: it is what to look at before the next program runs it.
 */
#include "pty/session_report.h"

#include "base/buf.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX     20
#define LINE_TEXT_MAX (16 * KIB)

static void take_changed(struct session_report *report, const struct mounter_event *event,
                         const char *path, const char *origin)
{
    const char *class = report_class_name(event->kind);

    if (!class || report->changed_n == REPORT_FINDINGS_MAX) {
        report->more++;
        return;
    }
    report->changed[report->changed_n++] = (struct run_changed){
        .path = xstrdup(path),
        .class = class,
        .is_new = event->code != 0,
        .count = (unsigned)strtoul(origin, NULL, 10),
    };
}

static void take_late_mask(struct session_report *report, const struct mounter_event *event,
                           const char *path, const char *origin)
{
    const char *kind = event->kind == PLAN_COVER_DENY ? "deny"
                       : event->kind == PLAN_COVER_RO ? "protect"
                                                      : "mask";

    if (report->late_n < SESSION_LATE_MASKS_MAX)
        report->late[report->late_n++] =
            (struct run_late_mask){.path = xstrdup(path), .kind = kind, .trigger = xstrdup(origin)};
}

static void take_lost(struct session_report *report, const struct mounter_event *event,
                      const char *path, const char *origin)
{
    char *rest;

    report->lost_files = event->code > 0 ? (uint64_t)event->code : 0;
    report->lost_bytes = strtoull(origin, &rest, 10);
    report->largest_bytes = strtoull(rest, NULL, 10);
    free(report->largest);
    report->largest = xstrdup(path);
}

static void take_git_config(struct session_report *report, const char *path)
{
    if (!report->git_config)
        report->git_config = xstrdup(path);
    else if (strcmp(report->git_config, path) != 0)
        report->git_config_more++;
}

void session_report_take(struct session_report *report, const struct mounter_event *event,
                         const char *path, const char *origin)
{
    switch (event->type) {
    case MOUNTER_EVENT_COVERED:
        take_late_mask(report, event, path, origin);
        break;
    case MOUNTER_EVENT_GIT_CONFIG:
        take_git_config(report, path);
        break;
    case MOUNTER_EVENT_CHANGED:
        take_changed(report, event, path, origin);
        break;
    case MOUNTER_EVENT_LOST:
        take_lost(report, event, path, origin);
        break;
    case MOUNTER_EVENT_LOOKED:
        report->has_looked = true;
        report->is_partial = event->kind != 0;
        report->more += event->code > 0 ? (uint32_t)event->code : 0;
        break;
    case MOUNTER_EVENT_WRITTEN:
        report->has_written = true;
        if (event->code)
            log_line(NOTE_WARNING, "--report: %s could not be written: %s", path,
                     strerror(event->code));
        break;
    default:
        break;
    }
}

static void append_name(struct buf *line, const struct run_changed *changed)
{
    buf_printf(line, "%s%s", line->len ? ", " : "", changed->path);
    if (changed->count > 1)
        buf_printf(line, " (%u programs)", changed->count);
    else if (strcmp(changed->class, "link") == 0)
        buf_append_str(line, " (a link out of the project)");
    else if (changed->is_new)
        buf_append_str(line, " (new)");
}

static void say_changed(const struct session_report *report)
{
    struct buf line CLEANUP(buf_free);
    size_t more = report->more;

    buf_init(&line, LINE_TEXT_MAX);
    for (size_t i = 0; i < report->changed_n && i < SHOWN_MAX; i++)
        append_name(&line, &report->changed[i]);
    if (report->changed_n > SHOWN_MAX)
        more += report->changed_n - SHOWN_MAX;
    if (more)
        buf_printf(&line, " and %zu more", more);
    log_line(NOTE_SECURITY,
             "changed in this run and used outside of the jail later, look before you go on: %s",
             buf_cstr(&line));
}

static void say_lost(const struct session_report *report, const struct policy *policy)
{
    log_line(NOTE_INFO,
             "gone with the private home: %llu file%s, %.1f MiB, the largest %s (%.1f MiB); "
             "%s keeps what is to stay",
             (unsigned long long)report->lost_files, report->lost_files == 1 ? "" : "s",
             (double)report->lost_bytes / (double)MIB, report->largest,
             (double)report->largest_bytes / (double)MIB,
             policy->lockdown ? "a run without --lockdown, with --rw-map DIR,"
             : policy->browser.profile != BROWSER_NONE ? "--downloads DIR"
                                                       : "--rw-map DIR");
}

void session_report_say(const struct session_report *report, const struct policy *policy)
{
    if (report->changed_n || report->more)
        say_changed(report);
    if (report->is_partial)
        log_line(
            NOTE_SECURITY,
            "not everything was looked at for changes that are used outside of the jail later: "
            "there are too many files, or directories too deep");
    if (report->git_config)
        log_line(NOTE_WARNING,
                 "%s%s is read-only in the jail: what tried to change it failed (--no-protect-git "
                 "lets it)",
                 report->git_config, report->git_config_more ? ", as others," : "");
    if (report->largest && *report->largest)
        say_lost(report, policy);
}

char *session_report_text(const struct session_report *report, const struct strv *command, int code,
                          int signal, const struct run_refused *refused, size_t refused_n)
{
    const struct run_report run = {
        .command = command,
        .code = code,
        .signal = signal,
        .refused = refused,
        .refused_n = refused_n,
        .late_masks = report->late,
        .late_n = report->late_n,
        .changed = report->changed,
        .changed_n = report->changed_n,
        .is_partial = report->is_partial,
        .lost_files = report->lost_files,
        .lost_bytes = report->lost_bytes,
        .largest = report->largest,
        .largest_bytes = report->largest_bytes,
    };

    return json_report(&run);
}

void session_report_free(struct session_report *report)
{
    for (size_t i = 0; i < report->changed_n; i++)
        free(report->changed[i].path);
    for (size_t i = 0; i < report->late_n; i++) {
        free(report->late[i].path);
        free(report->late[i].trigger);
    }
    free(report->git_config);
    free(report->largest);
    *report = (struct session_report){0};
}
