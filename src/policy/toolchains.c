// SPDX-License-Identifier: GPL-3.0-only
/*
 * toolchains: build tools in HOME read-only, and caches that belong to the jail.
 */
#include "policy/toolchains.h"

void toolchains_add(struct plan *plan, const struct config *config, const struct host *host,
                    const char *project, enum network_mode network, struct notes *notes)
{
    (void)plan, (void)config, (void)host, (void)project, (void)network, (void)notes;
}

char *toolchains_store(const struct host *host)
{
    return xasprintf("%s/.local/share/ai-jail/cache", host->home);
}
