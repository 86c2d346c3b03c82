// SPDX-License-Identifier: GPL-3.0-only
/*
 * statusline: when the status row is drawn.
 *
 * The row itself belongs to the filter (filter_reserve), and the relay sets it up with each size.
 * Here is only the question of when: never while the command writes, at most four times a second,
 * and not at all while nothing has changed. An idle run has no timer.
 */
#pragma once

#include "pty/relay.h"
#include "pty/statusline_text.h"
#include "pty/statusline_update.h"

struct statusline {
    const struct statusline_facts *facts; /* NULL: no row */
    struct statusline_update *update;     /* who was asked for a newer version; NULL: nobody */
    struct relay *relay;                  /* borrowed */
    struct filter *filter;                /* borrowed */
    const struct terminal *terminal;      /* borrowed */
    const unsigned *refused;              /* connections that the network refused; borrowed */
    uv_loop_t *loop;
    uv_prepare_t prepare; /* looks once per turn of the loop, never by itself */
    uv_timer_t timer;
    bool is_open;
    bool is_due;
    bool is_blocked; /* could not be drawn when activity was what it is below */
    uint64_t activity;
    uint64_t drawn_at_ms;
    struct statusline_counts counts; /* that it tells about */
};

/* facts, update and refused are set, the rest zero. Asks the relay, made with these options, for the row; it is there from
 * the next relay_resize() on. Nothing happens without facts or without a filter. */
void statusline_open(struct statusline *line, struct relay *relay,
                     const struct relay_options *options);
/* Closes the handles; nothing is drawn any more. Idempotent. */
void statusline_close(struct statusline *line);
