// SPDX-License-Identifier: GPL-3.0-only
/*
 * note: a list of diagnostic lines.
 */
#include "base/note.h"

#include "base/buf.h"

#include <stdarg.h>
#include <stdlib.h>

void notes_free(struct notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        free(notes->v[i].text);
    free(notes->v);
    *notes = (struct notes){0};
}

void notes_add(struct notes *notes, enum note_class class, const char *fmt, ...)
{
    struct buf text CLEANUP(buf_free);
    va_list args;

    if (!notes)
        return;
    if (notes->n == notes->cap) {
        notes->cap = notes->cap ? notes->cap * 2 : 8;
        notes->v = xrealloc(notes->v, notes->cap, sizeof(*notes->v));
    }
    buf_init(&text, 64 * KIB);
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    notes->v[notes->n++] = (struct note){.class = class, .text = buf_take_cstr(&text)};
}
