// SPDX-License-Identifier: GPL-3.0-only
/*
 * env_place: a look at the plan. A directory on a tmpfs of the jail is there if something is mounted at
 * or below it; nothing else makes one.
 */
#include "policy/env_place.h"

#include "base/path.h"

#include <stdlib.h>

static bool has_mount_within(const struct plan *plan, const char *path)
{
    for (size_t i = 0; i < plan->n; i++)
        if (!plan_is_cover(plan->v[i].kind) && path_is_within(plan->v[i].dest, path))
            return true;
    return false;
}

static bool is_there(const struct plan *plan, const struct host *host, const char *path,
                     bool for_writing)
{
    struct plan_view view = plan_look(plan, path);
    _cleanup_free_ char *host_path = view.host_path;
    enum plan_kind kind = view.entry ? view.entry->kind : PLAN_DIR;

    if (plan_is_cover(kind))
        return false;
    if (host_path)
        return (kind != PLAN_RO || !for_writing) && fs_is_dir(host->fs, host_path);
    return (kind == PLAN_TMPFS || !for_writing) && has_mount_within(plan, path);
}

/* Under the name that was said, or under the one that its links lead to. */
static bool is_usable(const struct plan *plan, const struct host *host, const char *path,
                      bool for_writing)
{
    _cleanup_free_ char *clean = path_clean(path);
    _cleanup_free_ char *canonical = NULL;

    if (is_there(plan, host, clean, for_writing))
        return true;
    return plan_shows(plan, host->fs, clean) &&
           fs_resolve(host->fs, clean, &canonical, NULL, NULL) == 0 &&
           is_there(plan, host, canonical, for_writing);
}

/* A name that begins with another spelling of HOME than the plan's. malloc'ed. */
static char *by_home(const struct host *host, const char *path)
{
    _cleanup_free_ char *clean = path_clean(path);

    if (!path_is_within(clean, host->home) && path_is_below(clean, host->home_spelling))
        return path_join(host->home, path_rest(clean, host->home_spelling));
    return steal_ptr(&clean);
}

bool env_place_is_usable(const struct plan *plan, const struct host *host, const char *value,
                         bool for_writing)
{
    _cleanup_strv_ struct strv places = {0};

    strv_split(&places, value, ':');
    for (size_t i = 0; i < places.n; i++) {
        _cleanup_free_ char *place = places.v[i][0] == '/' ? by_home(host, places.v[i]) : NULL;

        if (!place || !is_usable(plan, host, place, for_writing))
            return false;
    }
    return true;
}
