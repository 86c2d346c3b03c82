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

struct value {
    bool is_set;
    enum layer_kind origin; /* the last layer that said something */
    bool on;                /* TYPE_BOOL: value of the flag, never inverted */
    const char *word;       /* TYPE_WORD: static, of the row */
    struct strv list;       /* TYPE_LIST */
};

/* One layer, or the result of merging several. */
struct config {
    enum layer_kind kind;
    struct value values[SET_COUNT];
};

/* An empty layer: nothing is set. Needs no config_free() before the first change. */
void config_init(struct config *config, enum layer_kind kind);
/* A layer in which every setting has its built-in value. */
void config_builtin(struct config *config);
void config_free(struct config *config);

#define _cleanup_config_ CLEANUP(config_free)

/* Say something in a layer. A second bool replaces the first; an entry is added by the row's merge
 * rule. The type must be the row's; entry is copied, must not be empty, and is not checked for its
 * form (setting.fault does that). */
void config_set_bool(struct config *config, enum setting_id id, bool on);
void config_add(struct config *config, enum setting_id id, const char *entry);
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
/* "built-in", "command line" ...: static text. */
const char *config_origin(const struct config *config, enum setting_id id);
