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

/* Headers that are the server's word to us (RFC 9110, 7.6.1). */
static bool is_hop_header(const char *line, size_t len)
{
    static const char *const names[] = {"connection:", "keep-alive:", "proxy-connection:"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (len >= strlen(names[i]) && strncasecmp(line, names[i], strlen(names[i])) == 0)
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
    size_t at = 0;

    while (at < len) {
        const char *end = memchr(head + at, '\n', len - at);
        size_t line = (size_t)(end - (head + at)) + 1;

        if (line == 2 && !interim)
            buf_append_str(out, "Connection: close\r\n");
        if (!is_hop_header(head + at, line))
            buf_append(out, head + at, line);
        at += line;
    }
    buf_consume(&response->head, len);
    response->is_body = !interim;
}

void response_feed(struct response *response, const uint8_t *bytes, size_t len, struct buf *out)
{
    size_t whole = 1;

    if (response->is_body) {
        buf_append(out, bytes, len);
        return;
    }
    if (buf_append(&response->head, bytes, len) < 0 ||
        (response->head.len >= 5 && memcmp(response->head.data, "HTTP/", 5) != 0)) {
        response->is_broken = true;
        return;
    }
    while (whole && !response->is_body) {
        size_t from = 0;

        whole = http_head_length((const char *)response->head.data, response->head.len, &from);
        if (whole)
            write_head(response, whole, out);
    }
    if (response->is_body) {
        buf_append(out, response->head.data, response->head.len);
        buf_reset(&response->head);
    }
}
