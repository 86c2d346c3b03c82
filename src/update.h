// SPDX-License-Identifier: GPL-3.0-only
/*
 * update: whether there is a newer version (--update-check).
 */
#pragma once

#include "base/note.h"
#include "policy/policy.h"
#include "pty/statusline_update.h"

/*
 * Asks, where it is wanted and the build knows whom to ask: starts curl, and *update says where the answer will
 * come from. Nobody is asked twice within a day: *update then has what was answered last. False: there is
 * nothing to say. Call it before anything is given up. Failures are silent.
 */
bool update_start(struct statusline_update *update, const struct policy *policy,
                  struct notes *notes);
