// SPDX-License-Identifier: GPL-3.0-only
/*
 * error: one reason for one failure.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *error, int code, const char *fmt, ...)
{
    va_list args;

    assert(code > 0);
    if (error) {
        error->code = code;
        va_start(args, fmt);
        vsnprintf(error->text, sizeof(error->text), fmt, args);
        va_end(args);
    }
    return -code;
}

int error_wrap(struct error *error, const char *fmt, ...)
{
    char prefix[256];
    char old[sizeof(error->text)];
    va_list args;

    if (!error)
        return -EIO;
    va_start(args, fmt);
    vsnprintf(prefix, sizeof(prefix), fmt, args);
    va_end(args);
    memcpy(old, error->text, sizeof(old));
    snprintf(error->text, sizeof(error->text), "%.*s: %.*s", 250, prefix, 500, old);
    return -error->code;
}
