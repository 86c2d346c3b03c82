// SPDX-License-Identifier: GPL-3.0-only
/*
 * env_place: variables that say where a tool keeps its things.
 */
#pragma once

#include "host.h"
#include "policy/plan.h"

/*
 * True if every directory of value (one, or a list with colons) is there inside and, with for_writing,
 * can be written: otherwise the tool does better without the variable. The plan holds what it will hold
 * but is not finished.
 */
bool env_place_is_usable(const struct plan *plan, const struct host *host, const char *value,
                         bool for_writing);
