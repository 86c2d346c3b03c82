// SPDX-License-Identifier: GPL-3.0-only
/*
 * maps: directories and files of the host that the user adds to the jail.
 *
 * Each entry is parsed, made absolute against the start directory, resolved once, and checked
 * against the places that must not be covered and against the other maps. The bind goes to the
 * canonical path and the links on the way are made again.
 */
#include "policy/maps.h"

#include "base/path.h"
#include "policy/project.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct map {
    const char *text; /* borrowed from the configuration */
    const char *flag;
    bool writable;
    char *source;  /* canonical */
    char *dest;    /* cleaned */
    char *spelled; /* source as spelled, absolute; only when DST was not given */
    bool skip;
};

struct map_list {
    struct map *v;
    size_t n;
};

static void map_list_free(struct map_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->v[i].source);
        free(list->v[i].dest);
        free(list->v[i].spelled);
    }
    free(list->v);
    *list = (struct map_list){0};
}

int maps_split(const char *text, char **source, char **dest)
{
    struct buf parts[2] = {{0}, {0}};
    int which = 0;
    int r = 0;

    *source = NULL;
    *dest = NULL;
    buf_init(&parts[0], 64 * KIB);
    buf_init(&parts[1], 64 * KIB);
    for (const char *at = text; *at; at++) {
        if (*at == '\\' && (at[1] == ':' || at[1] == '\\'))
            buf_append_byte(&parts[which], (uint8_t) * ++at);
        else if (*at == ':' && which == 0)
            which = 1;
        else
            buf_append_byte(&parts[which], (uint8_t)*at);
    }
    if (parts[0].len == 0 || (which == 1 && parts[1].len == 0)) {
        r = -EINVAL;
    } else {
        *source = buf_take_cstr(&parts[0]);
        if (which == 1)
            *dest = buf_take_cstr(&parts[1]);
    }
    buf_free(&parts[0]);
    buf_free(&parts[1]);
    return r;
}

/* Not cleaned: "link/.." is not the directory that holds the link. */
static char *absolute(const char *path, const struct host *host)
{
    _cleanup_free_ char *expanded = path_expand_home(path, host->home);

    return path_join(host->cwd, expanded);
}

static const char *refused_dest(const char *dest)
{
    static const char *const trees[] = {"/proc", "/dev", "/sys"};
    static const char *const exact[] = {
        "/",      "/usr",   "/etc",    "/bin", "/sbin", "/lib",
        "/lib32", "/lib64", "/libx32", "/run", "/tmp",  "/var",
    };

    for (size_t i = 0; i < ARRAY_SIZE(trees); i++)
        if (path_is_within(dest, trees[i]))
            return trees[i];
    for (size_t i = 0; i < ARRAY_SIZE(exact); i++)
        if (str_eq(dest, exact[i]))
            return exact[i];
    return NULL;
}

static bool is_our_own(const struct host *host, const char *source)
{
    _cleanup_strv_ struct strv own = {0};

    project_own_dirs(host, &own);
    for (size_t i = 0; i < own.n; i++)
        if (path_is_within(source, own.v[i]))
            return true;
    return false;
}

static int read_map(struct map *map, const struct host *host, struct notes *notes,
                    struct error *error)
{
    _cleanup_free_ char *source = NULL;
    _cleanup_free_ char *dest = NULL;
    _cleanup_free_ char *spelled = NULL;
    const char *refused;
    int r;

    if (maps_split(map->text, &source, &dest) < 0)
        return error_set(error, EINVAL, "--%s %s: empty path; write PATH or SRC:DST", map->flag,
                         map->text);
    spelled = absolute(source, host);
    r = fs_resolve(host->fs, spelled, &map->source, NULL, NULL);
    if (r < 0) {
        notes_add(notes, NOTE_WARNING, "--%s %s is skipped: %s", map->flag, map->text,
                  strerror(-r));
        map->skip = true;
        return 0;
    }
    if (str_eq(map->source, "/"))
        return error_set(error, EINVAL, "--%s %s: / cannot be mapped; name a directory below it",
                         map->flag, map->text);
    /* It would show the memory and the files of every process of yours. */
    if (path_is_within(map->source, "/proc"))
        return error_set(error, EINVAL, "--%s %s: the host's /proc cannot be mapped", map->flag,
                         map->text);
    if (is_our_own(host, map->source)) {
        notes_add(notes, NOTE_SECURITY, "--%s %s is refused: ai-jail's own files are never shown",
                  map->flag, map->text);
        map->skip = true;
        return 0;
    }
    if (dest) {
        _cleanup_free_ char *joined = absolute(dest, host);

        map->dest = path_clean(joined);
    } else {
        map->dest = xstrdup(map->source);
        map->spelled = steal_ptr(&spelled);
    }
    refused = refused_dest(map->dest);
    if (refused)
        return error_set(error, EINVAL,
                         "--%s %s: a map cannot replace %s; choose another destination (SRC:DST)",
                         map->flag, map->text, refused);
    if (path_is_within(host->home, map->source))
        notes_add(notes, NOTE_SECURITY, "--%s %s shows your whole home directory to the command",
                  map->flag, map->text);
    return 0;
}

/* A writable map may not touch a read-only one: it would open it. */
static void refuse_overlaps(struct map_list *list, struct notes *notes)
{
    for (size_t i = 0; i < list->n; i++) {
        struct map *rw = &list->v[i];

        if (rw->skip || !rw->writable)
            continue;
        for (size_t j = 0; j < list->n && !rw->skip; j++) {
            const struct map *ro = &list->v[j];

            if (ro->skip || ro->writable)
                continue;
            if (path_is_within(rw->dest, ro->dest) || path_is_within(ro->dest, rw->dest)) {
                notes_add(notes, NOTE_SECURITY,
                          "--%s %s is refused: it overlaps the read-only map %s", rw->flag,
                          rw->text, ro->text);
                rw->skip = true;
            }
        }
    }
}

struct link_adder {
    struct plan *plan;
    const struct fs *fs;
    enum plan_group group;
    const char *origin;
};

static void add_link(void *arg, const char *link, const char *target)
{
    struct link_adder *adder = arg;
    struct plan_view view = plan_look(adder->plan, link);
    bool shown = view.host_path && str_eq(view.host_path, link);
    bool taken = view.entry && str_eq(view.entry->dest, link);

    free(view.host_path);
    if (!shown && !taken)
        plan_add(adder->plan, adder->group, PLAN_SYMLINK, link, adder->origin)->target =
            xstrdup(target);
}

void maps_add_links(struct plan *plan, const struct fs *fs, enum plan_group group, const char *path,
                    const char *origin)
{
    struct link_adder adder = {.plan = plan, .fs = fs, .group = group, .origin = origin};
    _cleanup_free_ char *canonical = NULL;

    fs_resolve(fs, path, &canonical, add_link, &adder);
}

static void add_map(struct plan *plan, const struct map *map, const struct host *host,
                    const char *project, struct notes *notes)
{
    _cleanup_free_ char *origin = xasprintf("--%s %s", map->flag, map->text);
    enum plan_group group =
        path_is_below(map->dest, project) ? GROUP_MAPS_INSIDE : GROUP_MAPS_OUTSIDE;

    if (!plan_add_bind(plan, host->fs, group, map->writable ? PLAN_RW : PLAN_RO, map->source,
                       map->dest, origin)) {
        notes_add(notes, NOTE_WARNING, "%s is skipped: it has just gone", origin);
        return;
    }
    if (map->spelled)
        maps_add_links(plan, host->fs, group, map->spelled, origin);
}

int maps_add(struct plan *plan, const struct config *config, const struct host *host,
             const char *project, struct notes *notes, struct error *error)
{
    static const enum setting_id ids[] = {SET_RO_MAPS, SET_RW_MAPS};
    struct map_list list CLEANUP(map_list_free) = {0};
    int r;

    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        const struct strv *entries = config_list(config, ids[i]);

        for (size_t j = 0; j < entries->n; j++) {
            list.v = xrealloc(list.v, list.n + 1, sizeof(*list.v));
            list.v[list.n++] = (struct map){
                .text = entries->v[j],
                .flag = settings[ids[i]].flag,
                .writable = ids[i] == SET_RW_MAPS,
            };
            r = read_map(&list.v[list.n - 1], host, notes, error);
            if (r < 0)
                return r;
        }
    }
    refuse_overlaps(&list, notes);
    for (size_t i = 0; i < list.n; i++)
        if (!list.v[i].skip)
            add_map(plan, &list.v[i], host, project, notes);
    return 0;
}
