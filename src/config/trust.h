// SPDX-License-Identifier: GPL-3.0-only
/*
 * trust: what an untrusted project file may say.
 *
 * The file may only tighten. The trust column of the settings table decides, value by value,
 * against the baseline: the layers below the project merged. What is not allowed is taken out of the
 * layer, with security notes that name the key, the place, and where it could be said.
 */
#pragma once

#include "config/gather.h"

/* So many lines for the entries of one key; the rest is counted. */
#define TRUST_LINES_MAX 8

/*
 * layer: of the untrusted project file; afterwards only what may be merged is left in it, each value
 * and entry marked as untrusted. baseline: built-in, global base and table, merged. project:
 * canonical. A value is refused with one note; of a list whose entries are judged one by one, each
 * refused entry has one. Values that may be secrets are never shown. Refusals are added to gathered.
 */
void trust_filter(struct config *layer, const struct config *baseline, const char *project,
                  struct gathered *gathered, struct notes *notes);

/* The same for the file of a trusted project, which may say everything but two things: whom to trust,
 * and that there is no lockdown. */
void trust_filter_trusted(struct config *layer, struct gathered *gathered, struct notes *notes);

/* True if the project lies in a directory that the global file trusts. global: its base layer.
 * Directories that cannot be resolved trust nothing. */
bool trust_is_listed(const struct config *global, const char *project);

/* True if value is weaker than other, both of a row of TRUST_TIGHTEN. */
bool trust_is_weaker(enum setting_id id, const struct value *value, const struct value *other);
