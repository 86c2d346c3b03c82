// SPDX-License-Identifier: GPL-3.0-only
/*
 * verbs: what ai-jail does instead of a run.
 *
 * Each takes what main has worked out, prints to stdout, and returns the exit code; what is wrong
 * with the call itself it leaves in error and returns -errno.
 */
#pragma once

#include "backend/launch.h"
#include "config/gather.h"
#include "host.h"
#include "policy/policy.h"

struct verb_call {
    const struct args *args;
    const struct host *host;
    const struct gathered *gathered;
    const struct policy *policy; /* NULL where the verb works without one */
    const struct launch *launch; /* as policy */
    const struct error *refused; /* why there is no policy; NULL if there is one */
};

/* status.c: --status. Without a policy it says why. */
int verb_status(const struct verb_call *call, struct error *error);
/* why.c: --why PATH. 0 accessible, 1 not. */
int verb_why(const struct verb_call *call, struct error *error);
/* init.c: --init; with args->also_dry the file goes to stdout. */
int verb_init(const struct verb_call *call, struct notes *notes, struct error *error);
/* overlay.c: --overlay-list, --overlay-apply, --overlay-discard. */
int verb_overlay(const struct verb_call *call, struct error *error);
/* browser.c: --browser-list, --browser-forget NAME. */
int verb_browser(const struct verb_call *call, struct error *error);
/* bootstrap.c: --bootstrap; with args->also_dry what would be written goes to stdout. 0, or 125 if
 * the files of an agent failed (the others are written). */
int verb_bootstrap(const struct verb_call *call, struct error *error);
/* audit.c: --audit-show, --audit-verify. Read no configuration. Exit code 0, 1 or 2. */
int verb_audit(const struct args *args, struct error *error);
/* completions.c: --completions SHELL. */
int verb_completions(const struct args *args, struct error *error);
/* doctor.c: --doctor. Reads facts and configuration itself: both may be what is broken. */
int verb_doctor(const struct args *args, struct error *error);

/* The first run in a directory: writes ./.ai-jail where config.h's rules say so. Never fails: what
 * could not be written is a note. */
void verb_init_auto_save(const struct gathered *gathered, const struct args *args,
                         const struct host *host, struct notes *notes);
