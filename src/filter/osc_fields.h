// SPDX-License-Identifier: GPL-3.0-only
/*
 * osc_fields: one operating system command, taken apart, and the handlers that have a file of their
 * own.
 */
#pragma once

#include "filter/state.h"

/* One command; payload is everything between ESC ] and the terminator. */
struct osc {
    const char *payload;
    size_t len;
    unsigned number;
    const char *text; /* after the number and its ';' */
    size_t text_len;
    bool has_text;    /* there was a ';' */
    bool is_overlong; /* there is more than was kept */
    enum encode_end end;
};

/* False: not a command that may pass. */
typedef bool osc_handler(struct filter *filter, const struct osc *osc);

/* Writes the command as it is. */
void osc_forward(struct filter *filter, const struct osc *osc);
/* Cuts *text at the next separator; false when nothing is left. */
bool osc_next_field(const char **text, size_t *len, char separator, const char **field,
                    size_t *field_len);
/* A decimal number of 1 to 3 digits up to max, or -1. */
int osc_small_number(const char *text, size_t len, int max);

osc_handler osc_take_palette;
osc_handler osc_reset_palette;
osc_handler osc_take_dynamic;
osc_handler osc_reset_dynamic;
osc_handler osc_take_clipboard; /* clipboard.c */
