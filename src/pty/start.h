// SPDX-License-Identifier: GPL-3.0-only
/*
 * start: from a launch to a jail that waits for "go".
 *
 * This is the border between a run and what it runs in. What stands here is defined once for Linux
 * (start.c: bubblewrap, launcher and mounter) and once for macOS (start_macos.c: sandbox-exec and
 * keeper); the rest of the session knows only a process that is the jail and a control channel
 * (control.h) to whatever is the command's parent.
 */
#pragma once

#include "backend/launch.h"
#include "pty/restore_page.h"
#include "pty/start_net.h"
#include "pty/stdio.h"
#include "pty/terminal.h"

struct jail {
    const struct policy *policy;
    const struct launch *launch;
    struct terminal terminal; /* fd -1: none of 0-2 is one */
    struct spawn_stdio stdio;
    pid_t pid;                 /* of the jail, to be reaped by the session; 0: it is */
    int control;               /* to the command's parent; borrowed from parts */
    struct restore_page *page; /* borrowed from parts; NULL: none */
    struct mounter *mounter;   /* the same; NULL: this system needs none */
    struct jail_parts *parts;  /* what it is made of */
    struct start_net net;      /* until the proxy takes them */
    int master;                /* of the jail's PTY; -1: none, or taken by the relay */
};

/*
 * Builds the jail up to the point where the command's parent waits for GO. The terminal is untouched. On failure nothing is left running and error has the
 * line to print (notes may hold more). Blocks for at most a minute.
 */
int start_jail(struct jail *jail, const struct policy *policy, const struct launch *launch,
               struct notes *notes, struct error *error);

/* Waits for what goes on while the supervisor confines itself: the covers are placed. 0 or -errno. */
int start_wait(struct jail *jail, struct error *error);

/* Kills the command and everything in the jail, as far as the system can. */
void start_kill(struct jail *jail);

/* After a run: closes everything. bubblewrap has been reaped; the mounter ends by itself and is not
 * waited for. */
void start_finish(struct jail *jail);

/* Kills and reaps what still runs of it, closes everything. Leaves the terminal as it is. */
void start_abandon(struct jail *jail);

/* For the start of either system: takes the terminal if one of 0, 1, 2 is one, and notes which of them
 * become the run's pseudo-terminal. 0 or -errno. */
int start_open_terminal(struct jail *jail, struct error *error);
/* One of them does. */
bool start_wants_pty(const struct jail *jail);
