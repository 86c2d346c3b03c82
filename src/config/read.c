// SPDX-License-Identifier: GPL-3.0-only
/*
 * read: from the tree of a TOML document to layers.
 *
 * The root's keys are the base layer. In the global file the children of "commands" are tables of
 * their own, each a layer with the same keys, except for what counts only for the file as a whole
 * (the columns TRUST_GLOBAL and TRUST_IGNORED: who is trusted, the bar).
 *
 * The number of warnings is limited: a file may hold thousands of unknown keys.
 */
#include "config/read.h"

#include "config/nearest.h"
#include "config/read_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char commands_key[] = "commands";

/* Edit distance up to which an unknown key gets a suggestion; half of its length if that is less. */
#define NEAREST_KEY_LIMIT 3
#define WARNINGS_MAX      20
/* Bytes of an unknown key that are shown. */
#define SHOWN_KEY_MAX 64

struct reading {
    const struct read_source *source;
    struct file_layers *layers;
    struct notes *notes;
    struct error *error;
    unsigned warnings;
};

static bool is_plain(const struct toml_node *node)
{
    return strlen(node->key) == node->key_len;
}

/* Whether the key of a row counts in a table of the kind of layer. */
static bool counts_in(const struct setting *row, enum layer_kind kind)
{
    return row->key && (kind != LAYER_COMMAND_TABLE ||
                        (row->trust != TRUST_GLOBAL && row->trust != TRUST_IGNORED));
}

static const struct setting *find_row(const struct toml_node *node, enum layer_kind kind)
{
    const struct setting *row = is_plain(node) ? settings_by_key(node->key) : NULL;

    return row && counts_in(row, kind) ? row : NULL;
}

static const char *nearest_key(const char *word, size_t len, enum layer_kind kind)
{
    size_t limit = len / 2 < NEAREST_KEY_LIMIT ? len / 2 : NEAREST_KEY_LIMIT;
    struct nearest nearest;

    nearest_init(&nearest, word, len, limit);
    for (size_t i = 0; i < SET_COUNT; i++)
        if (counts_in(&settings[i], kind))
            nearest_offer(&nearest, settings[i].key);
    if (kind == LAYER_GLOBAL)
        nearest_offer(&nearest, commands_key);
    return nearest.best;
}

/* Some keys begin with "no_" and others do not: that alone hides no neighbour. */
static const char *suggest(const struct toml_node *node, enum layer_kind kind)
{
    static const char negation[] = "no_";
    size_t skip = strlen(negation);
    const char *best = nearest_key(node->key, node->key_len, kind);

    if (!best && node->key_len > skip && memcmp(node->key, negation, skip) == 0)
        best = nearest_key(node->key + skip, node->key_len - skip, kind);
    return best;
}

static const char *why_misplaced(const struct toml_node *node, enum layer_kind kind)
{
    if (kind == LAYER_COMMAND_TABLE && is_plain(node) && settings_by_key(node->key))
        return "it counts only outside of tables, at the top of the file";
    if (kind == LAYER_PROJECT && str_eq(node->key, commands_key))
        return "tables for commands count only in ~/.ai-jail";
    return NULL;
}

static void warn_unknown(struct reading *reading, const struct toml_node *node,
                         enum layer_kind kind)
{
    const char *thing = node->type == TOML_TYPE_TABLE ? "table" : "key";
    const char *misplaced = why_misplaced(node, kind);
    const char *best = misplaced ? NULL : suggest(node, kind);
    int shown = node->key_len < SHOWN_KEY_MAX ? (int)node->key_len : SHOWN_KEY_MAX;
    _cleanup_free_ char *hint = NULL;

    if (++reading->warnings > WARNINGS_MAX)
        return;
    if (best)
        hint = xasprintf(": did you mean %s?", best);
    else if (misplaced)
        hint = xasprintf(": %s", misplaced);
    notes_add(reading->notes, NOTE_WARNING, "%s:%u:%u: unknown %s %.*s has no effect%s",
              reading->source->path, node->key_line, node->key_column, thing, shown, node->key,
              hint ? hint : "");
}

static void warn_rest(const struct reading *reading)
{
    if (reading->warnings > WARNINGS_MAX)
        notes_add(reading->notes, NOTE_WARNING,
                  "%s: %u more unknown keys and tables have no effect", reading->source->path,
                  reading->warnings - WARNINGS_MAX);
}

static int read_key(struct reading *reading, const struct toml_node *node, struct config *layer)
{
    const struct setting *row = find_row(node, layer->kind);

    if (row)
        return read_value(reading->source, row, node, layer, reading->error);
    warn_unknown(reading, node, layer->kind);
    return 0;
}

static int read_table(struct reading *reading, const struct toml_node *node)
{
    struct file_layers *layers = reading->layers;
    struct read_table *table;

    if (node->type != TOML_TYPE_TABLE)
        return read_fail(reading->source, node, commands_key, reading->error,
                         "of type %s, but accepted are tables [commands.NAME]",
                         toml_type_name(node->type));
    if (!node->key_len || !is_plain(node))
        return read_fail(reading->source, node, commands_key, reading->error,
                         "the NAME of a [commands.NAME] is empty or holds a NUL character");
    layers->tables = xrealloc(layers->tables, layers->table_count + 1, sizeof(*layers->tables));
    table = &layers->tables[layers->table_count++];
    *table = (struct read_table){.name = xstrdup(node->key), .line = node->key_line};
    config_init(&table->config, LAYER_COMMAND_TABLE);
    table->config.place.table = table->name;
    for (const struct toml_node *key = node->first; key; key = key->next) {
        int r = read_key(reading, key, &table->config);

        if (r < 0)
            return r;
    }
    return 0;
}

static int read_tables(struct reading *reading, const struct toml_node *node)
{
    if (node->type != TOML_TYPE_TABLE)
        return read_table(reading, node);
    for (const struct toml_node *table = node->first; table; table = table->next) {
        int r = read_table(reading, table);

        if (r < 0)
            return r;
    }
    return 0;
}

static int read_root(struct reading *reading, const struct toml_node *root)
{
    for (const struct toml_node *node = root->first; node; node = node->next) {
        bool is_commands = reading->source->kind == LAYER_GLOBAL && is_plain(node) &&
                           str_eq(node->key, commands_key);
        int r = is_commands ? read_tables(reading, node)
                            : read_key(reading, node, &reading->layers->base);

        if (r < 0)
            return r;
    }
    return 0;
}

int read_layers(const struct read_source *source, const char *bytes, size_t len,
                struct file_layers *layers, struct notes *notes, struct error *error)
{
    struct reading reading = {source, layers, notes, error, 0};
    struct toml_error fault;
    struct toml_node *root;
    int r;

    *layers = (struct file_layers){0};
    config_init(&layers->base, source->kind);
    root = toml_parse(bytes, len, &fault);
    if (!root)
        return error_set(error, EINVAL, "%s:%u:%u: %s", source->path, fault.line, fault.column,
                         fault.reason);
    r = read_root(&reading, root);
    warn_rest(&reading);
    toml_free(root);
    return r;
}

void read_free(struct file_layers *layers)
{
    config_free(&layers->base);
    for (size_t i = 0; i < layers->table_count; i++) {
        config_free(&layers->tables[i].config);
        free(layers->tables[i].name);
    }
    free(layers->tables);
    layers->tables = NULL;
    layers->table_count = 0;
}
