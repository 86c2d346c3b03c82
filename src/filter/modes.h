// SPDX-License-Identifier: GPL-3.0-only
/*
 * modes: the private modes (DECSET, XTerm control sequences) that an agent may switch, one row each.
 * A mode that is not in the table is never forwarded and is reported as not recognised.
 */
#pragma once

#include "base/base.h"

enum mode {
    MODE_CURSOR_KEYS,
    MODE_REVERSE_VIDEO,
    MODE_ORIGIN,
    MODE_AUTOWRAP,
    MODE_MOUSE_X10,
    MODE_CURSOR_BLINK,
    MODE_CURSOR_VISIBLE,
    MODE_REVERSE_WRAP,
    MODE_ALTERNATE_47,
    MODE_KEYPAD,
    MODE_SIDE_MARGINS,
    MODE_MOUSE_CLICKS,
    MODE_MOUSE_DRAG,
    MODE_MOUSE_MOTION,
    MODE_FOCUS,
    MODE_MOUSE_UTF8,
    MODE_MOUSE_SGR,
    MODE_ALTERNATE_SCROLL,
    MODE_MOUSE_URXVT,
    MODE_MOUSE_PIXELS,
    MODE_ALTERNATE_1047,
    MODE_SAVE_CURSOR,
    MODE_ALTERNATE_1049,
    MODE_PASTE,
    MODE_SYNC,
    MODE_THEME_REPORT,
    MODE_SIZE_REPORT,
    MODE_COUNT
};

/* How a mode of the table is treated. */
enum mode_kind {
    MODE_PLAIN,      /* forwarded and remembered */
    MODE_IS_SCREEN,  /* selects the alternate screen */
    MODE_IS_ACTION,  /* does something, has no state */
    MODE_IS_LIMITED, /* setting it is limited in rate */
    MODE_IF_SYNC,    /* forwarded only if the terminal has it */
    MODE_IF_THEME,
    MODE_IS_OURS, /* implemented by the filter, never forwarded */
};

struct mode_row {
    uint16_t number;
    uint8_t kind; /* enum mode_kind */
    bool is_on_at_start;
};

extern const struct mode_row mode_rows[MODE_COUNT];

/* Bit n: mode n. */
#define MODE_BIT(mode) (1u << (mode))

struct modes {
    uint32_t on;
    uint32_t touched;           /* switched at least once */
    uint32_t saved;             /* XTSAVE: these have a saved value */
    uint32_t saved_on;          /* and this is it */
    uint32_t clock;             /* counts switches */
    uint32_t order[MODE_COUNT]; /* clock when the mode was switched last */
};

void modes_init(struct modes *modes);
/* The mode with that number, or MODE_COUNT. */
enum mode mode_find(unsigned number);
static inline bool modes_is_on(const struct modes *modes, enum mode mode)
{
    return modes->on & MODE_BIT(mode);
}
/* Remembers the new value. */
void modes_set(struct modes *modes, enum mode mode, bool on);
/* The modes that are not as they were at the start. */
uint32_t modes_changed(const struct modes *modes);
