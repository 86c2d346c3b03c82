// SPDX-License-Identifier: GPL-3.0-only
/*
 * trust_maps: which maps an untrusted project file may ask for.
 */
#pragma once

#include "config/config.h"

struct trust_maps;

enum map_verdict {
    MAP_KEPT,    /* source and destination are in the project */
    MAP_KNOWN,   /* the baseline has it: nothing to add */
    MAP_REFUSED, /* *why: static text */
};

/* For the entries of one key. project is canonical and, with baseline, outlives the result. */
struct trust_maps *trust_maps_new(const struct config *baseline, enum setting_id id,
                                  const char *project);
void trust_maps_free(struct trust_maps *maps);

/*
 * entry: as the layer has it, its paths absolute. What is kept here is in the project now; the
 * planner examines it again in the walk whose result is mounted (maps.c).
 */
enum map_verdict trust_maps_judge(struct trust_maps *maps, const char *entry, const char **why);
