// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe: asks the real terminal what it is, once, before the command starts.
 *
 * The agent's own questions never reach the terminal; they are answered from what is learnt here. A
 * terminal that does not answer costs a bounded time, and what it lacks, or does not say, is
 * answered as lacking.
 *
 * The terminal is raw already, so that no reply is echoed and what was typed ahead can be read.
 * Called when the supervisor is confined: the replies are bytes from outside.
 */
#pragma once

#include "base/buf.h"
#include "filter/filter.h"
#include "host.h"
#include "pty/terminal.h"

#define PROBE_TYPED_MAX (32 * KIB)

struct probe {
    struct buf typed;      /* read meanwhile and no reply: the first input of the command */
    uint64_t asked_ms;     /* CLOCK_MONOTONIC; 0: never */
    bool is_answered;      /* the last question was */
    bool is_remote;        /* the terminal is at the other end of a network */
    bool has_pushed_title; /* title and icon are on the terminal's stack */
};

/* Fills what is known without asking: the size, and the TERM of both sides (the command's from its
 * environment, NULL-terminated, may be NULL). Everything else is unknown. */
void probe_assume(const struct terminal *terminal, const struct host *host,
                  char *const *environment, struct filter_profile *profile);

/* True if asking makes sense: descriptors 0 and 1 are the terminal, we are its foreground group,
 * and TERM names one that understands control sequences. */
bool probe_is_wanted(const struct terminal *terminal, const struct host *host);

/*
 * Asks, waits, and completes the profile that probe_assume() made. Then saves the title on the
 * terminal's own stack if it has one (profile->title_is_pushed). Waits until the last question is
 * answered: at most 1 s, 300 ms after the last byte of a reply, and 200 ms for a local terminal
 * that says nothing at all. The probe must be zero; probe_free() releases what was typed.
 */
void probe_ask(struct probe *probe, const struct terminal *terminal, const struct host *host,
               struct filter_profile *profile);
void probe_free(struct probe *probe);

/*
 * Where the cursor is, after other programs have written to the terminal: asks one that answered at the
 * start, and waits as long as then. False, and both 0, if it does not say. What is typed meanwhile is
 * appended to typed (at least PROBE_TYPED_MAX).
 */
bool probe_cursor(const struct probe *probe, const struct terminal *terminal, unsigned *row,
                  unsigned *col, struct buf *typed);

/*
 * Before the terminal's modes are given back: waits at most 20 ms for what is answered late, if a
 * question may still be unanswered; else reads nothing, because what is there was typed for the next
 * program. Ends with the last answer, or with the first key, which is appended to typed (at least
 * REPLY_MAX + 8 bytes): it cannot be put back. A terminal that has not answered after 3 s never will.
 */
void probe_drain(const struct probe *probe, const struct terminal *terminal, struct buf *typed);
