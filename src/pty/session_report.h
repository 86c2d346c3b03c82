// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_report: what a run leaves behind, as the supervisor tells it: a line for each kind, and the
 * file of --report.
 */
#pragma once

#include "backend/json_report.h"
#include "policy/policy.h"
#include "pty/mounter.h"
#include "pty/mounter_event.h"
#include "pty/report.h"

#include <stddef.h>

#define SESSION_LATE_MASKS_MAX 256

struct session_report {
    struct run_changed changed[REPORT_FINDINGS_MAX];
    size_t changed_n;
    uint32_t more; /* findings beyond them */
    struct run_late_mask late[SESSION_LATE_MASKS_MAX];
    size_t late_n;
    char *git_config; /* the first protected configuration that somebody tried to change */
    uint32_t git_config_more;
    uint64_t lost_files, lost_bytes, largest_bytes;
    char *largest;
    bool has_looked;  /* the mounter has no more findings */
    bool is_partial;  /* it has not looked at everything */
    bool has_written; /* the file of --report */
};

/* Keeps what belongs into the report. */
void session_report_take(struct session_report *report, const struct mounter_event *event,
                         const char *path, const char *origin);
/* Says what was found: one line each. */
void session_report_say(const struct session_report *report, const struct policy *policy);
/* The text of --report; malloc'ed. */
char *session_report_text(const struct session_report *report, const struct strv *command, int code,
                          int signal, const struct run_refused *refused, size_t refused_n);
void session_report_free(struct session_report *report);
