// SPDX-License-Identifier: GPL-3.0-only
/*
 * json_report: the text of --report. Pure.
 */
#pragma once

#include "base/strv.h"

/* What came of a run. Borrowed strings. */
struct run_refused {
    const char *host;
    unsigned port;
    uint64_t count;
    const char *flag; /* that would allow it, "" if none would */
};

struct run_late_mask {
    char *path;
    const char *kind; /* "mask", "deny", "protect" */
    char *trigger;    /* the rule */
};

struct run_changed {
    char *path; /* relative to the project, or absolute */
    const char *class;
    bool is_new;
    unsigned count; /* of programs in the directory path */
};

struct run_report {
    const struct strv *command;
    int code;
    int signal; /* that ended the command, 0: none */
    const struct run_refused *refused;
    size_t refused_n;
    const struct run_late_mask *late_masks;
    size_t late_n;
    const struct run_changed *changed;
    size_t changed_n;
    bool is_partial; /* not everything was looked at */
    uint64_t lost_files, lost_bytes, largest_bytes;
    const char *largest; /* path; NULL: nothing worth naming was lost */
};

/* malloc'ed. */
char *json_report(const struct run_report *report);
