// SPDX-License-Identifier: GPL-3.0-only
/*
 * colour: colour specifications as operating system commands carry them (XParseColor(3)): the
 * forms rgb:h/h/h (1 to 4 digits each) and #hhh (3, 6, 9 or 12 digits), and plain names.
 */
#pragma once

#include "base/base.h"

#define COLOUR_SPEC_MAX 32

struct colour {
    bool is_known; /* false for a name: it is the terminal that knows it */
    uint16_t r;
    uint16_t g;
    uint16_t b;
};

/* True if the text is a specification that may be forwarded; fills *colour. */
bool colour_parse(const char *text, size_t len, struct colour *colour);
