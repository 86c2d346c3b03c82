// SPDX-License-Identifier: GPL-3.0-only
/*
 * session: one run. Makes the launch real (descriptors, processes), then supervises on a libuv loop
 * until the command has ended and the terminal is as it was.
 */
#pragma once

#include "backend/launch.h"
#include "net/audit.h"
#include "pty/statusline_text.h"
#include "pty/statusline_update.h"

struct session_options {
    const struct policy *policy;
    const struct launch *launch;
    bool passthrough;                      /* no output filter */
    const struct statusline_facts *status; /* NULL: no status row */
    struct statusline_update *update;      /* who tells of a newer version; NULL: nobody */
    struct audit *audit;                   /* borrowed; NULL: no log is kept */
    unsigned char redraw_key;              /* typed after a resize; 0: none */
    bool clipboard;                        /* the command may write the clipboard of the terminal */
    /* For tests: called when the supervisor has confined itself, before the command starts. */
    void (*on_confined)(void *arg);
    void *arg;
};

/* Runs and returns the exit code (ai-jail(1), EXIT STATUS). Prints its own diagnostics. */
int session_run(const struct session_options *options);
