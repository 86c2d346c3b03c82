// SPDX-License-Identifier: GPL-3.0-only
/*
 * settings: the one table of everything a user can say.
 *
 * Parsing of the command line, --help, the man page check, and later the TOML reader, status,
 * saving and completions are loops over it. Adding an option is one row here, one line in the man
 * page, one test case.
 */
#pragma once

#include "base/base.h"

/* One per row, in the order of the table. */
enum setting_id {
    /* files */
    SET_RO_MAPS,
    SET_RW_MAPS,
    SET_PRIVATE_HOME,
    SET_ALLOW_BROAD_PROJECT,
    /* protection */
    SET_LANDLOCK,
    SET_SECCOMP,
    SET_RLIMITS,
    SET_ALLOW_DEBUG,
    /* network */
    SET_NETWORK,
    /* environment */
    SET_ENV_PASS,
    SET_INHERIT_ENV,
    /* terminal and display of the run */
    SET_STATUS_BAR,
    SET_EXEC,
    SET_TERMINAL_PASSTHROUGH,
    SET_CLIPBOARD,
    SET_VERBOSE,
    SET_COUNT
};

enum setting_type {
    TYPE_BOOL,
    TYPE_LIST,
    TYPE_WORD, /* one of a few words, attached (--FLAG=WORD) or left out (--FLAG) */
};

/* How a later layer combines with an earlier one. */
enum setting_merge {
    MERGE_REPLACE,
    MERGE_APPEND,     /* exact duplicates dropped, first position kept */
    MERGE_APPEND_ALL, /* every entry kept, in order */
};

/* What an untrusted project file may do with the key. */
enum setting_trust {
    TRUST_CLI_ONLY, /* no key at all */
    TRUST_TIGHTEN,  /* only towards the strict value */
    TRUST_INSIDE,   /* maps: only inside the project */
    TRUST_REFUSED,  /* never */
};

/* The long spellings that a setting can have; the values are bits of a set. */
enum setting_form {
    FORM_FLAG = 1 << 0,  /* --NAME */
    FORM_ALIAS = 1 << 1, /* the second name */
    FORM_TWIN = 1 << 2,  /* --no-NAME */
};

struct setting {
    enum setting_id id;
    const char *key;     /* in files; NULL: command line only */
    const char *flag;    /* long option without dashes */
    const char *alias;   /* second long option for the same thing, or NULL */
    char short_flag;     /* 0: none */
    bool has_twin;       /* --no-FLAG exists */
    bool inverted;       /* the key in files says the opposite of the flag */
    unsigned capability; /* set of forms that earn a warning when they stand behind the command */
    enum setting_type type;
    enum setting_merge merge;
    enum setting_trust trust;
    bool preset;         /* built-in value of the flag (TYPE_BOOL) */
    bool strict;         /* value of the flag that always tightens (TYPE_BOOL, TRUST_TIGHTEN) */
    const char *section; /* heading in --help; rows of one section stand together */
    const char *arg;     /* form of the argument, NULL unless TYPE_LIST */
    const char *help;    /* what --help says */

    /* TYPE_WORD. What can be written, NULL behind the last one; the other columns may hold words
     * that cannot. */
    const char *const *words;
    const char *bare_word;   /* what --FLAG alone means */
    const char *twin_word;   /* what --no-FLAG means */
    const char *preset_word; /* built-in value */
    const char *strict_word; /* the one that always tightens (TRUST_TIGHTEN) */

    /* TYPE_LIST: what is wrong with a non-empty entry, and how to write it, without repeating the
     * entry (it may hold a secret); NULL if nothing is. The column is NULL if every entry goes. */
    const char *(*fault)(const char *entry);
};

extern const struct setting settings[SET_COUNT];

/* The row whose flag, alias or (with *negated set) twin is name (without dashes); NULL if none.
 * Exact spellings only. negated may be NULL. */
const struct setting *settings_by_flag(const char *name, bool *negated);

/* TYPE_WORD: the row's own copy (static) of a word that can be written; NULL: it cannot. */
const char *settings_find_word(const struct setting *row, const char *text);
/* The words that can be written, with the separator between them; malloc'ed. */
char *settings_join_words(const struct setting *row, const char *separator);
