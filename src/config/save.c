// SPDX-License-Identifier: GPL-3.0-only
/*
 * save: one change after the other, each a cut and a piece of new text.
 *
 * save_scan.h says where to cut. It knows less of TOML than the parser, so nothing rests on it: the
 * text before and the text after are parsed, every key that was not to be changed must have kept
 * its value, and every other one must have the value that was meant (check()).
 */
#include "config/save.h"

#include "config/save_scan.h"
#include "config/save_value.h"
#include "config/toml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char header[] =
    "# ai-jail: how commands run in this directory. Written by ai-jail, edit it as you like.\n"
    "# It can only tighten; more counts only if ~/.ai-jail trusts this directory.\n"
    "# Made anew by: ai-jail --clean --init [OPTIONS] [COMMAND [ARG...]]\n"
    "\n";

/* A text that changes step by step. */
struct editor {
    struct buf text;
    struct error *error;
    const char *newline; /* of the file */
};

/* Puts new text in the place of the bytes from start to end. */
static int splice(struct editor *editor, size_t start, size_t end, const struct buf *fresh)
{
    struct buf text;

    buf_init(&text, SAVE_TEXT_MAX);
    buf_append(&text, editor->text.data, start);
    buf_append(&text, fresh->data, fresh->len);
    buf_append(&text, editor->text.data + end, editor->text.len - end);
    buf_free(&editor->text);
    editor->text = text;
    return text.overflow || fresh->overflow
               ? error_set(editor->error, EFBIG, "the file would be larger than 1 MiB")
               : 0;
}

static int refuse(const struct editor *editor, const struct save_change *change, const char *why)
{
    return error_set(editor->error, EINVAL,
                     "%s cannot be changed without losing something (%s): change it by hand",
                     change->key, why);
}

static const struct toml_node *member(const struct toml_node *table, const char *key, size_t len)
{
    for (const struct toml_node *node = table->first; node; node = node->next)
        if (node->key_len == len && memcmp(node->key, key, len) == 0)
            return node;
    return NULL;
}

static bool same(const struct toml_node *a, const struct toml_node *b);

static bool same_members(const struct toml_node *a, const struct toml_node *b)
{
    const struct toml_node *left = a->first;
    const struct toml_node *right = b->first;

    for (; left && right; left = left->next, right = right->next)
        if (left->key_len != right->key_len ||
            (left->key && memcmp(left->key, right->key, left->key_len) != 0) || !same(left, right))
            return false;
    return !left && !right;
}

/* Floats and dates have no value here: their bytes are never touched. The depth is bounded by
 * toml_limits.h. */
static bool same(const struct toml_node *a, const struct toml_node *b)
{
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case TOML_TYPE_STRING:
        return a->text_len == b->text_len && memcmp(a->text, b->text, a->text_len) == 0;
    case TOML_TYPE_INTEGER:
        return a->integer == b->integer;
    case TOML_TYPE_BOOL:
        return a->on == b->on;
    case TOML_TYPE_ARRAY:
    case TOML_TYPE_TABLE:
        return same_members(a, b);
    default:
        return true;
    }
}

static struct toml_node *parse_change(const struct save_change *change)
{
    struct buf text CLEANUP(buf_free);
    struct toml_error ignored;

    buf_init(&text, SAVE_TEXT_MAX);
    save_append_pair(&text, change, "\n");
    return toml_parse(buf_cstr(&text), text.len, &ignored);
}

static bool has_entry(const struct toml_node *array, const char *entry)
{
    for (const struct toml_node *node = array->first; node; node = node->next)
        if (node->type == TOML_TYPE_STRING && node->text_len == strlen(entry) &&
            memcmp(node->text, entry, node->text_len) == 0)
            return true;
    return false;
}

/* The entries of change that are not there yet, as strings with the separator between them. */
static void new_entries(const struct save_change *change, const struct toml_node *old,
                        struct strv *fresh)
{
    for (size_t i = 0; i < change->entries.n; i++)
        if (!has_entry(old, change->entries.v[i]) && strv_find(fresh, change->entries.v[i]) < 0)
            strv_push(fresh, change->entries.v[i]);
}

/* Where the line begins that holds the offset. */
static size_t line_start(const struct editor *editor, size_t at)
{
    while (at > 0 && editor->text.data[at - 1] != '\n')
        at--;
    return at;
}

static bool is_blank_between(const struct editor *editor, size_t start, size_t end)
{
    for (; start < end; start++)
        if (editor->text.data[start] != ' ' && editor->text.data[start] != '\t')
            return false;
    return true;
}

/* New entries behind the last one: on its line, or, where ']' has a line of its own, on lines
 * before that. */
static int extend(struct editor *editor, const struct save_statement *statement,
                  const struct strv *fresh)
{
    _cleanup_free_ char *separator = xasprintf(",%s" SAVE_INDENT, editor->newline);
    struct buf piece CLEANUP(buf_free);
    struct save_array array;
    size_t line;
    int r = save_scan_array((const char *)editor->text.data, editor->text.len, statement->value,
                            &array);

    buf_init(&piece, SAVE_TEXT_MAX);
    if (r < 0)
        return r;
    line = line_start(editor, array.close);
    if (line <= array.last || !is_blank_between(editor, line, array.close)) {
        buf_append_str(&piece, array.is_empty ? "" : array.has_comma ? " " : ", ");
        save_append_entries(&piece, fresh, ", ");
        /* Behind a comment that runs to the line end nothing else can stand. */
        return splice(editor, array.last, array.last, &piece);
    }
    buf_append_str(&piece, SAVE_INDENT);
    save_append_entries(&piece, fresh, separator);
    buf_printf(&piece, ",%s", editor->newline);
    r = splice(editor, line, line, &piece);
    if (r < 0 || array.is_empty || array.has_comma)
        return r;
    buf_reset(&piece);
    buf_append_byte(&piece, ',');
    return splice(editor, array.last, array.last, &piece);
}

static int replace_value(struct editor *editor, const struct save_statement *statement,
                         const struct save_change *change)
{
    struct buf piece CLEANUP(buf_free) = {0};

    if (save_scan_has_comment((const char *)editor->text.data, statement->value,
                              statement->value_end))
        return refuse(editor, change, "there are comments inside its value");
    buf_init(&piece, SAVE_TEXT_MAX);
    save_append_value(&piece, change, statement->value - line_start(editor, statement->value),
                      editor->newline);
    return splice(editor, statement->value, statement->value_end, &piece);
}

static int insert(struct editor *editor, size_t at, const struct save_change *change)
{
    struct buf piece CLEANUP(buf_free);

    buf_init(&piece, SAVE_TEXT_MAX);
    if (at > 0 && editor->text.data[at - 1] != '\n')
        buf_append_str(&piece, editor->newline);
    save_append_pair(&piece, change, editor->newline);
    return splice(editor, at, at, &piece);
}

/* Bare, or in quotes without an escape. */
static bool is_key(const struct editor *editor, const struct save_statement *statement,
                   const char *key)
{
    const char *text = (const char *)editor->text.data + statement->start;
    size_t len = statement->key_end - statement->start;

    if (len > 2 && (text[0] == '"' || text[0] == '\'') && text[len - 1] == text[0]) {
        text++;
        len -= 2;
    }
    return len == strlen(key) && memcmp(text, key, len) == 0;
}

/*
 * Looks for the key among those that belong to no table. 1 with its statement; 0 with the offset in
 * *place at which a new key goes: behind the last one, else before the first table, else at the
 * end.
 */
static int locate(const struct editor *editor, const char *key, struct save_statement *statement,
                  size_t *place)
{
    const char *text = (const char *)editor->text.data;
    size_t at = 0;
    bool has_key = false;
    int r;

    *place = editor->text.len;
    while ((r = save_scan_next(text, editor->text.len, &at, statement)) > 0) {
        if (statement->is_header) {
            if (!has_key)
                *place = line_start(editor, statement->start);
            return 0;
        }
        if (is_key(editor, statement, key))
            return 1;
        has_key = true;
        *place = statement->end;
    }
    return r;
}

static int apply(struct editor *editor, const struct toml_node *before,
                 const struct save_change *change)
{
    const struct toml_node *old = member(before, change->key, strlen(change->key));
    struct toml_node *meant = parse_change(change);
    struct strv fresh CLEANUP(strv_free) = {0};
    struct save_statement statement;
    bool is_said = old && meant && same(old, meant->first);
    size_t place;
    int r;

    toml_free(meant);
    if (!meant)
        return refuse(editor, change, "the new value is no text that a file can hold");
    if (is_said || (!old && change->only_if_there))
        return 0;
    r = locate(editor, change->key, &statement, &place);
    if (r < 0 || (r > 0) != (old != NULL))
        return refuse(editor, change, "it is written in an unusual way");
    if (!old)
        return insert(editor, place, change);
    if (!change->extends)
        return replace_value(editor, &statement, change);
    if (old->type != TOML_TYPE_ARRAY)
        return refuse(editor, change, "it is no list");
    new_entries(change, old, &fresh);
    return fresh.n ? extend(editor, &statement, &fresh) : 0;
}

static const struct save_change *change_of(const struct save_changes *changes,
                                           const struct toml_node *node)
{
    for (size_t i = 0; i < changes->n; i++)
        if (strlen(changes->v[i].key) == node->key_len &&
            memcmp(changes->v[i].key, node->key, node->key_len) == 0)
            return &changes->v[i];
    return NULL;
}

/* The list is the old one and then what was new. */
static bool is_extended(const struct toml_node *old, const struct toml_node *now,
                        const struct save_change *change)
{
    struct strv fresh CLEANUP(strv_free) = {0};
    const struct toml_node *node = now->first;

    for (const struct toml_node *kept = old->first; kept; kept = kept->next, node = node->next)
        if (!node || !same(kept, node))
            return false;
    new_entries(change, old, &fresh);
    for (size_t i = 0; i < fresh.n; i++, node = node->next)
        if (!node || node->type != TOML_TYPE_STRING || !str_eq(node->text, fresh.v[i]))
            return false;
    return node == NULL;
}

static bool is_as_meant(const struct toml_node *old, const struct toml_node *now,
                        const struct save_change *change)
{
    struct toml_node *meant;
    bool is_good;

    if (!now)
        return !old && change->only_if_there;
    if (old && change->extends)
        return is_extended(old, now, change);
    meant = parse_change(change);
    is_good = meant && same(meant->first, now);
    toml_free(meant);
    return is_good;
}

/* Whether the new tree is the old one with the changes, and nothing else. */
static bool check(const struct toml_node *before, const struct toml_node *after,
                  const struct save_changes *changes)
{
    for (const struct toml_node *node = before->first; node; node = node->next) {
        const struct toml_node *now = member(after, node->key, node->key_len);

        if (!now || (!change_of(changes, node) && !same(node, now)))
            return false;
    }
    for (const struct toml_node *node = after->first; node; node = node->next)
        if (!change_of(changes, node) && !member(before, node->key, node->key_len))
            return false;
    for (size_t i = 0; i < changes->n; i++) {
        const struct save_change *change = &changes->v[i];
        size_t len = strlen(change->key);

        if (!is_as_meant(member(before, change->key, len), member(after, change->key, len), change))
            return false;
    }
    return true;
}

static int edit(struct editor *editor, const struct save_changes *changes)
{
    struct toml_error wrong;
    struct toml_node *before = toml_parse(buf_cstr(&editor->text), editor->text.len, &wrong);
    struct toml_node *after = NULL;
    int r = 0;

    if (!before)
        return error_set(editor->error, EINVAL, "line %u, column %u: %s", wrong.line, wrong.column,
                         wrong.reason);
    for (size_t i = 0; i < changes->n && r == 0; i++)
        r = apply(editor, before, &changes->v[i]);
    if (r == 0) {
        after = toml_parse(buf_cstr(&editor->text), editor->text.len, &wrong);
        if (!after || !check(before, after, changes))
            r = error_set(editor->error, EINVAL,
                          "its form does not let a key be changed safely: change it by hand");
    }
    toml_free(before);
    toml_free(after);
    return r;
}

int save_edit(const char *text, size_t len, const struct save_changes *changes, struct buf *out,
              struct error *error)
{
    const char *line = memchr(text, '\n', len);
    struct editor editor = {
        .error = error,
        .newline = line && line > text && line[-1] == '\r' ? "\r\n" : "\n",
    };
    int r;

    buf_init(&editor.text, SAVE_TEXT_MAX);
    r = buf_append(&editor.text, text, len);
    r = r < 0 ? error_set(error, EFBIG, "the file is larger than 1 MiB") : edit(&editor, changes);
    if (r == 0)
        r = buf_append(out, editor.text.data, editor.text.len);
    buf_free(&editor.text);
    return r;
}

int save_new(const struct save_changes *changes, struct buf *out, struct error *error)
{
    return save_edit(header, strlen(header), changes, out, error);
}
