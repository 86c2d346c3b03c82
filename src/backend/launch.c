// SPDX-License-Identifier: GPL-3.0-only
/*
 * launch: puts the bubblewrap options and the launcher's orders together. How --dry-run shows them
 * is launch_show.c.
 */
#include "backend/launch.h"

#include "backend/bwrap.h"
#include "backend/rules.h"
#include "backend/seccomp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int choose_seccomp(struct launch *launch, const struct policy *policy, struct error *error)
{
    launch->seccomp_program = -1;
    if (!policy->seccomp)
        return 0;
    if (!seccomp_arch())
        return error_set(error, ENOTSUP,
                         "there is no system call filter for this architecture; --no-seccomp "
                         "starts without one");
    if (policy->lockdown)
        launch->seccomp_program = policy->by_root ? SECCOMP_LOCKDOWN_ROOT : SECCOMP_LOCKDOWN;
    else if (policy->by_root)
        launch->seccomp_program = policy->allow_debug ? SECCOMP_JAIL_ROOT_DEBUG : SECCOMP_JAIL_ROOT;
    else
        launch->seccomp_program = policy->allow_debug ? SECCOMP_JAIL_DEBUG : SECCOMP_JAIL;
    return 0;
}

/* How long a start waits for mise. */
#define MISE_MS 5000

_Static_assert(ORDERS_PROXY_PORT == PROXY_PORT, "one port, known on both sides of the wall");
_Static_assert(PORT_PAIRS_MAX + 1 <= ORDERS_LISTEN_MAX, "every port has room");

static void fill_orders(struct launch *launch, const struct policy *policy)
{
    struct orders *orders = &launch->orders;

    if (policy->rlimits)
        orders->flags |= ORDERS_RLIMITS;
    if (policy->seccomp)
        orders->flags |= ORDERS_SECCOMP;
    if (policy->allow_debug)
        orders->flags |= ORDERS_ALLOW_DEBUG;
    if (policy->lockdown)
        orders->flags |= ORDERS_STRICT;
    if (policy->is_trial)
        orders->flags |= ORDERS_TRIAL;
    if (policy->network != NETWORK_FULL)
        orders->flags |= ORDERS_NETWORK_OFF;
    if (policy->network == NETWORK_FILTERED)
        orders->listen[orders->listen_count++] = PROXY_PORT;
    for (size_t i = 0; i < policy->forward.n; i++)
        orders->listen[orders->listen_count++] = policy->forward.v[i].jail;
    orders->nproc = policy->limits.nproc;
    orders->nofile_hard = policy->limits.nofile_hard;
    orders->core = policy->limits.core;
    orders->fsize = policy->limits.fsize;
    orders->cwd = policy->project;
    orders->argv = policy->argv.v;
    orders->env = policy->env.v;
    orders->mise = policy->mise.program;
    orders->mise_fixed = policy->mise.fixed.v;
    orders->mise_ms = MISE_MS;
    rules_derive(orders, policy);
    /* The kernel refuses a ruleset that handles nothing (ABI 1, whose file rules are left out). */
    if (orders->handled_fs || orders->handled_net || orders->scoped)
        orders->flags |= ORDERS_LANDLOCK;
}

int launch_build(struct launch *launch, const struct policy *policy, struct error *error)
{
    int r;

    *launch = (struct launch){0};
    r = choose_seccomp(launch, policy, error);
    if (r < 0)
        return r;
    fill_orders(launch, policy);
    return bwrap_options(launch, policy, error);
}

bool launch_is_fd_word(const struct launch *launch, size_t index)
{
    static const char *const options[] = {
        "--bind-fd", "--ro-bind-fd", "--ro-bind-data", "--seccomp", "--info-fd",
    };

    if (index == 0 || launch->words.v[index][0] != '@')
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(options); i++)
        if (strcmp(launch->words.v[index - 1], options[i]) == 0)
            return true;
    return false;
}

void launch_free(struct launch *launch)
{
    rules_free(&launch->orders);
    strv_free(&launch->words);
    free(launch->fds);
    *launch = (struct launch){0};
}
