// SPDX-License-Identifier: GPL-3.0-only
/*
 * normal: entries that name paths, in the one form in which layers can be compared and merged.
 *
 * What a row's column paths says is done: "~" becomes HOME, relative paths are joined to the working
 * directory and cleaned lexically, both sides of a map. No file system is looked at.
 */
#pragma once

#include "config/config.h"

struct normal_place {
    const char *home; /* canonical, or NULL: there is none */
    const char *cwd;  /* canonical working directory */
};

/* The entry in its normal form, malloc'ed; NULL, with what is wrong in *fault (static text that does
 * not repeat the entry). A form that is normal already stays as it is. */
char *normal_entry(const struct setting *row, const char *entry, const struct normal_place *place,
                   const char **fault);

/* Every entry of a layer, in place; what becomes a duplicate is dropped where the row's merge rule
 * says so. 0, or -EINVAL with the line to print. */
int normal_layer(struct config *layer, const struct normal_place *place, struct error *error);
