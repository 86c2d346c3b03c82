// SPDX-License-Identifier: GPL-3.0-only
/*
 * env_host: the variables of the host that the command gets without being asked for.
 */
#pragma once

#include "host.h"
#include "policy/plan.h"

struct env_host_wish {
    bool everything; /* names that ai-jail does not know, too: --inherit-env */
    bool proxies;    /* the host's proxies are within reach */
};

/*
 * Adds them to an empty list and settles it (env_list.h). May add certificates to the plan, which holds
 * everything else but is not finished.
 */
void env_host_copy(struct strv *list, const struct host *host, const struct env_host_wish *wish,
                   struct plan *plan, struct notes *notes);
