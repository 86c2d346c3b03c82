// SPDX-License-Identifier: GPL-3.0-only
/*
 * rlimit: limits of this process, lowered.
 */
#pragma once

#include "base/base.h"

/* Only downwards: a hard limit that is lower already stays, the soft one is cut to the hard one.
 * UINT64_MAX: nothing is asked for. 0 or the errno, positive. */
int rlimit_lower(int resource, uint64_t wanted);
