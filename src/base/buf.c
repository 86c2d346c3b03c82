// SPDX-License-Identifier: GPL-3.0-only
/*
 * buf: a growing byte buffer with a mandatory maximum. One byte beyond len is always allocated, so
 * that buf_cstr() never has to grow.
 */
#include "base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_init(struct buf *buf, size_t max)
{
    *buf = (struct buf){.max = max};
}

void buf_free(struct buf *buf)
{
    free(buf->data);
    *buf = (struct buf){.max = buf->max};
}

void buf_reset(struct buf *buf)
{
    buf->len = 0;
    buf->overflow = false;
}

static int grow(struct buf *buf, size_t extra)
{
    size_t cap = buf->cap ? buf->cap : 64;

    if (extra > buf->max || buf->len > buf->max - extra) {
        buf->overflow = true;
        return -ENOSPC;
    }
    while (cap < buf->len + extra + 1)
        cap *= 2;
    if (cap != buf->cap) {
        buf->data = xrealloc(buf->data, cap, 1);
        buf->cap = cap;
    }
    return 0;
}

int buf_append(struct buf *buf, const void *bytes, size_t len)
{
    int r = grow(buf, len);

    if (r < 0)
        return r;
    if (len)
        memcpy(buf->data + buf->len, bytes, len);
    buf->len += len;
    return 0;
}

int buf_append_str(struct buf *buf, const char *text)
{
    return buf_append(buf, text, strlen(text));
}

int buf_append_byte(struct buf *buf, uint8_t byte)
{
    return buf_append(buf, &byte, 1);
}

int buf_vprintf(struct buf *buf, const char *fmt, va_list args)
{
    char *text = NULL;
    int length = vasprintf(&text, fmt, args);
    int r;

    if (length < 0) {
        buf->overflow = true;
        return -ENOSPC;
    }
    r = buf_append(buf, text, (size_t)length);
    free(text);
    return r;
}

int buf_printf(struct buf *buf, const char *fmt, ...)
{
    va_list args;
    int r;

    va_start(args, fmt);
    r = buf_vprintf(buf, fmt, args);
    va_end(args);
    return r;
}

uint8_t *buf_reserve(struct buf *buf, size_t len)
{
    return grow(buf, len) < 0 ? NULL : buf->data + buf->len;
}

void buf_commit(struct buf *buf, size_t len)
{
    assert(buf->len + len < buf->cap);
    buf->len += len;
}

void buf_consume(struct buf *buf, size_t len)
{
    assert(len <= buf->len);
    if (len && len < buf->len)
        memmove(buf->data, buf->data + len, buf->len - len);
    buf->len -= len;
}

const char *buf_cstr(struct buf *buf)
{
    if (!buf->data)
        return "";
    buf->data[buf->len] = '\0';
    return (const char *)buf->data;
}

char *buf_take_cstr(struct buf *buf)
{
    char *text;

    if (!buf->data)
        return xstrdup("");
    buf->data[buf->len] = '\0';
    text = (char *)buf->data;
    *buf = (struct buf){.max = buf->max};
    return text;
}
