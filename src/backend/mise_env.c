// SPDX-License-Identifier: GPL-3.0-only
/*
 * mise_env: a reader that advances only on success, and the merge.
 *
 * An entry is never longer than the text it comes from (two quotes and a colon at least are left out,
 * and no escape stands for more bytes than it has), so it is written over what has been read.
 */
#include "backend/mise_env.h"

#include "base/hex.h"
#include "base/utf8.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

struct reader {
    const char *at;
    const char *end;
    char *out; /* at or before at */
};

static void skip_space(struct reader *reader)
{
    while (reader->at < reader->end && strchr(" \t\n\r", *reader->at) && *reader->at)
        reader->at++;
}

/* Takes c, with white space before it. */
static bool take(struct reader *reader, char c)
{
    skip_space(reader);
    if (reader->at == reader->end || *reader->at != c)
        return false;
    reader->at++;
    return true;
}

/* Four digits. */
static bool take_hex(struct reader *reader, uint32_t *value)
{
    *value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = reader->at < reader->end ? hex_digit(*reader->at) : -1;

        if (digit < 0)
            return false;
        *value = *value << 4 | (uint32_t)digit;
        reader->at++;
    }
    return true;
}

/* What follows "\u": one character, perhaps as a pair of surrogates. */
static bool take_code(struct reader *reader)
{
    uint8_t bytes[UTF8_MAX_LEN];
    uint32_t code;
    uint32_t low;
    size_t len;

    if (!take_hex(reader, &code))
        return false;
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (reader->end - reader->at < 2 || reader->at[0] != '\\' || reader->at[1] != 'u')
            return false;
        reader->at += 2;
        if (!take_hex(reader, &low) || low < 0xDC00 || low > 0xDFFF)
            return false;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if ((code >= 0xDC00 && code <= 0xDFFF) || code == 0) {
        return false;
    }
    len = utf8_write(code, bytes);
    memcpy(reader->out, bytes, len);
    reader->out += len;
    return true;
}

/* What follows a backslash. */
static bool take_escape(struct reader *reader)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    const char *found;
    char c;

    if (reader->at == reader->end)
        return false;
    c = *reader->at++;
    if (c == 'u')
        return take_code(reader);
    found = c ? strchr(from, c) : NULL;
    if (!found)
        return false;
    *reader->out++ = to[found - from];
    return true;
}

/* A character as it is: no control character, well-formed. */
static bool take_plain(struct reader *reader)
{
    uint32_t code;
    int len = utf8_decode((const uint8_t *)reader->at, (size_t)(reader->end - reader->at), &code);

    if (len <= 0 || code < 0x20)
        return false;
    memmove(reader->out, reader->at, (size_t)len);
    reader->out += len;
    reader->at += len;
    return true;
}

static bool take_string(struct reader *reader)
{
    if (!take(reader, '"'))
        return false;
    while (reader->at < reader->end && *reader->at != '"') {
        if (*reader->at == '\\') {
            reader->at++;
            if (!take_escape(reader))
                return false;
        } else if (!take_plain(reader)) {
            return false;
        }
    }
    return take(reader, '"');
}

/* One member as NAME=VALUE. */
static char *take_member(struct reader *reader)
{
    char *entry = reader->out;
    size_t name_len;

    if (!take_string(reader))
        return NULL;
    name_len = (size_t)(reader->out - entry);
    if (name_len == 0 || memchr(entry, '=', name_len) || !take(reader, ':'))
        return NULL;
    *reader->out++ = '=';
    if (!take_string(reader))
        return NULL;
    *reader->out++ = '\0';
    assert(reader->out <= reader->at);
    return entry;
}

int mise_env_parse(char *bytes, size_t len, char **list, size_t max)
{
    struct reader reader = {.at = bytes, .end = bytes + len, .out = bytes};
    size_t count = 0;

    if (!take(&reader, '{'))
        return -EBADMSG;
    if (!take(&reader, '}')) {
        do {
            char *entry = take_member(&reader);

            if (!entry)
                return -EBADMSG;
            if (count == max)
                return -E2BIG;
            list[count++] = entry;
        } while (take(&reader, ','));
        if (!take(&reader, '}'))
            return -EBADMSG;
    }
    skip_space(&reader);
    return reader.at == reader.end ? (int)count : -EBADMSG;
}

/* ---- merge ---- */

static size_t name_len(const char *entry)
{
    return strcspn(entry, "=");
}

static bool has_name(const char *entry, const char *name, size_t len)
{
    return strncmp(entry, name, len) == 0 && (entry[len] == '=' || entry[len] == '\0');
}

static char **find(char **list, const char *name, size_t len)
{
    while (*list && !has_name(*list, name, len))
        list++;
    return list;
}

static bool is_fixed(char *const *fixed, const char *name, size_t len)
{
    for (; fixed && *fixed; fixed++)
        if (has_name(*fixed, name, len))
            return true;
    return false;
}

/* Whatever its case: who reads "HTTP_proxy" is not known. */
static bool is_proxy(const char *name, size_t len)
{
    static const char ending[] = "_proxy";
    size_t ending_len = strlen(ending);

    return len >= ending_len && strncasecmp(name + len - ending_len, ending, ending_len) == 0;
}

void mise_env_merge(char **out, char *const *env, char *const *list, size_t count,
                    char *const *fixed, bool no_proxy)
{
    size_t n = 0;

    for (; env && env[n]; n++)
        out[n] = env[n];
    out[n] = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t len = name_len(list[i]);
        char **slot;

        if (is_fixed(fixed, list[i], len) || (no_proxy && is_proxy(list[i], len)))
            continue;
        slot = find(out, list[i], len);
        if (!*slot)
            out[++n] = NULL;
        *slot = list[i];
    }
}
