// SPDX-License-Identifier: GPL-3.0-only
/*
 * options: the list of words, from the settings table and the table of verbs.
 */
#include "config/options.h"

#include <stdio.h>
#include <string.h>

const struct verb_option verb_options[VERB_COUNT] = {
    [VERB_RUN] = {.verb = VERB_RUN},
    [VERB_DRY_RUN] = {.verb = VERB_DRY_RUN,
                      .flag = "dry-run",
                      .has_json = true,
                      .help = "Print what a run would do and change nothing."},
    [VERB_SANITIZE] = {.verb = VERB_SANITIZE,
                       .flag = "sanitize",
                       .is_filter = true,
                       .help = "Copy standard input to standard output through the terminal "
                               "filter."},
    [VERB_HELP] = {.verb = VERB_HELP,
                   .flag = "help",
                   .short_flag = 'h',
                   .help = "Print this text."},
    [VERB_VERSION] = {.verb = VERB_VERSION,
                      .flag = "version",
                      .short_flag = 'V',
                      .help = "Print the version."},
};

const char options_json_flag[] = "json";
const char options_json_help[] = "With --dry-run: print JSON.";

static struct option_word *word_add(struct option_words *words, enum option_kind kind,
                                    const char *prefix, const char *name)
{
    struct option_word *word;
    int len;

    assert(words->n < ARRAY_SIZE(words->v));
    word = &words->v[words->n++];
    *word = (struct option_word){.kind = kind};
    len = snprintf(word->name, sizeof(word->name), "%s%s", prefix, name);
    assert(len > 0 && (size_t)len < sizeof(word->name));
    return word;
}

static struct option_word *form_add(struct option_words *words, const struct setting *row,
                                    enum setting_form form, const char *prefix, const char *name)
{
    struct option_word *word = word_add(words, OPTION_SETTING, prefix, name);

    word->setting = row->id;
    word->form = form;
    return word;
}

static void setting_add(struct option_words *words, const struct setting *row)
{
    form_add(words, row, FORM_FLAG, "", row->flag)->short_flag = row->short_flag;
    if (row->alias)
        form_add(words, row, FORM_ALIAS, "", row->alias);
    if (row->has_twin)
        form_add(words, row, FORM_TWIN, "no-", row->flag);
}

void options_list(struct option_words *words)
{
    words->n = 0;
    for (size_t i = 0; i < SET_COUNT; i++)
        setting_add(words, &settings[i]);
    for (size_t i = VERB_RUN + 1; i < VERB_COUNT; i++) {
        struct option_word *word = word_add(words, OPTION_VERB, "", verb_options[i].flag);

        word->verb = verb_options[i].verb;
        word->short_flag = verb_options[i].short_flag;
    }
    word_add(words, OPTION_JSON, "", options_json_flag);
}

const struct option_word *options_find(const struct option_words *words, const char *name,
                                       size_t len)
{
    for (size_t i = 0; i < words->n; i++)
        if (strlen(words->v[i].name) == len && memcmp(words->v[i].name, name, len) == 0)
            return &words->v[i];
    return NULL;
}

const struct option_word *options_find_short(const struct option_words *words, char letter)
{
    for (size_t i = 0; i < words->n; i++)
        if (letter && words->v[i].short_flag == letter)
            return &words->v[i];
    return NULL;
}

const char *options_argument(const struct option_word *word)
{
    return word->kind == OPTION_SETTING ? settings[word->setting].arg : NULL;
}

bool options_may_have_word(const struct option_word *word)
{
    return word->kind == OPTION_SETTING && settings[word->setting].type == TYPE_WORD &&
           word->form != FORM_TWIN;
}
