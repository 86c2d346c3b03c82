// SPDX-License-Identifier: GPL-3.0-only
/*
 * config: values with their origin, in layers, merged in the order of authority.
 */
#pragma once

#include "base/error.h"
#include "base/note.h"
#include "base/strv.h"
#include "config/settings.h"

/* In the order of authority, weakest first. */
enum layer_kind {
    LAYER_BUILTIN,
    LAYER_GLOBAL,
    LAYER_COMMAND_TABLE,
    LAYER_PROJECT,
    LAYER_CLI,
    LAYER_COUNT
};

/* Where something was said. */
struct origin {
    enum layer_kind layer;
    unsigned line;   /* of the file, from 1; 0: no file */
    unsigned column; /* in bytes, from 1; 0: no file */
    const char
        *table; /* LAYER_COMMAND_TABLE: NAME of [commands.NAME]; borrowed, outlives the value */
    bool is_untrusted; /* LAYER_PROJECT: of a file that is not trusted; the words are hostile */
};

struct value {
    bool is_set;
    struct origin origin;   /* of the last layer that said something */
    bool on;                /* TYPE_BOOL: value of the flag, never inverted */
    const char *word;       /* TYPE_WORD: static, of the row */
    struct strv list;       /* TYPE_LIST, TYPE_TEXT */
    struct origin *origins; /* one for each entry of list */
};

/* A host that an untrusted layer said. */
struct narrowing {
    char *entry;
    struct origin origin;
};

/* One layer, or the result of merging several. */
struct config {
    enum layer_kind kind;
    struct origin place; /* the origin of what is set next; config_init sets the layer alone */
    struct value values[SET_COUNT];
    /* What stands in the files of SET_ENV_FROM_FILE, NAME=VALUE in order: filled by gather(), in the
     * effective configuration alone. Never shown. */
    struct strv env_file;
    /* An untrusted layer said hosts: what is left of those below it is all that it leaves open. Set
     * by network_prepare_merge(), in the effective configuration alone. */
    bool hosts_are_narrowed;
    /* Hosts that it said and that nothing below permits: they may be a part of the automatic ones. */
    struct narrowing *narrowing;
    size_t narrowing_count;
};

/* An empty layer: nothing is set. Needs no config_free() before the first change. */
void config_init(struct config *config, enum layer_kind kind);
/* A layer in which every setting has its built-in value. */
void config_builtin(struct config *config);
void config_free(struct config *config);

#define _cleanup_config_ CLEANUP(config_free)

/* Say something in a layer, at config->place. A second bool replaces the first; an entry is added by
 * the row's merge rule (MERGE_REPLACE: behind the others). The type must be the row's; entry is
 * copied, must not be empty except for SET_COMMAND, and is not checked for its form (setting.fault
 * does that). */
void config_set_bool(struct config *config, enum setting_id id, bool on);
void config_add(struct config *config, enum setting_id id, const char *entry);
/* TYPE_TEXT: replaces. text must not be empty. */
void config_set_text(struct config *config, enum setting_id id, const char *text);
/* TYPE_LIST said to be empty: set, without an entry. */
void config_set_empty(struct config *config, enum setting_id id);
/* Takes something back: the layer says nothing of it. */
void config_unset(struct config *config, enum setting_id id);
/* Takes one entry back; the value stays set. */
void config_drop(struct config *config, enum setting_id id, size_t index);
/* word is one of the row's: of its words, or its bare_word or twin_word. */
void config_set_word(struct config *config, enum setting_id id, const char *word);

/* Merges a later trusted layer into config by each row's merge rule; what later leaves unset stays
 * as it is, origin included. later is not changed and nothing of it is shared. */
void config_merge(struct config *config, const struct config *later);

/* The value; the built-in one where the layer says nothing, so that an omission never switches a
 * protection off. */
bool config_flag(const struct config *config, enum setting_id id);
/* True if some layer above the built-in one said it. */
bool config_is_set(const struct config *config, enum setting_id id);
/* The word, or the built-in one where the layer says nothing; static text. */
const char *config_word(const struct config *config, enum setting_id id);
/* Borrowed; empty if nothing was said. */
const struct strv *config_list(const struct config *config, enum setting_id id);
/* TYPE_TEXT: borrowed, NULL if nothing was said. */
const char *config_text(const struct config *config, enum setting_id id);
/* "built-in", "command line" ...: static text. */
const char *config_origin(const struct config *config, enum setting_id id);
/* "./.ai-jail:12", "~/.ai-jail:3 [commands.claude]", "command line" ...; malloc'ed. */
char *config_describe_origin(const struct origin *origin);
/* How a message names a setting that was said there: the flag on the command line ("--no-network"
 * for a bool that is off), the key in a file. value: whose origin and switch count. malloc'ed. */
char *config_spelling(const struct config *config, enum setting_id id);
/* The same for one entry of a list. malloc'ed. */
char *config_entry_spelling(const struct config *config, enum setting_id id, size_t index);
