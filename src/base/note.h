// SPDX-License-Identifier: GPL-3.0-only
/*
 * note: what the pure part of the program wants to tell the user.
 *
 * Libraries never print. They add notes; main prints them in order, each as one line.
 */
#pragma once

#include "base/base.h"

#include <stdarg.h>

/* Classes of a diagnostic line. Quiet mode shows only FATAL and SECURITY, VERBOSE needs -v. */
enum note_class { NOTE_FATAL, NOTE_SECURITY, NOTE_WARNING, NOTE_INFO, NOTE_VERBOSE, NOTE_COUNT };

struct note {
    enum note_class class;
    char *text; /* one line, not escaped: the printer does that */
};

struct notes {
    struct note *v;
    size_t n;
    size_t cap;
};

void notes_free(struct notes *notes);
/* notes may be NULL: then nothing happens. A text of more than 16 KiB is cut there. */
void notes_add(struct notes *notes, enum note_class class, const char *fmt, ...) PRINTF_LIKE(3, 4);
void notes_addv(struct notes *notes, enum note_class class, const char *fmt, va_list args)
    PRINTF_LIKE(3, 0);
