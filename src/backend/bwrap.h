// SPDX-License-Identifier: GPL-3.0-only
/*
 * bwrap: the plan as bubblewrap options. Pure.
 */
#pragma once

#include "backend/launch.h"

/* Fills words and fds of launch. -E2BIG when bubblewrap would refuse the number of words. */
int bwrap_options(struct launch *launch, const struct policy *policy, struct error *error);
