// SPDX-License-Identifier: GPL-3.0-only
/*
 * bootstrap_rules: what --bootstrap lets the agents do without asking, and what it does not. Pure: text in,
 * text out.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>

/*
 * Each makes the new text of a file (malloc'ed) from the old one (len bytes; 0: there is none). NULL with
 * error->code 0: the file says it all already. NULL with an error: the file cannot be read, or would
 * lose its comments.
 */
char *bootstrap_gemini(const char *old, size_t len, struct error *error);
char *bootstrap_claude(const char *old, size_t len, struct error *error);
char *bootstrap_codex(const char *old, size_t len, struct error *error);
char *bootstrap_opencode(const char *old, size_t len, struct error *error);
