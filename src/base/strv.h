// SPDX-License-Identifier: GPL-3.0-only
/*
 * strv: a vector of owned strings, always followed by a NULL (so .v can be handed to execve).
 */
#pragma once

#include "base/base.h"

struct strv {
    char **v; /* NULL while empty; otherwise v[n] is NULL */
    size_t n;
    size_t cap;
};

void strv_free(struct strv *strv);
/* Copies text. */
void strv_push(struct strv *strv, const char *text);
/* Takes ownership of text. */
void strv_push_owned(struct strv *strv, char *text);
void strv_pushf(struct strv *strv, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strv_push_all(struct strv *strv, const struct strv *other);
/* Index of text, or -1. */
ptrdiff_t strv_find(const struct strv *strv, const char *text);
void strv_remove(struct strv *strv, size_t index);
/* Pushes each part of text between separators; empty parts are kept. */
void strv_split(struct strv *strv, const char *text, char separator);
/* malloc'ed: all parts with separator between them. */
char *strv_join(const struct strv *strv, const char *separator);

#define _cleanup_strv_ CLEANUP(strv_free)
