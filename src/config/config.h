// SPDX-License-Identifier: GPL-3.0-only
/*
 * config: values with their origin, in layers, merged in the order of authority.
 */
#pragma once

#include "base/error.h"
#include "base/note.h"
#include "base/strv.h"
#include "config/settings.h"

enum layer_kind { LAYER_BUILTIN, LAYER_GLOBAL, LAYER_COMMAND_TABLE, LAYER_PROJECT, LAYER_CLI };

struct value {
    bool is_set;
    enum layer_kind origin;
    bool on;            /* TYPE_BOOL: value of the flag, never inverted */
    struct strv list;   /* TYPE_LIST */
};

/* One layer, or the result of merging several. */
struct config {
    enum layer_kind kind;
    struct value values[SET_COUNT];
};

void config_init(struct config *config, enum layer_kind kind);
/* A layer in which every setting has its built-in value. */
void config_builtin(struct config *config);
void config_free(struct config *config);

void config_set_bool(struct config *config, enum setting_id id, bool on);
void config_add(struct config *config, enum setting_id id, const char *entry);

/* Merges a later trusted layer into config by each row's merge rule. */
void config_merge(struct config *config, const struct config *later);

bool config_flag(const struct config *config, enum setting_id id);
/* True if some layer above the built-in one said it. */
bool config_is_set(const struct config *config, enum setting_id id);
const struct strv *config_list(const struct config *config, enum setting_id id);
/* "built-in", "command line" ... */
const char *config_origin(const struct config *config, enum setting_id id);
