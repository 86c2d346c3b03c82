// SPDX-License-Identifier: GPL-3.0-only
/*
 * stdio: which of the command's standard descriptors is what.
 */
#pragma once

#include <stdbool.h>

/* What becomes 0, 1, 2 of the command. */
struct spawn_stdio {
    bool is_pty[3]; /* replaced by the jail's PTY, the descriptor is not passed */
    bool foreground;
};
