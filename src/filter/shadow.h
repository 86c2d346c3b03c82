// SPDX-License-Identifier: GPL-3.0-only
/*
 * shadow: where the terminal's cursor is, without its cells.
 *
 * The model holds what the answers and the restore list need: cursor, pending wrap, margins, tab
 * stops, character sets, attributes, the saved cursor of each screen. It is told what was emitted,
 * never what was read. Where emulators differ it does what xterm does.
 *
 * Columns and rows count from 0. A column equal to `cols` (or one past the right margin) is the
 * state after a glyph in the last column: the next one wraps.
 */
#pragma once

#include "base/base.h"
#include "filter/csi.h"
#include "filter/sgr.h"

#define SHADOW_SIZE_MIN 2
#define SHADOW_SIZE_MAX 65535
#define SHADOW_TABS_MAX 4096 /* columns beyond have a stop at each eighth */

struct shadow_slot {
    unsigned row;
    unsigned col;
    bool is_origin;
    bool is_shifted;
    uint8_t charset[2];
    struct sgr_pen pen;
};

struct shadow {
    unsigned rows;
    unsigned cols;
    unsigned row;
    unsigned col;
    bool is_simple; /* autowrap on and no left and right margins: columns just add up */
    bool is_autowrap;
    bool is_origin;
    bool is_reverse_wrap;
    bool has_side_margins; /* mode 69 */
    bool is_alternate;
    bool is_shifted;    /* SO */
    uint8_t charset[2]; /* G0 and G1: final byte of the designation */
    uint8_t glyph_width;
    unsigned top;
    unsigned bottom;
    unsigned left;
    unsigned right;
    struct sgr_pen pen;
    struct shadow_slot slot[2]; /* by screen */
    bool has_region[2];   /* a region was set there: some terminals keep one for each screen */
    unsigned used_row[2]; /* lowest row that was written to, by screen */
    bool tabs_changed;
    uint8_t tabs[SHADOW_TABS_MAX / 8];
};

/* rows and cols are brought into SHADOW_SIZE_MIN..MAX. */
void shadow_init(struct shadow *shadow, unsigned rows, unsigned cols);
/*
 * Where the cursor is, from 1. An unknown row (0) is taken for the last one: a program that believes
 * so draws below what is on the screen, not over it. Lines below are taken for unused.
 */
void shadow_place(struct shadow *shadow, unsigned row, unsigned col);
/* Margins become the whole screen and the cursor is moved inside. */
void shadow_resize(struct shadow *shadow, unsigned rows, unsigned cols);

/* count glyphs of that width (1 or 2). Cost does not depend on count. */
void shadow_print(struct shadow *shadow, unsigned width, unsigned count);

/* count glyphs of one cell: the case that floods are made of. */
static inline void shadow_print_narrow(struct shadow *shadow, unsigned count)
{
    if (shadow->is_simple && shadow->col + count <= shadow->cols) {
        shadow->col += count;
        if (shadow->row > shadow->used_row[shadow->is_alternate])
            shadow->used_row[shadow->is_alternate] = shadow->row;
    } else {
        shadow_print(shadow, 1, count);
    }
}

/* One of 08-0F. */
void shadow_c0(struct shadow *shadow, uint8_t byte);
/* Line feed, as also VT, FF and IND do it. */
void shadow_line_feed(struct shadow *shadow);

/* The escape sequences that move the cursor or set tab stops; others change nothing. */
void shadow_esc(struct shadow *shadow, uint8_t inter, uint8_t final);

/* Effects of one control sequence each, for the rules table. */
void shadow_cuu(struct shadow *shadow, const struct csi *csi);
void shadow_cud(struct shadow *shadow, const struct csi *csi);
void shadow_cuf(struct shadow *shadow, const struct csi *csi);
void shadow_cub(struct shadow *shadow, const struct csi *csi);
void shadow_cnl(struct shadow *shadow, const struct csi *csi);
void shadow_cpl(struct shadow *shadow, const struct csi *csi);
void shadow_cha(struct shadow *shadow, const struct csi *csi);
void shadow_vpa(struct shadow *shadow, const struct csi *csi);
void shadow_hpr(struct shadow *shadow, const struct csi *csi);
void shadow_vpr(struct shadow *shadow, const struct csi *csi);
void shadow_cup(struct shadow *shadow, const struct csi *csi);
void shadow_cht(struct shadow *shadow, const struct csi *csi);
void shadow_cbt(struct shadow *shadow, const struct csi *csi);
void shadow_ed(struct shadow *shadow, const struct csi *csi);
void shadow_il(struct shadow *shadow, const struct csi *csi);
void shadow_rep(struct shadow *shadow, const struct csi *csi);
void shadow_tbc(struct shadow *shadow, const struct csi *csi);
void shadow_decst8c(struct shadow *shadow, const struct csi *csi);
void shadow_sgr(struct shadow *shadow, const struct csi *csi);
void shadow_decstbm(struct shadow *shadow, const struct csi *csi);
void shadow_decslrm(struct shadow *shadow, const struct csi *csi);
void shadow_decsc(struct shadow *shadow, const struct csi *csi);
void shadow_decrc(struct shadow *shadow, const struct csi *csi);
void shadow_decstr(struct shadow *shadow, const struct csi *csi);

/* A private mode (number as in DECSET) was switched. Other modes change nothing. */
void shadow_mode(struct shadow *shadow, unsigned number, bool on);

/* The cursor as CPR reports it: from 1, relative to the margins in origin mode. */
void shadow_position(const struct shadow *shadow, unsigned *row, unsigned *col);
/* The same without origin mode. */
unsigned shadow_column(const struct shadow *shadow);
bool shadow_has_margins(const struct shadow *shadow);
bool shadow_has_tab(const struct shadow *shadow, unsigned col);
