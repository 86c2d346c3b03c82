// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_copy: a copy of a regular file that somebody hostile may have made.
 */
#pragma once

#include "base/base.h"

#include <sys/types.h>

/*
 * Copies the regular file name in from to the new file copy in to (both are descriptors of
 * directories), with the given permissions and the time of change of the original; holes stay holes.
 * Owner and group are those of like in to, where that is allowed; like may be NULL. Nothing is left
 * on failure. 0 or -errno.
 */
int overlay_copy(int from, const char *name, int to, const char *copy, mode_t mode,
                 const char *like);
