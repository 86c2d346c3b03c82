// SPDX-License-Identifier: GPL-3.0-only
/*
 * fs_cache: remembers what stat and readlink said.
 *
 * A hash table of answers, chained, keyed by the path and the question. It only grows; planning asks
 * about some hundred paths. Contents, listings and what lies beneath a directory are passed through.
 */
#include "base/fs_cache.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 512 /* a power of two */

enum question { ASK_STAT, ASK_LSTAT, ASK_LINK };

struct answer {
    struct answer *next;
    enum question question;
    ssize_t result;
    struct fs_stat st; /* ASK_STAT, ASK_LSTAT */
    char *target;      /* ASK_LINK, NULL on failure */
    char path[];
};

struct fs_cache {
    const struct fs *below;
    struct fs fs;
    struct answer *buckets[BUCKETS];
};

/* FNV-1a. */
static size_t bucket_of(const char *path, enum question question)
{
    uint32_t hash = 2166136261U ^ (uint32_t)question;

    for (; *path; path++)
        hash = (hash ^ (uint8_t)*path) * 16777619U;
    return hash & (BUCKETS - 1);
}

static struct answer *find(const struct fs_cache *cache, const char *path, enum question question)
{
    struct answer *answer = cache->buckets[bucket_of(path, question)];

    while (answer && (answer->question != question || strcmp(answer->path, path) != 0))
        answer = answer->next;
    return answer;
}

static struct answer *add(struct fs_cache *cache, const char *path, enum question question)
{
    struct answer **bucket = &cache->buckets[bucket_of(path, question)];
    size_t size = strlen(path) + 1;
    struct answer *answer = xcalloc(1, sizeof(*answer) + size);

    answer->question = question;
    memcpy(answer->path, path, size);
    answer->next = *bucket;
    *bucket = answer;
    return answer;
}

static int cached_stat(void *ctx, const char *path, bool follow, struct fs_stat *out)
{
    struct fs_cache *cache = ctx;
    enum question question = follow ? ASK_STAT : ASK_LSTAT;
    struct answer *answer = find(cache, path, question);

    if (!answer) {
        answer = add(cache, path, question);
        answer->result = fs_stat(cache->below, path, follow, &answer->st);
    }
    if (answer->result == 0)
        *out = answer->st;
    return (int)answer->result;
}

static ssize_t cached_readlink(void *ctx, const char *path, char *target, size_t size)
{
    struct fs_cache *cache = ctx;
    struct answer *answer = find(cache, path, ASK_LINK);

    if (!answer) {
        char text[PATH_MAX];

        answer = add(cache, path, ASK_LINK);
        answer->result = cache->below->readlink(cache->below->ctx, path, text, sizeof(text));
        if (answer->result >= 0)
            answer->target = xstrdup(text);
    }
    if (answer->result < 0)
        return answer->result;
    if ((size_t)answer->result >= size)
        return -ENAMETOOLONG;
    memcpy(target, answer->target, (size_t)answer->result + 1);
    return answer->result;
}

static ssize_t passed_read_head(void *ctx, const char *path, void *bytes, size_t size)
{
    const struct fs_cache *cache = ctx;

    return cache->below->read_head(cache->below->ctx, path, bytes, size);
}

static int passed_list(void *ctx, const char *path, int (*each)(void *arg, const char *name),
                       void *arg)
{
    const struct fs_cache *cache = ctx;

    return cache->below->list(cache->below->ctx, path, each, arg);
}

static int passed_stat_beneath(void *ctx, const char *dir, const char *rest, struct fs_stat *out)
{
    const struct fs_cache *cache = ctx;

    return fs_stat_beneath(cache->below, dir, rest, out);
}

static int passed_scan(void *ctx, const char *path,
                       int (*each)(void *arg, const char *name, enum fs_type type), void *arg)
{
    const struct fs_cache *cache = ctx;

    return fs_scan(cache->below, path, each, arg);
}

struct fs_cache *fs_cache_new(const struct fs *below)
{
    struct fs_cache *cache = xcalloc(1, sizeof(*cache));

    cache->below = below;
    cache->fs = (struct fs){
        .ctx = cache,
        .stat = cached_stat,
        .readlink = cached_readlink,
        .read_head = passed_read_head,
        .list = passed_list,
        .scan = passed_scan,
        .stat_beneath = passed_stat_beneath,
    };
    return cache;
}

void fs_cache_free(struct fs_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < BUCKETS; i++) {
        while (cache->buckets[i]) {
            struct answer *answer = cache->buckets[i];

            cache->buckets[i] = answer->next;
            free(answer->target);
            free(answer);
        }
    }
    free(cache);
}

const struct fs *fs_cache_fs(const struct fs_cache *cache)
{
    return &cache->fs;
}
