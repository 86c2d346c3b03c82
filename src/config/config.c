// SPDX-License-Identifier: GPL-3.0-only
/*
 * config: layers of values.
 *
 * A layer holds what one source said and nothing else; the merged configuration starts as the
 * built-in layer and takes the others in the order of authority. What an untrusted project may say
 * is decided before its layer gets here: merging trusts both sides.
 */
#include "config/config.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

static const char *const layer_names[] = {
    [LAYER_BUILTIN] = "built-in",
    [LAYER_GLOBAL] = "~/.ai-jail",
    [LAYER_COMMAND_TABLE] = "~/.ai-jail [commands]",
    [LAYER_PROJECT] = "./.ai-jail",
    [LAYER_CLI] = "command line",
};
static_assert(ARRAY_SIZE(layer_names) == LAYER_COUNT, "every layer has a name");

static bool is_list(enum setting_id id)
{
    return settings[id].type == TYPE_LIST || settings[id].type == TYPE_TEXT;
}

static void value_clear(struct value *value)
{
    strv_free(&value->list);
    free(value->origins);
    *value = (struct value){0};
}

static void value_add(struct value *value, enum setting_merge merge, const char *entry,
                      const struct origin *origin)
{
    ptrdiff_t same = merge == MERGE_APPEND ? strv_find(&value->list, entry) : -1;

    if (same >= 0) {
        /* What the user says, too, counts as the user's. */
        if (value->origins[same].is_untrusted && !origin->is_untrusted)
            value->origins[same] = *origin;
        return;
    }
    strv_push(&value->list, entry);
    value->origins = xrealloc(value->origins, value->list.n, sizeof(*value->origins));
    value->origins[value->list.n - 1] = *origin;
}

static void value_merge(struct value *value, const struct value *later, enum setting_merge merge)
{
    if (!later->is_set)
        return;
    if (merge == MERGE_REPLACE) {
        if (later->list.n)
            value_clear(value);
        value->on = later->on;
        value->word = later->word;
    }
    for (size_t i = 0; i < later->list.n; i++)
        value_add(value, merge, later->list.v[i], &later->origins[i]);
    value->is_set = true;
    value->origin = later->origin;
}

/* The value, now said at the layer's place. */
static struct value *say(struct config *config, enum setting_id id)
{
    struct value *value = &config->values[id];

    value->is_set = true;
    value->origin = config->place;
    return value;
}

void config_init(struct config *config, enum layer_kind kind)
{
    *config = (struct config){.kind = kind, .place.layer = kind};
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
        value_clear(&config->values[i]);
    strv_free(&config->env_file);
    for (size_t i = 0; i < config->narrowing_count; i++)
        free(config->narrowing[i].entry);
    free(config->narrowing);
    config_init(config, config->kind);
}

void config_set_bool(struct config *config, enum setting_id id, bool on)
{
    assert(settings[id].type == TYPE_BOOL);
    say(config, id)->on = on;
}

void config_add(struct config *config, enum setting_id id, const char *entry)
{
    assert(settings[id].type == TYPE_LIST && (entry[0] != '\0' || id == SET_COMMAND));
    value_add(say(config, id), settings[id].merge, entry, &config->place);
}

void config_set_text(struct config *config, enum setting_id id, const char *text)
{
    assert(settings[id].type == TYPE_TEXT && text[0] != '\0');
    value_clear(&config->values[id]);
    value_add(say(config, id), MERGE_REPLACE, text, &config->place);
}

void config_set_empty(struct config *config, enum setting_id id)
{
    assert(settings[id].type == TYPE_LIST);
    value_clear(&config->values[id]);
    say(config, id);
}

void config_set_word(struct config *config, enum setting_id id, const char *word)
{
    assert(settings[id].type == TYPE_WORD && word);
    say(config, id)->word = word;
}

void config_unset(struct config *config, enum setting_id id)
{
    value_clear(&config->values[id]);
}

void config_drop(struct config *config, enum setting_id id, size_t index)
{
    struct value *value = &config->values[id];

    assert(is_list(id) && index < value->list.n);
    strv_remove(&value->list, index);
    memmove(value->origins + index, value->origins + index + 1,
            (value->list.n - index) * sizeof(*value->origins));
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
    return config->values[id].is_set && config->values[id].origin.layer != LAYER_BUILTIN;
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

const char *config_text(const struct config *config, enum setting_id id)
{
    assert(settings[id].type == TYPE_TEXT);
    return config->values[id].list.n ? config->values[id].list.v[0] : NULL;
}

const char *config_origin(const struct config *config, enum setting_id id)
{
    const struct value *value = &config->values[id];

    return layer_names[value->is_set ? value->origin.layer : LAYER_BUILTIN];
}

char *config_describe_origin(const struct origin *origin)
{
    const char *name =
        layer_names[origin->layer == LAYER_COMMAND_TABLE ? LAYER_GLOBAL : origin->layer];

    if (!origin->line)
        return xstrdup(layer_names[origin->layer]);
    if (origin->table)
        return xasprintf("%s:%u [commands.%s]", name, origin->line, origin->table);
    return xasprintf("%s:%u", name, origin->line);
}

static char *spelling(const struct setting *row, const struct origin *origin, bool twin)
{
    _cleanup_free_ char *where = NULL;

    if (!row->key || (row->flag && origin->layer == LAYER_CLI))
        return xasprintf("--%s%s", twin && row->has_twin ? "no-" : "", row->flag);
    if (!origin->line)
        return xstrdup(row->key);
    where = config_describe_origin(origin);
    return xasprintf("%s: %s", where, row->key);
}

char *config_spelling(const struct config *config, enum setting_id id)
{
    const struct value *value = &config->values[id];

    return spelling(&settings[id], &value->origin, settings[id].type == TYPE_BOOL && !value->on);
}

char *config_entry_spelling(const struct config *config, enum setting_id id, size_t index)
{
    assert(is_list(id) && index < config->values[id].list.n);
    return spelling(&settings[id], &config->values[id].origins[index], false);
}
