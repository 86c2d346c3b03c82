// SPDX-License-Identifier: GPL-3.0-only
/*
 * lockdown: the strictest mode. What it drops is in the tables of tighten; here is what it demands.
 */
#include "policy/lockdown.h"

#include "policy/tighten.h"

#include <errno.h>

/* Walls: switched off, there is no start. */
static const enum setting_id demanded[] = {SET_LANDLOCK, SET_SECCOMP, SET_RLIMITS};

static int check_walls(const struct config *config, const struct host *host, struct error *error)
{
    for (size_t i = 0; i < ARRAY_SIZE(demanded); i++) {
        _cleanup_free_ char *wall = NULL;
        _cleanup_free_ char *mode = NULL;

        if (config_flag(config, demanded[i]))
            continue;
        wall = config_spelling(config, demanded[i]);
        mode = config_spelling(config, SET_LOCKDOWN);
        return error_set(error, EINVAL, "%s and %s contradict each other: lockdown has every wall",
                         mode, wall);
    }
    if (host->macos.is_on)
        return 0;
    if (host->landlock_abi < LOCKDOWN_LANDLOCK_ABI)
        return error_set(error, ENOTSUP,
                         "lockdown needs Landlock ABI %d (Linux 6.2 or newer, and landlock in the "
                         "list lsm=); this kernel has ABI %d",
                         LOCKDOWN_LANDLOCK_ABI, host->landlock_abi);
    if (!host->has_seccomp)
        return error_set(error, ENOTSUP,
                         "lockdown needs system call filters (CONFIG_SECCOMP_FILTER), which this "
                         "kernel lacks");
    return 0;
}

int lockdown_tighten(struct config *out, const struct config *config, const struct host *host,
                     struct notes *notes, struct error *error)
{
    bool was_full = config_is_set(config, SET_NETWORK) && config_flag(config, SET_NETWORK);
    int r = check_walls(config, host, error);

    tighten_begin(out, config);
    if (r < 0)
        return r;
    tighten_apply(out, MODE_LOCKDOWN, notes);
    /* Hosts had no effect beside the host's network; that it is dropped must not give them one. */
    if (was_full) {
        config_set_empty(out, SET_ALLOW_HOSTS);
        config_set_empty(out, SET_ALLOW_PRIVATE);
    }
    return 0;
}

/* ---- the plan ---- */

void lockdown_seal(struct plan *plan)
{
    for (size_t i = 0; i < plan->n; i++)
        if (plan->v[i].kind == PLAN_RW || plan->v[i].kind == PLAN_OVERLAY)
            plan->v[i].kind = PLAN_RO;
}
