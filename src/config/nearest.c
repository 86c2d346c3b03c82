// SPDX-License-Identifier: GPL-3.0-only
/*
 * nearest: edit distance (Levenshtein: insert, delete, replace one byte), one row of the matrix at
 * a time. A word whose length differs by more than the limit is never compared, which also bounds
 * the work for a word of any length.
 */
#include "config/nearest.h"

#include <string.h>

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* b_len is at most NEAREST_WORD_MAX. */
static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t row[NEAREST_WORD_MAX + 1];

    for (size_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t above = row[j];

            row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[b_len];
}

void nearest_init(struct nearest *nearest, const char *word, size_t word_len, size_t limit)
{
    *nearest =
        (struct nearest){.word = word, .word_len = word_len, .limit = limit, .distance = limit + 1};
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
    size_t len = strlen(candidate);
    size_t difference = len > nearest->word_len ? len - nearest->word_len : nearest->word_len - len;
    size_t distance;

    if (len > NEAREST_WORD_MAX || difference > nearest->limit)
        return;
    distance = edit_distance(nearest->word, nearest->word_len, candidate, len);
    if (distance < nearest->distance) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}
