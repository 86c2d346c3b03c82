// SPDX-License-Identifier: GPL-3.0-only
/*
 * seatbelt_text: strings, filters and rules of a profile.
 *
 * Strings have the escapes that every reader of the language knows: backslash, quote, newline, return, tab.
 * Expressions are ordinary strings, too: in the raw form #"..." a quote cannot be written.
 */
#include "backend/seatbelt_text.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PROFILE_MAX (16 * MIB)

void seatbelt_text_init(struct seatbelt_text *text)
{
    text->refused = NULL;
    buf_init(&text->out, PROFILE_MAX);
}

void seatbelt_text_free(struct seatbelt_text *text)
{
    free(text->refused);
    buf_free(&text->out);
}

char *seatbelt_text_take(struct seatbelt_text *text, struct error *error)
{
    if (text->refused) {
        error_set(error, EINVAL,
                  "%s cannot stand in a macOS profile: the name has a control character or is not "
                  "UTF-8; rename it",
                  text->refused);
        return NULL;
    }
    if (text->out.overflow) {
        error_set(error, E2BIG, "the macOS profile is longer than %d MiB: cover fewer paths",
                  (int)(PROFILE_MAX / MIB));
        return NULL;
    }
    return buf_take_cstr(&text->out);
}

/* ---- filters ---- */

void seatbelt_filters_free(struct seatbelt_filters *filters)
{
    for (size_t i = 0; i < filters->n; i++)
        free(filters->v[i].text);
    free(filters->v);
    *filters = (struct seatbelt_filters){0};
}

void seatbelt_filters_add(struct seatbelt_filters *filters, enum seatbelt_filter_kind kind,
                          const char *text)
{
    for (size_t i = 0; i < filters->n; i++)
        if (filters->v[i].kind == kind && str_eq(filters->v[i].text, text))
            return;
    if (filters->n == filters->cap) {
        filters->cap = filters->cap ? filters->cap * 2 : 16;
        filters->v = xrealloc(filters->v, filters->cap, sizeof(*filters->v));
    }
    filters->v[filters->n++] = (struct seatbelt_filter){kind, xstrdup(text)};
}

void seatbelt_filters_add_tree(struct seatbelt_filters *filters, const char *path)
{
    seatbelt_filters_add(filters, SEATBELT_LITERAL, path);
    seatbelt_filters_add(filters, SEATBELT_SUBPATH, path);
}

/* ---- writing ---- */

void seatbelt_put(struct seatbelt_text *text, const char *form)
{
    buf_append_str(&text->out, form);
}

void seatbelt_put_comment(struct seatbelt_text *text, const char *note)
{
    buf_printf(&text->out, "\n; %s\n", note);
}

/* C0, DEL and C1 but for the three that have an escape. */
static bool is_refused(uint32_t code)
{
    return (code < 0x20 && code != '\n' && code != '\r' && code != '\t') ||
           (code >= 0x7F && code < 0xA0);
}

static bool is_writable(const char *value)
{
    const uint8_t *at = (const uint8_t *)value;
    size_t left = strlen(value);

    while (left) {
        uint32_t code;
        int n = utf8_decode(at, left, &code);

        if (n <= 0 || is_refused(code))
            return false;
        at += n;
        left -= (size_t)n;
    }
    return true;
}

static const char *escape_of(char byte)
{
    switch (byte) {
    case '\\':
        return "\\\\";
    case '"':
        return "\\\"";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        return NULL;
    }
}

void seatbelt_put_string(struct seatbelt_text *text, const char *value)
{
    if (!is_writable(value)) {
        if (!text->refused)
            text->refused = xstrdup(value);
        return;
    }
    buf_append_byte(&text->out, '"');
    for (const char *at = value; *at; at++) {
        const char *escape = escape_of(*at);

        if (escape)
            buf_append_str(&text->out, escape);
        else
            buf_append_byte(&text->out, (uint8_t)*at);
    }
    buf_append_byte(&text->out, '"');
}

static void put_filter(struct seatbelt_text *text, const struct seatbelt_filter *filter)
{
    static const char *const names[] = {
        [SEATBELT_LITERAL] = "(literal ",
        [SEATBELT_SUBPATH] = "(subpath ",
        [SEATBELT_REGEX] = "(regex ",
    };

    seatbelt_put(text, names[filter->kind]);
    seatbelt_put_string(text, filter->text);
    seatbelt_put(text, ")");
}

static void put_filters(struct seatbelt_text *text, const struct seatbelt_filters *filters,
                        const char *before, const char *behind)
{
    for (size_t i = 0; i < filters->n; i++) {
        seatbelt_put(text, before);
        put_filter(text, &filters->v[i]);
        seatbelt_put(text, behind);
    }
}

void seatbelt_put_rule(struct seatbelt_text *text, const char *head,
                       const struct seatbelt_filters *any, const struct seatbelt_filters *but)
{
    if (any->n == 0)
        return;
    buf_printf(&text->out, "(%s", head);
    if (but && but->n) {
        seatbelt_put(text, "\n  (require-all\n    (require-any");
        put_filters(text, any, "\n      ", "");
        seatbelt_put(text, ")");
        put_filters(text, but, "\n    (require-not ", ")");
        seatbelt_put(text, ")");
    } else {
        put_filters(text, any, "\n  ", "");
    }
    seatbelt_put(text, ")\n");
}
