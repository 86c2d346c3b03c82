// SPDX-License-Identifier: GPL-3.0-only
/*
 * strv: a vector of owned strings.
 */
#include "base/strv.h"

#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void strv_free(struct strv *strv)
{
    for (size_t i = 0; i < strv->n; i++)
        free(strv->v[i]);
    free(strv->v);
    *strv = (struct strv){0};
}

void strv_push_owned(struct strv *strv, char *text)
{
    if (strv->n + 2 > strv->cap) {
        strv->cap = strv->cap ? strv->cap * 2 : 8;
        strv->v = xrealloc(strv->v, strv->cap, sizeof(*strv->v));
    }
    strv->v[strv->n++] = text;
    strv->v[strv->n] = NULL;
}

void strv_push(struct strv *strv, const char *text)
{
    strv_push_owned(strv, xstrdup(text));
}

void strv_pushf(struct strv *strv, const char *fmt, ...)
{
    struct buf text CLEANUP(buf_free);
    va_list args;

    buf_init(&text, 64 * MIB);
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    strv_push_owned(strv, buf_take_cstr(&text));
}

void strv_push_all(struct strv *strv, const struct strv *other)
{
    for (size_t i = 0; i < other->n; i++)
        strv_push(strv, other->v[i]);
}

ptrdiff_t strv_find(const struct strv *strv, const char *text)
{
    for (size_t i = 0; i < strv->n; i++)
        if (strcmp(strv->v[i], text) == 0)
            return (ptrdiff_t)i;
    return -1;
}

void strv_remove(struct strv *strv, size_t index)
{
    assert(index < strv->n);
    free(strv->v[index]);
    memmove(strv->v + index, strv->v + index + 1, (strv->n - index) * sizeof(*strv->v));
    strv->n--;
}

void strv_split(struct strv *strv, const char *text, char separator)
{
    for (;;) {
        const char *end = strchr(text, separator);

        if (!end) {
            strv_push(strv, text);
            return;
        }
        strv_push_owned(strv, xstrndup(text, (size_t)(end - text)));
        text = end + 1;
    }
}

char *strv_join(const struct strv *strv, const char *separator)
{
    struct buf text CLEANUP(buf_free);

    buf_init(&text, 64 * MIB);
    for (size_t i = 0; i < strv->n; i++) {
        if (i)
            buf_append_str(&text, separator);
        buf_append_str(&text, strv->v[i]);
    }
    return buf_take_cstr(&text);
}
