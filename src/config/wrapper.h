// SPDX-License-Identifier: GPL-3.0-only
/*
 * wrapper: by which name a command is known.
 *
 * That is the last part of its first word, unless it is a wrapper that starts an agent: then the
 * agent's. Nothing is executed differently because of it.
 */
#pragma once

#include "base/strv.h"

struct wrapper {
    const char *name;       /* effective name: static, or borrowed from the words */
    bool is_wrapped;        /* words start an agent by way of ai-memory; name is the agent's */
    const char *executable; /* the second program that has to be visible; NULL unless is_wrapped */
};

/*
 * words: the command; empty means bash. Recognised is only what parses word for word: an unknown
 * option makes it a plain "ai-memory".
 */
struct wrapper wrapper_of(const struct strv *words);
