// SPDX-License-Identifier: GPL-3.0-only
/*
 * terminfo: the description of the user's terminal inside the jail (terminfo(5), term(5)).
 */
#pragma once

#include "host.h"
#include "policy/plan.h"

/*
 * True if programs inside find an entry for term: in a system database that the plan shows, or in
 * the one compiled file that this function binds to ~/.terminfo, taken from $TERMINFO or
 * ~/.terminfo of the host.
 */
bool terminfo_show(struct plan *plan, const struct host *host, const char *term);
