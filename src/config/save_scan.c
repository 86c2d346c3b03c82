// SPDX-License-Identifier: GPL-3.0-only
/*
 * save_scan: a walk over the text in whole tokens: strings, comments, and everything else byte by
 * byte. Brackets count only outside of strings and comments.
 */
#include "config/save_scan.h"

#include <errno.h>
#include <string.h>

/* No offset: something does not end. */
#define BROKEN SIZE_MAX

struct text {
    const char *v;
    size_t len;
};

static char byte_at(const struct text *text, size_t at)
{
    return at < text->len ? text->v[at] : '\0';
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static size_t skip_line(const struct text *text, size_t at)
{
    const char *end = at < text->len ? memchr(text->v + at, '\n', text->len - at) : NULL;

    return end ? (size_t)(end - text->v) : text->len;
}

static bool is_triple(const struct text *text, size_t at)
{
    char quote = byte_at(text, at);

    return byte_at(text, at + 1) == quote && byte_at(text, at + 2) == quote;
}

/* Behind the string that begins at at. */
static size_t skip_string(const struct text *text, size_t at)
{
    char quote = byte_at(text, at);
    bool is_long = is_triple(text, at);

    at += is_long ? 3 : 1;
    for (; at < text->len; at++) {
        char byte = text->v[at];

        if (byte == '\\' && quote == '"') {
            at++;
        } else if (byte == '\n' && !is_long) {
            return BROKEN;
        } else if (byte == quote && !is_long) {
            return at + 1;
        } else if (byte == quote && is_triple(text, at)) {
            /* Up to two quotes belong to the text before the closing three. */
            for (size_t more = 0; more < 2 && byte_at(text, at + 3) == quote; more++)
                at++;
            return at + 3;
        }
    }
    return BROKEN;
}

/* Behind a string, a comment (before its line end) or one byte. */
static size_t skip_token(const struct text *text, size_t at)
{
    char byte = byte_at(text, at);

    if (byte == '"' || byte == '\'')
        return skip_string(text, at);
    return byte == '#' ? skip_line(text, at) : at + 1;
}

/* Behind the bracket that closes the one at at. */
static size_t skip_brackets(const struct text *text, size_t at)
{
    size_t depth = 0;

    while (at < text->len) {
        char byte = text->v[at];

        at = skip_token(text, at);
        if (byte == '[' || byte == '{')
            depth++;
        else if ((byte == ']' || byte == '}') && --depth == 0)
            return at;
    }
    return BROKEN;
}

static size_t skip_value(const struct text *text, size_t at)
{
    char byte = byte_at(text, at);

    if (byte == '[' || byte == '{')
        return skip_brackets(text, at);
    if (byte == '"' || byte == '\'')
        return skip_string(text, at);
    while (at < text->len && !is_blank(text->v[at]) && text->v[at] != '#')
        at++;
    return at;
}

/* From a key to behind its value. */
static bool scan_pair(const struct text *text, struct save_statement *statement)
{
    size_t at = statement->start;

    while (at < text->len && text->v[at] != '=') {
        if (text->v[at] == '\n' || text->v[at] == '#')
            return false;
        at = skip_token(text, at);
    }
    if (at >= text->len)
        return false;
    statement->key_end = at;
    while (is_blank(byte_at(text, statement->key_end - 1)) &&
           statement->key_end > statement->start + 1)
        statement->key_end--;
    for (at++; byte_at(text, at) == ' ' || byte_at(text, at) == '\t';)
        at++;
    statement->value = at;
    statement->value_end = skip_value(text, at);
    return statement->value_end != BROKEN && statement->value_end > at;
}

int save_scan_next(const char *text, size_t len, size_t *at, struct save_statement *statement)
{
    struct text whole = {text, len};

    *statement = (struct save_statement){0};
    while (*at < len && (is_blank(text[*at]) || text[*at] == '#'))
        *at = skip_token(&whole, *at);
    if (*at >= len)
        return 0;
    statement->start = *at;
    statement->is_header = text[*at] == '[';
    if (!statement->is_header && !scan_pair(&whole, statement))
        return -EINVAL;
    *at = skip_line(&whole, statement->is_header ? *at : statement->value_end);
    *at += *at < len;
    statement->end = *at;
    return 1;
}

int save_scan_array(const char *text, size_t len, size_t start, struct save_array *array)
{
    struct text whole = {text, len};
    size_t end = skip_brackets(&whole, start);
    size_t at = start + 1;

    if (end == BROKEN)
        return -EINVAL;
    *array = (struct save_array){.close = end - 1, .last = at};
    while (at < array->close) {
        size_t next =
            text[at] == '[' || text[at] == '{' ? skip_brackets(&whole, at) : skip_token(&whole, at);

        if (!is_blank(text[at]) && text[at] != '#')
            array->last = next;
        at = next;
    }
    array->is_empty = array->last == start + 1;
    array->has_comma = !array->is_empty && text[array->last - 1] == ',';
    return 0;
}

bool save_scan_has_comment(const char *text, size_t start, size_t end)
{
    struct text whole = {text, end};

    for (size_t at = start; at < end; at = skip_token(&whole, at))
        if (text[at] == '#')
            return true;
    return false;
}
