// SPDX-License-Identifier: GPL-3.0-only
/*
 * settings: looking things up in the table (settings_table.c).
 */
#include "config/settings.h"

#include "base/buf.h"

#include <string.h>

#define WORDS_TEXT_MAX 1024

const struct setting *settings_by_key(const char *key)
{
    for (size_t i = 0; i < SET_COUNT; i++)
        if (settings[i].key && str_eq(settings[i].key, key))
            return &settings[i];
    return NULL;
}

const char *settings_find_word(const struct setting *row, const char *text)
{
    assert(row->type == TYPE_WORD);
    for (size_t i = 0; row->words[i]; i++)
        if (str_eq(row->words[i], text))
            return row->words[i];
    return NULL;
}

const char *settings_find_file_word(const struct setting *row, const char *text)
{
    for (size_t i = 0; row->synonyms && row->synonyms[i]; i += 2)
        if (str_eq(row->synonyms[i], text))
            return settings_find_word(row, row->synonyms[i + 1]);
    return settings_find_word(row, text);
}

char *settings_join_words(const struct setting *row, const char *separator)
{
    struct buf text CLEANUP(buf_free);

    assert(row->type == TYPE_WORD);
    buf_init(&text, WORDS_TEXT_MAX);
    for (size_t i = 0; row->words[i]; i++)
        buf_printf(&text, "%s%s", i ? separator : "", row->words[i]);
    return buf_take_cstr(&text);
}
