// SPDX-License-Identifier: GPL-3.0-only
/*
 * judges: the decisions behind the rows of the rules table, and the memory of what they let pass.
 */
#include "filter/judges.h"

#include "filter/answers.h"
#include "filter/reserve.h"
#include "filter/restore.h"

#define SGR_COLONS_MAX 6 /* sub-parameters of one parameter */

static const struct limit flash_limit = {4, 4};

enum verdict judge_sgr(struct filter *filter, struct csi *csi)
{
    unsigned colons = 0;

    for (unsigned i = 0; i < csi->count; i++) {
        colons = csi->part[i].is_sub ? colons + 1 : 0;
        if (colons > SGR_COLONS_MAX)
            return VERDICT_DROP;
    }
    return sgr_encode(&filter->enc, csi) ? VERDICT_FORWARD : VERDICT_DROP;
}

/* Only directly behind a glyph: elsewhere emulators repeat different things or nothing. */
enum verdict judge_rep(struct filter *filter, struct csi *csi)
{
    uint64_t cells = (uint64_t)filter->shadow.rows * filter->shadow.cols;
    unsigned most = cells > CSI_VALUE_MAX ? CSI_VALUE_MAX : (unsigned)cells;

    if (filter->enc.glyph_width == 0)
        return VERDICT_DROP;
    filter->shadow.glyph_width = filter->enc.glyph_width;
    if (csi_count(csi, 0, 1) > most)
        csi_replace(csi, 1, &most);
    return VERDICT_FORWARD;
}

/* A region beyond the screen is cut by some emulators and ignored by others. */
enum verdict judge_decstbm(struct filter *filter, struct csi *csi)
{
    unsigned rows = filter->shadow.rows;
    unsigned top = csi_count(csi, 0, 1);
    unsigned bottom = csi_count(csi, 1, rows);

    if (bottom > rows) {
        unsigned values[2] = {top, rows};

        csi_replace(csi, 2, values);
        bottom = rows;
    }
    if (top >= bottom)
        return VERDICT_DROP;
    state_touch(filter);
    return VERDICT_FORWARD;
}

/* The same bytes save the cursor or set the left and right margins, depending on mode 69. */
enum verdict judge_decslrm(struct filter *filter, struct csi *csi)
{
    unsigned cols = filter->shadow.cols;

    if (!modes_is_on(&filter->modes, MODE_SIDE_MARGINS)) {
        if (csi->count > 0)
            return VERDICT_DROP;
        encode_csi(&filter->enc, csi);
        shadow_decsc(&filter->shadow, csi);
        return VERDICT_DONE;
    }
    if (csi_count(csi, 1, cols) > cols) {
        unsigned values[2] = {csi_count(csi, 0, 1), cols};

        csi_replace(csi, 2, values);
    }
    if (csi_count(csi, 0, 1) >= csi_count(csi, 1, cols))
        return VERDICT_DROP;
    encode_csi(&filter->enc, csi);
    shadow_decslrm(&filter->shadow, csi);
    state_touch(filter);
    return VERDICT_DONE;
}

enum verdict judge_restore(struct filter *filter, struct csi *csi)
{
    (void)csi;
    state_touch(filter);
    return VERDICT_FORWARD;
}

enum verdict judge_tbc(struct filter *filter, struct csi *csi)
{
    unsigned what = csi_value(csi, 0);

    if (what != 0 && what != 3)
        return VERDICT_DROP;
    state_touch(filter);
    return VERDICT_FORWARD;
}

enum verdict judge_tabs(struct filter *filter, struct csi *csi)
{
    (void)filter;
    return csi_value(csi, 0) == 5 ? VERDICT_FORWARD : VERDICT_DROP;
}

/* Of the ANSI modes only insert mode (4) passes. */
enum verdict judge_ansi_mode(struct filter *filter, struct csi *csi)
{
    unsigned found = 0;
    unsigned insert = 4;

    for (unsigned i = 0; i < csi->count; i++)
        found += csi->part[i].value == insert;
    if (found == 0)
        return VERDICT_DROP;
    if (found < csi->count)
        csi_replace(csi, 1, &insert);
    filter->is_insert = csi->final == 'h';
    state_touch(filter);
    return VERDICT_FORWARD;
}

/* Remembers a switch of the screen. The mode by which it was entered is the one that leaves it. */
static void note_screen(struct filter *filter, enum mode mode, bool on)
{
    if (on && !filter->shadow.is_alternate)
        filter->entered_by = mode;
    for (enum mode other = 0; other < MODE_COUNT; other++)
        if (mode_rows[other].kind == MODE_IS_SCREEN && !on)
            filter->modes.on &= ~MODE_BIT(other);
}

static bool may_switch(struct filter *filter, enum mode mode, bool on)
{
    switch ((enum mode_kind)mode_rows[mode].kind) {
    case MODE_IF_SYNC:
        return filter->profile.has_sync;
    case MODE_IF_THEME:
        return filter->profile.has_theme_report;
    case MODE_IS_OURS:
        return false;
    case MODE_IS_LIMITED:
        /* Switching off always passes, or the screen would stay reversed. */
        if (!on || limiter_take(&filter->reverse_video, &flash_limit, state_now(filter)))
            return true;
        state_drop(filter, FILTER_DROP_LIMITED);
        return false;
    default:
        return true;
    }
}

static void note_mode(struct filter *filter, enum mode mode, bool on)
{
    enum mode_kind kind = (enum mode_kind)mode_rows[mode].kind;

    if (mode == MODE_SYNC && on && !modes_is_on(&filter->modes, mode))
        filter->sync_since_ms = state_now(filter);
    if (kind == MODE_IS_SCREEN)
        note_screen(filter, mode, on);
    if (kind != MODE_IS_ACTION)
        modes_set(&filter->modes, mode, on);
    state_touch(filter);
    shadow_mode(&filter->shadow, mode_rows[mode].number, on);
}

/* One element of a list: true if it is to be forwarded. */
static bool switch_mode(struct filter *filter, unsigned number, bool on)
{
    enum mode mode = mode_find(number);

    if (mode == MODE_COUNT || reserve_takes_mode(filter, mode, on))
        return false;
    if (!may_switch(filter, mode, on)) {
        if (mode_rows[mode].kind != MODE_IS_LIMITED)
            modes_set(&filter->modes, mode, on);
        if (mode == MODE_SIZE_REPORT && on)
            answer_size(filter);
        return false;
    }
    note_mode(filter, mode, on);
    return true;
}

/* A list is filtered element by element; the order is kept, an empty rest is nothing. */
enum verdict judge_private_mode(struct filter *filter, struct csi *csi)
{
    unsigned kept[PARAMS_KEPT_MAX];
    unsigned n = 0;

    for (unsigned i = 0; i < csi->count; i++)
        if (switch_mode(filter, csi->part[i].value, csi->final == 'h'))
            kept[n++] = csi->part[i].value;
    if (n == 0)
        return filter->reserve.owed ? VERDICT_DONE : VERDICT_DROP;
    if (n < csi->count)
        csi_replace(csi, n, kept);
    return VERDICT_FORWARD;
}

enum verdict judge_mode_save(struct filter *filter, struct csi *csi)
{
    struct modes *modes = &filter->modes;

    for (unsigned i = 0; i < csi->count; i++) {
        enum mode mode = mode_find(csi->part[i].value);

        if (mode == MODE_COUNT)
            continue;
        modes->saved |= MODE_BIT(mode);
        modes->saved_on &= ~MODE_BIT(mode);
        modes->saved_on |= modes->on & MODE_BIT(mode);
    }
    return VERDICT_DONE;
}

/* The terminal's own save slots are not used: only what differs is switched back. */
enum verdict judge_mode_restore(struct filter *filter, struct csi *csi)
{
    struct modes *modes = &filter->modes;

    for (unsigned i = 0; i < csi->count; i++) {
        unsigned number = csi->part[i].value;
        enum mode mode = mode_find(number);
        bool on;

        if (mode == MODE_COUNT || !(modes->saved & MODE_BIT(mode)))
            continue;
        on = modes->saved_on & MODE_BIT(mode);
        if (on != modes_is_on(modes, mode) && switch_mode(filter, number, on))
            encode_csif(&filter->enc, "?%u%c", number, on ? 'h' : 'l');
    }
    return VERDICT_DONE;
}

/* Pushing and popping the title: only what the agent pushed is popped. */
static enum verdict judge_title_stack(struct filter *filter, const struct csi *csi)
{
    unsigned which = csi_value(csi, 1);

    if (csi->count < 2 || which > 2 || csi_value(csi, 2) != 0)
        return VERDICT_DROP;
    if (csi_value(csi, 0) == 22) {
        if (filter->title_depth == TITLE_STACK_MAX)
            return VERDICT_DROP;
        filter->title_stack[filter->title_depth++] = (uint8_t)which;
    } else {
        if (filter->title_depth == 0)
            return VERDICT_DROP;
        filter->title_depth--;
    }
    state_touch(filter);
    return VERDICT_FORWARD;
}

enum verdict judge_window(struct filter *filter, struct csi *csi)
{
    unsigned what = csi_value(csi, 0);

    if (what == 22 || what == 23)
        return judge_title_stack(filter, csi);
    return answer_window(filter, what, csi_value(csi, 1), csi->count) ? VERDICT_DONE : VERDICT_DROP;
}

static void set_modify_keys(struct filter *filter, unsigned value)
{
    filter->modify_keys = (uint8_t)value;
    filter->modify_keys_changed = value != filter->profile.modify_keys;
    state_touch(filter);
}

/* Only resource 4, modifyOtherKeys. Without parameters all resources would be reset. */
enum verdict judge_modify_keys(struct filter *filter, struct csi *csi)
{
    unsigned resource = 4;

    if (csi->count == 0)
        csi_replace(csi, 1, &resource);
    if (csi_value(csi, 0) != resource || csi_value(csi, 1) > 3)
        return VERDICT_DROP;
    set_modify_keys(filter, csi->count > 1 ? csi_value(csi, 1) : filter->profile.modify_keys);
    if (csi->count == 1)
        filter->modify_keys_changed = false;
    return VERDICT_FORWARD;
}

enum verdict judge_modify_keys_off(struct filter *filter, struct csi *csi)
{
    if (csi_value(csi, 0) != 4)
        return VERDICT_DROP;
    set_modify_keys(filter, 0);
    filter->modify_keys_changed = true;
    return VERDICT_FORWARD;
}

enum verdict judge_kitty_push(struct filter *filter, struct csi *csi)
{
    struct kitty *kitty = state_kitty(filter);

    if (kitty->depth == KITTY_DEPTH_MAX)
        return VERDICT_DROP;
    kitty->flags[++kitty->depth] = (uint8_t)csi_value(csi, 0);
    state_touch(filter);
    return VERDICT_FORWARD;
}

/* More pops than own pushes would take the entry of the program that runs outside. */
enum verdict judge_kitty_pop(struct filter *filter, struct csi *csi)
{
    struct kitty *kitty = state_kitty(filter);
    bool is_zero = csi->count && !csi->part[0].is_empty && csi->part[0].value == 0;
    unsigned n = csi_count(csi, 0, 1);
    unsigned own = kitty->depth;

    if (own == 0 || is_zero)
        return VERDICT_DROP;
    if (n > own) {
        csi_replace(csi, 1, &own);
        n = own;
    }
    kitty->depth = (uint8_t)(own - n);
    state_touch(filter);
    return VERDICT_FORWARD;
}

enum verdict judge_kitty_set(struct filter *filter, struct csi *csi)
{
    struct kitty *kitty = state_kitty(filter);
    uint8_t *current = &kitty->flags[kitty->depth];
    uint8_t flags = (uint8_t)csi_value(csi, 0);

    switch (csi_count(csi, 1, 1)) {
    case 1:
        *current = flags;
        break;
    case 2:
        *current |= flags;
        break;
    case 3:
        *current &= (uint8_t)~flags;
        break;
    default:
        return VERDICT_DROP;
    }
    kitty->is_set |= kitty->depth == 0;
    state_touch(filter);
    return VERDICT_FORWARD;
}

enum verdict judge_cursor_style(struct filter *filter, struct csi *csi)
{
    filter->cursor_style = (uint8_t)csi_value(csi, 0);
    filter->cursor_style_changed = filter->cursor_style != filter->profile.cursor_style;
    state_touch(filter);
    return VERDICT_FORWARD;
}

enum verdict judge_decsca(struct filter *filter, struct csi *csi)
{
    (void)csi;
    filter->protect_used = true;
    state_touch(filter);
    return VERDICT_FORWARD;
}

enum verdict judge_decsace(struct filter *filter, struct csi *csi)
{
    (void)csi;
    filter->extent_used = true;
    state_touch(filter);
    return VERDICT_FORWARD;
}

/* Emulators agree that these are reset; the other modes keep their place on the restore list. */
static void note_soft_reset(struct filter *filter)
{
    static const enum mode off[] = {MODE_CURSOR_KEYS, MODE_ORIGIN, MODE_KEYPAD};

    for (size_t i = 0; i < ARRAY_SIZE(off); i++)
        filter->modes.on &= ~MODE_BIT(off[i]);
    filter->modes.on |= MODE_BIT(MODE_CURSOR_VISIBLE);
    filter->is_insert = false;
    filter->is_keypad = false;
    state_touch(filter);
}

enum verdict judge_decstr(struct filter *filter, struct csi *csi)
{
    (void)csi;
    note_soft_reset(filter);
    return VERDICT_FORWARD;
}

/*
 * RIS clears the scrollback, empties stacks and resizes the window in one emulator or the other.
 * Instead the modes that are on are undone one by one, then the screen is brought into its first
 * state.
 */
void judge_ris(struct filter *filter)
{
    struct encoder *enc = &filter->enc;

    restore_modes(filter, enc);
    restore_forget(filter);
    encode_csif(enc, "!p");
    shadow_decstr(&filter->shadow, NULL);
    encode_esc(enc, '(', 'B');
    encode_esc(enc, ')', 'B');
    encode_c0(enc, 0x0F);
    encode_csif(enc, "0m");
    encode_csif(enc, "?7h");
    encode_csif(enc, "?25h");
    if (filter->reserve.is_on)
        encode_csif(enc, "1;%ur", filter->shadow.rows);
    else
        encode_csif(enc, "r");
    encode_csif(enc, "2J");
    encode_csif(enc, "H");
    filter->reserve.is_damaged |= filter->reserve.is_on;
    filter->shadow.row = 0;
    filter->shadow.col = 0;
    filter->shadow.used_row[filter->shadow.is_alternate] = 0;
    state_touch(filter);
}
