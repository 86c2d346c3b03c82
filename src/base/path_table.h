// SPDX-License-Identifier: GPL-3.0-only
/*
 * path_table: a hash table from paths to small numbers, and the prefixes of a path.
 *
 * Names in a project are chosen by others, so the hash has a secret base (of the process): nobody
 * can prepare names that fall onto one another. What a table holds never depends on that base, and
 * nothing can be enumerated, so no output does either.
 */
#pragma once

#include "base/base.h"

#define PATH_TABLE_NONE UINT32_MAX

struct path_slot {
    const char *key; /* borrowed; NULL: free */
    uint64_t hash;
    uint32_t value;
};

struct path_table {
    struct path_slot *v;
    size_t n;
    size_t cap; /* 0 or a power of two */
};

void path_table_free(struct path_table *table);
/* Forgets all keys. */
void path_table_clear(struct path_table *table);

/* The value of key, PATH_TABLE_NONE if the key is new. The key is borrowed: it must stay as it is
 * until the table is cleared or freed. The pointer is valid until the next call. */
uint32_t *path_table_put(struct path_table *table, const char *key);
/* The value of key, PATH_TABLE_NONE if it is not there. */
uint32_t path_table_get(const struct path_table *table, const char *key);

/* The prefixes of a cleaned absolute path by whole components, "/" first, the path itself last. */
struct path_prefix {
    const char *path;
    size_t len; /* of this prefix, 0 before the first */
    uint64_t hash;
};

/* Steps to the next prefix; false behind the last. */
bool path_prefix_next(struct path_prefix *prefix);
/* True if the prefix is the whole path. */
static inline bool path_prefix_is_whole(const struct path_prefix *prefix)
{
    return prefix->path[prefix->len] == '\0';
}
/* The value of the prefix as a key. */
uint32_t path_table_get_prefix(const struct path_table *table, const struct path_prefix *prefix);
