// SPDX-License-Identifier: GPL-3.0-only
/*
 * base64: bytes as text.
 */
#include "base/base64.h"

void base64_append(struct buf *out, const void *bytes, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *in = bytes;

    for (size_t i = 0; i < len; i += 3) {
        size_t n = len - i < 3 ? len - i : 3;
        unsigned word = (unsigned)in[i] << 16;

        if (n > 1)
            word |= (unsigned)in[i + 1] << 8;
        if (n > 2)
            word |= in[i + 2];
        buf_append_byte(out, (uint8_t)digits[word >> 18]);
        buf_append_byte(out, (uint8_t)digits[word >> 12 & 63]);
        buf_append_byte(out, n > 1 ? (uint8_t)digits[word >> 6 & 63] : '=');
        buf_append_byte(out, n > 2 ? (uint8_t)digits[word & 63] : '=');
    }
}
