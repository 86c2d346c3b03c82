// SPDX-License-Identifier: GPL-3.0-only
/*
 * cgroup: a child control group for the jail where the user may make one (cgroup v2: started by root, or
 * a delegated subtree as systemd's user manager has it). It limits tasks and memory of the whole jail,
 * whatever user owns them.
 *
 * Everything here is tried and given up silently: most sessions have no such group, and RLIMIT_NPROC
 * and the OOM score are there anyway.
 */
#pragma once

#include "base/base.h"

struct cgroup {
    int parent; /* directory it was made in, -1: there is none */
    int procs;  /* its cgroup.procs, for writing */
    char name[32];
};

#define CGROUP_NONE ((struct cgroup){.parent = -1, .procs = -1})

/*
 * Makes the group beside or below our own and sets its limits (0: no such limit). True if there is
 * one now that limits the number of tasks.
 */
bool cgroup_make(struct cgroup *cgroup, uint64_t pids_max, uint64_t memory_max_bytes);
/* Moves the calling process into it. Async-signal-safe. */
void cgroup_enter(const struct cgroup *cgroup);
/* Removes the group once it is empty; waits for that at most timeout_ms. */
void cgroup_remove(const struct cgroup *cgroup, int timeout_ms);
/* Closes the descriptors; the group stays. */
void cgroup_close(struct cgroup *cgroup);

/* The path behind "0::" in the text of /proc/self/cgroup, malloc'ed; NULL if there is none or it
 * leads out of the hierarchy that is visible here. */
char *cgroup_own_path(const char *text);
/* True if the blank-separated list names the controller. */
bool cgroup_lists(const char *list, const char *controller);
