// SPDX-License-Identifier: GPL-3.0-only
/*
 * buf: a growing byte buffer with a mandatory maximum.
 *
 * A write that would pass the maximum changes nothing and sets the overflow flag, which stays set;
 * a producer may append many times and look once at the end. The content is not NUL-terminated
 * unless buf_cstr() is asked for.
 */
#pragma once

#include "base/base.h"

#include <stdarg.h>

struct buf {
    uint8_t *data;
    size_t len;
    size_t cap;
    size_t max;
    bool overflow;
};

/* An empty buffer that may hold up to max bytes. */
void buf_init(struct buf *buf, size_t max);
void buf_free(struct buf *buf);
/* Empties the buffer and clears the overflow flag; the memory is kept. */
void buf_reset(struct buf *buf);

/* Each returns 0, or -ENOSPC when max would be passed (nothing appended, overflow set). */
int buf_append(struct buf *buf, const void *bytes, size_t len);
int buf_append_str(struct buf *buf, const char *text);
int buf_append_byte(struct buf *buf, uint8_t byte);
int buf_vprintf(struct buf *buf, const char *fmt, va_list args) PRINTF_LIKE(2, 0);
int buf_printf(struct buf *buf, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Room for len more bytes; NULL past the maximum. The caller writes at most len bytes there and
 * then calls buf_commit() with what it wrote. */
uint8_t *buf_reserve(struct buf *buf, size_t len);
void buf_commit(struct buf *buf, size_t len);

/* Removes the first len bytes. */
void buf_consume(struct buf *buf, size_t len);

/* The content with a NUL behind it that does not count; valid until the next change. Never NULL. */
const char *buf_cstr(struct buf *buf);
/* The content as a malloc'ed NUL-terminated string, the buffer left empty. */
char *buf_take_cstr(struct buf *buf);

#define _cleanup_buf_ CLEANUP(buf_free)
