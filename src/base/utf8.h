// SPDX-License-Identifier: GPL-3.0-only
/*
 * utf8: strict decoding, one character at a time (The Unicode Standard, table 3-7, and the practice
 * of "maximal subparts" for what is ill-formed).
 */
#pragma once

#include "base/base.h"

#define UTF8_REPLACEMENT 0xFFFDu
#define UTF8_MAX_LEN     4

/*
 * Looks at the len >= 1 bytes at p. Returns
 *   n > 0   a well-formed character of n bytes, its code point in *code;
 *   n < 0   the first -n bytes are ill-formed and stand for one U+FFFD; the byte after them is
 *           looked at again;
 *   0       all len bytes are the beginning of a character and more bytes are needed.
 */
int utf8_decode(const uint8_t *p, size_t len, uint32_t *code);

/* Writes the character (a scalar value) to out; returns its length, 1 to 4. */
size_t utf8_write(uint32_t code, uint8_t out[UTF8_MAX_LEN]);

/* U+FFFE, U+FFFF and their likes in every plane, and U+FDD0-U+FDEF. */
bool utf8_is_noncharacter(uint32_t code);

/* Characters that reorder or break lines: U+200E/F, 202A-202E, 2066-2069, 2028/9, 061C. */
bool utf8_is_bidi_or_break(uint32_t code);
