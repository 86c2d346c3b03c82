// SPDX-License-Identifier: GPL-3.0-only
/*
 * title: makes a window title harmless.
 */
#pragma once

#include "base/base.h"

/*
 * Copies text to out (room bytes, at least 4 per character) without controls, DEL, bidi controls
 * and line separators; what is ill-formed becomes U+FFFD; a '#' that tmux would read as a format is
 * replaced; at most max_chars characters. Returns the length.
 */
size_t title_clean(const uint8_t *text, size_t len, uint8_t *out, size_t max_chars);
