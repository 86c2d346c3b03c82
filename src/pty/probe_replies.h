// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_replies: what the real terminal says to the questions of probe.c, and what was typed
 * between.
 *
 * The bytes come from outside and may be anything: a reply is only what has exactly the form of an
 * answer to one of our questions. Everything else was typed, stays in order, and goes through the
 * input filter later. Pure: no descriptor, no clock. The result does not depend on how the bytes
 * were cut.
 *
 * Forms: "XTerm Control Sequences" (DA, DECRPM, CPR, window reports, XTVERSION, DECRPSS,
 * XTQMODKEYS, OSC 4 and 10 to 12), the protocol pages of kitty (keyboard), and contour's for
 * CSI ? 997.
 */
#pragma once

#include "base/buf.h"
#include "filter/filter.h"

#define REPLY_MAX 256 /* a longer sequence is none of ours */

struct probe_replies {
    struct buf *typed; /* borrowed; its maximum bounds what may come */
    struct filter_profile found;
    unsigned area_width_px; /* of the text area; 0: not told */
    unsigned area_height_px;
    bool is_theme_told;
    bool is_done;   /* the last question was answered */
    unsigned count; /* replies so far */
    uint8_t state;
    size_t len;
    uint8_t held[REPLY_MAX]; /* a sequence that is not complete */
};

/* What is not a reply is appended to typed. */
void probe_replies_init(struct probe_replies *replies, struct buf *typed);
/* Takes all bytes. After is_done everything counts as typed. */
void probe_replies_feed(struct probe_replies *replies, const uint8_t *bytes, size_t len);
/* True inside a sequence that may become a reply. */
static inline bool probe_replies_is_inside(const struct probe_replies *replies)
{
    return replies->len >= 2;
}
/*
 * No more will come: what is incomplete was typed. Writes what was learnt into profile and leaves
 * the rest of it as it is. rows and cols of the profile must be set: the size of a cell may have to
 * be worked out from that of the window.
 */
void probe_replies_finish(struct probe_replies *replies, struct filter_profile *profile);
/* The same, without a profile. */
void probe_replies_end(struct probe_replies *replies);
