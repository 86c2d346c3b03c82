// SPDX-License-Identifier: GPL-3.0-only
/*
 * fs_cache: remembers what stat and readlink said.
 *
 * A table for each question, from the path to the number of the answer. They only grow: planning asks
 * about some hundred paths, and about each one that is masked. What is known not to be a link need not
 * be asked about a second time to follow it. Contents, listings and what lies beneath a directory are
 * passed through.
 */
#include "base/fs_cache.h"

#include "base/path_table.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum question { ASK_STAT, ASK_LSTAT, ASK_LINK, QUESTION_COUNT };

struct answer {
    ssize_t result;
    struct fs_stat st; /* ASK_STAT, ASK_LSTAT */
    char *target;      /* ASK_LINK, NULL on failure */
    char path[];
};

struct fs_cache {
    const struct fs *below;
    struct fs fs;
    struct path_table by_path[QUESTION_COUNT];
    struct answer **v;
    uint32_t n;
    uint32_t cap;
};

static struct answer *find(const struct fs_cache *cache, const char *path, enum question question)
{
    uint32_t number = path_table_get(&cache->by_path[question], path);

    return number == PATH_TABLE_NONE ? NULL : cache->v[number];
}

static struct answer *add(struct fs_cache *cache, const char *path, enum question question)
{
    size_t size = strlen(path) + 1;
    struct answer *answer = xcalloc(1, sizeof(*answer) + size);

    memcpy(answer->path, path, size);
    if (cache->n == cache->cap) {
        cache->cap = cache->cap ? cache->cap * 2 : 256;
        cache->v = xrealloc(cache->v, cache->cap, sizeof(struct answer *));
    }
    cache->v[cache->n] = answer;
    *path_table_put(&cache->by_path[question], answer->path) = cache->n++;
    return answer;
}

static int cached_stat(void *ctx, const char *path, bool follow, struct fs_stat *out)
{
    struct fs_cache *cache = ctx;
    struct answer *answer = find(cache, path, ASK_LSTAT);

    if (follow && (!answer || (answer->result == 0 && answer->st.type == FS_LINK)))
        answer = find(cache, path, ASK_STAT);
    if (!answer) {
        answer = add(cache, path, follow ? ASK_STAT : ASK_LSTAT);
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

static int passed_look(void *ctx, const char *path,
                       int (*each)(void *arg, const char *name, const struct fs_stat *st),
                       void *arg)
{
    const struct fs_cache *cache = ctx;

    return fs_look(cache->below, path, each, arg);
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
        .look = passed_look,
        .stat_beneath = passed_stat_beneath,
    };
    return cache;
}

void fs_cache_forget(struct fs_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < QUESTION_COUNT; i++)
        path_table_free(&cache->by_path[i]);
    for (uint32_t i = 0; i < cache->n; i++) {
        free(cache->v[i]->target);
        free(cache->v[i]);
    }
    free(cache->v);
    cache->v = NULL;
    cache->n = cache->cap = 0;
}

void fs_cache_free(struct fs_cache *cache)
{
    fs_cache_forget(cache);
    free(cache);
}

const struct fs *fs_cache_fs(const struct fs_cache *cache)
{
    return &cache->fs;
}
