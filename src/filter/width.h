// SPDX-License-Identifier: GPL-3.0-only
/*
 * width: how many cells a character takes (Unicode 14 general categories and East Asian Width).
 *
 * Zero width: Mn, Me, Cf without U+00AD, and the medial and final Hangul jamo. Two cells: W and F.
 * Ambiguous characters take one. Clusters (ZWJ sequences, flags) are not joined: emulators disagree
 * about them.
 */
#pragma once

#include "base/base.h"

enum width_class {
    WIDTH_ZERO,
    WIDTH_ONE,
    WIDTH_TWO,
    WIDTH_SPECIAL, /* never printed as it is: C1, surrogates, noncharacters */
};

#define WIDTH_MIXED 0xFF

/*
 * Class of each block of 64 code points of the BMP as UTF-8 of three bytes addresses it (bits of the
 * first and second byte): WIDTH_ONE or WIDTH_TWO when the whole block is so, otherwise WIDTH_MIXED.
 * The first 32 blocks are always WIDTH_MIXED: only overlong forms address them so.
 */
extern uint8_t width_blocks[1024];
/* The same for those 32 as UTF-8 of two bytes addresses them; the first two are WIDTH_MIXED. */
extern uint8_t width_short_blocks[32];

/* Expands the range lists; any number of calls. Before the first use of anything here. */
void width_setup(void);

enum width_class width_of(uint32_t code);
