// SPDX-License-Identifier: GPL-3.0-only
/*
 * environment: the command's environment, built once.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/plan.h"

enum network_mode { NETWORK_OFF, NETWORK_FILTERED, NETWORK_FULL };

/* What other parts of the policy put into the environment: entries NAME=VALUE. */
struct environment_parts {
    struct strv keys;         /* the agent's own keys; --env and --env-from-file win */
    struct strv capabilities; /* what a host capability needs to be found; the same */
    struct strv defaults;     /* only where nothing else set them */
    struct strv forced;       /* whatever else was said: placeholders of --secret */
};

void environment_parts_free(struct environment_parts *parts);

struct environment_needs {
    enum network_mode network;
    const char *argv0;                     /* decides about PS1 */
    bool lockdown;                         /* a fixed set of names, and a fixed PATH ... */
    const struct strv *command_dirs;       /* ... plus these; NULL: none */
    const struct environment_parts *parts; /* NULL: none */
};

/*
 * Fills env with NAME=VALUE, sorted, one entry per name. May add single read-only files to the plan
 * (certificates, one terminfo entry: group GROUP_HOME_PARTS). The plan holds everything else but is
 * not finished.
 */
int environment_build(struct strv *env, const struct config *config, const struct host *host,
                      const struct environment_needs *needs, struct plan *plan, struct notes *notes,
                      struct error *error);
