// SPDX-License-Identifier: GPL-3.0-only
/*
 * save_value: what is to be written, and how TOML writes it.
 *
 * Strings are basic strings: everything that could end one or act on a terminal is escaped.
 */
#include "config/save_value.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* A list whose line would be longer has one entry a line. */
#define COLUMNS 100

void save_changes_free(struct save_changes *changes)
{
    for (size_t i = 0; i < changes->n; i++) {
        free(changes->v[i].scalar);
        strv_free(&changes->v[i].entries);
    }
    free(changes->v);
    *changes = (struct save_changes){0};
}

static struct save_change *add(struct save_changes *changes, const char *key)
{
    changes->v = xrealloc(changes->v, changes->n + 1, sizeof(*changes->v));
    changes->v[changes->n] = (struct save_change){.key = key};
    return &changes->v[changes->n++];
}

/* len bytes of one character. */
static void append_character(struct buf *out, const uint8_t *bytes, size_t len, uint32_t code)
{
    if (code == '"' || code == '\\')
        buf_append_byte(out, '\\');
    if (code < 0x20 || (code >= 0x7f && code < 0xa0) || utf8_is_bidi_or_break(code))
        buf_printf(out, "\\u%04X", (unsigned)code);
    else
        buf_append(out, bytes, len);
}

/* What is no UTF-8 stays as it is: no parser takes it (save_can_hold()). */
static void append_string(struct buf *out, const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    size_t len = strlen(text);

    buf_append_byte(out, '"');
    while (len) {
        uint32_t code;
        int n = utf8_decode(at, len, &code);
        size_t step = n > 0 ? (size_t)n : 1;

        if (n > 0)
            append_character(out, at, step, code);
        else
            buf_append_byte(out, *at);
        at += step;
        len -= step;
    }
    buf_append_byte(out, '"');
}

void save_add_bool(struct save_changes *changes, const char *key, bool on)
{
    add(changes, key)->scalar = xstrdup(on ? "true" : "false");
}

void save_add_string(struct save_changes *changes, const char *key, const char *text)
{
    struct buf quoted CLEANUP(buf_free);

    buf_init(&quoted, SAVE_TEXT_MAX);
    append_string(&quoted, text);
    add(changes, key)->scalar = buf_take_cstr(&quoted);
}

struct save_change *save_add_list(struct save_changes *changes, const char *key, bool extends)
{
    struct save_change *change = add(changes, key);

    change->is_list = true;
    change->extends = extends;
    return change;
}

bool save_can_hold(const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    size_t len = strlen(text);

    while (len) {
        uint32_t code;
        int n = utf8_decode(at, len, &code);

        if (n <= 0)
            return false;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

void save_append_entries(struct buf *out, const struct strv *entries, const char *separator)
{
    for (size_t i = 0; i < entries->n; i++) {
        if (i)
            buf_append_str(out, separator);
        append_string(out, entries->v[i]);
    }
}

void save_append_value(struct buf *out, const struct save_change *change, size_t column,
                       const char *newline)
{
    _cleanup_free_ char *separator = xasprintf(",%s" SAVE_INDENT, newline);
    size_t start = out->len;

    if (!change->is_list) {
        buf_append_str(out, change->scalar);
        return;
    }
    buf_append_byte(out, '[');
    save_append_entries(out, &change->entries, ", ");
    buf_append_byte(out, ']');
    if (column + out->len - start <= COLUMNS || change->entries.n < 2)
        return;
    out->len = start;
    buf_printf(out, "[%s" SAVE_INDENT, newline);
    save_append_entries(out, &change->entries, separator);
    buf_printf(out, ",%s]", newline);
}

void save_append_pair(struct buf *out, const struct save_change *change, const char *newline)
{
    buf_printf(out, "%s = ", change->key);
    save_append_value(out, change, strlen(change->key) + 3, newline);
    buf_append_str(out, newline);
}
