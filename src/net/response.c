// SPDX-License-Identifier: GPL-3.0-only
/*
 * response: the head of an answer on its way to the client.
 */
#include "net/response.h"

#include "net/http_head.h"

#include <string.h>
#include <strings.h>

void response_init(struct response *response)
{
    *response = (struct response){0};
    buf_init(&response->head, RESPONSE_HEAD_MAX);
}

void response_free(struct response *response)
{
    buf_free(&response->head);
}

/* Headers that are the server's word to us (RFC 9110, 7.6.1). The name is compared without blanks
 * behind it: servers that write them exist, and some clients read over them. */
static bool is_hop_header(const char *line, size_t len)
{
    static const char *const names[] = {"connection", "keep-alive", "proxy-connection"};
    const char *colon = memchr(line, ':', len);
    size_t name = colon ? (size_t)(colon - line) : 0;

    while (name > 0 && (line[name - 1] == ' ' || line[name - 1] == '\t'))
        name--;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (name == strlen(names[i]) && strncasecmp(line, names[i], name) == 0)
            return true;
    return false;
}

/* "HTTP/1.1 1xx": another head follows; but 101 is the last one. */
static bool is_interim(const char *line, size_t len)
{
    return len >= 12 && line[8] == ' ' && line[9] == '1' && strncmp(line + 9, "101", 3) != 0;
}

static void write_head(struct response *response, size_t len, struct buf *out)
{
    const char *head = (const char *)response->head.data;
    bool interim = is_interim(head, len);
    bool is_dropped = false;
    size_t at = 0;

    while (at < len) {
        const char *end = memchr(head + at, '\n', len - at);
        size_t line = (size_t)(end - (head + at)) + 1;

        if (at + line == len && !interim) /* the empty one */
            buf_append_str(out, "Connection: close\r\n");
        /* A folded line belongs to the one above it. */
        if (head[at] != ' ' && head[at] != '\t')
            is_dropped = is_hop_header(head + at, line);
        if (!is_dropped)
            buf_append(out, head + at, line);
        at += line;
    }
    buf_consume(&response->head, len);
    response->from = 0;
    response->is_body = !interim;
}

/* Passes on every head that is whole. */
static void take_heads(struct response *response, struct buf *out)
{
    size_t whole = 1;

    while (whole && !response->is_body && !response->is_broken) {
        const struct buf *head = &response->head;

        if (memcmp(head->data, "HTTP/", head->len < 5 ? head->len : 5) != 0) {
            response->is_broken = true;
            return;
        }
        whole = http_head_length((const char *)head->data, head->len, &response->from);
        if (whole)
            write_head(response, whole, out);
        if (head->len == 0)
            return;
    }
}

void response_feed(struct response *response, const uint8_t *bytes, size_t len, struct buf *out)
{
    size_t taken = 0;

    /* Of a head only as much as it may have: what is read at once may hold much of the body. */
    while (taken < len && !response->is_body && !response->is_broken) {
        size_t room = RESPONSE_HEAD_MAX - response->head.len;
        size_t part = len - taken < room ? len - taken : room;

        if (part == 0) {
            response->is_broken = true;
            return;
        }
        buf_append(&response->head, bytes + taken, part);
        taken += part;
        take_heads(response, out);
    }
    if (!response->is_body)
        return;
    buf_append(out, response->head.data, response->head.len);
    buf_reset(&response->head);
    buf_append(out, bytes + taken, len - taken);
}
