// SPDX-License-Identifier: GPL-3.0-only
/*
 * print: the output of a verb.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"

/* Writes text to stdout and frees it; NULL is a failure. A full disk or a closed pipe fails, too. 0
 * or -errno. */
int print_text(char *text, struct error *error);
/* Appends one line: text in which nothing acts on a terminal (base/log.h). */
void print_line(struct buf *out, const char *fmt, ...) PRINTF_LIKE(2, 3);
