// SPDX-License-Identifier: GPL-3.0-only
/*
 * shadow: the cursor model. Every effect is a few comparisons, whatever the numbers in the sequence
 * are: nothing here loops over a parameter, only over tab stops (bounded by the table).
 *
 * Why not a terminal library: it would have to parse every emitted byte again (at a twentieth of
 * the speed of the filter), would give neither margins nor the pending wrap, and would be the only
 * big parser of agent-controlled bytes in the process. The tests do compare this model with
 * libvterm.
 */
#include "filter/shadow_core.h"

#include <string.h>

static unsigned clamp(unsigned value, unsigned low, unsigned high)
{
    return value < low ? low : value > high ? high : value;
}

static void default_tabs(struct shadow *shadow)
{
    memset(shadow->tabs, 0x01, sizeof(shadow->tabs));
    shadow->tabs_changed = false;
}

void shadow_update_simple(struct shadow *shadow)
{
    shadow->is_simple = shadow->is_autowrap && !shadow->has_side_margins;
}

void shadow_reset_margins(struct shadow *shadow)
{
    shadow->top = 0;
    shadow->bottom = shadow->rows - 1;
    shadow->left = 0;
    shadow->right = shadow->cols - 1;
}

void shadow_init(struct shadow *shadow, unsigned rows, unsigned cols)
{
    *shadow = (struct shadow){
        .rows = clamp(rows, SHADOW_SIZE_MIN, SHADOW_SIZE_MAX),
        .cols = clamp(cols, SHADOW_SIZE_MIN, SHADOW_SIZE_MAX),
        .is_autowrap = true,
        .charset = {'B', 'B'},
        .slot = {{.charset = {'B', 'B'}}, {.charset = {'B', 'B'}}},
    };
    shadow_reset_margins(shadow);
    default_tabs(shadow);
    shadow_update_simple(shadow);
}

void shadow_place(struct shadow *shadow, unsigned row, unsigned col)
{
    shadow->row = clamp(row ? row : shadow->rows, 1, shadow->rows) - 1;
    shadow->col = clamp(col, 1, shadow->cols) - 1;
    shadow->used_row[shadow->is_alternate] = shadow->row;
}

void shadow_resize(struct shadow *shadow, unsigned rows, unsigned cols)
{
    shadow->rows = clamp(rows, SHADOW_SIZE_MIN, SHADOW_SIZE_MAX);
    shadow->cols = clamp(cols, SHADOW_SIZE_MIN, SHADOW_SIZE_MAX);
    shadow_reset_margins(shadow);
    shadow->row = shadow_least(shadow->row, shadow->rows - 1);
    shadow->col = shadow_least(shadow->col, shadow->cols - 1);
    for (size_t i = 0; i < ARRAY_SIZE(shadow->slot); i++) {
        shadow->slot[i].row = shadow_least(shadow->slot[i].row, shadow->rows - 1);
        shadow->slot[i].col = shadow_least(shadow->slot[i].col, shadow->cols - 1);
        shadow->used_row[i] = shadow_least(shadow->used_row[i], shadow->rows - 1);
    }
}

/* One past the last column that a glyph at this column may fill. */
unsigned shadow_right_end(const struct shadow *shadow)
{
    bool is_inside = shadow->has_side_margins && shadow->col <= shadow->right + 1;

    return is_inside ? shadow->right + 1 : shadow->cols;
}

/* The column of the cursor itself: a pending wrap stands on the last column. */
unsigned shadow_column(const struct shadow *shadow)
{
    unsigned end = shadow_right_end(shadow);

    return shadow->col >= end ? end - 1 : shadow->col;
}

void shadow_settle(struct shadow *shadow)
{
    shadow->col = shadow_column(shadow);
}

void shadow_down(struct shadow *shadow, unsigned count)
{
    unsigned limit = shadow->row <= shadow->bottom ? shadow->bottom : shadow->rows - 1;

    shadow->row = count > limit - shadow->row ? limit : shadow->row + count;
}

void shadow_up(struct shadow *shadow, unsigned count)
{
    unsigned limit = shadow->row >= shadow->top ? shadow->top : 0;

    shadow->row = count > shadow->row - limit ? limit : shadow->row - count;
}

unsigned shadow_left_edge(const struct shadow *shadow)
{
    return shadow->has_side_margins && shadow->col >= shadow->left ? shadow->left : 0;
}

void shadow_carriage_return(struct shadow *shadow)
{
    shadow->col = shadow_left_edge(shadow);
}

static void mark_used(struct shadow *shadow)
{
    unsigned *used = &shadow->used_row[shadow->is_alternate];

    if (shadow->row > *used)
        *used = shadow->row;
}

void shadow_print(struct shadow *shadow, unsigned width, unsigned count)
{
    unsigned end = shadow_right_end(shadow);
    unsigned fits = shadow->col < end ? (end - shadow->col) / width : 0;

    if (count <= fits) {
        shadow->col += count * width;
    } else if (!shadow->is_autowrap) {
        shadow->col = end;
    } else {
        /* A wrap goes to the left margin, wherever the line began. */
        unsigned left = shadow->has_side_margins ? shadow->left : 0;
        unsigned last = shadow->has_side_margins ? shadow->right + 1 : shadow->cols;
        unsigned per_line = last - left >= width ? (last - left) / width : 1;
        unsigned rest = count - fits;
        unsigned lines = (rest + per_line - 1) / per_line;

        mark_used(shadow);
        shadow_down(shadow, lines);
        shadow->col = shadow_least(left + (rest - (lines - 1) * per_line) * width, last);
    }
    if (!shadow->is_autowrap)
        shadow_settle(shadow);
    mark_used(shadow);
}

void shadow_line_feed(struct shadow *shadow)
{
    shadow_settle(shadow);
    shadow_down(shadow, 1);
}

static void reverse_line_feed(struct shadow *shadow)
{
    shadow_settle(shadow);
    shadow_up(shadow, 1);
}

static void backspace(struct shadow *shadow)
{
    shadow_settle(shadow);
    if (shadow->col > shadow_left_edge(shadow)) {
        shadow->col--;
    } else if (shadow->is_reverse_wrap && shadow->is_autowrap) {
        shadow->col = shadow->has_side_margins ? shadow->right : shadow->cols - 1;
        if (shadow->row == shadow->top)
            shadow->row = shadow->bottom;
        else
            shadow->row = shadow->row ? shadow->row - 1 : shadow->rows - 1;
    }
}

bool shadow_has_tab(const struct shadow *shadow, unsigned col)
{
    if (col >= SHADOW_TABS_MAX)
        return col % 8 == 0;
    return shadow->tabs[col / 8] >> (col % 8) & 1;
}

void shadow_tab_forward(struct shadow *shadow, unsigned count)
{
    unsigned last = shadow_right_end(shadow) - 1;

    shadow_settle(shadow);
    while (count > 0 && shadow->col < last) {
        shadow->col++;
        if (shadow_has_tab(shadow, shadow->col))
            count--;
    }
}

void shadow_set_tab(struct shadow *shadow, bool on)
{
    unsigned col = shadow_column(shadow);
    uint8_t bit = (uint8_t)(1u << (col % 8));

    if (col >= SHADOW_TABS_MAX || shadow_has_tab(shadow, col) == on)
        return;
    shadow->tabs[col / 8] ^= bit;
    shadow->tabs_changed = true;
}

void shadow_c0(struct shadow *shadow, uint8_t byte)
{
    switch (byte) {
    case 0x08:
        backspace(shadow);
        break;
    case 0x09:
        shadow_tab_forward(shadow, 1);
        break;
    case 0x0A:
    case 0x0B:
    case 0x0C:
        shadow_line_feed(shadow);
        break;
    case 0x0D:
        shadow_carriage_return(shadow);
        break;
    case 0x0E:
    case 0x0F:
        shadow->is_shifted = byte == 0x0E;
        break;
    default:
        break;
    }
}

void shadow_home(struct shadow *shadow)
{
    shadow->row = shadow->is_origin ? shadow->top : 0;
    shadow->col = shadow->is_origin && shadow->has_side_margins ? shadow->left : 0;
}

void shadow_esc(struct shadow *shadow, uint8_t inter, uint8_t final)
{
    if (inter == '(' || inter == ')') {
        shadow->charset[inter == ')'] = final;
        return;
    }
    if (inter == '#' && final == '8') {
        shadow_reset_margins(shadow);
        shadow_home(shadow);
    }
    if (inter)
        return;
    switch (final) {
    case '6':
        shadow_settle(shadow);
        if (shadow->col > 0 && shadow->col != shadow_left_edge(shadow))
            shadow->col--;
        break;
    case '7':
        shadow_decsc(shadow, NULL);
        break;
    case '8':
        shadow_decrc(shadow, NULL);
        break;
    case '9':
        shadow_settle(shadow);
        if (shadow->col + 1 < shadow_right_end(shadow))
            shadow->col++;
        break;
    case 'D':
        shadow_line_feed(shadow);
        break;
    case 'E':
        shadow_line_feed(shadow);
        shadow_carriage_return(shadow);
        break;
    case 'H':
        shadow_set_tab(shadow, true);
        break;
    case 'M':
        reverse_line_feed(shadow);
        break;
    default:
        break;
    }
}

static void set_alternate(struct shadow *shadow, bool on)
{
    if (on && !shadow->is_alternate)
        shadow->used_row[1] = 0;
    shadow->is_alternate = on;
}

static void set_alternate_saving(struct shadow *shadow, bool on)
{
    if (on && !shadow->is_alternate)
        shadow_decsc(shadow, NULL);
    if (on) {
        set_alternate(shadow, true);
        return;
    }
    if (shadow->is_alternate) {
        set_alternate(shadow, false);
        shadow_decrc(shadow, NULL);
    }
}

void shadow_mode(struct shadow *shadow, unsigned number, bool on)
{
    switch (number) {
    case 6:
        shadow->is_origin = on;
        shadow_home(shadow);
        break;
    case 7:
        shadow->is_autowrap = on;
        shadow_settle(shadow);
        break;
    case 45:
        shadow->is_reverse_wrap = on;
        break;
    case 69:
        shadow->has_side_margins = on;
        shadow->left = 0;
        shadow->right = shadow->cols - 1;
        break;
    case 47:
    case 1047:
        set_alternate(shadow, on);
        break;
    case 1048:
        if (on)
            shadow_decsc(shadow, NULL);
        else
            shadow_decrc(shadow, NULL);
        break;
    case 1049:
        set_alternate_saving(shadow, on);
        break;
    default:
        return;
    }
    shadow_update_simple(shadow);
}

void shadow_position(const struct shadow *shadow, unsigned *row, unsigned *col)
{
    unsigned column = shadow_column(shadow);
    bool is_inside = shadow->is_origin && shadow->has_side_margins && column >= shadow->left;

    *row = shadow->row + 1;
    if (shadow->is_origin && shadow->row >= shadow->top)
        *row -= shadow->top;
    *col = column + 1 - (is_inside ? shadow->left : 0);
}

bool shadow_has_margins(const struct shadow *shadow)
{
    return shadow->top != 0 || shadow->bottom != shadow->rows - 1;
}
