// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_mounter: the supervisor's side of a run's mounter: its life, and what it tells.
 */
#pragma once

#include "pty/mounter.h"
#include "pty/report_place.h"
#include "pty/session_net.h"
#include "pty/session_report.h"
#include "pty/start.h"

#include <sys/stat.h>
#include <uv.h>

struct session_mounter {
    struct mounter *mounter; /* borrowed */
    const struct policy *policy;
    struct session_report report;
    char *policy_file;       /* of the project; owned */
    struct stat policy_stat; /* as it was at the start; st_nlink 0: it was not there */
    uv_poll_t poll;
    struct audit *audit;       /* borrowed; NULL: no log is kept */
    struct report *look;       /* where there is no mounter: the supervisor looks itself, */
    struct report_place place; /* and writes */
    bool is_open;
    bool has_named_policy; /* that it was created during the run */
    /* The masks do not hold any more: the run has to end. */
    void (*on_lost)(void *arg, const char *why);
    void *arg;
};

/* Starts listening. on_lost, arg and audit are set, the rest zero. */
void session_mounter_open(struct session_mounter *side, uv_loop_t *loop, struct jail *jail);
/* After SIGCHLD: a mounter that has ended or is stopped is lost. */
void session_mounter_on_child(struct session_mounter *side);
/* The exit code is known, the jail is about to end: what it leaves behind is looked at while
 * bubblewrap's own end is waited for. */
void session_mounter_ending(struct session_mounter *side);
/* Closes the handle. Idempotent. */
void session_mounter_close(struct session_mounter *side);
/*
 * After the run, before the goodbye and before the network is freed: has it looked at what the run leaves
 * behind, says so, and writes the file of --report. code is the run's exit code, signal the one that
 * ended the command (0: none).
 */
void session_mounter_finish(struct session_mounter *side, const struct session_net *net, int code,
                            int signal);
