// SPDX-License-Identifier: GPL-3.0-only
/*
 * userns: a user namespace in which the caller is who it was, and a mount namespace that it owns
 * (user_namespaces(7)).
 *
 * Async-signal-safe: used between fork and exec, too.
 */
#pragma once

#include <sys/types.h>

enum userns_step { USERNS_DONE, USERNS_MAKE, USERNS_MAP };

/* Enters both with uid and gid mapped to themselves and setgroups(2) refused. Makes the process
 * dumpable, because its files in /proc belong to root otherwise. Names the step that failed, with
 * errno. */
enum userns_step userns_enter(uid_t uid, gid_t gid);
