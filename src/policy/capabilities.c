// SPDX-License-Identifier: GPL-3.0-only
/*
 * capabilities: devices, sockets and credentials of the host, each by its own flag.
 */
#include "policy/capabilities.h"

void capabilities_add(struct plan *plan, struct environment_parts *parts,
                      const struct config *config, const struct host *host, const char *project,
                      struct notes *notes)
{
    (void)plan, (void)parts, (void)config, (void)host, (void)project, (void)notes;
}
