// SPDX-License-Identifier: GPL-3.0-only
/*
 * traces: what a run on macOS leaves in the user's directory for temporary files while it lasts: the
 * profile (NAME.sb) and the command's temporary directory (NAME). Both end with the run; what dead runs
 * have left is removed by the next one.
 *
 * A NAME is ai-jail-PID-RANDOM, PID being the supervisor's.
 */
#pragma once

#include "base/error.h"

/* Removes what belongs to runs that do not live any more, in the directory of name. Best effort. */
void traces_sweep(const char *name);
/* Makes the directory (0700) and the profile (0600), which must not be there. 0 or -errno. */
int traces_make(const char *name, const char *profile, struct error *error);
/* The name of the profile; malloc'ed. */
char *traces_profile(const char *name);
/* Removes both. The command may have filled the directory with anything, and may still be at it: no link
 * is followed, and the number of tries is bounded. Idempotent. */
void traces_remove(const char *name);
