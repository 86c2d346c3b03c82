// SPDX-License-Identifier: GPL-3.0-only
/*
 * toml: a TOML 1.0 document as a tree of plain nodes with their places.
 *
 * The parser is toml++ (toml.cpp, the only C++ here). The bytes are hostile: size, nesting and number
 * of things are limited before the parser sees them (toml_limits.h), so that neither its recursion
 * nor its tables can be made to grow.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum toml_type {
    TOML_TYPE_STRING,
    TOML_TYPE_INTEGER,
    TOML_TYPE_FLOAT,
    TOML_TYPE_BOOL,
    TOML_TYPE_DATE, /* date, time, or both */
    TOML_TYPE_ARRAY,
    TOML_TYPE_TABLE, /* [header], dotted key or inline */
    TOML_TYPE_COUNT
};

/* Lines and columns count from 1, columns in characters. */
struct toml_node {
    enum toml_type type;
    const char *key; /* NUL-terminated; NULL for the root and for members of an array */
    size_t key_len;  /* a quoted key may hold any character, NUL too */
    unsigned key_line;
    unsigned key_column;
    unsigned line; /* of the value; for a [table] of its header */
    unsigned column;

    bool on;          /* TOML_TYPE_BOOL */
    int64_t integer;  /* TOML_TYPE_INTEGER */
    const char *text; /* TOML_TYPE_STRING: NUL-terminated UTF-8 */
    size_t text_len;  /* an escape may have put a NUL into it */

    struct toml_node *first; /* TOML_TYPE_ARRAY, TOML_TYPE_TABLE: in the order of the file */
    struct toml_node *next;  /* behind this one in the same parent */
};

struct toml_error {
    unsigned line; /* from 1 */
    unsigned column;
    char reason[192]; /* one line; nothing that stands in the file is repeated in it */
};

/*
 * Parses len bytes of UTF-8. The root (a table, never NULL on success), to be released with
 * toml_free(), or NULL with error filled. A duplicate key or table is an error. Never throws; ends
 * the process only when memory is short.
 */
struct toml_node *toml_parse(const char *bytes, size_t len, struct toml_error *error);
/* root may be NULL. */
void toml_free(struct toml_node *root);

/* "string", "integer" ...: static text. */
const char *toml_type_name(enum toml_type type);

#ifdef __cplusplus
}
#endif
