// SPDX-License-Identifier: GPL-3.0-only
/*
 * map_text: "SRC:DST" taken apart.
 */
#include "config/map_text.h"

#include "base/buf.h"

#include <errno.h>

#define SIDE_MAX (64 * KIB)

int map_text_split(const char *text, char **source, char **dest)
{
    struct buf parts[2] = {{0}, {0}};
    int which = 0;
    int r = 0;

    *source = NULL;
    *dest = NULL;
    buf_init(&parts[0], SIDE_MAX);
    buf_init(&parts[1], SIDE_MAX);
    for (const char *at = text; *at; at++) {
        if (*at == '\\' && (at[1] == ':' || at[1] == '\\'))
            buf_append_byte(&parts[which], (uint8_t) * ++at);
        else if (*at == ':' && which == 0)
            which = 1;
        else
            buf_append_byte(&parts[which], (uint8_t)*at);
    }
    if (parts[0].len == 0 || (which == 1 && parts[1].len == 0)) {
        r = -EINVAL;
    } else {
        *source = buf_take_cstr(&parts[0]);
        if (which == 1)
            *dest = buf_take_cstr(&parts[1]);
    }
    buf_free(&parts[0]);
    buf_free(&parts[1]);
    return r;
}
