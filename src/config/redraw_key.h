// SPDX-License-Identifier: GPL-3.0-only
/*
 * redraw_key: which key tells a command to draw its screen again (resize_redraw_key).
 */
#pragma once

#include "base/note.h"
#include "config/config.h"

/*
 * The byte of the key for the command known by that name (wrapper.h), 0: none. What the
 * configuration says counts for every command; without it the one of a table. A text that names no
 * key is a warning, and then there is none.
 */
unsigned char redraw_key_choose(const struct config *config, const char *command,
                                struct notes *notes);
