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
    SET_COMMAND,
    /* files */
    SET_RO_MAPS,
    SET_RW_MAPS,
    SET_OVERLAY_MAPS,
    SET_MASK,
    SET_DENY_PATHS,
    SET_MASK_EXCEPTIONS,
    SET_DENY_PATH_EXCEPTIONS,
    SET_HIDE_DOTDIRS,
    SET_PRIVATE_HOME,
    SET_AGENT_STATE,
    SET_CLAUDE_DIR,
    SET_TOOLCHAINS,
    SET_MISE,
    SET_WORKTREE,
    SET_PROTECT_GIT,
    SET_HIDE_CONFIG,
    SET_ALLOW_BROAD_PROJECT,
    /* protection */
    SET_LOCKDOWN,
    SET_LANDLOCK,
    SET_SECCOMP,
    SET_RLIMITS,
    SET_ALLOW_DEBUG,
    SET_BROWSER_PROFILE,
    SET_DOWNLOADS,
    /* host capabilities */
    SET_GPU,
    SET_KVM,
    SET_DISPLAY,
    SET_X11,
    SET_AUDIO,
    SET_HOST_SHM,
    SET_DOCKER,
    SET_DOCKER_CONFIG,
    SET_SYSTEMD_USER,
    SET_TAILSCALE,
    SET_SSH,
    SET_PICTURES,
    SET_GITHUB,
    SET_AWS,
    SET_KUBE,
    SET_GCLOUD,
    SET_MACOS_HOST_IPC,
    /* network */
    SET_NETWORK,
    SET_ALLOW_HOSTS,
    SET_ALLOW_PRIVATE,
    SET_FORWARD_PORTS,
    SET_PUBLISH_PORTS,
    SET_SECRET_HOSTS,
    SET_ALLOW_TCP_PORTS,
    /* environment */
    SET_ENV_PASS,
    SET_ENV_FROM_FILE,
    SET_INHERIT_ENV,
    /* terminal and display of the run */
    SET_STATUS_BAR,
    SET_EXEC,
    SET_TERMINAL_PASSTHROUGH,
    SET_CLIPBOARD,
    SET_BACKEND,
    SET_VERBOSE,
    /* files that ai-jail writes */
    SET_SAVE_CONFIG,
    SET_AUDIT_LOG,
    SET_REPORT,
    SET_UPDATE_CHECK,
    /* keys only */
    SET_TRUST_PROJECT_CONFIG,
    SET_STATUS_BAR_SWITCH,
    SET_STATUS_BAR_STYLE,
    SET_RESIZE_REDRAW_KEY,
    SET_COUNT
};

enum setting_type {
    TYPE_BOOL,
    TYPE_LIST,
    TYPE_WORD, /* one of a few words, attached (--FLAG=WORD) or left out (--FLAG) */
    TYPE_TEXT, /* any text; kept as a list of one entry */
};

/* What a file may write for the key. */
enum setting_form_in_file {
    FILE_NONE,         /* no key */
    FILE_BOOL,         /* true, false */
    FILE_STRING,       /* TYPE_WORD, TYPE_TEXT */
    FILE_BOOL_OR_WORD, /* TYPE_WORD: true is bare_word, false is twin_word */
    FILE_STRINGS,      /* a list of strings */
    FILE_PORTS,        /* a list of integers 0-65535 or strings "PORT:PORT"; kept as decimal text */
    FILE_PORT_NUMBERS, /* a list of integers 0-65535; kept as decimal text */
    FILE_HOSTS_BY_KEY, /* a table NAME = host, or a list of hosts; kept as entries NAME=HOST */
};

/* How a layer makes its entries comparable, each by itself, before layers are merged. */
enum setting_paths {
    PATHS_NONE,     /* no path */
    PATHS_TILDE,    /* "~" and "~/" become HOME */
    PATHS_ABSOLUTE, /* also: relative to the working directory, cleaned */
    PATHS_MAP,      /* the same for both sides of SRC:DST */
};

/* How a later layer combines with an earlier one. */
enum setting_merge {
    MERGE_REPLACE,    /* a list: if it is not empty */
    MERGE_APPEND,     /* exact duplicates dropped, first position kept */
    MERGE_APPEND_ALL, /* every entry kept, in order */
};

/* What an untrusted project file may do with the key. */
enum setting_trust {
    TRUST_CLI_ONLY, /* no key at all */
    TRUST_TIGHTEN,  /* only towards the strict value */
    TRUST_ADD,      /* append */
    TRUST_INSIDE,   /* maps: only inside the project */
    TRUST_NARROW,   /* hosts: only a part of what is allowed anyway */
    TRUST_REFUSED,  /* never */
    TRUST_GLOBAL,   /* only in the base table of the global file, whoever is trusted */
    TRUST_FREE,     /* as it likes */
    TRUST_IGNORED,  /* of no meaning there, without a word */
};

/* What becomes of a value that this version cannot fulfil. */
enum setting_support {
    SUPPORT_FULL,
    SUPPORT_NO_EFFECT, /* less is open than was asked for: one warning */
    SUPPORT_REFUSED,   /* less is closed than was asked for: no launch */
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
    const char *flag;    /* long option without dashes; NULL: files only */
    const char *alias;   /* second long option for the same thing, or NULL */
    char short_flag;     /* 0: none */
    bool has_twin;       /* --no-FLAG exists */
    bool inverted;       /* the key in files says the opposite of the flag */
    unsigned capability; /* set of forms that earn a warning when they stand behind the command */
    enum setting_type type;
    enum setting_form_in_file form;
    enum setting_paths paths;
    enum setting_merge merge;
    enum setting_trust trust;
    enum setting_support support;
    bool preset;         /* built-in value of the flag (TYPE_BOOL) */
    bool strict;         /* value of the flag that always tightens (TYPE_BOOL, TRUST_TIGHTEN) */
    const char *section; /* heading in --help; rows of one section stand together */
    const char *arg;     /* form of the argument; NULL unless TYPE_LIST or TYPE_TEXT with a flag */
    const char *help;    /* what --help says; NULL without a flag */

    /* TYPE_WORD. What can be written, NULL behind the last one; the other columns may hold words
     * that cannot. */
    const char *const *words;
    const char *bare_word;   /* what --FLAG alone means; NULL: a word must be given */
    const char *twin_word;   /* what --no-FLAG means */
    const char *preset_word; /* built-in value */
    /* TRUST_TIGHTEN: every word that a file can say, strictest first, NULL behind the last. */
    const char *const *strict_order;
    /* Other spellings in files: pairs of spelling and word, NULL behind the last; or NULL. */
    const char *const *synonyms;

    /* TYPE_LIST: what is wrong with a non-empty entry, and how to write it, without repeating the
     * entry (it may hold a secret); NULL if nothing is. The column is NULL if every entry goes. */
    const char *(*fault)(const char *entry);
};

/* In settings_table.c. */
extern const struct setting settings[SET_COUNT];

/* The row of a key in files; NULL if none. */
const struct setting *settings_by_key(const char *key);

/* TYPE_WORD: the row's own copy (static) of a word that can be written; NULL: it cannot. */
const char *settings_find_word(const struct setting *row, const char *text);
/* The same for what a file may write as a string: the words and their synonyms. */
const char *settings_find_file_word(const struct setting *row, const char *text);
/* The words that can be written, with the separator between them; malloc'ed. */
char *settings_join_words(const struct setting *row, const char *separator);
