// SPDX-License-Identifier: GPL-3.0-only
/*
 * env_list: an environment that is being put together: a list in which the last entry of a name
 * decides, so whoever has more authority pushes later.
 *
 * An entry is NAME=VALUE; one without "=" says that the name is not set. Values are bytes.
 */
#pragma once

#include "base/strv.h"

/* Bytes of the name of an entry. */
size_t env_list_name_len(const char *entry);
/* Either may be an entry or a name alone. */
bool env_list_same_name(const char *a, const char *b);
/* Index of the entry that decides about a name (or about an entry's), or -1. */
ptrdiff_t env_list_find(const struct strv *list, const char *name);
/* The value that name has now, or NULL. Borrowed until the next change. */
const char *env_list_get(const struct strv *list, const char *name);
void env_list_set(struct strv *list, const char *name, const char *value);
/* Those of entries whose name has none yet. */
void env_list_add_absent(struct strv *list, const struct strv *entries);
/* Sorts by name and keeps the last entry of each, if that sets it. */
void env_list_settle(struct strv *list);
