// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_state: says what became of the agent's state files.
 */
#pragma once

#include "pty/mounter_event.h"

/* Prints a line for the MOUNTER_EVENT_STATE_ events, ignores all others. */
void session_state_take(const struct mounter_event *event, const char *path, const char *origin);
