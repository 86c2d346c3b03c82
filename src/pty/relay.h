// SPDX-License-Identifier: GPL-3.0-only
/*
 * relay: the bytes between the user's terminal and the jail's PTY, on the libuv loop.
 *
 *   terminal --(input)--> queue --> PTY master        keys, never lost, bounded by back pressure
 *   PTY master --> filter --> queue --> terminal      above the high mark the master is not read
 *   answers of the filter --> the same queue as input, in order
 *
 * Idle costs nothing: no timers, no polling. End of output is EIO or EOF on the master after
 * everything was drained.
 */
#pragma once

#include "filter/filter.h"
#include "pty/terminal.h"

#include <uv.h>

struct relay;

struct relay_options {
    uv_loop_t *loop;
    struct terminal *terminal; /* borrowed */
    int master;                /* non-blocking; the relay closes it */
    struct filter *filter;     /* NULL: --terminal-passthrough; borrowed */
    bool read_input;           /* start reading the terminal at once */
    void (*on_output_end)(void *arg);   /* everything from the master has been written out */
    void (*on_terminal_gone)(void *arg);/* hang-up or read error of the real terminal */
    void *arg;
};

struct relay *relay_new(const struct relay_options *options, struct error *error);
/* Starts or stops reading the user's terminal (a stopped job, a pipeline that owns it). */
void relay_set_input(struct relay *relay, bool on);
/* Stops everything on the terminal side (suspend) or goes on. The master keeps its data. */
void relay_pause(struct relay *relay, bool paused);
/* The command is gone: read the master until it is empty, then on_output_end. */
void relay_finish(struct relay *relay);
/* Sets the PTY's size before any further byte is passed on. */
void relay_resize(struct relay *relay, const struct winsize *size);
/* Bytes of ours for the terminal, in order with the agent's, only at a sequence boundary. */
void relay_inject(struct relay *relay, const void *bytes, size_t len);
/* Closes all handles; the memory is released when libuv has closed them. */
void relay_close(struct relay *relay);
/* Bytes still queued for the terminal. */
size_t relay_pending(const struct relay *relay);
