// SPDX-License-Identifier: GPL-3.0-only
/*
 * spawn: makes the descriptors that a launch describes and starts bubblewrap with them.
 */
#pragma once

#include "backend/launch.h"
#include "pty/cgroup.h"
#include "pty/overlay.h"
#include "pty/stdio.h"

struct spawn {
    /* made by spawn_prepare */
    int *fds;     /* one per launch->fds, all above the launcher's numbers; -1 once closed */
    int *numbers; /* the numbers they had, by which bubblewrap may name them */
    size_t fd_count;
    int args; /* sealed memfd with the option list */
    int orders;
    int launcher;
    int info_write; /* bubblewrap's --info-fd */
    int info_read;  /* for the mounter */
    int errors;     /* memfd that collects bubblewrap's stderr */
    int control;    /* our end of the control socket */
    int control_jail;
    struct overlay_mounts overlays; /* their locks are held until spawn_free() */
    const struct cgroup *cgroup;    /* borrowed: entered before bubblewrap is; NULL: none */
    /* made by spawn_start */
    int report; /* tells why the child did not become bubblewrap; end of file: it did */
    pid_t pid;
};

/* Nothing made yet. */
#define SPAWN_NONE                                                                                 \
    (struct spawn)                                                                                 \
    {                                                                                              \
        .args = -1, .orders = -1, .launcher = -1, .info_write = -1, .info_read = -1, .errors = -1, \
        .control = -1, .control_jail = -1, .report = -1                                            \
    }

/*
 * Opens and seals everything. The sources of binds are opened and compared with what the planner
 * examined. Fills the caller's state (umask, signals) into a copy of the orders. 0 or -errno.
 */
int spawn_prepare(struct spawn *spawn, const struct launch *launch, const struct policy *policy,
                  const struct spawn_stdio *stdio, struct error *error);

/*
 * Forks and executes the checked bubblewrap. The child gets an empty environment, /dev/null on 0
 * and 1, the error memfd on 2, the launcher's descriptors 3 to 8 and those of the options; nothing
 * else. Overlays are mounted in it, where bubblewrap does not. It leads a process group of its own, whose number it writes to *group (shared memory) before
 * it becomes bubblewrap. 0 or -errno; does not wait for the exec, which spawn_check() tells about.
 */
int spawn_start(struct spawn *spawn, const struct policy *policy, const struct spawn_stdio *stdio,
                volatile pid_t *group, struct error *error);

/* After the child's descriptors are closed: 0 if it became bubblewrap, otherwise -errno with the
 * reason. Blocks until one of both has happened. */
int spawn_check(struct spawn *spawn, const struct policy *policy, struct error *error);

/* Closes what only the child needed. */
void spawn_close_child_side(struct spawn *spawn);
void spawn_free(struct spawn *spawn);
