// SPDX-License-Identifier: GPL-3.0-only
/*
 * browser_prefs: user.js, which Firefox reads at every start.
 */
#pragma once

#include "base/base.h"
#include "policy/environment.h"

/* The text of user.js for this network; downloads: canonical directory or NULL. malloc'ed. */
char *browser_prefs_text(enum network_mode network, unsigned proxy_port, const char *downloads);
