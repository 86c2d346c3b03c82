// SPDX-License-Identifier: GPL-3.0-only
/*
 * host_gh: the token for --github, asked of the host's gh just before the launch.
 */
#pragma once

#include "base/note.h"
#include "policy/policy.h"

/*
 * Replaces the place that the policy keeps in its environment for GH_TOKEN (policy/capabilities.h) by
 * the token; if there is none to be had the name is taken out, with a warning. Without such a place
 * nothing happens and nothing is run. The vector's memory does not move. Blocks for at most 5 s.
 */
void host_gh_token(struct policy *policy, struct notes *notes);
