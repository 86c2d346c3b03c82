// SPDX-License-Identifier: GPL-3.0-only
/*
 * hex: hexadecimal digits, whatever the locale.
 */
#pragma once

/* 0 to 15; -1: no digit. */
static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}
