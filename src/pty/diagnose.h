// SPDX-License-Identifier: GPL-3.0-only
/*
 * diagnose: turns what went wrong, or what the user has to know, into one line that says what to do.
 */
#pragma once

#include "backend/launch.h"
#include "filter/filter.h"
#include "pty/control.h"
#include "pty/spawn.h"

/*
 * bubblewrap ended before the launcher spoke. Known causes (user namespaces forbidden, /proc not
 * mountable, unknown option, a source that cannot be reached) are translated. Fills error and adds the
 * last lines of bubblewrap to notes.
 */
int diagnose_backend(const struct spawn *spawn, const struct launch *launch,
                     const struct policy *policy, struct notes *notes, struct error *error);

/* The launcher reported FAILED. Returns the exit code (125, 126 or 127) and fills error. */
int diagnose_failed(const struct control_message *message, const struct policy *policy,
                    struct error *error);

/* Says, at the end of a run, what the command did to the clipboard. filter may be NULL. */
void diagnose_clipboard(const struct filter *filter);
