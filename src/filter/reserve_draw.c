// SPDX-License-Identifier: GPL-3.0-only
/*
 * reserve_draw: taking the row, giving it up, writing into it.
 *
 * The text is written without the saved-cursor slot, which is the agent's: everything that the
 * writing changes is set again from the model. What the model cannot set again is a pending wrap
 * (it depends on the cell in the last column), so nothing is drawn while there is one.
 */
#include "filter/reserve_draw.h"

#include <string.h>

void reserve_clear(const struct filter *filter, struct encoder *enc)
{
    if (!filter->reserve.is_on)
        return;
    encode_csif(enc, "%u;1H", filter->shadow.rows + 1);
    encode_csif(enc, "2K");
}

void reserve_claim(const struct filter *filter, struct encoder *enc)
{
    if (!filter->reserve.is_on)
        return;
    encode_csif(enc, "%u;1H", filter->shadow.rows + 1);
    encode_c0(enc, '\n');
    encode_csif(enc, "%u;1H", filter->shadow.rows);
}

void filter_move_cursor(struct filter *filter, unsigned row, unsigned col)
{
    struct shadow *shadow = &filter->shadow;
    struct shadow here = *shadow;

    shadow->col = shadow_column(shadow); /* a pending wrap is not brought back */
    here.is_alternate = false;
    if (filter->reserve.is_on)
        shadow_place(&here, 0, 0);
    else
        shadow_place(&here, row, col);
    if (shadow->is_alternate) { /* it is saved there by going back to that screen */
        shadow->slot[0].row = here.row;
        shadow->slot[0].col = here.col;
        shadow->used_row[0] = here.row;
    } else {
        shadow_place(shadow, here.row + 1, here.col + 1);
    }
    state_touch(filter);
}

/* Modes that never reach the terminal while a row is reserved. */
static void refuse_modes(struct filter *filter)
{
    static const enum mode modes[] = {MODE_ORIGIN, MODE_REVERSE_WRAP, MODE_SIDE_MARGINS};

    for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
        unsigned number = mode_rows[modes[i]].number;

        if (!modes_is_on(&filter->modes, modes[i]))
            continue;
        encode_csif(&filter->enc, "?%ul", number);
        if (modes[i] == MODE_ORIGIN)
            continue;
        modes_set(&filter->modes, modes[i], false);
        shadow_mode(&filter->shadow, number, false);
    }
}

/* What the terminal needs after a change of the size or of the row. before: the row and the cursor
 * as they were. */
static void put_size(struct filter *filter, const struct reserve *before, unsigned old_rows,
                     unsigned old_row)
{
    const struct shadow *shadow = &filter->shadow;
    struct encoder *enc = &filter->enc;
    bool is_on = filter->reserve.is_on;
    unsigned row;
    unsigned col;

    if (is_on)
        refuse_modes(filter);
    encode_csif(enc, "0m");
    /* The cursor stands where our row will be: the screen makes room. */
    if (is_on && !shadow->is_alternate && old_row >= shadow->rows)
        encode_c0(enc, '\n');
    /* Our row as it was, if it is inside the agent's screen now. */
    if (before->is_on && old_rows < shadow->rows) {
        encode_csif(enc, "%u;1H", old_rows + 1);
        encode_csif(enc, "2K");
    }
    if (is_on)
        encode_csif(enc, "1;%ur", shadow->rows);
    else
        encode_csif(enc, "r");
    sgr_put(enc, &shadow->pen);
    if (!is_on && shadow->is_origin)
        encode_csif(enc, "?6h");
    row = shadow->row + 1;
    col = shadow_column(shadow) + 1;
    if (!is_on)
        shadow_position(shadow, &row, &col);
    encode_csif(enc, "%u;%uH", row, col);
}

void filter_reserve(struct filter *filter, bool on, unsigned rows, unsigned cols, struct buf *out)
{
    struct reserve before = filter->reserve;
    unsigned old_rows = filter->shadow.rows;
    unsigned old_row = filter->shadow.row;

    filter_resize(filter, rows, cols);
    if (!on && !before.is_on)
        return;
    filter->reserve = (struct reserve){.is_on = on, .is_damaged = on};
    if (out) {
        encode_begin(&filter->enc, out);
        put_size(filter, &before, old_rows, old_row);
        encode_finish(&filter->enc);
    }
    state_touch(filter);
}

void filter_release_row(struct filter *filter)
{
    if (!filter->reserve.is_on)
        return;
    filter->reserve = (struct reserve){0};
    state_touch(filter);
}

bool filter_take_damage(struct filter *filter)
{
    bool is_damaged = filter->reserve.is_damaged;

    filter->reserve.is_damaged = false;
    return is_damaged;
}

static void write_row(const struct filter *filter, const struct filter_line *line,
                      struct encoder *enc)
{
    encode_csif(enc, "%u;1H", filter->shadow.rows + 1);
    if (filter->link_open)
        encode_oscf(enc, ENCODE_ST, "8;;");
    if (filter->is_insert)
        encode_csif(enc, "4l");
    /* Also where the model has them: restored cursors and resets leave different sets behind. */
    encode_esc(enc, '(', 'B');
    encode_c0(enc, 0x0F);
    encode_csif(enc, "0;%sm", line->look);
    encode_text(enc, line->text, line->len);
    encode_csif(enc, "K");
}

/* What write_row() changed, as the agent had it. */
static void undo_row(const struct filter *filter, struct encoder *enc)
{
    const struct shadow *shadow = &filter->shadow;

    sgr_put(enc, &shadow->pen);
    if (shadow->charset[0] != 'B')
        encode_esc(enc, '(', shadow->charset[0]);
    if (shadow->is_shifted)
        encode_c0(enc, 0x0E);
    if (filter->is_insert)
        encode_csif(enc, "4h");
    if (filter->link_open)
        encode_osc(enc, filter->link, filter->link_len, ENCODE_ST);
    encode_csif(enc, "%u;%uH", shadow->row + 1, shadow->col + 1);
}

bool filter_draw_row(struct filter *filter, const struct filter_line *line, struct buf *out)
{
    const struct shadow *shadow = &filter->shadow;
    bool is_visible = modes_is_on(&filter->modes, MODE_CURSOR_VISIBLE);
    struct encoder *enc = &filter->enc;

    if (!filter->reserve.is_on || !filter_is_ground(filter) || filter_is_synchronised(filter) ||
        shadow->col >= shadow->cols)
        return false;
    assert(line->len <= FILTER_LINE_MAX);
    encode_begin(enc, out);
    if (filter->profile.has_sync)
        encode_csif(enc, "?2026h");
    if (is_visible)
        encode_csif(enc, "?25l");
    write_row(filter, line, enc);
    undo_row(filter, enc);
    if (is_visible)
        encode_csif(enc, "?25h");
    if (filter->profile.has_sync)
        encode_csif(enc, "?2026l");
    encode_finish(enc);
    return true;
}
