// SPDX-License-Identifier: GPL-3.0-only
/*
 * report_scripts: finds the scripts in a package.json without reading the rest of it.
 *
 * Values are skipped by their brackets and strings (RFC 8259), with a counter instead of a stack: what
 * is no JSON is found out by npm, which runs nothing then.
 */
#include "pty/report_parts.h"

#include <string.h>

struct cursor {
    const char *text;
    size_t len, at;
};

static bool is_done(const struct cursor *cursor)
{
    return cursor->at >= cursor->len;
}

static void skip_space(struct cursor *cursor)
{
    while (!is_done(cursor) && strchr(" \t\r\n", cursor->text[cursor->at]) &&
           cursor->text[cursor->at])
        cursor->at++;
}

static bool take(struct cursor *cursor, char byte)
{
    skip_space(cursor);
    if (is_done(cursor) || cursor->text[cursor->at] != byte)
        return false;
    cursor->at++;
    return true;
}

/* Behind the opening quote; true behind the closing one. */
static bool skip_string(struct cursor *cursor)
{
    while (!is_done(cursor)) {
        char byte = cursor->text[cursor->at++];

        if (byte == '"')
            return true;
        if (byte == '\\' && !is_done(cursor))
            cursor->at++;
    }
    return false;
}

/* One value, whatever it is. */
static bool skip_value(struct cursor *cursor)
{
    size_t depth = 0;

    skip_space(cursor);
    while (!is_done(cursor)) {
        char byte = cursor->text[cursor->at];

        if (depth == 0 && (byte == ',' || byte == '}'))
            return true;
        cursor->at++;
        if (byte == '"' && !skip_string(cursor))
            return false;
        if (byte == '{' || byte == '[')
            depth++;
        if ((byte == '}' || byte == ']') && depth-- == 0)
            return false;
    }
    return false;
}

bool report_find_scripts(const char *text, size_t len, size_t *start, size_t *value_len)
{
    static const char name[] = "scripts";
    struct cursor cursor = {text, len, 0};

    *start = *value_len = 0;
    if (!take(&cursor, '{'))
        return false;
    while (take(&cursor, '"')) {
        size_t key = cursor.at, value;
        bool is_it;

        if (!skip_string(&cursor))
            return false;
        is_it = cursor.at - 1 - key == sizeof(name) - 1 &&
                memcmp(text + key, name, sizeof(name) - 1) == 0;
        /* An escape may spell the name: then all of the file counts. */
        if (memchr(text + key, '\\', cursor.at - 1 - key))
            return false;
        if (!take(&cursor, ':'))
            return false;
        skip_space(&cursor);
        value = cursor.at;
        if (!skip_value(&cursor))
            return false;
        if (is_it && *value_len) /* twice: which one counts is the reader's choice */
            return false;
        if (is_it) {
            *start = value;
            *value_len = cursor.at - value;
        }
        if (!take(&cursor, ','))
            break;
    }
    return take(&cursor, '}');
}
