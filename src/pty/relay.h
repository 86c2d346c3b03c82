// SPDX-License-Identifier: GPL-3.0-only
/*
 * relay: the bytes between the user's terminal and the jail's PTY, on the libuv loop.
 *
 *   terminal --> input filter --> queue --> PTY master    keys, never lost; bounded
 *   PTY master --> filter --> queue --> terminal          above a mark the master is not read
 *   answers of the filter --> the same queue as input, in order
 *
 * Idle costs nothing: no polling, and a timer only while something is held that time decides about.
 * End of output is EIO or EOF on the master after everything was drained.
 *
 * Callbacks come from the loop only, never from inside a call of this interface. A callback may
 * call anything here, relay_close() included.
 */
#pragma once

#include "filter/filter.h"
#include "pty/terminal.h"

#include <uv.h>

struct relay;

struct relay_options {
    uv_loop_t *loop;
    struct terminal *terminal;           /* borrowed; fd -1: output is read, filtered and dropped */
    int master;                          /* made non-blocking; the relay closes it */
    struct filter *filter;               /* NULL: --terminal-passthrough; borrowed */
    bool read_input;                     /* start reading the terminal at once */
    unsigned char redraw_key;            /* 0: none; see relay_resize() */
    bool hold_input;                     /* nothing is typed before relay_release_input() */
    void (*on_output_end)(void *arg);    /* everything from the master has been written out, once */
    void (*on_terminal_gone)(void *arg); /* hang-up or read error of the real terminal, once */
    /* May be NULL. filter_restore() gives another result from now on; called before the bytes that
     * change the terminal are written, so that a crash buffer is never behind. */
    void (*on_restore_changed)(void *arg);
    void *arg;
};

/* NULL with the reason in error; the master is then still the caller's. */
struct relay *relay_new(const struct relay_options *options, struct error *error);
/* Starts or stops reading the user's terminal (a stopped job, a pipeline that owns it). What is not
 * read stays in the kernel. */
void relay_set_input(struct relay *relay, bool on);
/* Bytes that were read from the terminal before there was a relay: they are the first input, and go
 * through the input filter like everything else. At most RELAY_TYPED_MAX. */
#define RELAY_TYPED_MAX (32 * KIB)
void relay_type_ahead(struct relay *relay, const void *bytes, size_t len);
/* The same for bytes that were read past a relay that is paused; they are lost where there is no room. */
void relay_type_late(struct relay *relay, const void *bytes, size_t len);
/* The command is there. What is typed for it earlier (^C) would act on what starts it, or on nobody.
 */
void relay_release_input(struct relay *relay);
/* Stops everything on the terminal side (suspend) or goes on. The master keeps its data. What was
 * queued stays queued: relay_flush() first, or bytes written past the relay may cut a sequence. */
void relay_pause(struct relay *relay, bool paused);
/*
 * Writes out what is queued and what the command has written until now (unless paused; at most 1
 * MiB of that), at most timeout_ms; the one call that may wait. Afterwards the terminal is on a
 * sequence boundary. on_restore_changed may come from inside. 0, -ETIMEDOUT, -errno.
 */
int relay_flush(struct relay *relay, int timeout_ms);
/*
 * The command is gone: read the master until it is empty, then on_output_end. Answers and unread
 * keys are dropped; the terminal is not read any more. Left-over processes cannot hold the end up:
 * it comes at EIO, after 200 ms without a byte, or after 1 MiB. A terminal that takes no byte for 2
 * s is given up.
 */
void relay_finish(struct relay *relay);
/*
 * Tells the filter and sets the PTY's size before any further byte is passed on, but not more often
 * than once in 16 ms: while a window is being dragged, the last size counts. Nor while more output
 * waits for the terminal than the agent may write. While the relay is paused it is set at once. A size
 * that the terminal has when a key is read is set before the key is passed on, told or not.
 *
 * With a redraw_key that byte is typed for the command 75 ms after the last change of the size: on
 * the primary screen only, never inside a paste or a sequence of the user's, and only for a command
 * that reads single keys. Without a filter nobody knows the screen, and no key is typed.
 */
void relay_resize(struct relay *relay, const struct winsize *size);
/*
 * From the next relay_resize() on the last row of a terminal of at least least_rows is ours
 * (filter_reserve()): the agent's terminal has one row less. Only with a filter, and only once the
 * terminal is raw, which means that it is the agent's.
 */
void relay_reserve_row(struct relay *relay, unsigned least_rows);
/* Bytes of ours for the terminal, in order with the agent's, only at a sequence boundary. At most
 * 64 KiB may wait for one; what would pass that is not taken. */
void relay_inject(struct relay *relay, const void *bytes, size_t len);
/* True if a write error or a given-up terminal may have left half a sequence there: CAN and ST have
 * to come before anything else. */
bool relay_was_cut(const struct relay *relay);
/* Closes all handles; the memory is released when libuv has closed them. */
void relay_close(struct relay *relay);
/* Changes whenever bytes have come from the agent or left for the terminal. */
uint64_t relay_activity(const struct relay *relay);
/* Bytes still queued for the terminal. */
size_t relay_pending(const struct relay *relay);
