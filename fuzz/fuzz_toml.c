// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_toml: a hostile configuration file, up to its tree and then to its layers.
 */
#include "config/toml_limits.h"

#include "config/read.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct walk {
    size_t nodes;
    unsigned depth;
    unsigned lines; /* of the input */
};

static void check_node(struct walk *walk, const struct toml_node *node);

/* Members of a table have different keys and stand in the order of the file. */
static void check_children(struct walk *walk, const struct toml_node *parent)
{
    const struct toml_node *before = NULL;

    for (const struct toml_node *child = parent->first; child; child = child->next) {
        assert((child->key != NULL) == (parent->type == TOML_TYPE_TABLE));
        if (before && child->key) {
            assert(child->key_line > before->key_line ||
                   (child->key_line == before->key_line && child->key_column > before->key_column));
            assert(child->key_len != before->key_len ||
                   memcmp(child->key, before->key, child->key_len) != 0);
        }
        check_node(walk, child);
        before = child;
    }
}

static void check_node(struct walk *walk, const struct toml_node *node)
{
    bool has_children = node->type == TOML_TYPE_TABLE || node->type == TOML_TYPE_ARRAY;

    assert(node->type < TOML_TYPE_COUNT);
    assert((node->text != NULL) == (node->type == TOML_TYPE_STRING));
    assert(has_children || !node->first);
    assert(!node->text || node->text[node->text_len] == '\0');
    assert(walk->depth == 0 || (node->line >= 1 && node->line <= walk->lines && node->column >= 1));
    if (node->key) {
        assert(node->key_len <= TOML_KEY_MAX && node->key[node->key_len] == '\0');
        assert(node->key_line >= 1 && node->key_line <= walk->lines && node->key_column >= 1);
    }
    assert(++walk->nodes <= TOML_NODES_MAX + 1);
    assert(++walk->depth <= TOML_DEPTH_MAX + 1);
    check_children(walk, node);
    walk->depth--;
}

static void check_error(const struct walk *walk, const struct toml_error *error)
{
    assert(error->line >= 1 && error->line <= walk->lines && error->column >= 1);
    assert(error->reason[0]);
    for (const char *p = error->reason; *p; p++)
        assert(*p >= ' ' && *p <= '~');
}

static void check_config(const struct config *config)
{
    for (size_t i = 0; i < SET_COUNT; i++) {
        const struct value *value = &config->values[i];

        assert(!value->is_set || (settings[i].key && value->origin.line >= 1));
        assert(!value->is_set || settings[i].type != TYPE_WORD || value->word);
        for (size_t k = 0; k < value->list.n; k++)
            assert(value->origins[k].line >= 1 && value->origins[k].layer == config->kind);
    }
}

/* As one kind of file: what is TOML becomes layers, or an error in one line that ends. */
static void check_layers(enum layer_kind kind, const char *bytes, size_t size, bool is_toml)
{
    const struct read_source source = {
        .path = "F", .kind = kind, .place = {.home = "/home/u", .cwd = "/home/u/p"}};
    struct file_layers layers;
    struct notes notes = {0};
    struct error error = {0};
    int r = read_layers(&source, bytes, size, &layers, &notes, &error);

    assert(is_toml || r < 0);
    assert(r == 0 || (error.code && str_starts(error.text, "F:") && !strchr(error.text, '\n')));
    assert(kind == LAYER_GLOBAL || !layers.table_count);
    check_config(&layers.base);
    for (size_t i = 0; i < layers.table_count; i++)
        check_config(&layers.tables[i].config);
    read_free(&layers);
    notes_free(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct walk walk = {.lines = 1};
    struct toml_error error;
    struct toml_node *root;

    for (size_t i = 0; i < size; i++)
        walk.lines += data[i] == '\n';
    root = toml_parse((const char *)data, size, &error);
    if (root) {
        assert(root->type == TOML_TYPE_TABLE && !root->key && !root->next);
        check_node(&walk, root);
    } else {
        check_error(&walk, &error);
    }
    check_layers(LAYER_GLOBAL, (const char *)data, size, root != NULL);
    check_layers(LAYER_PROJECT, (const char *)data, size, root != NULL);
    toml_free(root);
    return 0;
}
