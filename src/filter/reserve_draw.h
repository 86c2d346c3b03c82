// SPDX-License-Identifier: GPL-3.0-only
/*
 * reserve_draw: the bytes of our own around a reserved row, for the lists of restore.c.
 */
#pragma once

#include "filter/state.h"

/* Makes the row blank; attributes must be off. Moves the cursor. */
void reserve_clear(const struct filter *filter, struct encoder *enc);
/* Somebody else had the terminal: what stands in the last row moves up, the cursor goes to the
 * agent's last row. */
void reserve_claim(const struct filter *filter, struct encoder *enc);
