// SPDX-License-Identifier: GPL-3.0-only
/*
 * input_rules: which control sequences pass to the agent.
 */
#pragma once

#include "filter/csi.h"
#include "filter/input.h"

/* True for a key, and for a report that the agent asked for. The old mouse report, whose
 * coordinates follow the sequence, and the markers of a paste are not looked at. */
bool input_may_pass(const struct csi *csi, const struct filter_keys *keys);
