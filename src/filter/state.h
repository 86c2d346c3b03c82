// SPDX-License-Identifier: GPL-3.0-only
/*
 * state: what a struct filter is made of. Only the files of the filter include this.
 */
#pragma once

#include "base/utf8.h"
#include "filter/colour.h"
#include "filter/encode.h"
#include "filter/filter.h"
#include "filter/modes.h"
#include "filter/scanner.h"
#include "filter/shadow.h"

#define KITTY_DEPTH_MAX 7 /* kitty and foot keep 8 entries for each screen */
#define KITTY_FLAGS_MAX 31
#define TITLE_STACK_MAX 8 /* emulators keep 10 */
#define TITLE_CHARS_MAX 256
#define TITLE_BYTES_MAX (TITLE_CHARS_MAX * UTF8_MAX_LEN + 8)
#define MARKS_MAX       32 /* zero-width characters after one base */
#define URI_MAX         2083
#define LINK_ID_MAX     200
#define LINK_BYTES_MAX  (URI_MAX + LINK_ID_MAX + 16)

/* A token bucket: at most `burst` at once, `per_second` in the long run. */
struct limit {
    uint32_t burst;
    uint32_t per_second;
};

struct limiter {
    bool is_running;
    uint64_t at_ms;
    uint32_t thousandths; /* of a token */
};

/* The keyboard protocol of kitty, on one screen. */
struct kitty {
    uint8_t depth; /* entries the agent pushed and did not pop */
    bool is_set;   /* CSI = u was used without a push */
    uint8_t flags[KITTY_DEPTH_MAX + 1];
};

/* Colours that have an OSC number of their own. */
enum dynamic {
    DYNAMIC_FOREGROUND,
    DYNAMIC_BACKGROUND,
    DYNAMIC_CURSOR,
    DYNAMIC_SELECTION,
    DYNAMIC_SELECTED_TEXT,
    DYNAMIC_COUNT
};

struct dynamic_colour {
    bool is_changed;
    char spec[COLOUR_SPEC_MAX + 1]; /* as the agent wrote it */
    struct colour colour;
};

struct palette {
    uint8_t changed[256 / 8];
    struct colour colour[256]; /* of the changed ones */
};

/* A title that is complete but came too fast. */
struct held_title {
    bool is_held;
    uint8_t end; /* enum encode_end */
    size_t len;
    uint8_t payload[TITLE_BYTES_MAX];
};

/* The row below the agent's screen that is not the agent's (reserve.h). */
struct reserve {
    bool is_on;
    bool is_damaged; /* its text has to be drawn again */
    uint8_t owed;    /* enum reserve_debt, while a sequence is judged */
};

struct filter {
    struct scanner scanner;
    struct csi csi; /* the sequence that is judged; here because clearing it each time costs */
    struct encoder enc;
    struct buf *reply; /* borrowed during filter_feed() and filter_tick() */
    struct filter_profile profile;
    struct shadow shadow;
    struct modes modes;
    struct reserve reserve;
    uint64_t generation;

    uint8_t partial[UTF8_MAX_LEN]; /* beginning of a character */
    uint8_t partial_len;
    uint8_t marks; /* zero-width characters since the last base */
    bool is_table_only;

    filter_clock *clock;
    void *clock_ctx;
    struct limiter bell;
    struct limiter title;
    struct limiter clipboard;
    struct limiter reverse_video;
    struct limiter answers;

    struct kitty kitty[2]; /* by screen */
    enum mode entered_by;  /* how the alternate screen was entered */
    bool is_insert;
    bool is_keypad;
    uint8_t cursor_style;
    bool cursor_style_changed;
    uint8_t modify_keys; /* XTMODKEYS resource 4 */
    bool modify_keys_changed;
    bool protect_used; /* DECSCA */
    bool extent_used;  /* DECSACE */
    bool link_open;
    size_t link_len; /* of the command that opened it */
    uint8_t link[LINK_BYTES_MAX];
    bool pointer_changed;
    bool progress_shown;
    bool size_report_owed;
    uint64_t sync_since_ms;
    uint8_t title_stack[TITLE_STACK_MAX];
    uint8_t title_depth;
    struct held_title held;
    size_t last_title_len;
    uint8_t last_title[TITLE_BYTES_MAX];
    struct dynamic_colour dynamic[DYNAMIC_COUNT];
    struct palette palette;
    struct filter_clipboard clipboard_count;
    uint64_t dropped[FILTER_DROP_COUNT];
};

uint64_t state_now(const struct filter *filter);
/* Takes a token; false if there is none. */
bool limiter_take(struct limiter *limiter, const struct limit *limit, uint64_t now_ms);

static inline void state_drop(struct filter *filter, enum filter_drop class)
{
    filter->dropped[class]++;
}

/* Something that filter_restore() depends on has changed. */
static inline void state_touch(struct filter *filter)
{
    filter->generation++;
}

static inline struct kitty *state_kitty(struct filter *filter)
{
    return &filter->kitty[filter->shadow.is_alternate];
}
