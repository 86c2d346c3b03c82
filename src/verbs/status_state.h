// SPDX-License-Identifier: GPL-3.0-only
/*
 * status_state: what of an agent's state a run would show, as the status says it.
 */
#pragma once

#include "base/buf.h"
#include "policy/policy.h"

#include <jansson.h>

/* Nothing if the command is no known agent. */
void status_state_text(struct buf *out, const struct policy *policy);
/* {"agent": NAME, "shown": [{"path", "source", "writable", "new"}], "in_step": [PATH]}, or null. */
json_t *status_state_json(const struct policy *policy);
