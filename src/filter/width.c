// SPDX-License-Identifier: GPL-3.0-only
/*
 * width: two lists of ranges, expanded once into two bits per code point for the planes 0 and 1 (32
 * KiB, of which a run touches a few lines). The planes above are so regular that they need no
 * table.
 */
#include "filter/width.h"

#include "base/utf8.h"

#include <string.h>

#define TABLE_END 0x20000u

struct range {
    uint32_t first;
    uint32_t last;
};

#include "filter/width_table.inc"

uint8_t width_blocks[1024];
uint8_t width_short_blocks[32];
static uint8_t classes[TABLE_END / 4];

static void set_range(uint32_t first, uint32_t last, enum width_class class)
{
    for (uint32_t code = first; code <= last && code < TABLE_END; code++) {
        unsigned shift = (code & 3) * 2;

        classes[code / 4] = (uint8_t)((classes[code / 4] & ~(3u << shift)) | class << shift);
    }
}

static uint8_t block_class(uint32_t first)
{
    enum width_class class = width_of(first);

    if (first < 0xC0 || class == WIDTH_ZERO || class == WIDTH_SPECIAL)
        return WIDTH_MIXED;
    for (uint32_t code = first + 1; code < first + 64; code++)
        if (width_of(code) != class)
            return WIDTH_MIXED;
    return (uint8_t) class;
}

void width_setup(void)
{
    static bool done;

    if (done)
        return;
    memset(classes, WIDTH_ONE * 0x55, sizeof(classes));
    for (size_t i = 0; i < ARRAY_SIZE(wide_ranges); i++)
        set_range(wide_ranges[i].first, wide_ranges[i].last, WIDTH_TWO);
    for (size_t i = 0; i < ARRAY_SIZE(zero_ranges); i++)
        set_range(zero_ranges[i].first, zero_ranges[i].last, WIDTH_ZERO);
    set_range(0x80, 0x9F, WIDTH_SPECIAL);
    set_range(0xD800, 0xDFFF, WIDTH_SPECIAL);
    for (uint32_t code = 0; code < TABLE_END; code++)
        if (utf8_is_noncharacter(code))
            set_range(code, code, WIDTH_SPECIAL);
    for (uint32_t block = 0; block < ARRAY_SIZE(width_blocks); block++) {
        bool is_short = block < ARRAY_SIZE(width_short_blocks);

        if (is_short)
            width_short_blocks[block] = block_class(block * 64);
        width_blocks[block] = is_short ? WIDTH_MIXED : block_class(block * 64);
    }
    done = true;
}

enum width_class width_of(uint32_t code)
{
    if (code < TABLE_END)
        return (enum width_class)(classes[code / 4] >> ((code & 3) * 2) & 3);
    if (utf8_is_noncharacter(code))
        return WIDTH_SPECIAL;
    if (code < 0x40000)
        return WIDTH_TWO;
    return code >= 0xE0000 && code < 0xE1000 ? WIDTH_ZERO : WIDTH_ONE;
}
