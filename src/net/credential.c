// SPDX-License-Identifier: GPL-3.0-only
/*
 * credential: values that the jail has placeholders of.
 */
#include "net/credential.h"

#include "base/vault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static_assert(CREDENTIALS_MAX <= 32, "one bit each in credentials_insert()");

void credentials_free(struct credentials *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->v[i].key);
        vault_free(list->v[i].value);
        strv_free(&list->v[i].hosts);
    }
    list->n = 0;
}

void credential_set_placeholder(struct credential *credential, const uint8_t *random)
{
    static const char digits[] = "0123456789abcdef";
    char *to = stpcpy(credential->placeholder, PLACEHOLDER_PREFIX);

    for (size_t i = 0; i < PLACEHOLDER_RANDOM; i++) {
        *to++ = digits[random[i] >> 4];
        *to++ = digits[random[i] & 15];
    }
    *to = '\0';
}

static bool is_bound(const struct credential *credential, const char *host)
{
    return host && strv_find(&credential->hosts, host) >= 0;
}

bool credentials_have_host(const struct credentials *list, const char *host)
{
    for (size_t i = 0; i < list->n; i++)
        if (is_bound(&list->v[i], host))
            return true;
    return false;
}

/* The key whose placeholder begins at bytes, or NULL. */
static const struct credential *placeholder_at(const struct credentials *list, const char *bytes,
                                               size_t len)
{
    for (size_t i = 0; len >= PLACEHOLDER_LEN && i < list->n; i++)
        if (memcmp(bytes, list->v[i].placeholder, PLACEHOLDER_LEN) == 0)
            return &list->v[i];
    return NULL;
}

/* Where the next thing is that looks like a placeholder, or NULL. */
static const char *find_prefix(const char *bytes, size_t len)
{
    return memmem(bytes, len, PLACEHOLDER_PREFIX, sizeof(PLACEHOLDER_PREFIX) - 1);
}

const struct credential *credentials_stray(const struct credentials *list, const char *host,
                                           const void *bytes, size_t len)
{
    const char *at = bytes;
    const char *end = at + len;

    while ((at = find_prefix(at, (size_t)(end - at)))) {
        const struct credential *found = placeholder_at(list, at, (size_t)(end - at));

        if (found && !is_bound(found, host))
            return found;
        at++;
    }
    return NULL;
}

/* What lies across the end of one piece and the beginning of the next. */
static const struct credential *scan_joint(const struct credentials *list,
                                           struct credential_scan *scan, const char *host,
                                           const uint8_t *bytes, size_t len)
{
    uint8_t joint[2 * sizeof(scan->tail)];
    size_t part = len < sizeof(scan->tail) ? len : sizeof(scan->tail);

    memcpy(joint, scan->tail, scan->tail_len);
    memcpy(joint + scan->tail_len, bytes, part);
    return credentials_stray(list, host, joint, scan->tail_len + part);
}

static void keep_tail(struct credential_scan *scan, const uint8_t *bytes, size_t len)
{
    size_t old;

    if (len >= sizeof(scan->tail)) {
        memcpy(scan->tail, bytes + len - sizeof(scan->tail), sizeof(scan->tail));
        scan->tail_len = sizeof(scan->tail);
        return;
    }
    old = sizeof(scan->tail) - len < scan->tail_len ? sizeof(scan->tail) - len : scan->tail_len;
    memmove(scan->tail, scan->tail + scan->tail_len - old, old);
    memcpy(scan->tail + old, bytes, len);
    scan->tail_len = old + len;
}

const struct credential *credential_scan(const struct credentials *list,
                                         struct credential_scan *scan, const char *host,
                                         const uint8_t *bytes, size_t len)
{
    const struct credential *found;

    if (len == 0)
        return NULL;
    found = scan->tail_len ? scan_joint(list, scan, host, bytes, len) : NULL;
    if (!found)
        found = credentials_stray(list, host, bytes, len);
    keep_tail(scan, bytes, len);
    scan->seen += len;
    return found;
}

/* ---- putting values in ---- */

/* Bytes that would make a longer word of a placeholder. */
static bool is_word_byte(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z') || byte == '-' || byte == '_';
}

static bool is_whole_token(const char *text, size_t len, size_t at)
{
    size_t end = at + PLACEHOLDER_LEN;

    return (at == 0 || !is_word_byte(text[at - 1])) && (end == len || !is_word_byte(text[end]));
}

/* One value of a header, from its colon to the end of the line. */
static void insert_value(const struct credentials *list, const char *host, const char *text,
                         size_t len, struct buf *out, uint32_t *used)
{
    size_t done = 0;
    size_t at = 0;
    const char *next;

    while ((next = find_prefix(text + at, len - at))) {
        const struct credential *found;

        at = (size_t)(next - text);
        found = placeholder_at(list, next, len - at);
        if (!found || !is_bound(found, host) || !is_whole_token(text, len, at)) {
            at++;
            continue;
        }
        buf_append(out, text + done, at - done);
        buf_append_str(out, found->value);
        *used |= 1u << (found - list->v);
        done = at += PLACEHOLDER_LEN;
    }
    buf_append(out, text + done, len - done);
}

int credentials_insert(const struct credentials *list, const char *host, const char *head,
                       size_t len, struct buf *out, uint32_t *used)
{
    size_t at = 0;

    *used = 0;
    for (bool is_first = true; at < len; is_first = false) {
        const char *end = memchr(head + at, '\n', len - at);
        size_t line = end ? (size_t)(end - (head + at)) + 1 : len - at;
        const char *colon = is_first ? NULL : memchr(head + at, ':', line);
        size_t name = colon ? (size_t)(colon - (head + at)) : line;

        buf_append(out, head + at, name);
        insert_value(list, host, head + at + name, line - name, out, used);
        at += line;
    }
    return out->overflow ? -ENOSPC : 0;
}
