// SPDX-License-Identifier: GPL-3.0-only
/*
 * sgr: walks the parameters in groups. A group is one attribute: a single number, a number with its
 * sub-parameters (4:3, 38:2::1:2:3), or an old style colour over several parameters (38;5;n,
 * 38;2;r;g;b).
 */
#include "filter/sgr.h"

#include <stdio.h>
#include <string.h>

#define FLAG(n)       (1u << (n))
#define FLAG_OVERLINE FLAG(10)

/* Parts of the group that begins at i; 0 if an old style colour is incomplete or unknown. */
static unsigned group_length(const struct csi *csi, unsigned i)
{
    unsigned code = csi->part[i].value;
    unsigned n = 1;

    while (i + n < csi->count && csi->part[i + n].is_sub)
        n++;
    if (n > 1 || (code != 38 && code != 48 && code != 58))
        return n;
    if (csi_value(csi, i + 1) == 5)
        n = 3;
    else if (csi_value(csi, i + 1) == 2)
        n = 5;
    else
        return 0;
    for (unsigned j = 1; j < n; j++)
        if (i + j >= csi->count || csi->part[i + j].is_sub)
            return 0;
    return n;
}

static void set_colour(struct sgr_pen *pen, unsigned code, struct sgr_colour colour)
{
    if (code == 38)
        pen->foreground = colour;
    else if (code == 48)
        pen->background = colour;
    else
        pen->underline_colour = colour;
}

static void apply_colour(struct sgr_pen *pen, const struct csi *csi, unsigned i, unsigned n)
{
    unsigned kind = csi_value(csi, i + 1);
    unsigned first = i + 2;

    if (kind == 5 && n >= 3) {
        struct sgr_colour colour = {SGR_INDEXED, (uint8_t)csi_value(csi, first), 0, 0};

        set_colour(pen, csi->part[i].value, colour);
    } else if (kind == 2 && n >= 5) {
        struct sgr_colour colour = {SGR_RGB, 0, 0, 0};

        if (n > 5 && csi->part[i + 1].is_sub)
            first++; /* the colour space of ISO 8613-6 */
        colour.r = (uint8_t)csi_value(csi, first);
        colour.g = (uint8_t)csi_value(csi, first + 1);
        colour.b = (uint8_t)csi_value(csi, first + 2);
        set_colour(pen, csi->part[i].value, colour);
    }
}

static void apply_range(struct sgr_pen *pen, unsigned code)
{
    struct sgr_colour colour = {SGR_INDEXED, 0, 0, 0};
    bool is_bright = code >= 90;
    unsigned base = code >= 100 ? 100 : code >= 90 ? 90 : code >= 40 ? 40 : 30;

    if (code - base > (is_bright ? 7 : 9) || code - base == 8)
        return;
    if (code - base == 9)
        colour.kind = SGR_DEFAULT;
    else
        colour.r = (uint8_t)(code - base + (is_bright ? 8 : 0));
    if (base == 30 || base == 90)
        pen->foreground = colour;
    else
        pen->background = colour;
}

static void apply_clear(struct sgr_pen *pen, unsigned code)
{
    static const uint16_t cleared[] = {
        [22] = FLAG(1) | FLAG(2), [23] = FLAG(3), [25] = FLAG(5) | FLAG(6),
        [27] = FLAG(7),           [28] = FLAG(8), [29] = FLAG(9),
    };

    if (code < ARRAY_SIZE(cleared))
        pen->flags &= (uint16_t)~cleared[code];
    if (code == 24)
        pen->underline = 0;
}

static void apply_one(struct sgr_pen *pen, const struct csi *csi, unsigned i, unsigned n)
{
    unsigned code = csi->part[i].value;

    if (code == 0)
        *pen = (struct sgr_pen){0};
    else if (code == 4)
        pen->underline = n > 1 ? (uint8_t)(csi_value(csi, i + 1) % 6) : 1;
    else if (code <= 9)
        pen->flags |= (uint16_t)FLAG(code);
    else if (code == 21)
        pen->underline = 2;
    else if (code >= 22 && code <= 29)
        apply_clear(pen, code);
    else if (code == 38 || code == 48 || code == 58)
        apply_colour(pen, csi, i, n);
    else if ((code >= 30 && code <= 49) || (code >= 90 && code <= 107))
        apply_range(pen, code);
    else if (code == 53)
        pen->flags |= FLAG_OVERLINE;
    else if (code == 55)
        pen->flags &= (uint16_t)~FLAG_OVERLINE;
    else if (code == 59)
        pen->underline_colour = (struct sgr_colour){0};
}

void sgr_apply(struct sgr_pen *pen, const struct csi *csi)
{
    unsigned n;

    if (csi->count == 0)
        *pen = (struct sgr_pen){0};
    for (unsigned i = 0; i < csi->count; i += n) {
        n = group_length(csi, i);
        if (n == 0)
            return; /* emulators disagree about the rest of a broken colour */
        apply_one(pen, csi, i, n);
    }
}

struct text {
    char *p;
    size_t len;
};

static void add(struct text *text, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void add(struct text *text, const char *fmt, ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(text->p + text->len, SGR_TEXT_MAX - text->len, fmt, args);
    va_end(args);
    assert(n >= 0 && text->len + (size_t)n < SGR_TEXT_MAX);
    text->len += (size_t)n;
}

static void add_colour(struct text *text, const struct sgr_colour *colour, unsigned code)
{
    if (colour->kind == SGR_RGB)
        add(text, ";%u:2:%u:%u:%u", code, colour->r, colour->g, colour->b);
    else if (colour->kind == SGR_INDEXED && colour->r < 8 && code != 58)
        add(text, ";%u", code - 8 + colour->r);
    else if (colour->kind == SGR_INDEXED && colour->r < 16 && code != 58)
        add(text, ";%u", code + 52 + colour->r - 8);
    else if (colour->kind == SGR_INDEXED)
        add(text, ";%u:5:%u", code, colour->r);
}

size_t sgr_format(const struct sgr_pen *pen, char out[SGR_TEXT_MAX])
{
    struct text text = {out, 0};

    add(&text, "0");
    for (unsigned n = 1; n <= 9; n++)
        if (pen->flags & FLAG(n))
            add(&text, ";%u", n);
    if (pen->underline == 1)
        add(&text, ";4");
    else if (pen->underline)
        add(&text, ";4:%u", pen->underline);
    add_colour(&text, &pen->foreground, 38);
    add_colour(&text, &pen->background, 48);
    if (pen->flags & FLAG_OVERLINE)
        add(&text, ";53");
    add_colour(&text, &pen->underline_colour, 58);
    return text.len;
}

static void encode_slice(struct encoder *enc, const struct csi *csi, unsigned from, unsigned to)
{
    uint8_t body[CSI_BODY_MAX + 1];
    size_t start = csi->part[from].start;
    size_t end = to < csi->count ? csi->part[to].start - 1u : csi->len - 1;

    memcpy(body, csi->body + start, end - start);
    body[end - start] = 'm';
    encode_csi_body(enc, body, end - start + 1);
}

bool sgr_encode_split(struct encoder *enc, const struct csi *csi)
{
    unsigned cuts[CSI_PARTS_MAX + 1];
    unsigned n_cuts = 0;
    unsigned from = 0;
    unsigned n;

    for (unsigned i = 0; i < csi->count; i += n) {
        n = group_length(csi, i);
        if (n == 0 || n > SGR_PARTS_OUT)
            return false;
        if (i + n - from > SGR_PARTS_OUT) {
            cuts[n_cuts++] = i;
            from = i;
        }
    }
    cuts[n_cuts] = csi->count;
    for (unsigned i = 0; i <= n_cuts; i++)
        encode_slice(enc, csi, i ? cuts[i - 1] : 0, cuts[i]);
    return true;
}

static void put_colour(struct encoder *enc, unsigned what, const struct sgr_colour *colour)
{
    if (colour->kind == SGR_RGB)
        encode_csif(enc, "%u;2;%u;%u;%um", what, colour->r, colour->g, colour->b);
    else if (colour->kind == SGR_INDEXED && colour->r < 8)
        encode_csif(enc, "%um", what - 8 + colour->r);
    else if (colour->kind == SGR_INDEXED)
        encode_csif(enc, "%u;5;%um", what, colour->r);
}

void sgr_put(struct encoder *enc, const struct sgr_pen *pen)
{
    struct sgr_pen plain = *pen;
    char text[SGR_TEXT_MAX];

    plain.foreground = (struct sgr_colour){0};
    plain.background = (struct sgr_colour){0};
    sgr_format(&plain, text);
    encode_csif(enc, "%sm", text);
    put_colour(enc, 38, &pen->foreground);
    put_colour(enc, 48, &pen->background);
}
