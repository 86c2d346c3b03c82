// SPDX-License-Identifier: GPL-3.0-only
/*
 * encode: writes accepted items. Room is reserved in pieces of ENCODE_STEP bytes, so that most
 * items cost a comparison and a copy. An item is written whole or, when the buffer's maximum is
 * reached, not at all.
 */
#include "filter/encode.h"

#include <stdio.h>
#include <string.h>

#define ENCODE_STEP 4096
#define ESC         0x1B

void encode_begin(struct encoder *enc, struct buf *out)
{
    enc->out = out;
    enc->p = NULL;
    enc->end = NULL;
}

void encode_finish(struct encoder *enc)
{
    if (enc->p)
        buf_commit(enc->out, (size_t)(enc->p - (enc->out->data + enc->out->len)));
    enc->out = NULL;
    enc->p = NULL;
    enc->end = NULL;
}

bool encode_grow(struct encoder *enc, size_t len)
{
    struct buf *out = enc->out;
    size_t left;
    size_t want;

    if (enc->p)
        buf_commit(out, (size_t)(enc->p - (out->data + out->len)));
    left = out->max > out->len ? out->max - out->len : 0;
    want = len > ENCODE_STEP ? len : ENCODE_STEP;
    if (want > left && left >= len)
        want = left;
    enc->p = buf_reserve(out, want);
    enc->end = enc->p ? enc->p + want : NULL;
    return enc->p != NULL;
}

static void put(struct encoder *enc, const void *bytes, size_t len)
{
    memcpy(enc->p, bytes, len);
    enc->p += len;
}

void encode_text(struct encoder *enc, const void *bytes, size_t len)
{
    if (encode_room(enc, len))
        put(enc, bytes, len);
}

void encode_c0(struct encoder *enc, uint8_t byte)
{
    assert(byte >= 0x07 && byte <= 0x0F);
    enc->glyph_width = 0;
    if (encode_room(enc, 1))
        *enc->p++ = byte;
}

void encode_esc(struct encoder *enc, uint8_t inter, uint8_t final)
{
    enc->glyph_width = 0;
    if (!encode_room(enc, 3))
        return;
    *enc->p++ = ESC;
    if (inter)
        *enc->p++ = inter;
    *enc->p++ = final;
}

/* Most bodies have 1 to 16 bytes: two overlapping words instead of a call. */
static inline void put_short(struct encoder *enc, const uint8_t *bytes, size_t len)
{
    uint64_t words[2];
    uint32_t halves[2];

    if (len > 16) {
        memcpy(enc->p, bytes, len);
    } else if (len >= 8) {
        memcpy(&words[0], bytes, 8);
        memcpy(&words[1], bytes + len - 8, 8);
        memcpy(enc->p, &words[0], 8);
        memcpy(enc->p + len - 8, &words[1], 8);
    } else if (len >= 4) {
        memcpy(&halves[0], bytes, 4);
        memcpy(&halves[1], bytes + len - 4, 4);
        memcpy(enc->p, &halves[0], 4);
        memcpy(enc->p + len - 4, &halves[1], 4);
    } else {
        for (size_t i = 0; i < len; i++)
            enc->p[i] = bytes[i];
    }
    enc->p += len;
}

void encode_csi_body(struct encoder *enc, const uint8_t *body, size_t len)
{
    enc->glyph_width = 0;
    if (!encode_room(enc, len + 2))
        return;
    enc->p[0] = ESC;
    enc->p[1] = '[';
    enc->p += 2;
    put_short(enc, body, len);
}

static size_t write_number(char *out, uint32_t value)
{
    char digits[10];
    size_t n = 0;

    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (size_t i = 0; i < n; i++)
        out[i] = digits[n - 1 - i];
    return n;
}

void encode_csi_parts(struct encoder *enc, const struct csi *csi)
{
    char text[CSI_PARTS_MAX * 11 + 4];
    size_t len = 0;

    if (csi->leader)
        text[len++] = (char)csi->leader;
    for (unsigned i = 0; i < csi->count; i++) {
        if (i > 0)
            text[len++] = csi->part[i].is_sub ? ':' : ';';
        if (!csi->part[i].is_empty)
            len += write_number(text + len, csi->part[i].value);
    }
    if (csi->inter)
        text[len++] = (char)csi->inter;
    text[len++] = (char)csi->final;
    encode_csi_body(enc, (const uint8_t *)text, len);
}

void encode_csif(struct encoder *enc, const char *fmt, ...)
{
    char text[128];
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    assert(len > 0 && (size_t)len < sizeof(text));
    encode_csi_body(enc, (const uint8_t *)text, (size_t)len);
}

void encode_osc(struct encoder *enc, const void *payload, size_t len, enum encode_end end)
{
    encode_osc_prefixed(enc, "", payload, len, end);
}

void encode_osc_prefixed(struct encoder *enc, const char *prefix, const void *payload, size_t len,
                         enum encode_end end)
{
    size_t prefix_len = strlen(prefix);

    enc->glyph_width = 0;
    if (!encode_room(enc, prefix_len + len + 4))
        return;
    put(enc, "\033]", 2);
    put(enc, prefix, prefix_len);
    put(enc, payload, len);
    if (end == ENCODE_BEL)
        *enc->p++ = 0x07;
    else
        put(enc, "\033\\", 2);
}

void encode_oscf(struct encoder *enc, enum encode_end end, const char *fmt, ...)
{
    char text[512];
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    assert(len > 0 && (size_t)len < sizeof(text));
    encode_osc(enc, text, (size_t)len, end);
}
