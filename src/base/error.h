// SPDX-License-Identifier: GPL-3.0-only
/*
 * error: why something failed, filled where it happens, wrapped on the way up, printed once.
 *
 * Functions that can fail for a reason a user must know take a struct error * as their last
 * argument and return a negative errno. Only main and session print it.
 */
#pragma once

#include "base/base.h"

struct error {
    int code;       /* positive errno, 0 while nothing failed */
    char text[768]; /* one line: what, where, why, what to do; not escaped */
};

/* Fills error (which may be NULL) and returns -code. The text is cut at the size of the field. */
int error_set(struct error *error, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Puts "prefix: " before the text that is there and returns -error->code. */
int error_wrap(struct error *error, const char *fmt, ...) PRINTF_LIKE(2, 3);
