// SPDX-License-Identifier: GPL-3.0-only
/*
 * hidden: directories of HOME that a jail never shows, whoever asks (--hide-dotdir).
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/plan.h"

/*
 * Adds to paths what is to be hidden: ~/.NAME, with or without the dot in the setting, and what it
 * leads to if it is a link; with .claude also .claude.json. -EINVAL for a name that is none, -EPERM if
 * the project (canonical) lies there.
 */
int hidden_paths(struct strv *paths, const struct config *config, const struct host *host,
                 const char *project, struct error *error);

/* Takes out of the unfinished plan what would show something of them, with a note for each, and covers
 * them where a directory above is shown. May be called again when more has been added. */
void hidden_apply(struct plan *plan, const struct strv *paths, struct notes *notes);
