// SPDX-License-Identifier: GPL-3.0-only
/*
 * macos: what a policy for macOS' sandbox-exec has instead of what Linux gives: see
 * backend/seatbelt.h.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/plan.h"

/*
 * Fills out with the configuration as it can be had there: options without a meaning are taken out, an
 * overlay becomes a read-only map. One note for each that somebody asked for. -ENOTSUP for what was
 * typed and cannot be done. out wants config_free() either way.
 */
int macos_adapt(struct config *out, const struct config *config, struct notes *notes,
                struct error *error);

/* Directories of the system and of package managers; what is there is added, read-only. The two lists end
 * with NULL: those that are always shown, and those that are where they exist. */
extern const char *const macos_system_dirs[];
extern const char *const macos_package_dirs[];
void macos_add_system(struct plan *plan, const struct host *host);
/* Without a private home: caches of programs. */
void macos_add_caches(struct plan *plan, const struct host *host);

/* Takes the links out of a plan that is not finished yet: there each is seen where it is. links gets their
 * places. */
void macos_take_links(struct strv *links, struct plan *plan);

struct policy;
/* What every client of the proxy must show there; NULL: nothing. Borrowed. */
const char *macos_proxy_password(const struct policy *policy);

/* Why a directory cannot be a project or the destination of a map there; NULL: it can. Static. */
const char *macos_refuses_project(const char *dir);
/* The bundle of a program below NAME.app/Contents/; malloc'ed, NULL: it is in none. */
char *macos_bundle_of(const char *file);
