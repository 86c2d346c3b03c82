// SPDX-License-Identifier: GPL-3.0-only
/*
 * sgr: select graphic rendition (ECMA-48 8.3.117, ISO 8613-6 colours, XTerm and kitty additions).
 */
#pragma once

#include "base/buf.h"
#include "filter/csi.h"
#include "filter/encode.h"

enum sgr_colour_kind { SGR_DEFAULT, SGR_INDEXED, SGR_RGB };

struct sgr_colour {
    uint8_t kind; /* enum sgr_colour_kind */
    uint8_t r;    /* the index when SGR_INDEXED */
    uint8_t g;
    uint8_t b;
};

/* The attributes of the next glyph. All zero is the state after SGR 0. */
struct sgr_pen {
    uint16_t flags; /* bit n: the attribute that SGR n (1-9 without 4) or 53 (bit 10) sets */
    uint8_t underline;
    struct sgr_colour foreground;
    struct sgr_colour background;
    struct sgr_colour underline_colour;
};

/* Applies one sequence. Unknown attributes change nothing. */
void sgr_apply(struct sgr_pen *pen, const struct csi *csi);

#define SGR_TEXT_MAX 160

/* Writes "0;1;38:2:1:2:3" (no CSI, no m) and a NUL; returns the length. */
size_t sgr_format(const struct sgr_pen *pen, char text[SGR_TEXT_MAX]);

/* Brings the terminal's attributes to the pen's: colours with semicolons, which every terminal
 * reads, and each in a sequence of its own. */
void sgr_put(struct encoder *enc, const struct sgr_pen *pen);

#define SGR_PARTS_OUT 16 /* most parts in an emitted sequence */

/*
 * Writes an accepted SGR of more than SGR_PARTS_OUT parts as several: emulators drop or misread
 * what is longer. The cuts are at attribute boundaries, so the meaning stays. False (nothing
 * written) if there is no such cut.
 */
bool sgr_encode_split(struct encoder *enc, const struct csi *csi);

/* Writes an accepted SGR, split if it has to be. */
static inline bool sgr_encode(struct encoder *enc, const struct csi *csi)
{
    if (csi->count > SGR_PARTS_OUT)
        return sgr_encode_split(enc, csi);
    encode_csi_body(enc, csi->body, csi->len);
    return true;
}
