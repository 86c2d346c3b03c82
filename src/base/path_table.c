// SPDX-License-Identifier: GPL-3.0-only
/*
 * path_table: open addressing with linear probing, at most half full.
 *
 * The hash is a polynomial modulo 2^61 - 1 at a random point; each coefficient is a group of up to
 * seven bytes. Two texts of n bytes meet with a chance below n / 2^61, whoever chose them. Groups
 * end where components do, so the hash of every prefix is a by-product of that of the whole.
 */
#include "base/path_table.h"

#include "base/os.h"

#include <stdlib.h>
#include <string.h>

#define PRIME     ((1ULL << 61) - 1)
#define GROUP_MAX 7 /* bytes; with the one in front below PRIME */

/* The point: below PRIME, drawn once. */
static uint64_t point(void)
{
    static uint64_t drawn;

    if (!drawn) {
        uint64_t bits = 0;

        /* Without a random number the table still works, only an adversary could slow it. */
        if (os_random(&bits, sizeof(bits)) < 0)
            bits = (uintptr_t)&drawn * 0x9E3779B97F4A7C15ULL;
        drawn = bits % (PRIME - (1 << 20)) + (1 << 20);
    }
    return drawn;
}

/* A group of bytes with a one in front of it, which tells how many there are: below 2^57. */
static uint64_t group_of(const char *bytes, size_t len)
{
    uint64_t group = 1;

    for (size_t i = 0; i < len; i++)
        group = group << 8 | (uint8_t)bytes[i];
    return group;
}

static uint64_t hash_more(uint64_t hash, const char *bytes, size_t len)
{
    uint64_t at = point();

    for (size_t n; len; bytes += n, len -= n) {
        unsigned __int128 product;
        uint64_t sum;

        n = len < GROUP_MAX ? len : GROUP_MAX;
        product = (unsigned __int128)hash * at + group_of(bytes, n);
        sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);
        hash = sum >= PRIME ? sum - PRIME : sum;
    }
    return hash;
}

void path_table_free(struct path_table *table)
{
    free(table->v);
    *table = (struct path_table){0};
}

void path_table_clear(struct path_table *table)
{
    if (table->n)
        memset(table->v, 0, table->cap * sizeof(*table->v));
    table->n = 0;
}

/* The slot of the key, or the free one where it belongs. */
static struct path_slot *probe(const struct path_table *table, const char *key, size_t len,
                               uint64_t hash)
{
    size_t at = (hash ^ hash >> 32) & (table->cap - 1);

    while (table->v[at].key &&
           (table->v[at].hash != hash || strncmp(table->v[at].key, key, len) != 0 ||
            table->v[at].key[len] != '\0'))
        at = (at + 1) & (table->cap - 1);
    return &table->v[at];
}

static void grow(struct path_table *table)
{
    struct path_table larger = {.n = table->n, .cap = table->cap ? table->cap * 2 : 64};

    larger.v = xcalloc(larger.cap, sizeof(*larger.v));
    for (size_t i = 0; i < table->cap; i++)
        if (table->v[i].key)
            *probe(&larger, table->v[i].key, strlen(table->v[i].key), table->v[i].hash) =
                table->v[i];
    free(table->v);
    *table = larger;
}

bool path_prefix_next(struct path_prefix *prefix)
{
    const char *from = prefix->path + prefix->len;
    size_t more;

    if (*from == '\0')
        return false;
    if (prefix->len == 0)
        more = 1;
    else
        more = (*from == '/') + strcspn(from + (*from == '/'), "/");
    prefix->hash = hash_more(prefix->hash, from, more);
    prefix->len += more;
    return true;
}

/* All of key, cut into the same groups as its prefixes. */
static struct path_prefix whole(const char *key)
{
    struct path_prefix prefix = {.path = key};

    while (path_prefix_next(&prefix))
        ;
    return prefix;
}

uint32_t *path_table_put(struct path_table *table, const char *key)
{
    struct path_prefix prefix = whole(key);
    struct path_slot *slot;

    if (table->n * 2 >= table->cap)
        grow(table);
    slot = probe(table, key, prefix.len, prefix.hash);
    if (!slot->key) {
        *slot = (struct path_slot){.key = key, .hash = prefix.hash, .value = PATH_TABLE_NONE};
        table->n++;
    }
    return &slot->value;
}

uint32_t path_table_get_prefix(const struct path_table *table, const struct path_prefix *prefix)
{
    const struct path_slot *slot;

    if (!table->n)
        return PATH_TABLE_NONE;
    slot = probe(table, prefix->path, prefix->len, prefix->hash);
    return slot->key ? slot->value : PATH_TABLE_NONE;
}

uint32_t path_table_get(const struct path_table *table, const char *key)
{
    struct path_prefix prefix = whole(key);

    return path_table_get_prefix(table, &prefix);
}
