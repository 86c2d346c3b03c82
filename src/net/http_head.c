// SPDX-License-Identifier: GPL-3.0-only
/*
 * http_head: the head of an HTTP/1 request.
 */
#include "net/http_head.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

static bool is_token_byte(char byte)
{
    /* RFC 9110, 5.6.2 */
    return byte > ' ' && byte < 0x7F && !strchr("\"(),/:;<=>?@[\\]{}", byte);
}

static bool is_token(struct http_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_token_byte(text.at[i]))
            return false;
    return text.len > 0;
}

static bool is_visible(struct http_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] <= ' ' || text.at[i] >= 0x7F)
            return false;
    return text.len > 0;
}

static bool is_value(struct http_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.at[i];

        if ((byte < ' ' && byte != '\t') || byte == 0x7F)
            return false;
    }
    return true;
}

static struct http_text trim(struct http_text text)
{
    while (text.len && (text.at[0] == ' ' || text.at[0] == '\t')) {
        text.at++;
        text.len--;
    }
    while (text.len && (text.at[text.len - 1] == ' ' || text.at[text.len - 1] == '\t'))
        text.len--;
    return text;
}

size_t http_head_length(const char *bytes, size_t len, size_t *from)
{
    static const char end[] = "\r\n\r\n";
    const char *found = len > *from ? memmem(bytes + *from, len - *from, end, 4) : NULL;

    if (found)
        return (size_t)(found - bytes) + 4;
    *from = len > 3 ? len - 3 : 0;
    return 0;
}

/* The line at *at without its CRLF; *at goes behind it. A CR or LF of its own is an error. */
static int take_line(const char *bytes, size_t len, size_t *at, struct http_text *line)
{
    const char *end = memchr(bytes + *at, '\n', len - *at);

    if (!end || end == bytes + *at || end[-1] != '\r')
        return -EINVAL;
    *line = (struct http_text){.at = bytes + *at, .len = (size_t)(end - 1 - (bytes + *at))};
    *at = (size_t)(end - bytes) + 1;
    return memchr(line->at, '\r', line->len) || memchr(line->at, '\0', line->len) ? -EINVAL : 0;
}

/* Three words with one blank between them. */
static int parse_request_line(struct http_head *head, struct http_text line)
{
    static const char version[] = "HTTP/1.";
    const char *first = memchr(line.at, ' ', line.len);
    const char *last = mem_last(line.at, ' ', line.len);
    struct http_text third;

    if (!first || first == last)
        return -EINVAL;
    head->method = (struct http_text){line.at, (size_t)(first - line.at)};
    head->target = (struct http_text){first + 1, (size_t)(last - first - 1)};
    third = (struct http_text){last + 1, (size_t)(line.at + line.len - last - 1)};
    if (!is_token(head->method) || !is_visible(head->target) || third.len != sizeof(version) ||
        memcmp(third.at, version, sizeof(version) - 1) != 0 ||
        (third.at[7] != '0' && third.at[7] != '1'))
        return -EINVAL;
    head->minor = (unsigned)(third.at[7] - '0');
    return 0;
}

static int parse_header(struct http_head *head, struct http_text line)
{
    const char *colon = memchr(line.at, ':', line.len);
    struct http_header *header;

    if (!colon || head->count == ARRAY_SIZE(head->headers))
        return -EINVAL;
    header = &head->headers[head->count++];
    header->name = (struct http_text){line.at, (size_t)(colon - line.at)};
    header->value = trim((struct http_text){colon + 1, (size_t)(line.at + line.len - colon - 1)});
    /* A folded line begins with a blank, which no token has. */
    return is_token(header->name) && is_value(header->value) ? 0 : -EINVAL;
}

int http_head_parse(struct http_head *head, const char *bytes, size_t len)
{
    struct http_text line;
    size_t at = 0;
    int r = take_line(bytes, len, &at, &line);

    head->count = 0;
    if (r == 0)
        r = parse_request_line(head, line);
    while (r == 0) {
        r = take_line(bytes, len, &at, &line);
        if (r == 0 && line.len == 0)
            return at == len ? 0 : -EINVAL;
        if (r == 0)
            r = parse_header(head, line);
    }
    return r;
}

bool http_text_is(struct http_text text, const char *word)
{
    return text.len == strlen(word) && strncasecmp(text.at, word, text.len) == 0;
}

size_t http_head_find(const struct http_head *head, const char *name, struct http_text *value)
{
    size_t count = 0;

    for (size_t i = 0; i < head->count; i++)
        if (http_text_is(head->headers[i].name, name) && count++ == 0)
            *value = head->headers[i].value;
    return count;
}

static bool list_has(struct http_text list, struct http_text word)
{
    while (list.len) {
        const char *comma = memchr(list.at, ',', list.len);
        size_t len = comma ? (size_t)(comma - list.at) : list.len;
        struct http_text part = trim((struct http_text){list.at, len});

        if (part.len == word.len && strncasecmp(part.at, word.at, word.len) == 0)
            return true;
        len += comma ? 1 : 0;
        list.at += len;
        list.len -= len;
    }
    return false;
}

bool http_head_lists(const struct http_head *head, const char *name, struct http_text word)
{
    for (size_t i = 0; i < head->count; i++)
        if (http_text_is(head->headers[i].name, name) && list_has(head->headers[i].value, word))
            return true;
    return false;
}
