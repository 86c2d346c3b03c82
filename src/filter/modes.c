// SPDX-License-Identifier: GPL-3.0-only
/*
 * modes: the table, sorted by number, and the memory of what was switched.
 */
#include "filter/modes.h"

static_assert(MODE_COUNT <= 32, "modes are kept as bits of a uint32_t");

const struct mode_row mode_rows[MODE_COUNT] = {
    [MODE_CURSOR_KEYS] = {1, MODE_PLAIN, false},
    [MODE_REVERSE_VIDEO] = {5, MODE_IS_LIMITED, false},
    [MODE_ORIGIN] = {6, MODE_PLAIN, false},
    [MODE_AUTOWRAP] = {7, MODE_PLAIN, true},
    [MODE_MOUSE_X10] = {9, MODE_PLAIN, false},
    [MODE_CURSOR_BLINK] = {12, MODE_PLAIN, false},
    [MODE_CURSOR_VISIBLE] = {25, MODE_PLAIN, true},
    [MODE_REVERSE_WRAP] = {45, MODE_PLAIN, false},
    [MODE_ALTERNATE_47] = {47, MODE_IS_SCREEN, false},
    [MODE_KEYPAD] = {66, MODE_PLAIN, false},
    [MODE_SIDE_MARGINS] = {69, MODE_PLAIN, false},
    [MODE_MOUSE_CLICKS] = {1000, MODE_PLAIN, false},
    [MODE_MOUSE_DRAG] = {1002, MODE_PLAIN, false},
    [MODE_MOUSE_MOTION] = {1003, MODE_PLAIN, false},
    [MODE_FOCUS] = {1004, MODE_PLAIN, false},
    [MODE_MOUSE_UTF8] = {1005, MODE_PLAIN, false},
    [MODE_MOUSE_SGR] = {1006, MODE_PLAIN, false},
    [MODE_ALTERNATE_SCROLL] = {1007, MODE_PLAIN, false},
    [MODE_MOUSE_URXVT] = {1015, MODE_PLAIN, false},
    [MODE_MOUSE_PIXELS] = {1016, MODE_PLAIN, false},
    [MODE_ALTERNATE_1047] = {1047, MODE_IS_SCREEN, false},
    [MODE_SAVE_CURSOR] = {1048, MODE_IS_ACTION, false},
    [MODE_ALTERNATE_1049] = {1049, MODE_IS_SCREEN, false},
    [MODE_PASTE] = {2004, MODE_PLAIN, false},
    [MODE_SYNC] = {2026, MODE_IF_SYNC, false},
    [MODE_THEME_REPORT] = {2031, MODE_IF_THEME, false},
    [MODE_SIZE_REPORT] = {2048, MODE_IS_OURS, false},
};

void modes_init(struct modes *modes)
{
    *modes = (struct modes){0};
    for (size_t i = 0; i < MODE_COUNT; i++)
        if (mode_rows[i].is_on_at_start)
            modes->on |= MODE_BIT(i);
}

enum mode mode_find(unsigned number)
{
    size_t low = 0;
    size_t high = MODE_COUNT;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (mode_rows[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < MODE_COUNT && mode_rows[low].number == number)
        return (enum mode)low;
    return MODE_COUNT;
}

void modes_set(struct modes *modes, enum mode mode, bool on)
{
    if (on)
        modes->on |= MODE_BIT(mode);
    else
        modes->on &= ~MODE_BIT(mode);
    modes->touched |= MODE_BIT(mode);
    modes->order[mode] = ++modes->clock;
}

uint32_t modes_changed(const struct modes *modes)
{
    uint32_t at_start = 0;

    for (size_t i = 0; i < MODE_COUNT; i++)
        if (mode_rows[i].is_on_at_start)
            at_start |= MODE_BIT(i);
    return modes->on ^ at_start;
}
