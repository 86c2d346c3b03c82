// SPDX-License-Identifier: GPL-3.0-only
/*
 * shadow_csi: what each control sequence does to the cursor model; the effects column of the rules
 * table.
 */
#include "filter/shadow_core.h"

#include <string.h>

void shadow_cuu(struct shadow *shadow, const struct csi *csi)
{
    shadow_settle(shadow);
    shadow_up(shadow, csi_count(csi, 0, 1));
}

void shadow_cud(struct shadow *shadow, const struct csi *csi)
{
    shadow_settle(shadow);
    shadow_down(shadow, csi_count(csi, 0, 1));
}

static void right(struct shadow *shadow, unsigned count, unsigned end)
{
    shadow_settle(shadow);
    shadow->col = count >= end - shadow->col ? end - 1 : shadow->col + count;
}

void shadow_cuf(struct shadow *shadow, const struct csi *csi)
{
    right(shadow, csi_count(csi, 0, 1), shadow_right_end(shadow));
}

void shadow_hpr(struct shadow *shadow, const struct csi *csi)
{
    right(shadow, csi_count(csi, 0, 1), shadow->cols);
}

void shadow_cub(struct shadow *shadow, const struct csi *csi)
{
    unsigned count = csi_count(csi, 0, 1);
    unsigned edge;

    shadow_settle(shadow);
    edge = shadow_left_edge(shadow);
    shadow->col = count > shadow->col - edge ? edge : shadow->col - count;
}

void shadow_cnl(struct shadow *shadow, const struct csi *csi)
{
    shadow_cud(shadow, csi);
    shadow_carriage_return(shadow);
}

void shadow_cpl(struct shadow *shadow, const struct csi *csi)
{
    shadow_cuu(shadow, csi);
    shadow_carriage_return(shadow);
}

static void move_row(struct shadow *shadow, unsigned row)
{
    unsigned base = shadow->is_origin ? shadow->top : 0;
    unsigned last = shadow->is_origin ? shadow->bottom : shadow->rows - 1;

    shadow->row = shadow_least(base + row - 1, last);
}

static void move_col(struct shadow *shadow, unsigned col)
{
    bool is_inside = shadow->is_origin && shadow->has_side_margins;
    unsigned base = is_inside ? shadow->left : 0;
    unsigned last = is_inside ? shadow->right : shadow->cols - 1;

    shadow->col = shadow_least(base + col - 1, last);
}

void shadow_cha(struct shadow *shadow, const struct csi *csi)
{
    move_col(shadow, csi_count(csi, 0, 1));
}

void shadow_vpa(struct shadow *shadow, const struct csi *csi)
{
    shadow_settle(shadow);
    move_row(shadow, csi_count(csi, 0, 1));
}

void shadow_vpr(struct shadow *shadow, const struct csi *csi)
{
    unsigned last = shadow->is_origin ? shadow->bottom : shadow->rows - 1;

    shadow_settle(shadow);
    if (shadow->row < last)
        shadow->row = shadow_least(shadow->row + csi_count(csi, 0, 1), last);
}

void shadow_cup(struct shadow *shadow, const struct csi *csi)
{
    move_row(shadow, csi_count(csi, 0, 1));
    move_col(shadow, csi_count(csi, 1, 1));
}

void shadow_cht(struct shadow *shadow, const struct csi *csi)
{
    shadow_tab_forward(shadow, csi_count(csi, 0, 1));
}

void shadow_cbt(struct shadow *shadow, const struct csi *csi)
{
    unsigned count = csi_count(csi, 0, 1);

    shadow_settle(shadow);
    while (count > 0 && shadow->col > 0) {
        shadow->col--;
        if (shadow_has_tab(shadow, shadow->col))
            count--;
    }
}

void shadow_ed(struct shadow *shadow, const struct csi *csi)
{
    unsigned what = csi_value(csi, 0);

    shadow_settle(shadow);
    if (what == 0 || what == 2)
        shadow->used_row[shadow->is_alternate] =
            shadow_least(shadow->used_row[shadow->is_alternate], what ? 0 : shadow->row);
}

void shadow_il(struct shadow *shadow, const struct csi *csi)
{
    (void)csi;
    if (shadow->row >= shadow->top && shadow->row <= shadow->bottom)
        shadow_carriage_return(shadow);
}

void shadow_rep(struct shadow *shadow, const struct csi *csi)
{
    shadow_print(shadow, shadow->glyph_width, csi_count(csi, 0, 1));
}

void shadow_tbc(struct shadow *shadow, const struct csi *csi)
{
    if (csi_value(csi, 0) == 0) {
        shadow_set_tab(shadow, false);
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
    shadow->bottom = shadow_least(csi_count(csi, 1, shadow->rows), shadow->rows) - 1;
    shadow->has_region[shadow->is_alternate] = shadow_has_margins(shadow);
    shadow_home(shadow);
}

void shadow_decslrm(struct shadow *shadow, const struct csi *csi)
{
    shadow->left = csi_count(csi, 0, 1) - 1;
    shadow->right = shadow_least(csi_count(csi, 1, shadow->cols), shadow->cols) - 1;
    shadow_home(shadow);
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
    shadow->col = shadow_least(slot->col, shadow->cols);
    shadow->is_origin = slot->is_origin;
    shadow->is_shifted = slot->is_shifted;
    memcpy(shadow->charset, slot->charset, sizeof(shadow->charset));
    shadow->pen = slot->pen;
}

void shadow_decstr(struct shadow *shadow, const struct csi *csi)
{
    (void)csi;
    shadow_settle(shadow);
    shadow->is_origin = false;
    shadow->is_autowrap = true;
    shadow->has_side_margins = false;
    shadow->is_reverse_wrap = false;
    shadow->is_shifted = false;
    shadow->charset[0] = 'B';
    shadow->charset[1] = 'B';
    shadow->pen = (struct sgr_pen){0};
    shadow->slot[shadow->is_alternate] = (struct shadow_slot){.charset = {'B', 'B'}};
    shadow_reset_margins(shadow);
    shadow->has_region[shadow->is_alternate] = false;
    shadow_update_simple(shadow);
}
