// SPDX-License-Identifier: GPL-3.0-only
/*
 * options: every word that is an option: the spellings of the settings, the verbs, the modifiers.
 *
 * The settings table says what can be set; this is the list of how it can be written, made from the
 * table, for the parser, its suggestions and --help.
 */
#pragma once

#include "config/settings.h"

/* What a call is to do. A verb other than VERB_RUN never starts the command. */
enum verb {
    VERB_RUN,
    VERB_DRY_RUN,
    VERB_STATUS,
    VERB_WHY,
    VERB_DOCTOR,
    VERB_INIT,
    VERB_BOOTSTRAP,
    VERB_AUDIT_SHOW,
    VERB_AUDIT_VERIFY,
    VERB_OVERLAY_LIST,
    VERB_OVERLAY_APPLY,
    VERB_OVERLAY_DISCARD,
    VERB_BROWSER_LIST,
    VERB_BROWSER_FORGET,
    VERB_COMPLETIONS,
    VERB_SANITIZE,
    VERB_HELP,
    VERB_VERSION,
    VERB_COUNT
};

struct verb_option {
    enum verb verb;
    const char *flag;      /* long option without dashes; NULL for VERB_RUN, which has none */
    char short_flag;       /* 0: none */
    const char *keyword;   /* first word that means the same, or NULL */
    const char *arg;       /* form of its operand ("PATH"), or NULL */
    bool arg_is_optional;  /* the operand is attached (--verb=PATH) or left out */
    bool has_json;         /* --json goes with it */
    bool takes_no_command; /* words of a command are a mistake */
    const char *help;      /* what --help says */
};

/* Indexed by enum verb. */
extern const struct verb_option verb_options[VERB_COUNT];

/* What changes how a verb or a run works and is no setting. */
enum modifier { MODIFIER_JSON, MODIFIER_CLEAN, MODIFIER_COUNT };

struct modifier_option {
    const char *flag;
    const char *help;
};

/* Indexed by enum modifier. */
extern const struct modifier_option modifier_options[MODIFIER_COUNT];

enum option_kind { OPTION_SETTING, OPTION_VERB, OPTION_MODIFIER };

#define OPTION_NAME_MAX 48

/* One long spelling. */
struct option_word {
    char name[OPTION_NAME_MAX]; /* without dashes */
    char short_flag;            /* the same in one letter, 0: none */
    enum option_kind kind;
    enum setting_form form;  /* OPTION_SETTING */
    enum setting_id setting; /* OPTION_SETTING */
    enum verb verb;          /* OPTION_VERB */
    enum modifier modifier;  /* OPTION_MODIFIER */
};

#define OPTION_WORDS_MAX (SET_COUNT * 3 + VERB_COUNT + MODIFIER_COUNT)

struct option_words {
    struct option_word v[OPTION_WORDS_MAX];
    size_t n;
};

/* Fills the list: settings in table order (flag, alias, twin), verbs, modifiers. */
void options_list(struct option_words *words);

/* The word with exactly this name, or short letter; NULL if none. */
const struct option_word *options_find(const struct option_words *words, const char *name,
                                       size_t len);
const struct option_word *options_find_short(const struct option_words *words, char letter);

/* Form of the argument ("PATH[:DST]"), or NULL if the option needs none. */
const char *options_argument(const struct option_word *word);
/* True if an argument may be attached: a word of its row, or a verb's optional operand. */
bool options_may_attach(const struct option_word *word);
