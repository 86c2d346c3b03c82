// SPDX-License-Identifier: GPL-3.0-only
/*
 * statusline_text: what the status row says. Pure.
 */
#pragma once

#include "base/buf.h"

#define STATUSLINE_BADGES_MAX 11
#define STATUSLINE_ROWS_MIN   10 /* of a terminal that can spare one */
#define STATUSLINE_TEXT_MAX   2048

/* Fixed for the run. All borrowed; any bytes. */
struct statusline_facts {
    const char *theme; /* a word of the option: "pastel", "dark", "light" */
    const char *directory;
    const char *command;
    const char *network;
    /* Capabilities that weaken the jail, in words of ours; NULL behind the last one. */
    const char *badges[STATUSLINE_BADGES_MAX + 1];
};

/* What changes during the run. */
struct statusline_counts {
    unsigned held;     /* lines that wait for its end */
    unsigned refused;  /* connections that the network refused */
    const char *newer; /* version that is out, printable ASCII; NULL: none is known */
};

/*
 * Appends the text in at most cols - 1 cells: the last column stays free, because a glyph there
 * would leave a pending wrap. Nothing in it acts on the terminal. What does not fit is cut at the
 * end, where the directory is: a long name cannot push a badge out. out must hold
 * STATUSLINE_TEXT_MAX bytes.
 */
void statusline_text(const struct statusline_facts *facts, const struct statusline_counts *counts,
                     unsigned cols, struct buf *out);
/* Parameters of SGR. */
const char *statusline_look(const char *theme);
