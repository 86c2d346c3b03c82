// SPDX-License-Identifier: GPL-3.0-only
/*
 * secrets: the directories of HOME that hold keys and credentials. No part of the policy mounts one by
 * itself.
 */
#pragma once

#include "host.h"

/* Names relative to HOME, sorted, NULL at the end. */
extern const char *const secret_dotdirs[];

/* True if the canonical path is one of them, lies below one, or below the target of one that is a
 * link. */
bool secrets_hold(const struct host *host, const char *path);
/* The same without the one of that name, which somebody has a right to. */
bool secrets_hold_other(const struct host *host, const char *path, const char *freed);
/* True if one of them, or its target, is dir or lies below it. */
bool secrets_lie_within(const struct host *host, const char *dir);
