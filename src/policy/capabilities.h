// SPDX-License-Identifier: GPL-3.0-only
/*
 * capabilities: devices, sockets and credentials of the host, each by its own flag.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/environment.h"
#include "policy/plan.h"

/*
 * Adds what was asked for and is there (groups GROUP_DEVICES, GROUP_RUNTIME, GROUP_HOME_PARTS), and the
 * variables by which clients find it. What was asked for and is not usable: a warning. What opens a
 * way out of the jail: a security note. Call only where capabilities apply (not in lockdown), behind
 * home_add().
 */
void capabilities_add(struct plan *plan, struct environment_parts *parts,
                      const struct config *config, const struct host *host, const char *project,
                      struct notes *notes);

/* The flag that would show an absolute path of the host, without its dashes; NULL: none would. Static. */
const char *capabilities_flag(const struct host *host, const char *path);

/* Stands in the environment until the token is fetched, just before the launch. */
#define CAPABILITIES_TOKEN "GH_TOKEN="
/* True if GH_TOKEN is to be fetched: asked for, and nobody passes a token by name. */
bool capabilities_want_token(const struct config *config, const struct host *host);
/* The host's gh, from the absolute directories of PATH, and nothing that a jail may have written.
 * plan: the finished one. malloc'ed, NULL: none. */
char *capabilities_find_gh(const struct host *host, const struct plan *plan);
