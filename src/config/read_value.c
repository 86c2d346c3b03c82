// SPDX-License-Identifier: GPL-3.0-only
/*
 * read_value: the forms that a value can have in a file, one reader each.
 *
 * A message says what is accepted and of which type the value is, never the value: it may be a secret.
 */
#include "config/read_value.h"

#include "base/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORT_MAX          65535
#define ACCEPTED_TEXT_MAX 1024

struct reader {
    const struct read_source *source;
    const struct setting *row;
    struct config *layer;
    struct error *error;
};

int read_fail(const struct read_source *source, const struct toml_node *node, const char *key,
              struct error *error, const char *fmt, ...)
{
    char reason[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(reason, sizeof(reason), fmt, args);
    va_end(args);
    return error_set(error, EINVAL, "%s:%u:%u: %s: %s", source->path, node->line, node->column, key,
                     reason);
}

/* "one of "a", "b"" with every spelling that is taken; malloc'ed. */
static char *accepted_words(const struct setting *row)
{
    struct buf text CLEANUP(buf_free);

    buf_init(&text, ACCEPTED_TEXT_MAX);
    buf_append_str(&text, row->form == FILE_BOOL_OR_WORD ? "true, false" : "");
    for (size_t i = 0; row->words[i]; i++)
        buf_printf(&text, "%s\"%s\"", text.len ? ", " : "", row->words[i]);
    for (size_t i = 0; row->synonyms && row->synonyms[i]; i += 2)
        buf_printf(&text, ", \"%s\"", row->synonyms[i]);
    return xasprintf("one of %s", buf_cstr(&text));
}

static char *accepted(const struct setting *row)
{
    static const char *const texts[] = {
        [FILE_BOOL] = "true or false",
        [FILE_STRING] = "a string in quotes",
        [FILE_STRINGS] = "a list of strings: [\"...\", \"...\"]",
        [FILE_PORTS] = "a list of ports: numbers from 0 to 65535 or strings \"PORT:PORT\"",
        [FILE_PORT_NUMBERS] = "a list of ports: numbers from 0 to 65535",
        [FILE_HOSTS_BY_KEY] = "a table: { NAME = \"host\" } or { NAME = [\"host\", \"host\"] }",
    };

    return row->type == TYPE_WORD ? accepted_words(row) : xstrdup(texts[row->form]);
}

static int fail_type(const struct reader *reader, const struct toml_node *node)
{
    _cleanup_free_ char *list = accepted(reader->row);

    return read_fail(reader->source, node, reader->row->key, reader->error,
                     "of type %s, but accepted is %s", toml_type_name(node->type), list);
}

static int fail_value(const struct reader *reader, const struct toml_node *node)
{
    _cleanup_free_ char *list = accepted(reader->row);

    return read_fail(reader->source, node, reader->row->key, reader->error,
                     "this value is not accepted, only %s", list);
}

static int fail_fault(const struct reader *reader, const struct toml_node *node, const char *fault)
{
    return read_fail(reader->source, node, reader->row->key, reader->error, "%s", fault);
}

static void set_place(const struct reader *reader, unsigned line, unsigned column)
{
    reader->layer->place.line = line;
    reader->layer->place.column = column;
}

/* What is wrong with a string wherever it stands. */
static const char *text_fault(const struct toml_node *node)
{
    if (strlen(node->text) != node->text_len)
        return "a NUL character cannot be part of it";
    return node->text_len ? NULL : "it is empty";
}

static int add_entry(const struct reader *reader, const struct toml_node *node, const char *entry)
{
    const struct setting *row = reader->row;
    const char *fault = entry[0] && row->fault ? row->fault(entry) : NULL;
    _cleanup_free_ char *normal = NULL;

    if (!fault)
        normal = normal_entry(row, entry, &reader->source->place, &fault);
    if (!normal)
        return fail_fault(reader, node, fault);
    set_place(reader, node->line, node->column);
    if (row->type == TYPE_TEXT)
        config_set_text(reader->layer, row->id, normal);
    else
        config_add(reader->layer, row->id, normal);
    return 0;
}

static int read_bool(const struct reader *reader, const struct toml_node *node)
{
    if (node->type != TOML_TYPE_BOOL)
        return fail_type(reader, node);
    config_set_bool(reader->layer, reader->row->id, node->on != reader->row->inverted);
    return 0;
}

static int read_word(const struct reader *reader, const struct toml_node *node)
{
    const char *fault = text_fault(node);
    const char *word = fault ? NULL : settings_find_file_word(reader->row, node->text);

    if (!word)
        return fail_value(reader, node);
    config_set_word(reader->layer, reader->row->id, word);
    return 0;
}

static int read_string(const struct reader *reader, const struct toml_node *node)
{
    const char *fault;

    if (node->type != TOML_TYPE_STRING)
        return fail_type(reader, node);
    if (reader->row->type == TYPE_WORD)
        return read_word(reader, node);
    fault = text_fault(node);
    return fault ? fail_fault(reader, node, fault) : add_entry(reader, node, node->text);
}

static int read_bool_or_word(const struct reader *reader, const struct toml_node *node)
{
    const struct setting *row = reader->row;

    if (node->type != TOML_TYPE_BOOL)
        return read_string(reader, node);
    config_set_word(reader->layer, row->id, node->on ? row->bare_word : row->twin_word);
    return 0;
}

/* Words of a command may be empty, except the first, which names a program. */
static int read_string_entry(const struct reader *reader, const struct toml_node *node)
{
    bool may_be_empty = reader->row->id == SET_COMMAND &&
                        config_list(reader->layer, reader->row->id)->n > 0 && !node->text_len;
    const char *fault;

    if (node->type != TOML_TYPE_STRING)
        return fail_type(reader, node);
    fault = may_be_empty ? NULL : text_fault(node);
    return fault ? fail_fault(reader, node, fault) : add_entry(reader, node, node->text);
}

static int read_port_number(const struct reader *reader, const struct toml_node *node)
{
    char text[16];

    if (node->type != TOML_TYPE_INTEGER)
        return fail_type(reader, node);
    if (node->integer < 0 || node->integer > PORT_MAX)
        return fail_value(reader, node);
    snprintf(text, sizeof(text), "%d", (int)node->integer);
    return add_entry(reader, node, text);
}

/* Reads a port and passes it; -1: there is none. */
static int take_port(const char **text)
{
    size_t digits = strspn(*text, "0123456789");
    long port = digits && digits <= 5 ? strtol(*text, NULL, 10) : -1;

    *text += digits;
    return port <= PORT_MAX ? (int)port : -1;
}

static int read_port(const struct reader *reader, const struct toml_node *node)
{
    const char *text = node->text;
    char entry[32];
    int from;
    int to;

    if (node->type != TOML_TYPE_STRING)
        return read_port_number(reader, node);
    from = take_port(&text);
    to = from;
    if (from >= 0 && *text == ':') {
        text++;
        to = take_port(&text);
    }
    if (from < 0 || to < 0 || text != node->text + node->text_len)
        return fail_value(reader, node);
    if (from == to)
        snprintf(entry, sizeof(entry), "%d", from);
    else
        snprintf(entry, sizeof(entry), "%d:%d", from, to);
    return add_entry(reader, node, entry);
}

static int read_list(const struct reader *reader, const struct toml_node *node,
                     int (*read_entry)(const struct reader *, const struct toml_node *))
{
    if (node->type != TOML_TYPE_ARRAY)
        return fail_type(reader, node);
    config_set_empty(reader->layer, reader->row->id);
    for (const struct toml_node *entry = node->first; entry; entry = entry->next) {
        int r = read_entry(reader, entry);

        if (r < 0)
            return r;
    }
    return 0;
}

/* name: the node whose key is the NAME. */
static int add_host(const struct reader *reader, const struct toml_node *name,
                    const struct toml_node *host)
{
    _cleanup_free_ char *entry = NULL;
    const char *fault;

    if (host->type != TOML_TYPE_STRING)
        return fail_type(reader, host);
    fault = text_fault(host);
    if (!name->key_len || strlen(name->key) != name->key_len || strchr(name->key, '='))
        fault = "the name is not that of a variable";
    if (fault)
        return fail_fault(reader, host, fault);
    entry = xasprintf("%s=%s", name->key, host->text);
    return add_entry(reader, host, entry);
}

static int read_hosts(const struct reader *reader, const struct toml_node *name)
{
    if (name->type != TOML_TYPE_ARRAY)
        return add_host(reader, name, name);
    for (const struct toml_node *host = name->first; host; host = host->next) {
        int r = add_host(reader, name, host);

        if (r < 0)
            return r;
    }
    return 0;
}

static int read_hosts_by_key(const struct reader *reader, const struct toml_node *node)
{
    if (node->type != TOML_TYPE_TABLE)
        return fail_type(reader, node);
    config_set_empty(reader->layer, reader->row->id);
    for (const struct toml_node *name = node->first; name; name = name->next) {
        int r = read_hosts(reader, name);

        if (r < 0)
            return r;
    }
    return 0;
}

static int read_form(const struct reader *reader, const struct toml_node *node)
{
    switch (reader->row->form) {
    case FILE_BOOL:
        return read_bool(reader, node);
    case FILE_STRING:
        return read_string(reader, node);
    case FILE_BOOL_OR_WORD:
        return read_bool_or_word(reader, node);
    case FILE_STRINGS:
        return read_list(reader, node, read_string_entry);
    case FILE_PORTS:
        return read_list(reader, node, read_port);
    case FILE_PORT_NUMBERS:
        return read_list(reader, node, read_port_number);
    case FILE_HOSTS_BY_KEY:
        return read_hosts_by_key(reader, node);
    case FILE_NONE:
        break;
    }
    return -EINVAL;
}

int read_value(const struct read_source *source, const struct setting *row,
               const struct toml_node *node, struct config *layer, struct error *error)
{
    const struct reader reader = {source, row, layer, error};
    int r;

    set_place(&reader, node->key_line, node->key_column);
    r = read_form(&reader, node);
    if (r < 0)
        return r;
    /* Entries have their own places; the value's is that of its key. */
    layer->values[row->id].origin.line = node->key_line;
    layer->values[row->id].origin.column = node->key_column;
    return 0;
}
