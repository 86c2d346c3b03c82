// SPDX-License-Identifier: GPL-3.0-only
/*
 * hidden: directories of HOME that a jail never shows.
 *
 * Two ways lead to such a directory: something inside it is bound, or something above it. The first is
 * taken out of the plan, for the second there is a cover by host path. A link in its place is hidden
 * together with what it leads to.
 */
#include "policy/hidden.h"

#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add_path(struct strv *paths, const struct host *host, const char *name)
{
    _cleanup_free_ char *path = path_join(host->home, name);
    _cleanup_free_ char *canonical = NULL;

    if (strv_find(paths, path) >= 0)
        return;
    strv_push(paths, path);
    if (fs_resolve(host->fs, path, &canonical, NULL, NULL) == 0 && strv_find(paths, canonical) < 0)
        strv_push(paths, canonical);
}

static bool is_name(const char *name)
{
    return name[0] && !strchr(name, '/') && !str_eq(name, ".") && !str_eq(name, "..");
}

/* Whatever stands above HOME or is HOME cannot be hidden: a link would hide everything. */
static bool holds_home(const struct host *host, const char *path)
{
    return path_is_within(host->home, path);
}

int hidden_paths(struct strv *paths, const struct config *config, const struct host *host,
                 const char *project, struct error *error)
{
    const struct strv *names = config_list(config, SET_HIDE_DOTDIRS);

    for (size_t i = 0; i < names->n; i++) {
        const char *bare = names->v[i] + (names->v[i][0] == '.');
        _cleanup_free_ char *name = xasprintf(".%s", bare);

        if (!is_name(names->v[i]) || !is_name(bare)) {
            _cleanup_free_ char *spelling = config_entry_spelling(config, SET_HIDE_DOTDIRS, i);

            return error_set(error, EINVAL,
                             "%s %s: it is not the name of a directory of HOME; write one name, "
                             "without /",
                             spelling, names->v[i]);
        }
        add_path(paths, host, name);
        if (str_eq(name, ".claude"))
            add_path(paths, host, ".claude.json");
    }
    for (size_t i = paths->n; i > 0; i--)
        if (holds_home(host, paths->v[i - 1]))
            strv_remove(paths, i - 1);
    for (size_t i = 0; i < paths->n; i++)
        if (path_is_within(project, paths->v[i]))
            return error_set(error, EPERM,
                             "project directory %s lies in %s, which --%s hides; start in another "
                             "directory",
                             project, paths->v[i], settings[SET_HIDE_DOTDIRS].flag);
    return 0;
}

struct dropping {
    const struct strv *paths;
    struct notes *notes;
};

static bool shows_hidden(void *arg, const struct plan_entry *entry)
{
    const struct dropping *dropping = arg;

    for (size_t i = 0; i < dropping->paths->n && entry->source; i++) {
        const char *path = dropping->paths->v[i];

        if (!path_is_within(entry->source, path))
            continue;
        /* A map was asked for by name; the rest is what the jail would show by itself. */
        notes_add(dropping->notes,
                  entry->group == GROUP_MAPS_OUTSIDE || entry->group == GROUP_MAPS_INSIDE
                      ? NOTE_SECURITY
                      : NOTE_VERBOSE,
                  "%s (%s) is not shown: --%s hides %s", entry->dest, entry->origin,
                  settings[SET_HIDE_DOTDIRS].flag, path);
        return true;
    }
    return false;
}

void hidden_apply(struct plan *plan, const struct strv *paths, struct notes *notes)
{
    struct dropping dropping = {paths, notes};
    _cleanup_free_ char *origin = NULL;

    if (paths->n == 0)
        return;
    plan_remove_if(plan, shows_hidden, &dropping);
    origin = xasprintf("--%s", settings[SET_HIDE_DOTDIRS].flag);
    for (size_t i = 0; i < paths->n; i++)
        plan_add_host_cover(plan, GROUP_OWN, PLAN_COVER_EMPTY, paths->v[i], origin);
}
