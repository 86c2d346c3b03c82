// SPDX-License-Identifier: GPL-3.0-only
/*
 * trust_maps: maps of an untrusted project file, each as a pair of source and destination.
 *
 * A pair may stay if the kernel finds both ends in the project, or is dropped as already there if
 * the baseline has the same pair. What is writable may not touch a read-only destination of the
 * baseline: mounted later, it would open it.
 */
#include "config/trust_maps.h"

#include "base/path.h"
#include "config/inside.h"
#include "config/map_text.h"

#include <limits.h>
#include <stdlib.h>

struct pair {
    char *source;
    char *dest;
};

struct pairs {
    struct pair *v;
    size_t n;
};

struct trust_maps {
    struct inside inside;
    enum setting_id id;
    bool is_writable;
    struct pairs known;     /* of the same key in the baseline */
    struct pairs read_only; /* in the baseline */
};

/* The entry's two sides; the destination of a plain path is itself. False: no map at all. */
static bool split(const char *entry, enum setting_id id, struct pair *pair)
{
    *pair = (struct pair){0};
    if (settings[id].paths != PATHS_MAP)
        pair->source = xstrdup(entry);
    else if (map_text_split(entry, &pair->source, &pair->dest) < 0)
        return false;
    if (!pair->dest)
        pair->dest = xstrdup(pair->source);
    return true;
}

static void pair_free(struct pair *pair)
{
    free(pair->source);
    free(pair->dest);
}

/* Canonical where that can be found out, else as it is. */
static void canonicalize(char **path)
{
    char *canonical = realpath(*path, NULL);

    if (canonical) {
        free(*path);
        *path = canonical;
    }
}

static void resolve_all(struct pairs *pairs, const struct config *baseline, enum setting_id id)
{
    const struct strv *entries = config_list(baseline, id);

    pairs->v = xcalloc(entries->n, sizeof(*pairs->v));
    for (size_t i = 0; i < entries->n; i++) {
        struct pair *pair = &pairs->v[pairs->n];

        if (!split(entries->v[i], id, pair))
            continue;
        canonicalize(&pair->source);
        canonicalize(&pair->dest);
        pairs->n++;
    }
}

static void pairs_free(struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++)
        pair_free(&pairs->v[i]);
    free(pairs->v);
}

struct trust_maps *trust_maps_new(const struct config *baseline, enum setting_id id,
                                  const char *project)
{
    struct trust_maps *maps = xcalloc(1, sizeof(*maps));

    inside_init(&maps->inside, project);
    maps->id = id;
    maps->is_writable = id != SET_RO_MAPS;
    resolve_all(&maps->known, baseline, id);
    resolve_all(&maps->read_only, baseline, SET_RO_MAPS);
    return maps;
}

void trust_maps_free(struct trust_maps *maps)
{
    inside_free(&maps->inside);
    pairs_free(&maps->known);
    pairs_free(&maps->read_only);
    free(maps);
}

static bool is_known(const struct trust_maps *maps, const struct pair *pair)
{
    _cleanup_free_ char *source = xstrdup(pair->source);
    _cleanup_free_ char *dest = xstrdup(pair->dest);

    if (maps->known.n == 0)
        return false;
    canonicalize(&source);
    canonicalize(&dest);
    for (size_t i = 0; i < maps->known.n; i++)
        if (str_eq(maps->known.v[i].source, source) && str_eq(maps->known.v[i].dest, dest))
            return true;
    return false;
}

static bool overlaps_read_only(const struct trust_maps *maps, const char *dest)
{
    for (size_t i = 0; i < maps->read_only.n; i++) {
        const char *taken = maps->read_only.v[i].dest;

        if (path_is_within(dest, taken) || path_is_within(taken, dest))
            return true;
    }
    return false;
}

enum map_verdict trust_maps_judge(struct trust_maps *maps, const char *entry, const char **why)
{
    struct pair pair CLEANUP(pair_free);
    _cleanup_free_ char *dest = NULL;

    *why = "it is no map";
    if (!split(entry, maps->id, &pair))
        return MAP_REFUSED;
    if (is_known(maps, &pair))
        return MAP_KNOWN;
    *why = "a project file can only map what is inside the project";
    if (!inside_resolve(&maps->inside, pair.source, NULL) ||
        !inside_resolve(&maps->inside, pair.dest, &dest))
        return MAP_REFUSED;
    *why = "it would be writable where a read-only map is";
    if (maps->is_writable && overlaps_read_only(maps, dest))
        return MAP_REFUSED;
    return MAP_KEPT;
}
