// SPDX-License-Identifier: GPL-3.0-only
/*
 * start: from a launch to a jail that waits for "go".
 */
#pragma once

#include "pty/mounter.h"
#include "pty/spawn.h"
#include "pty/start_net.h"
#include "pty/terminal.h"

struct jail {
    const struct policy *policy;
    const struct launch *launch;
    struct terminal terminal; /* fd -1: none of 0-2 is one */
    struct spawn_stdio stdio;
    struct spawn spawn;
    struct mounter mounter;
    struct cgroup cgroup;
    struct report_file report; /* of --report */
    struct start_net net;      /* until the proxy takes them */
    int master;                /* of the jail's PTY; -1: none, or taken by the relay */
};

/*
 * Builds the jail up to the point where the launcher waits: descriptors, mounter, bubblewrap,
 * hello, covers. The terminal is untouched. On failure nothing is left running and error has the
 * line to print (notes may hold more). Blocks for at most a minute.
 */
int start_jail(struct jail *jail, const struct policy *policy, const struct launch *launch,
               struct notes *notes, struct error *error);

/* After a run: closes everything. bubblewrap has been reaped; the mounter ends by itself and is not
 * waited for. */
void start_finish(struct jail *jail);

/* Kills and reaps what still runs of it, closes everything. Leaves the terminal as it is. */
void start_abandon(struct jail *jail);
