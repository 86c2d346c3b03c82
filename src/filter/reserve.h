// SPDX-License-Identifier: GPL-3.0-only
/*
 * reserve: keeps the agent out of a row of ours below its screen.
 *
 * The row is outside the scroll region; that alone would leave a dozen ways in. While the row is
 * reserved, the sequences of reserve_rules are written in another form, and what a sequence has
 * disturbed (margins, cursor, the row) is put right behind it: reserve_owe(), reserve_pay().
 */
#pragma once

#include "filter/rules.h"

/* What has to be put right behind the sequence that is judged. */
enum reserve_debt {
    RESERVE_WRAP = 1 << 0,
    RESERVE_MARGINS = 1 << 1,
    RESERVE_CURSOR = 1 << 2,
    RESERVE_ROW = 1 << 3, /* the text of the row is gone */
};

static inline void reserve_owe(struct filter *filter, unsigned debts)
{
    if (filter->reserve.is_on)
        filter->reserve.owed |= (uint8_t)debts;
}

void reserve_pay(struct filter *filter);

/* The judge that replaces the one of the sequence's row; NULL: none does. */
rules_judge *reserve_judge(const struct csi *csi);

/* Switching a private mode: true if it is not to be forwarded. */
bool reserve_takes_mode(struct filter *filter, enum mode mode, bool on);

/* True if the agent has a scroll region that ends above its last row: a line feed or a wrap in that
 * row would go on into ours. */
static inline bool reserve_is_open(const struct filter *filter)
{
    return filter->reserve.is_on && filter->shadow.bottom + 1 < filter->shadow.rows;
}

/* The same, and the cursor is in that row. */
static inline bool reserve_is_edge(const struct filter *filter)
{
    return reserve_is_open(filter) && filter->shadow.row + 1 == filter->shadow.rows;
}

/* A glyph stands in the last column, and the next one wraps. What keeps this state and what ends it
 * differs, so whatever ends it in the model puts the cursor where the model has it. */
static inline void reserve_end_wrap(struct filter *filter)
{
    if (filter->shadow.col >= filter->shadow.cols)
        reserve_owe(filter, RESERVE_CURSOR);
}

/* At the edge: instead of a line feed. */
void reserve_hold_line(struct filter *filter);
/* A glyph must not wrap here: at the edge, and without autowrap, where some emulators wrap a wide one
 * all the same. */
static inline bool reserve_is_tight(const struct filter *filter)
{
    return reserve_is_edge(filter) || (filter->reserve.is_on && !filter->shadow.is_autowrap);
}

/* Where it is tight: before a glyph of that width. */
void reserve_make_room(struct filter *filter, unsigned width);
