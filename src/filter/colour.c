// SPDX-License-Identifier: GPL-3.0-only
/*
 * colour: strict parser. What it does not know is not forwarded.
 */
#include "filter/colour.h"

#include "base/hex.h"

#include <string.h>

/* Scales 1 to 4 digits to 16 bits. -1 if one of them is no digit. */
static int parse_channel(const char *text, size_t len)
{
    static const unsigned factor[] = {0, 0x1111, 0x101, 0, 1};
    unsigned value = 0;

    if (len < 1 || len > 4)
        return -1;
    for (size_t i = 0; i < len; i++) {
        int digit = hex_digit(text[i]);

        if (digit < 0)
            return -1;
        value = value << 4 | (unsigned)digit;
    }
    return (int)(len == 3 ? value << 4 | value >> 8 : value * factor[len]);
}

static bool set_channels(struct colour *colour, int r, int g, int b)
{
    if (r < 0 || g < 0 || b < 0)
        return false;
    *colour = (struct colour){true, (uint16_t)r, (uint16_t)g, (uint16_t)b};
    return true;
}

static bool parse_rgb(const char *text, size_t len, struct colour *colour)
{
    const char *end = text + len;
    const char *second = memchr(text, '/', len);
    const char *third = second ? memchr(second + 1, '/', (size_t)(end - second - 1)) : NULL;

    if (!third)
        return false;
    return set_channels(colour, parse_channel(text, (size_t)(second - text)),
                        parse_channel(second + 1, (size_t)(third - second - 1)),
                        parse_channel(third + 1, (size_t)(end - third - 1)));
}

static bool is_name(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        bool is_letter = (text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z';
        bool is_other = (text[i] >= '0' && text[i] <= '9') || text[i] == ' ';

        if (!is_letter && (i == 0 || !is_other))
            return false;
    }
    return len > 0;
}

bool colour_parse(const char *text, size_t len, struct colour *colour)
{
    *colour = (struct colour){0};
    if (len > COLOUR_SPEC_MAX)
        return false;
    if (len > 4 && memcmp(text, "rgb:", 4) == 0)
        return parse_rgb(text + 4, len - 4, colour);
    if (len > 1 && text[0] == '#') {
        size_t n = (len - 1) / 3;

        if ((len - 1) % 3)
            return false;
        return set_channels(colour, parse_channel(text + 1, n), parse_channel(text + 1 + n, n),
                            parse_channel(text + 1 + 2 * n, n));
    }
    return is_name(text, len);
}
