// SPDX-License-Identifier: GPL-3.0-only
/*
 * filter: bytes of the agent in, bytes for the real terminal out.
 *
 * filter_feed() may be called with any split of the stream; the result is the same. Nothing is
 * emitted while a sequence or a character is incomplete. Answers to queries are appended to a
 * second buffer, which belongs on the PTY master.
 *
 * Standards: ECMA-48, DEC STD 070, "XTerm Control Sequences", the protocol pages of kitty, and
 * docs/internals/filter.md for what is done where they leave a choice.
 */
#pragma once

#include "base/buf.h"
#include "filter/input.h"

/* What a setting of the terminal was before the agent started. */
enum filter_former { FILTER_FORMER_UNKNOWN, FILTER_FORMER_SET, FILTER_FORMER_RESET };

/* What is known about the real terminal. All zero is a terminal about which nothing is known. */
struct filter_profile {
    unsigned rows;
    unsigned cols;
    unsigned cell_width_px;
    unsigned cell_height_px;
    bool is_linux_console; /* TERM=linux: no OSC at all */
    bool has_sync;         /* mode 2026 */
    bool has_kitty_keys;
    bool has_theme_report; /* mode 2031 */
    char da2[64];          /* "41;400;0" */
    char version[65];      /* XTVERSION name, printable ASCII */
    char foreground[32];   /* "rgb:dddd/dddd/dddd"; "": unknown, the query stays unanswered */
    char background[32];
    char cursor[32];
    char palette[16][32]; /* the same for OSC 4 */
    bool is_dark;

    unsigned start_row;   /* cursor at the start, from 1; 0: unknown, taken for the last row */
    unsigned start_col;   /* 0: unknown, taken for 1 */
    char term[64];        /* the agent's TERM; "": xterm-256color */
    uint8_t cursor_style; /* DECSCUSR, 0: the default of the terminal */
    uint8_t modify_keys;  /* modifyOtherKeys */
    enum filter_former alternate_scroll; /* mode 1007 */
    enum filter_former cursor_blink;     /* mode 12 */
    bool may_write_clipboard; /* not of the terminal: the user lets the agent use OSC 52 */
    bool title_is_pushed;     /* the session sent CSI 22;0;0t before: filter_restore() pops it */
};

/* A terminal with everything: 24 x 80, cells of 10 x 20 pixels, cursor at 1;1, XTerm(400). The palette is
 * unknown. */
extern const struct filter_profile filter_profile_fixed;

struct filter;

/* The texts of the profile may come from the terminal: what is not printable ASCII (da2: digits and
 * semicolons) ends them. */
struct filter *filter_new(const struct filter_profile *profile);
void filter_free(struct filter *filter);

/* Milliseconds that only grow; for the rate limits. The default is CLOCK_MONOTONIC, and it is read
 * only when something limited is met. */
typedef uint64_t filter_clock(void *ctx);
void filter_set_clock(struct filter *filter, filter_clock *clock, void *ctx);

/*
 * Consumes all len bytes. Appends to out what the terminal gets and to reply what the agent gets as
 * answers. Both buffers must have room: out for 32 * len + FILTER_HELD_MAX bytes in the worst case
 * (a string that was held back may end in the first byte); an overflow flag on out is a programming
 * error. Answers beyond reply's maximum are dropped, each as a whole.
 */
#define FILTER_HELD_MAX (136 * KIB)
void filter_feed(struct filter *filter, const uint8_t *bytes, size_t len, struct buf *out,
                 struct buf *reply);

/*
 * Does what is due without input: ends a synchronised update that the agent forgot (after 1 s),
 * sends the last title of a burst, reports a new size to an agent that asked for it (call it after
 * filter_resize()). At most 2 KiB. Returns the milliseconds after which it wants to be called
 * again, -1: not before more input.
 */
int filter_tick(struct filter *filter, struct buf *out, struct buf *reply);

/* New size of the agent's screen. */
void filter_resize(struct filter *filter, unsigned rows, unsigned cols);

/*
 * The same with a row of ours (on) or without one below the agent's screen: the terminal has one row
 * more, and nothing that the agent writes reaches it; man page: --status-bar. Appends the bytes by
 * which the terminal gets there, at most 256; without out the terminal is somebody else's now, and
 * filter_resume() says the rest later.
 */
void filter_reserve(struct filter *filter, bool on, unsigned rows, unsigned cols, struct buf *out);

/* The row is nobody's any more, after filter_restore() has been written; the agent's screen keeps
 * its size. */
void filter_release_row(struct filter *filter);

/* True, once, when the text of the row may be gone and has to be drawn again. */
bool filter_take_damage(struct filter *filter);

#define FILTER_LINE_MAX 2048
struct filter_line {
    const char *look; /* parameters of SGR, "7;1" */
    const char *text; /* well-formed UTF-8 of the output alphabet, fewer cells than columns */
    size_t len;       /* at most FILTER_LINE_MAX */
};

/* Appends the bytes that draw the row and leave everything else as it is. False, and nothing is
 * appended, while that cannot be done: inside a sequence or a synchronised update, with a pending
 * wrap, without a row. At most FILTER_DRAW_MAX bytes. */
#define FILTER_DRAW_MAX (8 * 1024)
bool filter_draw_row(struct filter *filter, const struct filter_line *line, struct buf *out);

/* Somebody else has written to the terminal since filter_restore(): a wrap that was pending is not
 * any more, and the cursor is at row and col, from 1, of the main screen; 0: unknown, see shadow_place().
 * Before filter_resume(), which with a row of ours begins below what they wrote. */
void filter_move_cursor(struct filter *filter, unsigned row, unsigned col);

/* True when everything emitted so far ends on a sequence boundary and nothing is held back that a
 * line of our own would cut. */
bool filter_is_ground(const struct filter *filter);

/* True on the alternate screen. */
bool filter_is_alternate(const struct filter *filter);

/* True inside a synchronised update (mode 2026): nothing of our own belongs there. */
bool filter_is_synchronised(const struct filter *filter);

/* What the input filter has to know of the agent's modes. */
struct filter_keys filter_keys(const struct filter *filter);

/*
 * Appends the bytes that undo what was let through and is still on (modes, SGR, charset, cursor,
 * alternate screen, title ...), in order. Changes no state: may be called after every feed to keep
 * a crash buffer fresh. At most FILTER_RESTORE_MAX bytes.
 */
#define FILTER_RESTORE_MAX 4096
void filter_restore(const struct filter *filter, struct buf *out);
/* After a suspend: appends the bytes that bring the agent's modes back. At most
 * FILTER_RESUME_MAX bytes. */
#define FILTER_RESUME_MAX (16 * 1024)
void filter_resume(const struct filter *filter, struct buf *out);
/* Changes whenever filter_restore() would give another result. */
uint64_t filter_generation(const struct filter *filter);

/* Largest text that the agent may put into the clipboard, decoded. */
#define FILTER_CLIPBOARD_MAX (100 * KIB)
struct filter_clipboard {
    uint64_t written;
    uint64_t refused; /* too long, too soon after another, or not text */
};
/* What became of the agent's attempts, if it may write the clipboard. */
struct filter_clipboard filter_clipboard(const struct filter *filter);

/* What was dropped, counted by class; for the debug log, which never gets a payload. */
enum filter_drop {
    FILTER_DROP_CONTROL,
    FILTER_DROP_TEXT, /* C1 controls, marks in excess */
    FILTER_DROP_ESC,
    FILTER_DROP_CSI,
    FILTER_DROP_OSC,
    FILTER_DROP_DCS,
    FILTER_DROP_STRING, /* APC, PM, SOS */
    FILTER_DROP_ABORTED,
    FILTER_DROP_LIMITED,
    FILTER_DROP_COUNT
};
uint64_t filter_dropped(const struct filter *filter, enum filter_drop class);
