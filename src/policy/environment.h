// SPDX-License-Identifier: GPL-3.0-only
/*
 * environment: the command's environment, built once.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/plan.h"

enum network_mode { NETWORK_OFF, NETWORK_FILTERED, NETWORK_FULL };

/*
 * Fills env with NAME=VALUE, sorted, one entry per name. May add single read-only files to the plan
 * (certificates, one terminfo entry: group GROUP_HOME_PARTS). The plan holds everything else but is
 * not finished. argv0 decides about PS1.
 */
int environment_build(struct strv *env, const struct config *config, const struct host *host,
                      enum network_mode network, const char *argv0, struct plan *plan,
                      struct notes *notes, struct error *error);
