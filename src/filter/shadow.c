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
#include "filter/shadow.h"

#include <string.h>

static unsigned clamp(unsigned value, unsigned low, unsigned high)
{
    return value < low ? low : value > high ? high : value;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static void default_tabs(struct shadow *shadow)
{
    memset(shadow->tabs, 0x01, sizeof(shadow->tabs));
    shadow->tabs_changed = false;
}

static void update_simple(struct shadow *shadow)
{
    shadow->is_simple = shadow->is_autowrap && !shadow->has_side_margins;
}

static void reset_margins(struct shadow *shadow)
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
    reset_margins(shadow);
    default_tabs(shadow);
    update_simple(shadow);
}

void shadow_place(struct shadow *shadow, unsigned row, unsigned col)
{
    shadow->row = clamp(row, 1, shadow->rows) - 1;
    shadow->col = clamp(col, 1, shadow->cols) - 1;
    shadow->used_row[0] = shadow->row;
}

void shadow_resize(struct shadow *shadow, unsigned rows, unsigned cols)
{
    shadow->rows = clamp(rows, SHADOW_SIZE_MIN, SHADOW_SIZE_MAX);
    shadow->cols = clamp(cols, SHADOW_SIZE_MIN, SHADOW_SIZE_MAX);
    reset_margins(shadow);
    shadow->row = least(shadow->row, shadow->rows - 1);
    shadow->col = least(shadow->col, shadow->cols - 1);
    for (size_t i = 0; i < ARRAY_SIZE(shadow->slot); i++) {
        shadow->slot[i].row = least(shadow->slot[i].row, shadow->rows - 1);
        shadow->slot[i].col = least(shadow->slot[i].col, shadow->cols - 1);
        shadow->used_row[i] = least(shadow->used_row[i], shadow->rows - 1);
    }
}

/* One past the last column that a glyph at this column may fill. */
static unsigned right_end(const struct shadow *shadow)
{
    bool is_inside = shadow->has_side_margins && shadow->col <= shadow->right + 1;

    return is_inside ? shadow->right + 1 : shadow->cols;
}

/* The column of the cursor itself: a pending wrap stands on the last column. */
unsigned shadow_column(const struct shadow *shadow)
{
    unsigned end = right_end(shadow);

    return shadow->col >= end ? end - 1 : shadow->col;
}

static void settle(struct shadow *shadow)
{
    shadow->col = shadow_column(shadow);
}

static void down(struct shadow *shadow, unsigned count)
{
    unsigned limit = shadow->row <= shadow->bottom ? shadow->bottom : shadow->rows - 1;

    shadow->row = count > limit - shadow->row ? limit : shadow->row + count;
}

static void up(struct shadow *shadow, unsigned count)
{
    unsigned limit = shadow->row >= shadow->top ? shadow->top : 0;

    shadow->row = count > shadow->row - limit ? limit : shadow->row - count;
}

static unsigned left_edge(const struct shadow *shadow)
{
    return shadow->has_side_margins && shadow->col >= shadow->left ? shadow->left : 0;
}

static void carriage_return(struct shadow *shadow)
{
    shadow->col = left_edge(shadow);
}

static void mark_used(struct shadow *shadow)
{
    unsigned *used = &shadow->used_row[shadow->is_alternate];

    if (shadow->row > *used)
        *used = shadow->row;
}

void shadow_print(struct shadow *shadow, unsigned width, unsigned count)
{
    unsigned end = right_end(shadow);
    unsigned left = left_edge(shadow);
    unsigned fits = shadow->col < end ? (end - shadow->col) / width : 0;
    unsigned per_line = end - left >= width ? (end - left) / width : 1;

    if (count <= fits) {
        shadow->col += count * width;
    } else if (!shadow->is_autowrap) {
        shadow->col = end;
    } else {
        unsigned rest = count - fits;
        unsigned lines = (rest + per_line - 1) / per_line;

        mark_used(shadow);
        down(shadow, lines);
        shadow->col = least(left + (rest - (lines - 1) * per_line) * width, end);
    }
    if (!shadow->is_autowrap)
        settle(shadow);
    mark_used(shadow);
}

void shadow_line_feed(struct shadow *shadow)
{
    settle(shadow);
    down(shadow, 1);
}

static void reverse_line_feed(struct shadow *shadow)
{
    settle(shadow);
    up(shadow, 1);
}

static void backspace(struct shadow *shadow)
{
    settle(shadow);
    if (shadow->col > left_edge(shadow)) {
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

static void tab_forward(struct shadow *shadow, unsigned count)
{
    unsigned last = right_end(shadow) - 1;

    settle(shadow);
    while (count > 0 && shadow->col < last) {
        shadow->col++;
        if (shadow_has_tab(shadow, shadow->col))
            count--;
    }
}

static void set_tab(struct shadow *shadow, bool on)
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
        tab_forward(shadow, 1);
        break;
    case 0x0A:
    case 0x0B:
    case 0x0C:
        shadow_line_feed(shadow);
        break;
    case 0x0D:
        carriage_return(shadow);
        break;
    case 0x0E:
    case 0x0F:
        shadow->is_shifted = byte == 0x0E;
        break;
    default:
        break;
    }
}

static void home(struct shadow *shadow)
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
        reset_margins(shadow);
        home(shadow);
    }
    if (inter)
        return;
    switch (final) {
    case '6':
        settle(shadow);
        if (shadow->col > 0 && shadow->col != left_edge(shadow))
            shadow->col--;
        break;
    case '7':
        shadow_decsc(shadow, NULL);
        break;
    case '8':
        shadow_decrc(shadow, NULL);
        break;
    case '9':
        settle(shadow);
        if (shadow->col + 1 < right_end(shadow))
            shadow->col++;
        break;
    case 'D':
        shadow_line_feed(shadow);
        break;
    case 'E':
        shadow_line_feed(shadow);
        carriage_return(shadow);
        break;
    case 'H':
        set_tab(shadow, true);
        break;
    case 'M':
        reverse_line_feed(shadow);
        break;
    default:
        break;
    }
}

void shadow_cuu(struct shadow *shadow, const struct csi *csi)
{
    settle(shadow);
    up(shadow, csi_count(csi, 0, 1));
}

void shadow_cud(struct shadow *shadow, const struct csi *csi)
{
    settle(shadow);
    down(shadow, csi_count(csi, 0, 1));
}

static void right(struct shadow *shadow, unsigned count, unsigned end)
{
    settle(shadow);
    shadow->col = count >= end - shadow->col ? end - 1 : shadow->col + count;
}

void shadow_cuf(struct shadow *shadow, const struct csi *csi)
{
    right(shadow, csi_count(csi, 0, 1), right_end(shadow));
}

void shadow_hpr(struct shadow *shadow, const struct csi *csi)
{
    right(shadow, csi_count(csi, 0, 1), shadow->cols);
}

void shadow_cub(struct shadow *shadow, const struct csi *csi)
{
    unsigned count = csi_count(csi, 0, 1);
    unsigned edge;

    settle(shadow);
    edge = left_edge(shadow);
    shadow->col = count > shadow->col - edge ? edge : shadow->col - count;
}

void shadow_cnl(struct shadow *shadow, const struct csi *csi)
{
    shadow_cud(shadow, csi);
    carriage_return(shadow);
}

void shadow_cpl(struct shadow *shadow, const struct csi *csi)
{
    shadow_cuu(shadow, csi);
    carriage_return(shadow);
}

static void move_row(struct shadow *shadow, unsigned row)
{
    unsigned base = shadow->is_origin ? shadow->top : 0;
    unsigned last = shadow->is_origin ? shadow->bottom : shadow->rows - 1;

    shadow->row = least(base + row - 1, last);
}

static void move_col(struct shadow *shadow, unsigned col)
{
    bool is_inside = shadow->is_origin && shadow->has_side_margins;
    unsigned base = is_inside ? shadow->left : 0;
    unsigned last = is_inside ? shadow->right : shadow->cols - 1;

    shadow->col = least(base + col - 1, last);
}

void shadow_cha(struct shadow *shadow, const struct csi *csi)
{
    move_col(shadow, csi_count(csi, 0, 1));
}

void shadow_vpa(struct shadow *shadow, const struct csi *csi)
{
    settle(shadow);
    move_row(shadow, csi_count(csi, 0, 1));
}

void shadow_vpr(struct shadow *shadow, const struct csi *csi)
{
    unsigned last = shadow->is_origin ? shadow->bottom : shadow->rows - 1;

    settle(shadow);
    if (shadow->row < last)
        shadow->row = least(shadow->row + csi_count(csi, 0, 1), last);
}

void shadow_cup(struct shadow *shadow, const struct csi *csi)
{
    move_row(shadow, csi_count(csi, 0, 1));
    move_col(shadow, csi_count(csi, 1, 1));
}

void shadow_cht(struct shadow *shadow, const struct csi *csi)
{
    tab_forward(shadow, csi_count(csi, 0, 1));
}

void shadow_cbt(struct shadow *shadow, const struct csi *csi)
{
    unsigned count = csi_count(csi, 0, 1);

    settle(shadow);
    while (count > 0 && shadow->col > 0) {
        shadow->col--;
        if (shadow_has_tab(shadow, shadow->col))
            count--;
    }
}

void shadow_ed(struct shadow *shadow, const struct csi *csi)
{
    unsigned what = csi_value(csi, 0);

    settle(shadow);
    if (what == 0 || what == 2)
        shadow->used_row[shadow->is_alternate] =
            least(shadow->used_row[shadow->is_alternate], what ? 0 : shadow->row);
}

void shadow_il(struct shadow *shadow, const struct csi *csi)
{
    (void)csi;
    if (shadow->row >= shadow->top && shadow->row <= shadow->bottom)
        carriage_return(shadow);
}

void shadow_rep(struct shadow *shadow, const struct csi *csi)
{
    shadow_print(shadow, shadow->glyph_width, csi_count(csi, 0, 1));
}

void shadow_tbc(struct shadow *shadow, const struct csi *csi)
{
    if (csi_value(csi, 0) == 0) {
        set_tab(shadow, false);
    } else {
        memset(shadow->tabs, 0, sizeof(shadow->tabs));
        shadow->tabs_changed = true;
    }
}

void shadow_decst8c(struct shadow *shadow, const struct csi *csi)
{
    (void)csi;
    /* Most emulators ignore it, so stops that were cleared may still be: tabs_changed stays. */
    memset(shadow->tabs, 0x01, sizeof(shadow->tabs));
}

void shadow_sgr(struct shadow *shadow, const struct csi *csi)
{
    sgr_apply(&shadow->pen, csi);
}

void shadow_decstbm(struct shadow *shadow, const struct csi *csi)
{
    shadow->top = csi_count(csi, 0, 1) - 1;
    shadow->bottom = least(csi_count(csi, 1, shadow->rows), shadow->rows) - 1;
    shadow->has_region[shadow->is_alternate] = shadow_has_margins(shadow);
    home(shadow);
}

void shadow_decslrm(struct shadow *shadow, const struct csi *csi)
{
    shadow->left = csi_count(csi, 0, 1) - 1;
    shadow->right = least(csi_count(csi, 1, shadow->cols), shadow->cols) - 1;
    home(shadow);
}

void shadow_decsc(struct shadow *shadow, const struct csi *csi)
{
    struct shadow_slot *slot = &shadow->slot[shadow->is_alternate];

    (void)csi;
    *slot = (struct shadow_slot){
        .row = shadow->row,
        .col = shadow->col,
        .is_origin = shadow->is_origin,
        .is_shifted = shadow->is_shifted,
        .charset = {shadow->charset[0], shadow->charset[1]},
        .pen = shadow->pen,
    };
}

void shadow_decrc(struct shadow *shadow, const struct csi *csi)
{
    const struct shadow_slot *slot = &shadow->slot[shadow->is_alternate];

    (void)csi;
    shadow->row = slot->row;
    shadow->col = least(slot->col, shadow->cols);
    shadow->is_origin = slot->is_origin;
    shadow->is_shifted = slot->is_shifted;
    memcpy(shadow->charset, slot->charset, sizeof(shadow->charset));
    shadow->pen = slot->pen;
}

void shadow_decstr(struct shadow *shadow, const struct csi *csi)
{
    (void)csi;
    settle(shadow);
    shadow->is_origin = false;
    shadow->is_autowrap = true;
    shadow->has_side_margins = false;
    shadow->is_reverse_wrap = false;
    shadow->is_shifted = false;
    shadow->charset[0] = 'B';
    shadow->charset[1] = 'B';
    shadow->pen = (struct sgr_pen){0};
    shadow->slot[shadow->is_alternate] = (struct shadow_slot){.charset = {'B', 'B'}};
    reset_margins(shadow);
    shadow->has_region[shadow->is_alternate] = false;
    update_simple(shadow);
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
        home(shadow);
        break;
    case 7:
        shadow->is_autowrap = on;
        settle(shadow);
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
    update_simple(shadow);
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
