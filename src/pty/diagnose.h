// SPDX-License-Identifier: GPL-3.0-only
/*
 * diagnose: turns what went wrong below into one line that says what to do.
 */
#pragma once

#include "backend/launch.h"
#include "pty/control.h"

/*
 * bubblewrap ended before the launcher spoke. errors is the memfd with its stderr. Known causes
 * (user namespaces forbidden, /proc not mountable, unknown option) are translated. Fills error and
 * adds the last lines of bubblewrap to notes.
 */
int diagnose_backend(int errors, const struct policy *policy, struct notes *notes,
                     struct error *error);

/* The launcher reported FAILED. Returns the exit code (125, 126 or 127) and fills error. */
int diagnose_failed(const struct control_message *message, const struct policy *policy,
                    struct error *error);
