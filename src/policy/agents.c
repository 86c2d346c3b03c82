// SPDX-License-Identifier: GPL-3.0-only
/*
 * agents: the known agents, and what each keeps on the host.
 */
#include "policy/agents.h"

const struct agent *agents_find(const char *name)
{
    (void)name;
    return NULL;
}

const char *const *agents_hosts(const struct agent *agent)
{
    static const char *const none[] = {NULL};

    (void)agent;
    return none;
}

void in_step_free(struct in_step *files)
{
    (void)files;
}

void agents_add(struct plan *plan, struct environment_parts *parts, struct in_step *in_step,
                const struct agent *agent, const struct config *config, const struct host *host,
                const char *project, struct notes *notes)
{
    (void)plan, (void)parts, (void)in_step, (void)agent, (void)config, (void)host, (void)project,
        (void)notes;
}
