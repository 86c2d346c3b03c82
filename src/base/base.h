// SPDX-License-Identifier: GPL-3.0-only
/*
 * base: the handful of macros that every file may use.
 *
 * Ownership of locals is written down with _cleanup_*_ attributes: the value is released when the
 * variable leaves its scope, unless it was handed on with steal_ptr() or steal_fd().
 */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(array)       (sizeof(array) / sizeof((array)[0]))
#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))
#define MUST_CHECK              __attribute__((warn_unused_result))
#define CLEANUP(fn)             __attribute__((cleanup(fn)))

#define KIB (1024ULL)
#define MIB (1024ULL * KIB)
#define GIB (1024ULL * MIB)

/* free() for a pointer variable of any type; for CLEANUP(). */
void cleanup_free(void *pointer_to_pointer);

/* fclose() for a FILE * variable that may be NULL; for CLEANUP(). */
void cleanup_fclose(void *pointer_to_file);

/* close() for an int variable that may be negative; for CLEANUP(). errno is kept. */
void cleanup_close(const int *fd);

#define _cleanup_free_   CLEANUP(cleanup_free)
#define _cleanup_fclose_ CLEANUP(cleanup_fclose)
#define _cleanup_close_  CLEANUP(cleanup_close)

/* Returns *fd and leaves -1 behind, so that a _cleanup_close_ variable gives up its descriptor. */
static inline int steal_fd(int *fd)
{
    int taken = *fd;

    *fd = -1;
    return taken;
}

static inline void *steal_ptr_raw(void *pointer_to_pointer)
{
    void **slot = (void **)pointer_to_pointer;
    void *taken = *slot;

    *slot = NULL;
    return taken;
}

/* The same for a pointer. */
#define steal_ptr(slot) ((__typeof__(*(slot)))steal_ptr_raw(slot))

/* Memory is small and bounded everywhere, so running out of it ends the process (exit 125, one line
 * on stderr). These never return NULL. */
void *xcalloc(size_t count, size_t size) MUST_CHECK;
void *xrealloc(void *old, size_t count, size_t size) MUST_CHECK;
char *xstrdup(const char *text) MUST_CHECK;
char *xstrndup(const char *text, size_t max) MUST_CHECK;
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2) MUST_CHECK;

/* The last byte c of the first len, or NULL: memrchr(3), which is not everywhere. */
const void *mem_last(const void *bytes, int c, size_t len);

static inline bool str_eq(const char *a, const char *b)
{
    return a == b || (a && b && __builtin_strcmp(a, b) == 0);
}

static inline bool str_starts(const char *text, const char *prefix)
{
    return __builtin_strncmp(text, prefix, __builtin_strlen(prefix)) == 0;
}
