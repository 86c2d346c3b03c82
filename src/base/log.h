// SPDX-License-Identifier: GPL-3.0-only
/*
 * log: the only way a diagnostic line reaches stderr, and the escaping of everything printed.
 *
 * One line, one write: marker, blank, text, newline. The whole text is escaped, so a hostile name
 * inside it cannot act on the terminal, whoever formatted it.
 */
#pragma once

#include "base/buf.h"
#include "base/note.h"

struct log_options {
    bool quiet;   /* --exec: WARNING and INFO are hidden */
    bool verbose; /* -v */
    bool colour;  /* stderr is a terminal and NO_COLOR is unset */
    bool utf8;    /* the locale is UTF-8: symbols, otherwise words */
};

void log_setup(struct log_options options);
/* True if a line of this class would be shown. */
bool log_shows(enum note_class class);
void log_line(enum note_class class, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Prints and empties the list. */
void log_notes(struct notes *notes);

/*
 * While a run owns the terminal and stderr is that terminal, lines are kept instead of printed.
 * log_release() prints the FATAL and SECURITY ones and drops the others. At most 200 are kept; what
 * comes after is counted and said in one line.
 */
void log_hold(void);
void log_release(void);
/* How many lines are kept or counted. */
unsigned log_held(void);

/*
 * Hands every FATAL, SECURITY and WARNING line to sink, too, whether it is shown or not; first those
 * that came before (at most 200), in order. text is not escaped. The sink must not log. NULL: to
 * nobody.
 */
typedef void log_sink_fn(void *arg, enum note_class class, const char *text);
void log_set_sink(log_sink_fn *sink, void *arg);

/*
 * Appends bytes as printable text: C0, DEL and C1 (raw, or as U+0080-U+009F), U+2028, U+2029, bidi
 * controls, zero-width characters and invalid UTF-8 become \xNN or \u{NNNN}; a backslash stays.
 */
void log_escape(struct buf *out, const char *bytes, size_t len);
