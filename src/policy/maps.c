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
#include "config/map_text.h"
#include "policy/project.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct map {
    const char *text; /* borrowed from the configuration */
    char *name;       /* what messages call it: "--map TEXT", "./.ai-jail:3: ro_maps TEXT" */
    bool writable;
    bool is_typed;     /* on the command line: what is wrong with it ends the launch */
    bool is_untrusted; /* said by a project that is not trusted */
    char *source;      /* canonical */
    char *dest;        /* cleaned */
    char *spelled;     /* source as spelled, absolute; only when DST was not given */
    struct fs_stat st; /* is_untrusted: of what must be mounted */
    bool skip;
};

struct map_list {
    struct map *v;
    size_t n;
};

static void map_list_free(struct map_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->v[i].name);
        free(list->v[i].source);
        free(list->v[i].dest);
        free(list->v[i].spelled);
    }
    free(list->v);
    *list = (struct map_list){0};
}

/* Not cleaned: "link/.." is not the directory that holds the link. */
static char *absolute(const char *path, const struct host *host)
{
    _cleanup_free_ char *expanded = path_expand_home(path, host->home);

    return path_join(host->cwd, expanded);
}

const char *maps_refused_dest(const char *dest)
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

bool maps_is_own(const struct host *host, const char *source)
{
    _cleanup_strv_ struct strv own = {0};

    project_own_dirs(host, &own);
    for (size_t i = 0; i < own.n; i++)
        if (path_is_within(source, own.v[i]))
            return true;
    return false;
}

/* A map that would ruin the jail: an error if it was typed, else it is left out. */
static int refuse(struct map *map, struct notes *notes, struct error *error, const char *why)
{
    if (map->is_typed)
        return error_set(error, EINVAL, "%s: %s", map->name, why);
    notes_add(notes, NOTE_SECURITY, "%s is skipped: %s", map->name, why);
    map->skip = true;
    return 0;
}

static void skip(struct map *map, struct notes *notes, enum note_class class, const char *why)
{
    notes_add(notes, class, "%s is skipped: %s", map->name, why);
    map->skip = true;
}

bool maps_examine_inside(const struct host *host, const char *project, const char *canonical,
                         struct fs_stat *st)
{
    return path_is_within(canonical, project) &&
           fs_stat_beneath(host->fs, project, path_rest(canonical, project), st) == 0;
}

/* Both ends of an untrusted map. They were in the project when the file was judged; whoever writes
 * the project can have changed that since. What is examined here is what will be mounted. */
static bool examine_untrusted(struct map *map, const struct host *host, const char *project)
{
    _cleanup_free_ char *dest = NULL;
    struct fs_stat at_dest;

    if (fs_resolve(host->fs, map->dest, &dest, NULL, NULL) < 0 ||
        !maps_examine_inside(host, project, dest, &at_dest) ||
        !maps_examine_inside(host, project, map->source, &map->st))
        return false;
    free(map->dest);
    map->dest = steal_ptr(&dest);
    /* The jail shows the links of the project anyway, and others are not the project's business. */
    free(steal_ptr(&map->spelled));
    return true;
}

/* From the two sides as they are written; dest may be NULL. 0 or -errno of the source. */
static int resolve_map(struct map *map, const char *source, const char *dest,
                       const struct host *host)
{
    _cleanup_free_ char *spelled = absolute(source, host);
    int r = fs_resolve(host->fs, spelled, &map->source, NULL, NULL);

    if (r < 0)
        return r;
    if (dest) {
        _cleanup_free_ char *joined = absolute(dest, host);

        map->dest = path_clean(joined);
    } else {
        map->dest = xstrdup(map->source);
        map->spelled = steal_ptr(&spelled);
    }
    return 0;
}

/* True if the destination is the source by any name. What the project is not trusted for is judged by its
 * canonical name later. */
static bool is_source(struct map *map, const struct host *host)
{
    _cleanup_free_ char *canonical = NULL;

    if (fs_resolve(host->fs, map->dest, &canonical, NULL, NULL) < 0 ||
        !str_eq(canonical, map->source))
        return false;
    free(map->dest);
    map->dest = steal_ptr(&canonical);
    return true;
}

static int check_dest(struct map *map, struct notes *notes, struct error *error)
{
    const char *refused = maps_refused_dest(map->dest);
    _cleanup_free_ char *why = NULL;

    if (!refused)
        return 0;
    why = xasprintf("a map cannot %s %s; choose another destination (SRC:DST)",
                    str_eq(refused, map->dest) ? "replace" : "lie in", refused);
    return refuse(map, notes, error, why);
}

static int read_map(struct map *map, const struct host *host, const char *project,
                    struct notes *notes, struct error *error)
{
    _cleanup_free_ char *source = NULL;
    _cleanup_free_ char *dest = NULL;
    int r;

    if (map_text_split(map->text, &source, &dest) < 0)
        return refuse(map, notes, error, "empty path; write PATH or SRC:DST");
    r = resolve_map(map, source, dest, host);
    if (r < 0) {
        skip(map, notes, NOTE_WARNING, strerror(-r));
        return 0;
    }
    if (host->macos.is_on && dest && !is_source(map, host))
        return refuse(map, notes, error,
                      "on macOS a map cannot have another destination; write one path");
    if (str_eq(map->source, "/"))
        return refuse(map, notes, error, "/ cannot be mapped; name a directory below it");
    /* It would show the memory and the files of every process of yours. */
    if (path_is_within(map->source, "/proc"))
        return refuse(map, notes, error, "the host's /proc cannot be mapped");
    if (maps_is_own(host, map->source)) {
        notes_add(notes, NOTE_SECURITY, "%s is refused: ai-jail's own files are never shown",
                  map->name);
        map->skip = true;
        return 0;
    }
    if (map->is_untrusted && !examine_untrusted(map, host, project)) {
        skip(map, notes, NOTE_SECURITY, "it does not stay inside the project");
        return 0;
    }
    r = check_dest(map, notes, error);
    if (r == 0 && !map->skip && path_is_within(host->home, map->source))
        notes_add(notes, NOTE_SECURITY, "%s shows your whole home directory to the command",
                  map->name);
    return r;
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
                notes_add(notes, NOTE_SECURITY, "%s is refused: it overlaps the read-only map %s",
                          rw->name, ro->text);
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
    enum plan_group group =
        path_is_below(map->dest, project) ? GROUP_MAPS_INSIDE : GROUP_MAPS_OUTSIDE;
    struct plan_entry *entry =
        plan_add_bind(plan, host->fs, group, map->writable ? PLAN_RW : PLAN_RO, map->source,
                      map->dest, map->name);

    if (!entry) {
        notes_add(notes, NOTE_WARNING, "%s is skipped: it has just gone", map->name);
        return;
    }
    /* The name may lead elsewhere by now; the session refuses what is not this object. */
    if (map->is_untrusted)
        entry->st = map->st;
    if (map->spelled)
        maps_add_links(plan, host->fs, group, map->spelled, map->name);
}

static struct map new_map(const struct config *config, enum setting_id id, size_t index)
{
    const struct origin *origin = &config->values[id].origins[index];
    const char *text = config_list(config, id)->v[index];
    _cleanup_free_ char *spelling = config_entry_spelling(config, id, index);

    return (struct map){
        .text = text,
        .name = xasprintf("%s %s", spelling, text),
        .writable = id == SET_RW_MAPS,
        .is_typed = origin->layer == LAYER_CLI,
        .is_untrusted = origin->is_untrusted,
    };
}

int maps_add(struct plan *plan, const struct config *config, const struct host *host,
             const char *project, struct notes *notes, struct error *error)
{
    static const enum setting_id ids[] = {SET_RO_MAPS, SET_RW_MAPS};
    struct map_list list CLEANUP(map_list_free) = {0};
    int r;

    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        for (size_t j = 0; j < config_list(config, ids[i])->n; j++) {
            list.v = xrealloc(list.v, list.n + 1, sizeof(*list.v));
            list.v[list.n++] = new_map(config, ids[i], j);
            r = read_map(&list.v[list.n - 1], host, project, notes, error);
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
