// SPDX-License-Identifier: GPL-3.0-only
/*
 * print: the output of a verb.
 */
#include "verbs/print.h"

#include "base/fd.h"
#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_BYTES (1 * MIB)

int print_text(char *text, struct error *error)
{
    int r = text ? fd_write_all(STDOUT_FILENO, text, strlen(text)) : -ENOMEM;

    free(text);
    return r < 0 ? error_set(error, -r, "standard output: %s", strerror(-r)) : 0;
}

void print_line(struct buf *out, const char *fmt, ...)
{
    struct buf line CLEANUP(buf_free);
    va_list args;

    buf_init(&line, LINE_MAX_BYTES);
    va_start(args, fmt);
    buf_vprintf(&line, fmt, args);
    va_end(args);
    log_escape(out, (const char *)line.data, line.len);
    buf_append_byte(out, '\n');
}
