// SPDX-License-Identifier: GPL-3.0-only
/*
 * trust: what an untrusted project file may say.
 *
 * The file may only tighten. The trust column of the settings table decides, value by value,
 * against the baseline: the layers below the project merged. What is not allowed is taken out of the
 * layer, each with one security note that names the key, the place, and where it could be said.
 */
#pragma once

#include "config/gather.h"

/*
 * layer: of the untrusted project file; afterwards only what may be merged is left in it. baseline:
 * built-in, global base and table, merged. project: canonical. Values that may be secrets are never
 * shown. Refusals are added to gathered.
 */
void trust_filter(struct config *layer, const struct config *baseline, const char *project,
                  struct gathered *gathered, struct notes *notes);

/* True if the project lies in a directory that the global file trusts. */
bool trust_is_listed(const struct config *global, const char *project);
