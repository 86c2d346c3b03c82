// SPDX-License-Identifier: GPL-3.0-only
/*
 * browser_hint: the command line that a browser would have needed.
 */
#pragma once

#include "policy/policy.h"

/* Adds one line if the browser of the policy lacks a network or a display. said: the configuration
 * before the policy tightened it; who said --no-network knows. argv: the command line of this program.
 * No browser: nothing. */
void browser_hint(const struct policy *policy, const struct config *said, char *const *argv,
                  int argc, struct notes *notes);
