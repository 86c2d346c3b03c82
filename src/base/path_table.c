// SPDX-License-Identifier: GPL-3.0-only
/*
 * path_table: open addressing with linear probing, at most half full.
 *
 * The hash is the polynomial of the bytes modulo 2^61 - 1 at a random point. Two texts of n bytes
 * meet with a chance of n / 2^61, whoever chose them, and the hash of every prefix is a by-product
 * of that of the whole.
 */
#include "base/path_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define PRIME ((1ULL << 61) - 1)

/* The point: below PRIME, drawn once. */
static uint64_t point(void)
{
    static uint64_t drawn;

    if (!drawn) {
        uint64_t bits = 0;

        /* Without a random number the table still works, only an adversary could slow it. */
        if (getrandom(&bits, sizeof(bits), GRND_NONBLOCK) != (ssize_t)sizeof(bits))
            bits = (uintptr_t)&drawn * 0x9E3779B97F4A7C15ULL;
        drawn = bits % (PRIME - (1 << 20)) + (1 << 20);
    }
    return drawn;
}

static uint64_t hash_more(uint64_t hash, const char *bytes, size_t len)
{
    uint64_t at = point();

    for (size_t i = 0; i < len; i++) {
        unsigned __int128 product = (unsigned __int128)hash * at + (uint8_t)bytes[i] + 1;
        uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);

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

uint32_t *path_table_put(struct path_table *table, const char *key)
{
    size_t len = strlen(key);
    uint64_t hash = hash_more(0, key, len);
    struct path_slot *slot;

    if (table->n * 2 >= table->cap)
        grow(table);
    slot = probe(table, key, len, hash);
    if (!slot->key) {
        *slot = (struct path_slot){.key = key, .hash = hash, .value = PATH_TABLE_NONE};
        table->n++;
    }
    return &slot->value;
}

static uint32_t get(const struct path_table *table, const char *key, size_t len, uint64_t hash)
{
    const struct path_slot *slot;

    if (!table->n)
        return PATH_TABLE_NONE;
    slot = probe(table, key, len, hash);
    return slot->key ? slot->value : PATH_TABLE_NONE;
}

uint32_t path_table_get(const struct path_table *table, const char *key)
{
    size_t len = strlen(key);

    return get(table, key, len, hash_more(0, key, len));
}

bool path_prefix_next(struct path_prefix *prefix)
{
    const char *from = prefix->path + prefix->len;
    size_t more;

    if (prefix->len == 0)
        more = 1;
    else if (*from == '\0')
        return false;
    else
        more = (*from == '/') + strcspn(from + (*from == '/'), "/");
    prefix->hash = hash_more(prefix->hash, from, more);
    prefix->len += more;
    return true;
}

uint32_t path_table_get_prefix(const struct path_table *table, const struct path_prefix *prefix)
{
    return get(table, prefix->path, prefix->len, prefix->hash);
}
