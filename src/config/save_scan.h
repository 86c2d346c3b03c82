// SPDX-License-Identifier: GPL-3.0-only
/*
 * save_scan: where the statements of a TOML text begin and end, in bytes.
 *
 * Not a parser: what it says is only used to cut a text that toml.h accepts, and what comes out is
 * parsed again (save.c). All offsets are into the text.
 */
#pragma once

#include "base/base.h"

/* KEY = VALUE, or the line of a [table] or [[table]]. */
struct save_statement {
    size_t start; /* of the key, or of '[' */
    bool is_header;
    size_t key_end; /* behind the key; the rest only where there is a key */
    size_t value;
    size_t value_end;
    size_t end; /* behind the line end */
};

/* An array, from '[' to behind ']'. */
struct save_array {
    size_t close;   /* of ']' */
    size_t last;    /* behind the last byte before it that is neither blank nor comment */
    bool is_empty;  /* no entry */
    bool has_comma; /* behind the last entry */
};

/* The next statement at or behind *at, which moves behind it. 1, 0 at the end, -EINVAL. */
int save_scan_next(const char *text, size_t len, size_t *at, struct save_statement *statement);
/* start: of '['. 0 or -EINVAL. */
int save_scan_array(const char *text, size_t len, size_t start, struct save_array *array);
/* True if there is a comment in the value from start to end. */
bool save_scan_has_comment(const char *text, size_t start, size_t end);
