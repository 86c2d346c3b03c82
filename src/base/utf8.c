// SPDX-License-Identifier: GPL-3.0-only
/*
 * utf8: strict decoding. The first byte fixes the length and the range of the second byte; that
 * range is what excludes overlong forms, surrogates and values above U+10FFFF.
 */
#include "base/utf8.h"

struct lead {
    uint8_t first;
    uint8_t last;
    uint8_t length;
    uint8_t second_low;
    uint8_t second_high;
};

static const struct lead leads[] = {
    {0x00, 0x7F, 1, 0, 0},       {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

static const struct lead *find_lead(uint8_t byte)
{
    for (size_t i = 0; i < ARRAY_SIZE(leads); i++)
        if (byte >= leads[i].first && byte <= leads[i].last)
            return &leads[i];
    return NULL;
}

int utf8_decode(const uint8_t *p, size_t len, uint32_t *code)
{
    const struct lead *lead = find_lead(p[0]);
    uint32_t value;

    if (!lead)
        return -1;
    if (lead->length == 1) {
        *code = p[0];
        return 1;
    }
    value = p[0] & (0x7Fu >> lead->length);
    for (unsigned i = 1; i < lead->length; i++) {
        uint8_t low = i == 1 ? lead->second_low : 0x80;
        uint8_t high = i == 1 ? lead->second_high : 0xBF;

        if (i >= len)
            return 0;
        if (p[i] < low || p[i] > high)
            return -(int)i;
        value = value << 6 | (p[i] & 0x3Fu);
    }
    *code = value;
    return lead->length;
}

size_t utf8_write(uint32_t code, uint8_t out[UTF8_MAX_LEN])
{
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t marks[] = {0, 0, 0xC0, 0xE0, 0xF0};

    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (uint8_t)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (uint8_t)(marks[length] | code);
    return length;
}

bool utf8_is_noncharacter(uint32_t code)
{
    return (code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF);
}

bool utf8_is_bidi_or_break(uint32_t code)
{
    return code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0x061C;
}
