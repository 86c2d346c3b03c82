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
 * Class of each block of 64 code points of the BMP, indexed by code >> 6, which is the low bits of
 * the lead byte and, for three bytes, those of the second: WIDTH_ONE or WIDTH_TWO when the whole
 * block is so, WIDTH_MIXED otherwise (also for the blocks that only overlong forms name).
 */
extern uint8_t width_blocks[1024];

/* Expands the range lists; any number of calls. Before the first use of anything here. */
void width_setup(void);

enum width_class width_of(uint32_t code);
