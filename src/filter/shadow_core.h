// SPDX-License-Identifier: GPL-3.0-only
/*
 * shadow_core: the moves that the effects of escape and control sequences are made of. Only for the
 * files of the model.
 */
#pragma once

#include "filter/shadow.h"

static inline unsigned shadow_least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* One past the last column that a glyph at the cursor's column may fill. */
unsigned shadow_right_end(const struct shadow *shadow);
/* The column that CR goes to. */
unsigned shadow_left_edge(const struct shadow *shadow);
/* Ends a pending wrap: the cursor stands on the last column. */
void shadow_settle(struct shadow *shadow);
/* Moves that stop at the region's edge, or at the screen's if the cursor is outside the region. */
void shadow_down(struct shadow *shadow, unsigned count);
void shadow_up(struct shadow *shadow, unsigned count);
void shadow_carriage_return(struct shadow *shadow);
/* The home position, that of the region in origin mode. */
void shadow_home(struct shadow *shadow);
void shadow_tab_forward(struct shadow *shadow, unsigned count);
void shadow_set_tab(struct shadow *shadow, bool on);
void shadow_reset_margins(struct shadow *shadow);
/* After a change of autowrap or of mode 69. */
void shadow_update_simple(struct shadow *shadow);
