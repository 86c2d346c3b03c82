// SPDX-License-Identifier: GPL-3.0-only
/*
 * map_text: the two sides of a map as it is written.
 */
#pragma once

#include "base/base.h"

/*
 * Splits "SRC:DST" at the first colon that has no backslash before it; "\:" is a colon and "\\" a
 * backslash. *dest is NULL when there is no separator. malloc'ed parts. 0 or -EINVAL (an empty
 * part; both are NULL then).
 */
int map_text_split(const char *text, char **source, char **dest);
