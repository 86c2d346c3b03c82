// SPDX-License-Identifier: GPL-3.0-only
/*
 * input: bytes of the real terminal in, bytes for the agent out.
 *
 * Keys pass byte for byte. Mouse, focus and theme reports pass if the agent asked for them. Replies
 * to questions never pass, because the agent's questions never reach the terminal: what looks like
 * one is late, or was provoked by somebody else. Only complete sequences are judged, so a key is
 * not lost because a reply stands next to it.
 *
 * The one thing that needs time is a sequence that does not go on: after input_wait_ms() without a
 * byte the caller calls input_expire().
 */
#pragma once

#include "base/buf.h"

/* What the agent switched on; filter_keys() tells it. */
struct filter_keys {
    bool mouse;      /* any of 9, 1000, 1002, 1003 */
    bool mouse_utf8; /* 1005: coordinates of the old mouse report are UTF-8 */
    bool focus;      /* 1004 */
    bool paste;      /* 2004 */
    bool theme;      /* 2031 */
    unsigned rows;   /* mouse reports from below this row are not for the agent; 0: all are */
    unsigned row_height_px; /* of a row in SGR reports: 1, or with mode 1016 the cell's pixels */
};

struct input;

struct input *input_new(void);
void input_free(struct input *input);

/*
 * Consumes all len bytes and appends to out what the agent gets: at most len plus INPUT_HELD_MAX
 * bytes. An end marker of a bracketed paste inside the body is recognised if the real one is in the
 * same chunk.
 */
#define INPUT_HELD_MAX 72
void input_feed(struct input *input, const struct filter_keys *keys, const uint8_t *bytes,
                size_t len, struct buf *out);

/* Milliseconds after which input_expire() is to be called if nothing arrives; -1: never. */
int input_wait_ms(const struct input *input);

/* Decides about what is held: an Escape or Alt key passes, an incomplete report does not, a paste
 * whose end is missing is ended. */
void input_expire(struct input *input, const struct filter_keys *keys, struct buf *out);
