// SPDX-License-Identifier: GPL-3.0-only
/*
 * nearest: which known word did the user mean?
 */
#pragma once

#include "base/base.h"

/* Longest candidate that is considered; longer ones are passed over. */
#define NEAREST_WORD_MAX 64

struct nearest {
    const char *word; /* borrowed; what the user wrote, word_len bytes of it */
    size_t word_len;
    size_t limit;     /* largest edit distance that is still a guess */
    const char *best; /* borrowed; NULL: nothing near enough yet */
    size_t distance;  /* of best */
};

/* Starts a search. */
void nearest_init(struct nearest *nearest, const char *word, size_t word_len, size_t limit);
/* Looks at one candidate; of several at the same distance the first stays. */
void nearest_offer(struct nearest *nearest, const char *candidate);
