// SPDX-License-Identifier: GPL-3.0-only
/*
 * shell_word: see shell_word.h.
 */
#include "base/shell_word.h"

#include <string.h>

static bool is_plain(const char *word)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                               "_@%+=:,./-";

    return word[0] && strspn(word, safe) == strlen(word);
}

void shell_word_append(struct buf *out, const char *word)
{
    if (is_plain(word)) {
        buf_append_str(out, word);
        return;
    }
    buf_append_byte(out, '\'');
    for (const char *at = word; *at; at++)
        if (*at == '\'')
            buf_append_str(out, "'\\''");
        else
            buf_append_byte(out, (uint8_t)*at);
    buf_append_byte(out, '\'');
}
