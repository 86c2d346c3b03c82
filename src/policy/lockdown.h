// SPDX-License-Identifier: GPL-3.0-only
/*
 * lockdown: the strictest mode. What it takes away from a configuration, and what it demands.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/plan.h"

/*
 * Fills out with the configuration without what the mode drops; each request that is dropped is one
 * security note. out wants config_free() either way. -EINVAL if a wall is switched off, -ENOTSUP if
 * the kernel lacks one: this mode has all of them or does not start.
 */
int lockdown_tighten(struct config *out, const struct config *config, const struct host *host,
                     struct notes *notes, struct error *error);

/* The last word about the plan: no directory of the host is writable, whichever part added it. Call
 * before plan_finish(). */
void lockdown_seal(struct plan *plan);

/* The first Landlock ABI that has every file right of the mode. */
#define LOCKDOWN_LANDLOCK_ABI 3
