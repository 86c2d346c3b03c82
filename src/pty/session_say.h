// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_say: what the launcher tells on the way, as lines for the user.
 */
#pragma once

#include "backend/orders.h"
#include "pty/control.h"

/* A warning of the launcher: CONTROL_PATH_PRUNED or CONTROL_WARN_*. */
void session_say_warning(const struct control_message *message, const struct orders *orders);
