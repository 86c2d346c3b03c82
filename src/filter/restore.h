// SPDX-License-Identifier: GPL-3.0-only
/*
 * restore: undoing, and redoing, what an agent did to the terminal.
 */
#pragma once

#include "filter/state.h"

/* The part of the restore list that concerns modes, margins, keyboard and screen. */
void restore_modes(const struct filter *filter, struct encoder *enc);
/* Takes all that as undone. */
void restore_forget(struct filter *filter);
