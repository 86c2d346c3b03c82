// SPDX-License-Identifier: GPL-3.0-only
/*
 * options: the list of words, from the settings table and the tables of verbs and modifiers.
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
    [VERB_STATUS] = {.verb = VERB_STATUS,
                     .flag = "status",
                     .keyword = "status",
                     .has_json = true,
                     .help = "Print every setting with its value and where it was said. 'ai-jail "
                             "status' is the same."},
    [VERB_WHY] = {.verb = VERB_WHY,
                  .flag = "why",
                  .arg = "PATH",
                  .has_json = true,
                  .help = "Say whether the command would see PATH, which rule decides, and what "
                          "would change it."},
    [VERB_DOCTOR] = {.verb = VERB_DOCTOR,
                     .flag = "doctor",
                     .has_json = true,
                     .help = "Try every wall on this machine and say how to mend what is missing."},
    [VERB_INIT] = {.verb = VERB_INIT,
                   .flag = "init",
                   .help =
                       "Write ./.ai-jail with the command and the options given, and run nothing."},
    [VERB_BOOTSTRAP] = {.verb = VERB_BOOTSTRAP,
                        .flag = "bootstrap",
                        .takes_no_command = true,
                        .help = "Write permission files for the known agents into HOME, merged "
                                "into what is there."},
    [VERB_AUDIT_SHOW] = {.verb = VERB_AUDIT_SHOW,
                         .flag = "audit-show",
                         .has_json = true,
                         .takes_no_command = true,
                         .help = "Print the audit log."},
    [VERB_AUDIT_VERIFY] = {.verb = VERB_AUDIT_VERIFY,
                           .flag = "audit-verify",
                           .takes_no_command = true,
                           .help = "Check that nothing in the audit log was changed or removed."},
    [VERB_OVERLAY_LIST] =
        {.verb = VERB_OVERLAY_LIST,
         .flag = "overlay-list",
         .arg = "PATH",
         .arg_is_optional = true,
         .has_json = true,
         .takes_no_command = true,
         .help = "List what was changed in the overlays of this project, or in the one of PATH."},
    [VERB_OVERLAY_APPLY] = {.verb = VERB_OVERLAY_APPLY,
                            .flag = "overlay-apply",
                            .arg = "PATH",
                            .takes_no_command = true,
                            .help =
                                "Write the changes of the overlay of PATH to the real directory."},
    [VERB_OVERLAY_DISCARD] = {.verb = VERB_OVERLAY_DISCARD,
                              .flag = "overlay-discard",
                              .arg = "PATH",
                              .takes_no_command = true,
                              .help = "Throw the changes of the overlay of PATH away."},
    [VERB_BROWSER_LIST] = {.verb = VERB_BROWSER_LIST,
                           .flag = "browser-list",
                           .has_json = true,
                           .takes_no_command = true,
                           .help = "List the browser profiles that are kept (--browser=soft)."},
    [VERB_BROWSER_FORGET] = {.verb = VERB_BROWSER_FORGET,
                             .flag = "browser-forget",
                             .arg = "PROFILE",
                             .takes_no_command = true,
                             .help = "Remove a browser profile that is kept."},
    [VERB_COMPLETIONS] = {.verb = VERB_COMPLETIONS,
                          .flag = "completions",
                          .arg = "SHELL",
                          .takes_no_command = true,
                          .help = "Print the completion script for bash, zsh or fish."},
    [VERB_SANITIZE] = {.verb = VERB_SANITIZE,
                       .flag = "sanitize",
                       .takes_no_command = true,
                       .help =
                           "Copy standard input to standard output through the terminal filter."},
    [VERB_HELP] = {.verb = VERB_HELP,
                   .flag = "help",
                   .short_flag = 'h',
                   .help = "Print this text."},
    [VERB_VERSION] = {.verb = VERB_VERSION,
                      .flag = "version",
                      .short_flag = 'V',
                      .help = "Print the version."},
};

const struct modifier_option modifier_options[MODIFIER_COUNT] = {
    [MODIFIER_JSON] = {"json", "With a verb that prints something: print JSON."},
    [MODIFIER_CLEAN] = {"clean", "Do not read ./.ai-jail; with --init, replace it."},
};

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
        if (settings[i].flag)
            setting_add(words, &settings[i]);
    for (size_t i = VERB_RUN + 1; i < VERB_COUNT; i++) {
        struct option_word *word = word_add(words, OPTION_VERB, "", verb_options[i].flag);

        word->verb = verb_options[i].verb;
        word->short_flag = verb_options[i].short_flag;
    }
    for (size_t i = 0; i < MODIFIER_COUNT; i++)
        word_add(words, OPTION_MODIFIER, "", modifier_options[i].flag)->modifier = (enum modifier)i;
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
    if (word->kind == OPTION_VERB && !verb_options[word->verb].arg_is_optional)
        return verb_options[word->verb].arg;
    return word->kind == OPTION_SETTING ? settings[word->setting].arg : NULL;
}

bool options_may_attach(const struct option_word *word)
{
    if (word->kind == OPTION_VERB)
        return verb_options[word->verb].arg_is_optional;
    return word->kind == OPTION_SETTING && settings[word->setting].type == TYPE_WORD &&
           word->form != FORM_TWIN;
}
