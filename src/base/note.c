// SPDX-License-Identifier: GPL-3.0-only
/*
 * note: a list of diagnostic lines.
 */
#include "base/note.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_MAX (16 * KIB)

void notes_free(struct notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        free(notes->v[i].text);
    free(notes->v);
    *notes = (struct notes){0};
}

void notes_addv(struct notes *notes, enum note_class class, const char *fmt, va_list args)
{
    char *text = NULL;
    int len;

    if (!notes)
        return;
    if (notes->n == notes->cap) {
        notes->cap = notes->cap ? notes->cap * 2 : 8;
        notes->v = xrealloc(notes->v, notes->cap, sizeof(*notes->v));
    }
    len = vasprintf(&text, fmt, args);
    if (len < 0)
        text = xstrdup("(a message that cannot be formatted)");
    else if ((size_t)len > TEXT_MAX)
        text[TEXT_MAX] = '\0';
    notes->v[notes->n++] = (struct note){.class = class, .text = text};
}

void notes_add(struct notes *notes, enum note_class class, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    notes_addv(notes, class, fmt, args);
    va_end(args);
}
