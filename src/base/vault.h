// SPDX-License-Identifier: GPL-3.0-only
/*
 * vault: memory for a few secret strings.
 *
 * Pages of their own: locked, so that they are never written to swap; not in core files; empty in
 * every process that is forked later; wiped when they are given back.
 */
#pragma once

#include "base/base.h"

/* A copy of len bytes, with a NUL behind it, for vault_free(). *is_locked: swap cannot get it; false
 * where the limit for locked memory is used up (RLIMIT_MEMLOCK). Never NULL. */
char *vault_keep(const char *bytes, size_t len, bool *is_locked) MUST_CHECK;
/* Wipes and frees. NULL is fine. */
void vault_free(char *text);
