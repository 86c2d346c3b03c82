// SPDX-License-Identifier: GPL-3.0-only
/*
 * capabilities: devices, sockets and credentials of the host, each by its own flag.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/environment.h"
#include "policy/plan.h"

/*
 * Adds what was asked for and is there (groups GROUP_DEVICES, GROUP_RUNTIME, GROUP_HOME_PARTS), and the
 * variables by which clients find it. What was asked for and is not usable: a warning. What opens a
 * way out of the jail: a security note. Call only where capabilities apply (not in lockdown).
 */
void capabilities_add(struct plan *plan, struct environment_parts *parts,
                      const struct config *config, const struct host *host, const char *project,
                      struct notes *notes);
