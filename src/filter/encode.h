// SPDX-License-Identifier: GPL-3.0-only
/*
 * encode: the only place that writes to the terminal's side of the filter, and the only one that
 * writes an ESC byte.
 *
 * What it can write is this alphabet: 07-0F, 20-7E, well-formed UTF-8 from U+00A0 on without
 * noncharacters, and ESC as the first byte of a complete sequence. A sequence that was clean is
 * written with its own bytes (empty parameters and leading zeros stay); otherwise it is written
 * from its parsed form.
 */
#pragma once

#include "base/buf.h"
#include "filter/csi.h"

struct encoder {
    struct buf *out; /* borrowed */
    uint8_t *p;      /* next byte to write, inside out's reserved room */
    uint8_t *end;
    uint8_t glyph_width; /* of the last item if it was a glyph (REP may follow), otherwise 0 */
};

/* Terminators of an operating system command. */
enum encode_end { ENCODE_BEL, ENCODE_ST };

void encode_begin(struct encoder *enc, struct buf *out);
/* Makes everything written part of the buffer. */
void encode_finish(struct encoder *enc);

/* Slow half of encode_room(). */
bool encode_grow(struct encoder *enc, size_t len);

/* True if len bytes may be written at enc->p. False past the buffer's maximum (its overflow flag is
 * then set and nothing may be written). */
static inline bool encode_room(struct encoder *enc, size_t len)
{
    return (size_t)(enc->end - enc->p) >= len || encode_grow(enc, len);
}

/* Bytes already known to be in the alphabet, without ESC. */
void encode_text(struct encoder *enc, const void *bytes, size_t len);
void encode_c0(struct encoder *enc, uint8_t byte);
/* ESC, an intermediate (0: none), a final byte. */
void encode_esc(struct encoder *enc, uint8_t inter, uint8_t final);
/* CSI and len bytes of a body that somebody else checked. */
void encode_csi_body(struct encoder *enc, const uint8_t *body, size_t len);
/* A control sequence from its parsed form. */
void encode_csi_parts(struct encoder *enc, const struct csi *csi);
/* The same from its own bytes where they still say it. */
static inline void encode_csi(struct encoder *enc, const struct csi *csi)
{
    if (csi->is_rewritten)
        encode_csi_parts(enc, csi);
    else
        encode_csi_body(enc, csi->body, csi->len);
}
/* CSI and formatted text. */
void encode_csif(struct encoder *enc, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* OSC, the payload, the terminator. */
void encode_osc(struct encoder *enc, const void *payload, size_t len, enum encode_end end);
/* The same with something in front of the payload. */
void encode_osc_prefixed(struct encoder *enc, const char *prefix, const void *payload, size_t len,
                         enum encode_end end);
void encode_oscf(struct encoder *enc, enum encode_end end, const char *fmt, ...) PRINTF_LIKE(3, 4);
