// SPDX-License-Identifier: GPL-3.0-only
/*
 * audit_words: takes values and credentials out of a command line.
 */
#include "net/audit_words.h"

#include "base/buf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HIDDEN "***"
#define WORD_MAX                                                                                   \
    (MIB) /* an argument has at most 128 KiB (execve(2)); names may be longer than values */
#define VALUE_MIN 8 /* shorter values stand in too many words by chance */

/* Parts of the name of an option or a header. */
static const char *const secret_parts[] = {
    "apikey", "auth",       "authorization", "bearer",   "cookie", "credential", "credentials",
    "key",    "passphrase", "passwd",        "password", "pat",    "secret",     "token",
};

/* Their argument is USER:PASSWORD. */
static const char *const user_options[] = {"-u", "--user", "--proxy-user"};

bool audit_words_is_secret(const char *name, size_t len)
{
    while (len > 0) {
        size_t part = 0;

        while (part < len && isalnum((unsigned char)name[part]))
            part++;
        for (size_t i = 0; i < ARRAY_SIZE(secret_parts); i++)
            if (part == strlen(secret_parts[i]) && strncasecmp(name, secret_parts[i], part) == 0)
                return true;
        if (part < len)
            part++;
        name += part;
        len -= part;
    }
    return false;
}

/* Length of the NAME of NAME=VALUE, 0 if it is none. */
static size_t assigned_name(const char *text)
{
    size_t len = 0;

    while (isalnum((unsigned char)text[len]) || text[len] == '_')
        len++;
    return len > 0 && text[len] == '=' && !isdigit((unsigned char)text[0]) ? len : 0;
}

/* ---- inside a word ---- */

/* Length of the scheme and "://" at text, 0 if there is none. */
static size_t url_scheme(const char *text)
{
    size_t len = 0;

    while (isalnum((unsigned char)text[len]) || (len > 0 && text[len] && strchr("+-.", text[len])))
        len++;
    return len > 0 && str_starts(text + len, "://") ? len + 3 : 0;
}

/* A URL up to its host. Returns how many bytes it has. */
static size_t append_url(struct buf *out, const char *text, size_t scheme)
{
    size_t len = scheme + strcspn(text + scheme, " \t\n\"'<>`");
    size_t host = scheme;
    size_t end = scheme + strcspn(text + scheme, "/?# \t\n\"'<>`\\");

    for (size_t at = scheme; at < end; at++)
        if (text[at] == '@')
            host = at + 1;
    buf_append(out, text, scheme);
    buf_append(out, text + host, end - host);
    if (len > end + (text[end] == '/'))
        buf_append_str(out, "/...");
    return len;
}

static bool begins_token(const char *word, size_t at)
{
    return at == 0 || strchr(" \t\n;&|(\"'", word[at - 1]);
}

static char *clean_inside(const char *word)
{
    struct buf out CLEANUP(buf_free);
    size_t at = 0;

    buf_init(&out, WORD_MAX);
    while (word[at]) {
        bool begins = begins_token(word, at) || word[at - 1] == '=';
        size_t scheme = begins ? url_scheme(word + at) : 0;
        size_t name = begins ? assigned_name(word + at) : 0;

        if (scheme) {
            at += append_url(&out, word + at, scheme);
        } else if (name) { /* where a quoted value ends is for a shell to know */
            buf_append(&out, word + at, name);
            break;
        } else {
            buf_append_byte(&out, (uint8_t)word[at++]);
        }
    }
    return buf_take_cstr(&out);
}

/* ---- words ---- */

/* "Name: value" with the name of a credential. */
static char *clean_header(const char *word)
{
    const char *colon = strchr(word, ':');
    size_t name = strcspn(word, ": \t");

    if (!colon || word[name] != ':' || str_starts(colon, "://") ||
        !audit_words_is_secret(word, name))
        return NULL;
    return xasprintf("%.*s: " HIDDEN, (int)name, word);
}

static char *clean_option(const char *word)
{
    size_t name = strcspn(word, "=");

    if (word[0] != '-' || word[name] != '=')
        return NULL;
    if (assigned_name(word + name + 1))
        return xasprintf("%.*s=%.*s", (int)name, word, (int)assigned_name(word + name + 1),
                         word + name + 1);
    return audit_words_is_secret(word, name) ? xasprintf("%.*s=" HIDDEN, (int)name, word) : NULL;
}

/* What the option in front says of the word. */
static char *clean_argument(const char *option, const char *word)
{
    const char *colon = strchr(word, ':');

    for (size_t i = 0; i < ARRAY_SIZE(user_options); i++)
        if (str_eq(option, user_options[i]) && colon)
            return xasprintf("%.*s:" HIDDEN, (int)(colon - word), word);
    if (option[0] == '-' && option[1] && !strchr(option, '=') && word[0] != '-' &&
        !assigned_name(word) && audit_words_is_secret(option, strlen(option)))
        return xstrdup(HIDDEN);
    return NULL;
}

/* One pass: what stands for a value is not looked through again. */
static char *replace(const char *text, const char *value, const char *name, size_t name_len)
{
    struct buf out CLEANUP(buf_free);
    const char *found;

    buf_init(&out, WORD_MAX);
    while ((found = strstr(text, value))) {
        buf_append(&out, text, (size_t)(found - text));
        buf_printf(&out, "<%.*s>", (int)name_len, name);
        text = found + strlen(value);
    }
    buf_append_str(&out, text);
    return out.overflow ? xstrdup(HIDDEN) : buf_take_cstr(&out);
}

static char *clean_known(const char *word, const struct strv *known)
{
    char *clean = xstrdup(word);

    for (size_t i = 0; known && i < known->n; i++) {
        const char *value = strchr(known->v[i], '=');
        char *other;

        if (!value || strlen(value + 1) < VALUE_MIN || !strstr(clean, value + 1))
            continue;
        other = replace(clean, value + 1, known->v[i], (size_t)(value - known->v[i]));
        free(clean);
        clean = other;
    }
    return clean;
}

void audit_words_clean(struct strv *out, const struct strv *words, const struct strv *known)
{
    for (size_t i = 0; i < words->n; i++) {
        _cleanup_free_ char *word = clean_known(words->v[i], known);
        char *clean = i ? clean_argument(words->v[i - 1], word) : NULL;

        if (!clean)
            clean = clean_option(word);
        if (!clean)
            clean = clean_header(word);
        if (!clean)
            clean = clean_inside(word);
        strv_push_owned(out, clean);
    }
}
