// SPDX-License-Identifier: GPL-3.0-only
/*
 * reserve: the rows of the rules table that read differently while a row is reserved.
 *
 * R is the agent's last row; ours is R + 1.
 *
 *   region               always one that ends at R or above
 *   absolute moves       clamped to R: they reach rows outside the region in every emulator
 *   relative moves       written as absolute rows: emulators differ about them at and outside the
 *                        margins, and a cursor that is elsewhere than the model believes would
 *                        sooner or later be moved into our row by a line feed
 *   origin mode          kept here and never forwarded: what resets it differs
 *   reverse wrap, side   refused: the first reaches the last cell of the screen, the second would
 *   margins              need columns, too
 *   pending wrap         ended by an absolute move where emulators differ about its end
 *   line feed, wrap      in row R below a region of the agent's own: not forwarded
 *   saved cursor,        forwarded, then what the model knows is said again, because emulators
 *   other screen, reset  restore and reset different things
 *   rectangles, DECALN   dropped: they work on the whole screen
 *
 * What is left is the width of glyphs: where an emulator draws a cluster wider than the model
 * believes, a wrap in row R below a region of the agent's own is missed.
 */
#include "filter/reserve.h"

#include "filter/judges.h"

static void put_cursor(struct filter *filter)
{
    struct shadow *shadow = &filter->shadow;

    shadow->col = shadow_column(shadow); /* a pending wrap does not outlive it */
    encode_csif(&filter->enc, "%u;%uH", shadow->row + 1, shadow->col + 1);
}

void reserve_pay(struct filter *filter)
{
    const struct shadow *shadow = &filter->shadow;
    unsigned owed = filter->reserve.owed;

    if (!owed)
        return;
    filter->reserve.owed = 0;
    if (owed & RESERVE_WRAP)
        encode_csif(&filter->enc, "?7%c", shadow->is_autowrap ? 'h' : 'l');
    if (owed & RESERVE_MARGINS)
        encode_csif(&filter->enc, "%u;%ur", shadow->top + 1, shadow->bottom + 1);
    if (owed & RESERVE_CURSOR)
        put_cursor(filter);
    filter->reserve.is_damaged |= (owed & RESERVE_ROW) != 0;
    state_touch(filter);
}

/* CUU, CUD, VPR, and CNL, CPL, which begin the line as well. */
static enum verdict judge_relative(struct filter *filter, struct csi *csi)
{
    rules_find(csi)->effect(&filter->shadow, csi);
    if (csi->final == 'E' || csi->final == 'F')
        encode_c0(&filter->enc, '\r');
    encode_csif(&filter->enc, "%ud", filter->shadow.row + 1);
    return VERDICT_DONE;
}

/* CUP, HVP, VPA. */
static enum verdict judge_absolute(struct filter *filter, struct csi *csi)
{
    struct shadow *shadow = &filter->shadow;
    unsigned values[2];

    rules_find(csi)->effect(shadow, csi);
    values[0] = shadow->row + 1;
    values[1] = csi_count(csi, 1, 1);
    if (csi_count(csi, 0, 1) != values[0])
        csi_replace(csi, csi->final == 'd' ? 1 : 2, values);
    encode_csi(&filter->enc, csi);
    return VERDICT_DONE;
}

static enum verdict judge_region(struct filter *filter, struct csi *csi)
{
    unsigned rows = filter->shadow.rows;
    unsigned values[2] = {csi_count(csi, 0, 1), csi_count(csi, 1, rows)};
    enum verdict verdict;

    if (csi_count(csi, 1, 0) == 0 || values[1] > rows) {
        values[1] = rows;
        csi_replace(csi, 2, values);
    }
    verdict = judge_decstbm(filter, csi);
    /* The terminal goes to the first row, the agent in origin mode to the first of the region. */
    if (verdict == VERDICT_FORWARD && filter->shadow.is_origin)
        reserve_owe(filter, RESERVE_CURSOR);
    return verdict;
}

/* Moves inside the line, tabs, edits. */
static enum verdict judge_line(struct filter *filter, struct csi *csi)
{
    (void)csi;
    reserve_end_wrap(filter);
    return VERDICT_FORWARD;
}

/* IL and DL: some emulators go to the first column, some stay. */
static enum verdict judge_lines(struct filter *filter, struct csi *csi)
{
    (void)csi;
    reserve_owe(filter, RESERVE_CURSOR);
    return VERDICT_FORWARD;
}

/* ED and DECSED. */
static enum verdict judge_erase(struct filter *filter, struct csi *csi)
{
    if (csi_value(csi, 0) != 1)
        reserve_owe(filter, RESERVE_ROW);
    reserve_end_wrap(filter);
    return VERDICT_FORWARD;
}

/* Below a region of the agent's own a repetition may reach row R and wrap there. */
static bool cut_repeat(const struct filter *filter, struct csi *csi)
{
    const struct shadow *shadow = &filter->shadow;
    unsigned width = filter->enc.glyph_width;
    unsigned fits;

    if (width == 0 || !reserve_is_open(filter) || shadow->row <= shadow->bottom)
        return true;
    fits = shadow->col < shadow->cols ? (shadow->cols - shadow->col) / width : 0;
    if (csi_count(csi, 0, 1) > fits)
        csi_replace(csi, 1, &fits);
    return fits > 0;
}

/* Not every emulator knows it, so the cursor is said again. */
static enum verdict judge_repeat(struct filter *filter, struct csi *csi)
{
    if (!cut_repeat(filter, csi) || judge_rep(filter, csi) != VERDICT_FORWARD)
        return VERDICT_DROP;
    encode_csi(&filter->enc, csi);
    shadow_rep(&filter->shadow, csi);
    if (filter->shadow.col < filter->shadow.cols)
        reserve_owe(filter, RESERVE_CURSOR);
    return VERDICT_DONE;
}

static enum verdict judge_saved(struct filter *filter, struct csi *csi)
{
    reserve_owe(filter, RESERVE_CURSOR);
    return judge_restore(filter, csi);
}

/* SCOSC: what takes it for side margins, which are off, goes home. */
static enum verdict judge_keep(struct filter *filter, struct csi *csi)
{
    if (csi->count == 0)
        reserve_owe(filter, RESERVE_CURSOR);
    return judge_decslrm(filter, csi);
}

static enum verdict judge_soft_reset(struct filter *filter, struct csi *csi)
{
    reserve_owe(filter, RESERVE_WRAP | RESERVE_MARGINS | RESERVE_CURSOR | RESERVE_ROW);
    return judge_decstr(filter, csi);
}

static enum verdict judge_rectangle(struct filter *filter, struct csi *csi)
{
    (void)filter;
    (void)csi;
    return VERDICT_DROP;
}

static const struct {
    char leader;
    char inter;
    char final;
    rules_judge *judge;
} reserve_rules[] = {
    {0, 0, 's', judge_keep},         {0, 0, '@', judge_line},        {0, 0, 'C', judge_line},
    {0, 0, 'D', judge_line},         {0, 0, 'I', judge_line},        {0, 0, 'K', judge_line},
    {'?', 0, 'K', judge_line},       {0, 0, 'P', judge_line},        {0, 0, 'S', judge_line},
    {0, 0, 'T', judge_line},         {0, 0, 'X', judge_line},        {0, 0, 'Z', judge_line},
    {0, 0, 'a', judge_line},         {0, '\'', '}', judge_line},     {0, '\'', '~', judge_line},
    {0, 0, 'L', judge_lines},        {0, 0, 'M', judge_lines},       {0, 0, 'A', judge_relative},
    {0, 0, 'B', judge_relative},     {0, 0, 'E', judge_relative},    {0, 0, 'F', judge_relative},
    {0, 0, 'e', judge_relative},     {0, 0, 'H', judge_absolute},    {0, 0, 'f', judge_absolute},
    {0, 0, 'd', judge_absolute},     {0, 0, 'r', judge_region},      {0, 0, 'J', judge_erase},
    {'?', 0, 'J', judge_erase},      {0, 0, 'b', judge_repeat},      {0, 0, 'u', judge_saved},
    {0, '!', 'p', judge_soft_reset}, {0, '$', 'r', judge_rectangle}, {0, '$', 't', judge_rectangle},
    {0, '$', 'v', judge_rectangle},  {0, '$', 'x', judge_rectangle}, {0, '$', 'z', judge_rectangle},
    {0, '$', '{', judge_rectangle},
};

rules_judge *reserve_judge(const struct csi *csi)
{
    for (size_t i = 0; i < ARRAY_SIZE(reserve_rules); i++)
        if (reserve_rules[i].final == csi->final && reserve_rules[i].inter == csi->inter &&
            reserve_rules[i].leader == csi->leader)
            return reserve_rules[i].judge;
    return NULL;
}

bool reserve_takes_mode(struct filter *filter, enum mode mode, bool on)
{
    if (!filter->reserve.is_on)
        return false;
    if (mode == MODE_REVERSE_WRAP || mode == MODE_SIDE_MARGINS)
        return true;
    if (mode == MODE_ORIGIN) {
        modes_set(&filter->modes, mode, on);
        shadow_mode(&filter->shadow, mode_rows[mode].number, on);
        reserve_owe(filter, RESERVE_CURSOR);
        return true;
    }
    if (mode_rows[mode].kind == MODE_IS_SCREEN)
        reserve_owe(filter, RESERVE_MARGINS | RESERVE_CURSOR | RESERVE_ROW);
    else if (mode == MODE_AUTOWRAP || (mode == MODE_SAVE_CURSOR && !on))
        reserve_owe(filter, RESERVE_CURSOR);
    return false;
}

void reserve_hold_line(struct filter *filter)
{
    if (filter->shadow.col >= filter->shadow.cols)
        put_cursor(filter);
    filter->enc.glyph_width = 0;
}

void reserve_make_room(struct filter *filter, unsigned width)
{
    struct shadow *shadow = &filter->shadow;

    if (shadow->col + width <= shadow->cols)
        return;
    shadow->col = shadow->is_autowrap ? 0 : shadow->cols - width;
    put_cursor(filter);
}
