// SPDX-License-Identifier: GPL-3.0-only
/*
 * filter: bytes of the agent in, bytes for the real terminal out.
 *
 * filter_feed() may be called with any split of the stream; the result is the same. Nothing is
 * emitted while a sequence or a character is incomplete. Answers to queries are appended to a
 * second buffer, which belongs on the PTY master.
 */
#pragma once

#include "base/buf.h"

/* What is known about the real terminal; see terminal.md F for the values of filter_profile_fixed. */
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
    bool is_dark;
};

extern const struct filter_profile filter_profile_fixed;

struct filter;

struct filter *filter_new(const struct filter_profile *profile);
void filter_free(struct filter *filter);

/*
 * Consumes all len bytes. Appends to out what the terminal gets and to reply what the agent gets as
 * answers. Both buffers must have room: out for 32 * len + 256 bytes in the worst case; an overflow
 * flag on out is a programming error. Answers beyond reply's maximum are dropped.
 */
void filter_feed(struct filter *filter, const uint8_t *bytes, size_t len, struct buf *out,
                 struct buf *reply);

/* New size of the agent's screen. */
void filter_resize(struct filter *filter, unsigned rows, unsigned cols);

/* True when everything emitted so far ends on a sequence boundary and nothing is held back that a
 * line of our own would cut. */
bool filter_is_ground(const struct filter *filter);

/*
 * Appends the bytes that undo what was let through and is still on (modes, SGR, charset, cursor,
 * alternate screen, title ...; terminal.md D.2), in order. Changes no state: may be called after
 * every feed to keep a crash buffer fresh. At most FILTER_RESTORE_MAX bytes.
 */
#define FILTER_RESTORE_MAX 4096
void filter_restore(const struct filter *filter, struct buf *out);
/* After a suspend: appends the bytes that bring the agent's modes back (terminal.md D.4). */
void filter_resume(const struct filter *filter, struct buf *out);
/* Changes whenever filter_restore() would give another result. */
uint64_t filter_generation(const struct filter *filter);
