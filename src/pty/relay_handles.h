// SPDX-License-Identifier: GPL-3.0-only
/*
 * relay_handles: the libuv handles of a relay: opened, the polls started for what its state waits
 * for, closed. Private to relay.c, which has the callbacks.
 */
#pragma once

#include "pty/relay_flow.h"

/* Opens all timers, and a poll for each descriptor there is. 0, or -errno with the reason in error:
 * then relay_handles_close() closes what was opened. */
int relay_handles_open(struct relay *relay, struct error *error);
/* Starts and stops the polls. is_master_full: the master has refused bytes. */
void relay_handles_watch(struct relay *relay, bool is_master_full, uv_poll_cb on_terminal,
                         uv_poll_cb on_master);
/* Closes what is open; the relay is freed when libuv has closed the last handle. */
void relay_handles_close(struct relay *relay);
