// SPDX-License-Identifier: GPL-3.0-only
/*
 * keeper: the command's parent on a system where nothing of ours runs inside.
 *
 * What the launcher is on Linux, and what the mounter does there when the supervisor is killed: forked
 * before the command, outside of its sandbox, it leads the session of the run's pseudo-terminal, so that
 * the command can have a process group of its own and be stopped by ^Z (the kernel does not stop an
 * orphaned group); it reports over the same channel (control.h), delivers signals, and removes the run's
 * traces. A pipe whose other end the supervisor alone has tells it that the supervisor is gone: then it
 * ends the command and restores the terminal.
 */
#pragma once

#include "policy/policy.h"
#include "pty/restore_page.h"
#include "pty/stdio.h"

/* Shared by both. */
struct keeper_page {
    volatile pid_t command;       /* leader of its group, 0: none */
    struct restore_page terminal; /* as the mounter's, on Linux */
};

struct keeper_options {
    const struct policy *policy;
    const struct spawn_stdio *stdio;
    const char *program; /* sandbox-exec */
    const char *profile; /* its file */
    int slave;           /* of the run's pseudo-terminal, -1: none */
    int control;         /* the keeper's end */
    int lifeline;        /* at its end the supervisor is gone */
    int terminal;        /* the user's, -1: none */
    uint64_t descriptors_max;
    struct keeper_page *page;
};

/* Forks it; it waits for GO. Its pid or -errno. The descriptors stay the caller's. */
pid_t keeper_start(const struct keeper_options *options);
