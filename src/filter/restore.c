// SPDX-License-Identifier: GPL-3.0-only
/*
 * restore: the bytes that undo what the agent did, and those that do it again after a stop.
 *
 * Only what differs from the time before is undone, because a blanket list does harm: popping the
 * keyboard protocol without an own push takes the entry of the program outside, and some modes may
 * have been the user's own setting. The order matters: origin mode and margins move the cursor, so
 * they come before the screen is left; the keyboard protocol has a stack for each screen, so it is
 * popped on both sides of that.
 */
#include "filter/restore.h"

#include "filter/osc.h"
#include "filter/reserve_draw.h"

#include <stdio.h>
#include <string.h>

#define TAB_STOPS_MAX 256 /* what is set again of the default stops */

/* Mode numbers switched off, in this order, where they are on. */
static const enum mode input_modes[] = {
    MODE_SYNC,         MODE_MOUSE_MOTION, MODE_MOUSE_DRAG, MODE_MOUSE_CLICKS,
    MODE_MOUSE_X10,    MODE_MOUSE_SGR,    MODE_MOUSE_UTF8, MODE_MOUSE_URXVT,
    MODE_MOUSE_PIXELS, MODE_FOCUS,        MODE_PASTE,      MODE_THEME_REPORT,
};

/* Those that were never forwarded need no undoing. */
static uint32_t changed_modes(const struct filter *filter)
{
    uint32_t hidden = MODE_BIT(MODE_SIZE_REPORT);

    if (!filter->profile.has_sync)
        hidden |= MODE_BIT(MODE_SYNC);
    if (!filter->profile.has_theme_report)
        hidden |= MODE_BIT(MODE_THEME_REPORT);
    if (filter->reserve.is_on)
        hidden |= MODE_BIT(MODE_ORIGIN);
    return modes_changed(&filter->modes) & ~hidden;
}

static void put_mode(struct encoder *enc, enum mode mode, bool on)
{
    encode_csif(enc, "?%u%c", mode_rows[mode].number, on ? 'h' : 'l');
}

static void undo_mode(const struct filter *filter, struct encoder *enc, enum mode mode)
{
    if (changed_modes(filter) & MODE_BIT(mode))
        put_mode(enc, mode, mode_rows[mode].is_on_at_start);
}

/* A mode that may have been on before: without knowledge only the agent's "on" is taken back. */
static void undo_former(const struct filter *filter, struct encoder *enc, enum mode mode,
                        enum filter_former former)
{
    bool is_on = modes_is_on(&filter->modes, mode);

    if (!(filter->modes.touched & MODE_BIT(mode)) || is_on == (former == FILTER_FORMER_SET))
        return;
    if (is_on || former == FILTER_FORMER_SET)
        put_mode(enc, mode, !is_on);
}

static void undo_kitty(struct encoder *enc, const struct kitty *kitty)
{
    if (kitty->depth)
        encode_csif(enc, "<%uu", kitty->depth);
    if (kitty->is_set)
        encode_csif(enc, "=0;1u");
}

static void undo_modify_keys(const struct filter *filter, struct encoder *enc)
{
    if (!filter->modify_keys_changed)
        return;
    if (filter->profile.modify_keys)
        encode_csif(enc, ">4;%um", filter->profile.modify_keys);
    else
        encode_csif(enc, ">4m");
}

/* What moves the cursor when it is undone on the screen that is shown. */
static bool moves_cursor(const struct filter *filter)
{
    const struct shadow *shadow = &filter->shadow;

    return filter->reserve.is_on || shadow_has_margins(shadow) ||
           shadow->has_region[shadow->is_alternate] ||
           (changed_modes(filter) & MODE_BIT(MODE_ORIGIN)) ||
           modes_is_on(&filter->modes, MODE_SIDE_MARGINS);
}

/* The same after the alternate screen was left: the saved cursor brings its origin mode back, and
 * in some terminals the region of the primary screen is still there. */
static bool moves_cursor_later(const struct filter *filter)
{
    const struct shadow *shadow = &filter->shadow;

    return shadow->is_alternate &&
           (shadow->slot[0].is_origin || shadow->has_region[0] || filter->reserve.is_on);
}

static void undo_drawing(const struct filter *filter, struct encoder *enc)
{
    static const enum mode modes[] = {MODE_ORIGIN, MODE_AUTOWRAP, MODE_SIDE_MARGINS};

    for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
        undo_mode(filter, enc, modes[i]);
    if (filter->is_insert)
        encode_csif(enc, "4l");
    undo_mode(filter, enc, MODE_REVERSE_WRAP);
    undo_mode(filter, enc, MODE_REVERSE_VIDEO);
    if (moves_cursor(filter))
        encode_csif(enc, "r");
}

static void leave_alternate(const struct filter *filter, struct encoder *enc)
{
    const struct shadow *shadow = &filter->shadow;

    if (!shadow->is_alternate)
        return;
    put_mode(enc, filter->entered_by, false);
    if (shadow->slot[0].is_origin && !filter->reserve.is_on)
        put_mode(enc, MODE_ORIGIN, false);
    if (shadow->has_region[0] || filter->reserve.is_on)
        encode_csif(enc, "r");
}

void restore_modes(const struct filter *filter, struct encoder *enc)
{
    for (size_t i = 0; i < ARRAY_SIZE(input_modes); i++)
        undo_mode(filter, enc, input_modes[i]);
    undo_former(filter, enc, MODE_ALTERNATE_SCROLL, filter->profile.alternate_scroll);
    undo_kitty(enc, &filter->kitty[filter->shadow.is_alternate]);
    undo_modify_keys(filter, enc);
    if (filter->link_open)
        encode_oscf(enc, ENCODE_ST, "8;;");
    undo_drawing(filter, enc);
    leave_alternate(filter, enc);
    if (filter->shadow.is_alternate)
        undo_kitty(enc, &filter->kitty[0]);
}

void restore_forget(struct filter *filter)
{
    uint32_t kept = filter->modes.on & (MODE_BIT(MODE_SIZE_REPORT) | MODE_BIT(MODE_CURSOR_BLINK));

    for (enum mode mode = 0; mode < MODE_COUNT; mode++)
        if (mode_rows[mode].is_on_at_start)
            kept |= MODE_BIT(mode);
    filter->modes.on = kept;
    memset(filter->kitty, 0, sizeof(filter->kitty));
    filter->modify_keys = filter->profile.modify_keys;
    filter->modify_keys_changed = false;
    filter->link_open = false;
    filter->is_insert = false;
    filter->is_keypad = false;
    shadow_mode(&filter->shadow, mode_rows[filter->entered_by].number, false);
    filter->shadow.has_region[0] = false;
    filter->shadow.has_region[1] = false;
}

/* Where the cursor of the primary screen ends. */
struct finish {
    unsigned row;
    unsigned col;
    unsigned below; /* lines further down that were written to */
    bool is_moved;  /* undoing took the cursor away from row and col */
};

static struct finish find_finish(const struct filter *filter)
{
    const struct shadow *shadow = &filter->shadow;
    bool is_saved = shadow->is_alternate && filter->entered_by == MODE_ALTERNATE_1049;
    struct finish finish = {
        .row = is_saved ? shadow->slot[0].row : shadow->row,
        .col = is_saved ? shadow->slot[0].col : shadow_column(shadow),
    };

    finish.is_moved = shadow->is_alternate ? moves_cursor_later(filter) : moves_cursor(filter);
    finish.is_moved |= shadow->tabs_changed;
    if (shadow->used_row[0] > finish.row)
        finish.below = shadow->used_row[0] - finish.row;
    return finish;
}

/* The cursor is put back where undoing took it from; then it goes to the lowest line that was
 * written to, and to a fresh line if that one is not empty. */
static void put_finish(const struct filter *filter, struct encoder *enc)
{
    struct finish finish = find_finish(filter);

    reserve_clear(filter, enc);
    if (finish.is_moved)
        encode_csif(enc, "%u;%uH", finish.row + 1, finish.col + 1);
    if (finish.below)
        encode_csif(enc, "%uB", finish.below);
    if (finish.col > 0 || finish.below) {
        encode_c0(enc, '\r');
        encode_c0(enc, '\n');
    }
}

static void undo_charsets(const struct filter *filter, struct encoder *enc)
{
    const struct shadow *shadow = &filter->shadow;
    bool is_shifted = shadow->is_shifted;
    bool is_changed[2] = {shadow->charset[0] != 'B', shadow->charset[1] != 'B'};

    /* Leaving the alternate screen brings back what was saved when it was entered. */
    for (size_t i = 0; i < 2; i++) {
        is_shifted |= shadow->slot[i].is_shifted;
        is_changed[0] |= shadow->slot[i].charset[0] != 'B';
        is_changed[1] |= shadow->slot[i].charset[1] != 'B';
    }
    if (is_changed[0])
        encode_esc(enc, '(', 'B');
    if (is_changed[1])
        encode_esc(enc, ')', 'B');
    if (is_shifted)
        encode_c0(enc, 0x0F);
}

static void undo_look(const struct filter *filter, struct encoder *enc)
{
    undo_charsets(filter, enc);
    encode_csif(enc, "0m");
    if (filter->protect_used)
        encode_csif(enc, "0\"q");
    if (filter->extent_used)
        encode_csif(enc, "0*x");
    undo_mode(filter, enc, MODE_CURSOR_VISIBLE);
    undo_former(filter, enc, MODE_CURSOR_BLINK, filter->profile.cursor_blink);
    if (filter->cursor_style_changed)
        encode_csif(enc, "%u q", filter->profile.cursor_style);
    undo_mode(filter, enc, MODE_CURSOR_KEYS);
    if (filter->is_keypad)
        encode_esc(enc, 0, '>');
    undo_mode(filter, enc, MODE_KEYPAD);
}

/* Clearing all stops works everywhere, setting them every 8 columns by one sequence does not. */
static void undo_tabs(const struct filter *filter, struct encoder *enc)
{
    if (!filter->shadow.tabs_changed)
        return;
    encode_csif(enc, "3g");
    for (unsigned i = 1; i <= TAB_STOPS_MAX && i * 8 < filter->shadow.cols; i++) {
        encode_csif(enc, "%uG", i * 8 + 1);
        encode_esc(enc, 0, 'H');
    }
    encode_c0(enc, '\r');
}

static void undo_palette(const struct filter *filter, struct encoder *enc)
{
    char list[256 * 4 + 8] = "104";
    size_t len = 3;

    for (unsigned i = 0; i < 256; i++)
        if (filter->palette.changed[i / 8] >> (i % 8) & 1)
            len += (size_t)snprintf(list + len, sizeof(list) - len, ";%u", i);
    if (len > 3)
        encode_osc(enc, list, len, ENCODE_ST);
    for (enum dynamic which = 0; which < DYNAMIC_COUNT; which++)
        if (filter->dynamic[which].is_changed)
            encode_oscf(enc, ENCODE_ST, "%u", osc_dynamic_number(which) + 100);
}

static void undo_title(const struct filter *filter, struct encoder *enc)
{
    for (unsigned i = filter->title_depth; i > 0; i--)
        encode_csif(enc, "23;%ut", filter->title_stack[i - 1]);
    if (filter->profile.title_is_pushed)
        encode_csif(enc, "23;0;0t");
}

void filter_restore(const struct filter *filter, struct buf *out)
{
    struct encoder enc = {0};

    encode_begin(&enc, out);
    restore_modes(filter, &enc);
    undo_look(filter, &enc);
    undo_tabs(filter, &enc);
    undo_palette(filter, &enc);
    if (filter->pointer_changed)
        encode_oscf(&enc, ENCODE_ST, "22;");
    undo_title(filter, &enc);
    if (filter->progress_shown)
        encode_oscf(&enc, ENCODE_ST, "9;4;0");
    put_finish(filter, &enc);
    encode_finish(&enc);
}

uint64_t filter_generation(const struct filter *filter)
{
    struct finish finish = find_finish(filter);
    uint64_t position = finish.col > 0;

    /* Where the cursor is enters the list only by these facts. */
    if (finish.is_moved)
        position = (uint64_t)finish.row << 16 | finish.col | 1ULL << 48;
    position ^= (uint64_t)finish.below << 32;
    return filter->generation * 0x9E3779B97F4A7C15ULL + position;
}

static void redo_modes(const struct filter *filter, struct encoder *enc)
{
    static const uint32_t apart = MODE_BIT(MODE_ALTERNATE_47) | MODE_BIT(MODE_ALTERNATE_1047) |
                                  MODE_BIT(MODE_ALTERNATE_1049) | MODE_BIT(MODE_SYNC);
    uint32_t left = changed_modes(filter) & ~apart;

    while (left) {
        enum mode next = MODE_COUNT;

        for (enum mode mode = 0; mode < MODE_COUNT; mode++)
            if (left & MODE_BIT(mode) &&
                (next == MODE_COUNT || filter->modes.order[mode] < filter->modes.order[next]))
                next = mode;
        put_mode(enc, next, modes_is_on(&filter->modes, next));
        left &= ~MODE_BIT(next);
    }
}

static void redo_kitty(struct encoder *enc, const struct kitty *kitty)
{
    if (kitty->is_set)
        encode_csif(enc, "=%u;1u", kitty->flags[0]);
    for (unsigned i = 1; i <= kitty->depth; i++)
        encode_csif(enc, ">%uu", kitty->flags[i]);
}

static void redo_tabs(const struct shadow *shadow, struct encoder *enc)
{
    unsigned stops = 0;

    if (!shadow->tabs_changed)
        return;
    encode_csif(enc, "3g");
    for (unsigned col = 1; col < shadow->cols && stops < TAB_STOPS_MAX; col++) {
        if (!shadow_has_tab(shadow, col))
            continue;
        encode_csif(enc, "%uG", col + 1);
        encode_esc(enc, 0, 'H');
        stops++;
    }
}

static void redo_colours(const struct filter *filter, struct encoder *enc)
{
    for (unsigned i = 0; i < 256; i++) {
        const struct colour *colour = &filter->palette.colour[i];

        if (filter->palette.changed[i / 8] >> (i % 8) & 1 && colour->is_known)
            encode_oscf(enc, ENCODE_ST, "4;%u;rgb:%04x/%04x/%04x", i, colour->r, colour->g,
                        colour->b);
    }
    for (enum dynamic which = 0; which < DYNAMIC_COUNT; which++)
        if (filter->dynamic[which].is_changed)
            encode_oscf(enc, ENCODE_ST, "%u;%s", osc_dynamic_number(which),
                        filter->dynamic[which].spec);
}

static void redo_keyboard(const struct filter *filter, struct encoder *enc)
{
    if (filter->modify_keys_changed)
        encode_csif(enc, ">4;%um", filter->modify_keys);
    if (filter->is_keypad)
        encode_esc(enc, 0, '=');
}

static void redo_look(const struct filter *filter, struct encoder *enc)
{
    const struct shadow *shadow = &filter->shadow;
    char pen[SGR_TEXT_MAX];

    for (size_t i = 0; i < 2; i++)
        if (shadow->charset[i] != 'B')
            encode_esc(enc, i ? ')' : '(', shadow->charset[i]);
    if (shadow->is_shifted)
        encode_c0(enc, 0x0E);
    if (filter->is_insert)
        encode_csif(enc, "4h");
    if (filter->cursor_style_changed)
        encode_csif(enc, "%u q", filter->cursor_style);
    redo_colours(filter, enc);
    sgr_format(&shadow->pen, pen);
    encode_csif(enc, "%sm", pen);
}

static void redo_margins(const struct filter *filter, struct encoder *enc)
{
    const struct shadow *shadow = &filter->shadow;

    if (shadow_has_margins(shadow) || filter->reserve.is_on)
        encode_csif(enc, "%u;%ur", shadow->top + 1, shadow->bottom + 1);
    if (shadow->has_side_margins)
        encode_csif(enc, "%u;%us", shadow->left + 1, shadow->right + 1);
}

void filter_resume(const struct filter *filter, struct buf *out)
{
    const struct shadow *shadow = &filter->shadow;
    struct encoder enc = {0};
    unsigned row;
    unsigned col;

    encode_begin(&enc, out);
    if (filter->profile.title_is_pushed)
        encode_csif(&enc, "22;0;0t");
    reserve_claim(filter, &enc);
    redo_kitty(&enc, &filter->kitty[0]);
    if (shadow->is_alternate) {
        put_mode(&enc, filter->entered_by, true);
        redo_kitty(&enc, &filter->kitty[1]);
    }
    redo_tabs(shadow, &enc);
    redo_modes(filter, &enc);
    redo_margins(filter, &enc);
    redo_keyboard(filter, &enc);
    redo_look(filter, &enc);
    for (unsigned i = 0; i < filter->title_depth; i++)
        encode_csif(&enc, "22;%ut", filter->title_stack[i]);
    if (filter->last_title_len)
        encode_osc(&enc, filter->last_title, filter->last_title_len, ENCODE_BEL);
    row = shadow->row + 1;
    col = shadow_column(shadow) + 1;
    if (!filter->reserve.is_on)
        shadow_position(shadow, &row, &col);
    if (shadow->is_alternate || moves_cursor(filter) || shadow->tabs_changed)
        encode_csif(&enc, "%u;%uH", row, col);
    encode_finish(&enc);
}
