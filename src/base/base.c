// SPDX-License-Identifier: GPL-3.0-only
/*
 * base: cleanup handlers and allocation that cannot fail.
 */
#include "base/base.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cleanup_free(void *pointer_to_pointer)
{
    free(steal_ptr_raw(pointer_to_pointer));
}

void cleanup_fclose(void *pointer_to_file)
{
    FILE *file = steal_ptr_raw(pointer_to_file);

    if (file)
        fclose(file);
}

void cleanup_close(const int *fd)
{
    if (*fd >= 0) {
        int saved = errno;

        close(*fd);
        errno = saved;
    }
}

static _Noreturn void out_of_memory(void)
{
    static const char text[] = "error: out of memory\n";

    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(125);
}

void *xcalloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);

    if (!memory)
        out_of_memory();
    return memory;
}

void *xrealloc(void *old, size_t count, size_t size)
{
    size_t bytes = 0;
    void *memory = NULL;

    /* reallocarray(3) is not everywhere */
    if (!__builtin_mul_overflow(count ? count : 1, size ? size : 1, &bytes))
        memory = realloc(old, bytes);

    if (!memory)
        out_of_memory();
    return memory;
}

char *xstrdup(const char *text)
{
    char *copy = strdup(text);

    if (!copy)
        out_of_memory();
    return copy;
}

char *xstrndup(const char *text, size_t max)
{
    char *copy = strndup(text, max);

    if (!copy)
        out_of_memory();
    return copy;
}

char *xasprintf(const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    int length;

    va_start(args, fmt);
    length = vasprintf(&text, fmt, args);
    va_end(args);
    if (length < 0)
        out_of_memory();
    return text;
}

const void *mem_last(const void *bytes, int c, size_t len)
{
    const unsigned char *from = bytes;

    while (len-- > 0)
        if (from[len] == (unsigned char)c)
            return from + len;
    return NULL;
}
