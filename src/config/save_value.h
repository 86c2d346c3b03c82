// SPDX-License-Identifier: GPL-3.0-only
/*
 * save_value: the TOML text of a change (save.h).
 */
#pragma once

#include "config/save.h"

#define SAVE_INDENT "    "

/* Strings with the separator between them. */
void save_append_entries(struct buf *out, const struct strv *entries, const char *separator);
/* The value. column: where it begins in its line. */
void save_append_value(struct buf *out, const struct save_change *change, size_t column,
                       const char *newline);
/* KEY = VALUE and the line end. */
void save_append_pair(struct buf *out, const struct save_change *change, const char *newline);
