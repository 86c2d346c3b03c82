// SPDX-License-Identifier: GPL-3.0-only
/*
 * mise_env: the answer of `mise env --json`, and how it becomes part of an environment.
 *
 * The answer is written by a program that the project steers, so it is read as hostile: one JSON object
 * (RFC 8259) whose members are strings, nothing before and nothing behind it but white space. Nothing
 * here allocates: it runs between fork and exec.
 */
#pragma once

#include "base/base.h"

#define MISE_OUTPUT_MAX MIB
#define MISE_ENV_MAX    4096 /* variables */

/*
 * Decodes len bytes in place; list gets the entries NAME=VALUE, terminated, which point into bytes.
 * Accepted are names that are not empty and hold no "=", and no NUL anywhere. Their number, or -EBADMSG
 * for anything but such an object, or -E2BIG for more than max members.
 */
int mise_env_parse(char *bytes, size_t len, char **list, size_t max);

/*
 * Fills out (room for all of both lists and NULL) with env, changed by the count entries of list; the
 * later of two entries with the same name counts. Names in fixed stay as they are, and with no_proxy
 * those that end in "_proxy", too.
 */
void mise_env_merge(char **out, char *const *env, char *const *list, size_t count,
                    char *const *fixed, bool no_proxy);
