// SPDX-License-Identifier: GPL-3.0-only
/*
 * watch: covers what appears while the jail runs.
 *
 * Part of the mounter. The directories of the host in which something may have to be covered are
 * watched (inotify(7)) from before the jail exists. When a name appears in one of them that a rule
 * names, the object is covered in the jail; a new directory is watched if the rules lead on into it.
 * A repository that appears in the project is protected once it has been quiet for two seconds.
 *
 * Late covers narrow a window, they do not close it: between the moment in which a name appears and
 * the cover lies a fraction of a millisecond, or some on a busy machine.
 */
#pragma once

#include "policy/masks.h"
#include "policy/plan.h"
#include "pty/cover.h"

/* More directories than this are not watched. */
#define WATCH_DIRECTORIES_MAX 65536U

struct watch;

/* In memory shared with the supervisor. */
struct watch_counts {
    volatile uint32_t covered; /* late covers, also repeated ones */
    volatile uint32_t unsaid;  /* events that were not sent: there were too many */
};

struct watch_options {
    const struct plan *plan;
    const struct mask_rules *rules;
    const char *project; /* canonical */
    bool protect_git;    /* also what appears */
    int socket;          /* for events */
    struct watch_counts *counts;
};

/*
 * Watches all directories as they are now, outside, with the rights of the user. *watch is set, also
 * on failure: -E2BIG too many directories, -ENOSPC no watch left, -EMFILE no instance left, other
 * -errno.
 */
int watch_arm(struct watch **watch, const struct watch_options *options);

/* In the jail, after the covers of the plan are placed: covers silently what has appeared since they
 * were planned. 0 or -errno. */
int watch_enter(struct watch *watch, const struct cover_set *set);

/* To be polled for reading. */
int watch_fd(const struct watch *watch);
/* Until watch_step() is due at the latest; -1: nothing to do but for events. */
int watch_timeout_ms(const struct watch *watch);
/* Does what is due. 0, or -errno: something that must be covered cannot be, and an event says so;
 * the jail has to be ended. */
int watch_step(struct watch *watch);
