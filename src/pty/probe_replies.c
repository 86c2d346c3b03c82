// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_replies: a scanner that holds an escape sequence back until it is complete, and two tables
 * that say which complete ones are replies. As soon as what is held cannot become one, it was
 * typed.
 *
 * The cursor report has the form of Shift+F3. Only the first one counts as the report.
 */
#include "pty/probe_replies.h"

#include "filter/colour.h"
#include "filter/csi.h"

#include <stdio.h>
#include <string.h>

#define ESC         0x1B
#define BEL         0x07
#define CELL_PX_MAX 1000

enum state {
    IN_GROUND,
    IN_ESC,
    IN_CSI,
    IN_STRING, /* OSC or DCS, by held[1] */
    IN_STRING_ESC,
};

/* ---- control sequences ----------------------------------------------------------------------- */

static bool take_da1(struct probe_replies *replies, const struct csi *csi)
{
    replies->is_done = csi->count > 0;
    return replies->is_done;
}

static bool take_da2(struct probe_replies *replies, const struct csi *csi)
{
    size_t len = csi->len - 2; /* without leader and final byte */

    if (csi->count < 1 || csi->count > 3 || len >= sizeof(replies->found.da2))
        return false;
    memcpy(replies->found.da2, csi->body + 1, len);
    replies->found.da2[len] = '\0';
    return true;
}

static bool take_kitty(struct probe_replies *replies, const struct csi *csi)
{
    if (csi->count != 1)
        return false;
    replies->found.has_kitty_keys = true;
    return true;
}

/* DECRPM: 0 not recognised, 1 set, 2 reset, 3 always set, 4 always reset. */
static bool take_mode(struct probe_replies *replies, const struct csi *csi)
{
    struct filter_profile *found = &replies->found;
    unsigned value = csi_value(csi, 1);
    bool is_there = value >= 1 && value <= 3;
    enum filter_former former = value == 1 || value == 3   ? FILTER_FORMER_SET
                                : value == 2 || value == 4 ? FILTER_FORMER_RESET
                                                           : FILTER_FORMER_UNKNOWN;

    if (csi->count != 2 || value > 4)
        return false;
    switch (csi_value(csi, 0)) {
    case 12:
        found->cursor_blink = former;
        return true;
    case 1007:
        found->alternate_scroll = former;
        return true;
    case 2026:
        found->has_sync = is_there;
        return true;
    case 2031:
        found->has_theme_report = is_there;
        return true;
    default:
        return false;
    }
}

static bool take_size(struct probe_replies *replies, const struct csi *csi)
{
    unsigned height = csi_value(csi, 1);
    unsigned width = csi_value(csi, 2);

    if (csi->count != 3)
        return false;
    switch (csi_value(csi, 0)) {
    case 4:
        replies->area_height_px = height;
        replies->area_width_px = width;
        return true;
    case 6:
        replies->found.cell_height_px = height;
        replies->found.cell_width_px = width;
        return true;
    default:
        return false;
    }
}

static bool take_theme(struct probe_replies *replies, const struct csi *csi)
{
    unsigned which = csi_value(csi, 1);

    if (csi->count != 2 || csi_value(csi, 0) != 997 || (which != 1 && which != 2))
        return false;
    replies->found.is_dark = which == 1;
    replies->is_theme_told = true;
    return true;
}

static bool take_modify_keys(struct probe_replies *replies, const struct csi *csi)
{
    unsigned value = csi_value(csi, 1);

    if (csi->count < 1 || csi->count > 2 || csi_value(csi, 0) != 4 || value > 3)
        return false;
    replies->found.modify_keys = (uint8_t)value;
    return true;
}

static bool take_position(struct probe_replies *replies, const struct csi *csi)
{
    unsigned row = csi_value(csi, 0);
    unsigned col = csi_value(csi, 1);

    if (csi->count != 2 || replies->found.start_row || row < 1 || col < 1 || row > CSI_VALUE_MAX ||
        col > CSI_VALUE_MAX)
        return false;
    replies->found.start_row = row;
    replies->found.start_col = col;
    return true;
}

static const struct {
    char leader;
    char inter;
    char final;
    bool (*take)(struct probe_replies *replies, const struct csi *csi);
} csi_rows[] = {
    {0, 0, 'R', take_position},      {0, 0, 't', take_size},     {'>', 0, 'c', take_da2},
    {'>', 0, 'm', take_modify_keys}, {'?', 0, 'c', take_da1},    {'?', 0, 'n', take_theme},
    {'?', 0, 'u', take_kitty},       {'?', '$', 'y', take_mode},
};

static bool take_csi(struct probe_replies *replies)
{
    struct csi csi;

    if (!csi_parse(&csi, replies->held + 2, replies->held + replies->len) || csi.is_malformed ||
        csi.is_oversized || csi.has_colon)
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(csi_rows); i++) {
        if (csi_rows[i].leader == csi.leader && csi_rows[i].inter == csi.inter &&
            csi_rows[i].final == csi.final)
            return csi_rows[i].take(replies, &csi);
    }
    return false;
}

/* ---- strings --------------------------------------------------------------------------------- */

/* Normalises a colour to rgb:hhhh/hhhh/hhhh. A fourth channel of rgba: is opacity. */
static bool take_colour(const char *text, char field[32])
{
    char copy[COLOUR_SPEC_MAX + 1];
    struct colour colour;
    size_t len = strlen(text);

    if (len >= sizeof(copy))
        return false;
    if (str_starts(text, "rgba:")) {
        const char *last = strrchr(text, '/');

        len = last ? (size_t)(last - text) - 1 : 0;
        snprintf(copy, sizeof(copy), "rgb:%s", text + 5);
    } else {
        snprintf(copy, sizeof(copy), "%s", text);
    }
    if (!colour_parse(copy, len, &colour) || !colour.is_known)
        return false;
    snprintf(field, 32, "rgb:%04x/%04x/%04x", colour.r, colour.g, colour.b);
    return true;
}

static bool take_foreground(struct probe_replies *replies, const char *text)
{
    return take_colour(text, replies->found.foreground);
}

static bool take_background(struct probe_replies *replies, const char *text)
{
    return take_colour(text, replies->found.background);
}

static bool take_cursor(struct probe_replies *replies, const char *text)
{
    return take_colour(text, replies->found.cursor);
}

static bool take_palette(struct probe_replies *replies, const char *text)
{
    unsigned index = 0;
    const char *p = text;

    while (*p >= '0' && *p <= '9' && p < text + 2)
        index = index * 10 + (unsigned)(*p++ - '0');
    if (p == text || *p != ';' || index >= ARRAY_SIZE(replies->found.palette))
        return false;
    return take_colour(p + 1, replies->found.palette[index]);
}

static bool take_version(struct probe_replies *replies, const char *text)
{
    snprintf(replies->found.version, sizeof(replies->found.version), "%s", text);
    return true;
}

/* DECRPSS for DECSCUSR. */
static bool take_cursor_style(struct probe_replies *replies, const char *text)
{
    if (text[0] < '0' || text[0] > '6' || !str_eq(text + 1, " q"))
        return false;
    replies->found.cursor_style = (uint8_t)(text[0] - '0');
    return true;
}

/* The terminal knows no such setting. */
static bool take_nothing(struct probe_replies *replies, const char *text)
{
    (void)replies;
    (void)text;
    return true;
}

static const struct {
    const char *prefix; /* from the opener on */
    bool (*take)(struct probe_replies *replies, const char *text);
} string_rows[] = {
    {"P0$r", take_nothing},    {"P1$r", take_cursor_style}, {"P>|", take_version},
    {"]10;", take_foreground}, {"]11;", take_background},   {"]12;", take_cursor},
    {"]4;", take_palette},
};

static bool take_string(struct probe_replies *replies)
{
    char text[REPLY_MAX];
    size_t len = replies->len - 1;

    memcpy(text, replies->held + 1, len);
    text[len] = '\0';
    for (size_t i = 0; i < ARRAY_SIZE(string_rows); i++)
        if (str_starts(text, string_rows[i].prefix))
            return string_rows[i].take(replies, text + strlen(string_rows[i].prefix));
    return false;
}

/* True if what is held begins like a row, or may still. */
static bool may_be_string(const struct probe_replies *replies)
{
    const char *text = (const char *)replies->held + 1;
    size_t len = replies->len - 1;

    for (size_t i = 0; i < ARRAY_SIZE(string_rows); i++) {
        size_t n = strlen(string_rows[i].prefix);

        if (memcmp(text, string_rows[i].prefix, n < len ? n : len) == 0)
            return true;
    }
    return false;
}

/* ---- the scanner ----------------------------------------------------------------------------- */

static void release(struct probe_replies *replies)
{
    buf_append(replies->typed, replies->held, replies->len);
    replies->len = 0;
    replies->state = IN_GROUND;
}

/* end: the terminator of a string, which is not held. */
static void complete(struct probe_replies *replies, bool is_reply, const char *end)
{
    if (is_reply) {
        replies->count++;
        replies->len = 0;
        replies->state = IN_GROUND;
    } else {
        release(replies);
        buf_append_str(replies->typed, end);
    }
}

static void hold(struct probe_replies *replies, uint8_t byte, enum state state)
{
    replies->held[replies->len++] = byte;
    replies->state = state;
    if (replies->len == sizeof(replies->held))
        release(replies);
}

/* Each of the following takes one byte; false: look at it again in the state that is now. */

static bool in_ground(struct probe_replies *replies, uint8_t byte)
{
    if (byte == ESC && !replies->is_done)
        hold(replies, byte, IN_ESC);
    else
        buf_append_byte(replies->typed, byte);
    return true;
}

static bool in_esc(struct probe_replies *replies, uint8_t byte)
{
    if (byte == '[') {
        hold(replies, byte, IN_CSI);
    } else if (byte == 'P' || byte == ']') {
        hold(replies, byte, IN_STRING);
    } else {
        release(replies);
        return false;
    }
    return true;
}

static bool in_csi(struct probe_replies *replies, uint8_t byte)
{
    if (byte < 0x20 || byte > 0x7E) {
        release(replies);
        return false;
    }
    hold(replies, byte, IN_CSI);
    if (byte >= 0x40 && replies->state == IN_CSI)
        complete(replies, take_csi(replies), "");
    return true;
}

static bool in_string(struct probe_replies *replies, uint8_t byte)
{
    bool is_osc = replies->held[1] == ']';

    if (byte == ESC) {
        replies->state = IN_STRING_ESC;
    } else if (byte == BEL && is_osc) {
        complete(replies, take_string(replies), "\a");
    } else if (byte < 0x20 || byte > 0x7E) {
        release(replies);
        return false;
    } else {
        hold(replies, byte, IN_STRING);
        if (replies->state == IN_STRING && !may_be_string(replies))
            release(replies);
    }
    return true;
}

static bool in_string_esc(struct probe_replies *replies, uint8_t byte)
{
    if (byte == '\\') {
        complete(replies, take_string(replies), "\033\\");
        return true;
    }
    release(replies);
    hold(replies, ESC, IN_ESC);
    return false;
}

static bool take_byte(struct probe_replies *replies, uint8_t byte)
{
    switch ((enum state)replies->state) {
    case IN_GROUND:
        return in_ground(replies, byte);
    case IN_ESC:
        return in_esc(replies, byte);
    case IN_CSI:
        return in_csi(replies, byte);
    case IN_STRING:
        return in_string(replies, byte);
    case IN_STRING_ESC:
        return in_string_esc(replies, byte);
    }
    return true;
}

void probe_replies_init(struct probe_replies *replies, struct buf *typed)
{
    *replies = (struct probe_replies){.typed = typed};
}

void probe_replies_feed(struct probe_replies *replies, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len;)
        if (take_byte(replies, bytes[i]))
            i++;
}

/* ---- what follows from the replies ----------------------------------------------------------- */

static void find_cell(const struct probe_replies *replies, struct filter_profile *profile)
{
    unsigned width = replies->found.cell_width_px;
    unsigned height = replies->found.cell_height_px;

    if (!width || !height) {
        width = profile->cols ? replies->area_width_px / profile->cols : 0;
        height = profile->rows ? replies->area_height_px / profile->rows : 0;
    }
    if (!width || !height || width > CELL_PX_MAX || height > CELL_PX_MAX)
        return;
    profile->cell_width_px = width;
    profile->cell_height_px = height;
}

/* Rec. 709 luma of the background, against the middle. */
static bool is_dark_colour(const char *spec)
{
    struct colour colour;

    if (!colour_parse(spec, strlen(spec), &colour) || !colour.is_known)
        return true;
    return 2126ULL * colour.r + 7152ULL * colour.g + 722ULL * colour.b < 10000ULL * 0x8000;
}

static void copy_texts(const struct filter_profile *found, struct filter_profile *profile)
{
    memcpy(profile->da2, found->da2, sizeof(profile->da2));
    memcpy(profile->version, found->version, sizeof(profile->version));
    memcpy(profile->foreground, found->foreground, sizeof(profile->foreground));
    memcpy(profile->background, found->background, sizeof(profile->background));
    memcpy(profile->cursor, found->cursor, sizeof(profile->cursor));
    memcpy(profile->palette, found->palette, sizeof(profile->palette));
}

void probe_replies_end(struct probe_replies *replies)
{
    bool was_string_esc = replies->state == IN_STRING_ESC;

    release(replies);
    if (was_string_esc)
        buf_append_byte(replies->typed, ESC);
}

void probe_replies_finish(struct probe_replies *replies, struct filter_profile *profile)
{
    const struct filter_profile *found = &replies->found;

    probe_replies_end(replies);
    copy_texts(found, profile);
    find_cell(replies, profile);
    profile->has_sync = found->has_sync;
    profile->has_kitty_keys = found->has_kitty_keys;
    profile->has_theme_report = found->has_theme_report;
    profile->is_dark = replies->is_theme_told ? found->is_dark : is_dark_colour(found->background);
    profile->start_row = found->start_row;
    profile->start_col = found->start_col;
    profile->cursor_style = found->cursor_style;
    profile->modify_keys = found->modify_keys;
    profile->alternate_scroll = found->alternate_scroll;
    profile->cursor_blink = found->cursor_blink;
}
