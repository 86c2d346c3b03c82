// SPDX-License-Identifier: GPL-3.0-only
/*
 * phantom: credentials that the command has placeholders of (--secret NAME=HOST).
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "net/allow.h"
#include "net/credential.h"
#include "policy/environment.h"

/*
 * Takes the values of the named variables out of the environment to be: list gets them, parts->forced
 * their placeholders, parts->defaults the URLs by which known clients find the proxy. list is filled
 * from scratch and wants credentials_free() either way. parts->keys holds the agent's own keys.
 *
 * Fails with one line that never holds a value: -EINVAL where the network is not filtered, the host
 * is no bare name on the list, or the variable has no value or one that no header can hold.
 */
int phantom_build(struct credentials *list, struct environment_parts *parts,
                  const struct config *config, const struct host *host, enum network_mode network,
                  const struct allow_list *hosts, struct notes *notes, struct error *error);

/* Says where else the command gets a value to see: in another variable, or in its own words. */
void phantom_note_copies(const struct credentials *list, const struct strv *env,
                         const struct strv *argv, struct notes *notes);

/* Overwrites every value in a NULL-terminated list of strings, which may be NULL itself: what the
 * process was started with, and what was made of that. The strings keep their lengths. */
void phantom_wipe(const struct credentials *list, char *const *texts);
