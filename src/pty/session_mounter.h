// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_mounter: the supervisor's side of a run's mounter: its life, and what it tells.
 */
#pragma once

#include "pty/start.h"

#include <sys/stat.h>
#include <uv.h>

struct session_mounter {
    struct mounter *mounter; /* borrowed */
    char *policy_file;       /* of the project; owned */
    struct stat policy_stat; /* as it was at the start; st_nlink 0: it was not there */
    uv_poll_t poll;
    bool is_open;
    bool has_named_policy; /* that it was created during the run */
    /* The masks do not hold any more: the run has to end. */
    void (*on_lost)(void *arg, const char *why);
    void *arg;
};

/* Starts listening. on_lost and arg are set, the rest zero. */
void session_mounter_open(struct session_mounter *side, uv_loop_t *loop, struct jail *jail);
/* After SIGCHLD: a mounter that has ended or is stopped is lost. */
void session_mounter_on_child(struct session_mounter *side);
/* Closes the handle. Idempotent. */
void session_mounter_close(struct session_mounter *side);
/* After the run, before the goodbye: says what is left to be said. */
void session_mounter_finish(struct session_mounter *side);
