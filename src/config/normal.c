// SPDX-License-Identifier: GPL-3.0-only
/*
 * normal: paths of a layer in one form.
 *
 * A map is written again with the escapes that map_text knows, so that it can be split once more.
 */
#include "config/normal.h"

#include "base/path.h"
#include "config/map_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char no_home[] = "there is no HOME that '~' could stand for: write the whole path";
static const char empty_side[] = "a path is empty: write PATH or SRC:DST";

static char *expand(const char *path, const struct normal_place *place, const char **fault)
{
    bool wants_home = path[0] == '~' && (path[1] == '\0' || path[1] == '/');

    if (wants_home && !place->home) {
        *fault = no_home;
        return NULL;
    }
    return path_expand_home(path, place->home);
}

static char *make_absolute(const char *path, const struct normal_place *place, const char **fault)
{
    _cleanup_free_ char *expanded = expand(path, place, fault);
    _cleanup_free_ char *joined = expanded ? path_join(place->cwd, expanded) : NULL;

    return joined ? path_clean(joined) : NULL;
}

static char *escape_side(const char *path)
{
    char *escaped = xcalloc(2 * strlen(path) + 1, 1);
    size_t len = 0;

    for (; *path; path++) {
        if (*path == ':' || *path == '\\')
            escaped[len++] = '\\';
        escaped[len++] = *path;
    }
    return escaped;
}

static char *normal_side(const char *side, const struct normal_place *place, const char **fault)
{
    _cleanup_free_ char *path = make_absolute(side, place, fault);

    return path ? escape_side(path) : NULL;
}

static char *normal_map(const char *entry, const struct normal_place *place, const char **fault)
{
    _cleanup_free_ char *from = NULL;
    _cleanup_free_ char *to = NULL;
    _cleanup_free_ char *source = NULL;
    _cleanup_free_ char *dest = NULL;

    if (map_text_split(entry, &from, &to) < 0) {
        *fault = empty_side;
        return NULL;
    }
    source = normal_side(from, place, fault);
    if (!source || !to)
        return steal_ptr(&source);
    dest = normal_side(to, place, fault);
    return dest ? xasprintf("%s:%s", source, dest) : NULL;
}

char *normal_entry(const struct setting *row, const char *entry, const struct normal_place *place,
                   const char **fault)
{
    switch (row->paths) {
    case PATHS_NONE:
        return xstrdup(entry);
    case PATHS_TILDE:
        return expand(entry, place, fault);
    case PATHS_ABSOLUTE:
        return make_absolute(entry, place, fault);
    case PATHS_MAP:
        return normal_map(entry, place, fault);
    }
    return NULL;
}

static bool is_duplicate(const struct strv *list, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (str_eq(list->v[i], list->v[index]))
            return true;
    return false;
}

static int normal_list(struct config *layer, const struct setting *row,
                       const struct normal_place *place, struct error *error)
{
    struct strv *list = &layer->values[row->id].list;

    for (size_t i = 0; i < list->n;) {
        const char *fault = NULL;
        char *entry = normal_entry(row, list->v[i], place, &fault);

        if (!entry) {
            _cleanup_free_ char *where = config_entry_spelling(layer, row->id, i);

            return error_set(error, EINVAL, "%s: %s", where, fault);
        }
        free(list->v[i]);
        list->v[i] = entry;
        if (row->merge == MERGE_APPEND && is_duplicate(list, i))
            config_drop(layer, row->id, i);
        else
            i++;
    }
    return 0;
}

int normal_layer(struct config *layer, const struct normal_place *place, struct error *error)
{
    for (size_t i = 0; i < SET_COUNT; i++) {
        int r =
            settings[i].paths == PATHS_NONE ? 0 : normal_list(layer, &settings[i], place, error);

        if (r < 0)
            return r;
    }
    return 0;
}
