// SPDX-License-Identifier: GPL-3.0-only
/*
 * config: layers of values.
 *
 * A layer holds what one source said and nothing else; the merged configuration starts as the
 * built-in layer and takes the others in the order of authority. What an untrusted project may say
 * is decided before its layer gets here: merging trusts both sides.
 */
#include "config/config.h"

static const char *const layer_names[] = {
    [LAYER_BUILTIN] = "built-in",
    [LAYER_GLOBAL] = "~/.ai-jail",
    [LAYER_COMMAND_TABLE] = "~/.ai-jail [commands]",
    [LAYER_PROJECT] = "./.ai-jail",
    [LAYER_CLI] = "command line",
};
static_assert(ARRAY_SIZE(layer_names) == LAYER_COUNT, "every layer has a name");

static void value_add(struct value *value, enum setting_merge merge, const char *entry)
{
    if (merge == MERGE_APPEND && strv_find(&value->list, entry) >= 0)
        return;
    strv_push(&value->list, entry);
}

static void value_merge(struct value *value, const struct value *later, enum setting_merge merge)
{
    if (!later->is_set)
        return;
    if (merge == MERGE_REPLACE) {
        value->on = later->on;
        value->word = later->word;
    }
    for (size_t i = 0; i < later->list.n; i++)
        value_add(value, merge, later->list.v[i]);
    value->is_set = true;
    value->origin = later->origin;
}

void config_init(struct config *config, enum layer_kind kind)
{
    *config = (struct config){.kind = kind};
}

void config_builtin(struct config *config)
{
    config_init(config, LAYER_BUILTIN);
    for (size_t i = 0; i < SET_COUNT; i++)
        config->values[i] = (struct value){
            .is_set = true, .on = settings[i].preset, .word = settings[i].preset_word};
}

void config_free(struct config *config)
{
    for (size_t i = 0; i < SET_COUNT; i++)
        strv_free(&config->values[i].list);
    config_init(config, config->kind);
}

void config_set_bool(struct config *config, enum setting_id id, bool on)
{
    struct value *value = &config->values[id];

    assert(settings[id].type == TYPE_BOOL);
    value->on = on;
    value->is_set = true;
    value->origin = config->kind;
}

void config_add(struct config *config, enum setting_id id, const char *entry)
{
    struct value *value = &config->values[id];

    assert(settings[id].type == TYPE_LIST && entry[0] != '\0');
    value_add(value, settings[id].merge, entry);
    value->is_set = true;
    value->origin = config->kind;
}

void config_set_word(struct config *config, enum setting_id id, const char *word)
{
    struct value *value = &config->values[id];

    assert(settings[id].type == TYPE_WORD && word);
    value->word = word;
    value->is_set = true;
    value->origin = config->kind;
}

void config_merge(struct config *config, const struct config *later)
{
    for (size_t i = 0; i < SET_COUNT; i++)
        value_merge(&config->values[i], &later->values[i], settings[i].merge);
}

bool config_flag(const struct config *config, enum setting_id id)
{
    const struct value *value = &config->values[id];

    assert(settings[id].type == TYPE_BOOL);
    return value->is_set ? value->on : settings[id].preset;
}

bool config_is_set(const struct config *config, enum setting_id id)
{
    return config->values[id].is_set && config->values[id].origin != LAYER_BUILTIN;
}

const char *config_word(const struct config *config, enum setting_id id)
{
    const struct value *value = &config->values[id];

    assert(settings[id].type == TYPE_WORD);
    return value->is_set ? value->word : settings[id].preset_word;
}

const struct strv *config_list(const struct config *config, enum setting_id id)
{
    assert(settings[id].type == TYPE_LIST);
    return &config->values[id].list;
}

const char *config_origin(const struct config *config, enum setting_id id)
{
    const struct value *value = &config->values[id];

    return layer_names[value->is_set ? value->origin : LAYER_BUILTIN];
}
