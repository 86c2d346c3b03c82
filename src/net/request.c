// SPDX-License-Identifier: GPL-3.0-only
/*
 * request: the head of what a client sends to the proxy.
 *
 * The first byte decides: 0x05 is SOCKS5, a capital letter is HTTP/1, anything else cannot be
 * answered. A head is collected to its end and then read once, so where the reads are cut does not
 * matter. An absolute-form request is written anew from what was understood; nothing is copied that
 * was not.
 */
#include "net/request.h"

#include "net/http_head.h"
#include "net/request_login.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FORWARD_MAX (2 * REQUEST_HEAD_MAX)
#define REPLY_MAX   64
#define HTTP_PORT   80

void request_init(struct request *request)
{
    *request = (struct request){0};
    buf_init(&request->head, REQUEST_HEAD_MAX);
    buf_init(&request->reply, REPLY_MAX);
    buf_init(&request->forward, FORWARD_MAX);
}

void request_init_inner(struct request *request, const struct target *target)
{
    request_init(request);
    request->is_inner = true;
    request->target = *target;
    request->has_target = true;
}

void request_free(struct request *request)
{
    buf_free(&request->head);
    buf_free(&request->reply);
    buf_free(&request->forward);
}

static void refuse(struct request *request, enum refusal_reason reason)
{
    request->state = REQUEST_REFUSED;
    request->reason = reason;
}

/* ---- HTTP ---- */

/* "http://authority/path": the authority, and the path with its slash ("" if there is none). */
static bool split_absolute(struct http_text target, struct http_text *authority,
                           struct http_text *path)
{
    static const char scheme[] = "http://";
    size_t skip = sizeof(scheme) - 1;
    size_t len = 0;

    if (target.len < skip || strncasecmp(target.at, scheme, skip) != 0)
        return false;
    while (skip + len < target.len && !strchr("/?#", target.at[skip + len]))
        len++;
    *authority = (struct http_text){target.at + skip, len};
    *path = (struct http_text){target.at + skip + len, target.len - skip - len};
    return !memchr(path->at, '#', path->len);
}

/* CONNECT with any URL for a target. */
static bool is_absolute(struct http_text target)
{
    return memmem(target.at, target.len, "://", 3) != NULL;
}

static bool same_host(const struct target *target, struct http_text text)
{
    struct target host;

    if (target_parse(&host, text.at, text.len) < 0)
        return false;
    return str_eq(host.name, target->name) && host.kind == target->kind &&
           (host.port ? host.port : HTTP_PORT) == target->port;
}

static bool parse_length(struct http_text text, uint64_t *length)
{
    uint64_t value = 0;

    if (text.len == 0 || text.len > 18)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text.at[i] - '0');
    }
    *length = value;
    return true;
}

/* How long the body is, by one header and in one way (RFC 9112, 6). */
static bool read_framing(struct request *request, const struct http_head *head)
{
    struct http_text length;
    struct http_text coding;
    size_t lengths = http_head_find(head, "content-length", &length);
    size_t codings = http_head_find(head, "transfer-encoding", &coding);

    if (lengths + codings > 1)
        return false;
    request->has_length = lengths == 1;
    request->is_chunked = codings == 1;
    if (codings)
        return head->minor == 1 && http_text_is(coding, "chunked");
    return !lengths || parse_length(length, &request->length);
}

/* Headers that hold for one connection alone (RFC 9110, 7.6.1), and those written anew. */
static bool is_left_out(const struct http_head *head, struct http_text name)
{
    static const char *const hop[] = {"connection", "keep-alive", "te",
                                      "trailer",    "upgrade",    "host"};

    if (name.len >= 6 && strncasecmp(name.at, "proxy-", 6) == 0)
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(hop); i++)
        if (http_text_is(name, hop[i]))
            return true;
    return http_head_lists(head, "connection", name);
}

/* Connection must not take away what the meaning of the message hangs on. */
static bool has_bad_connection(const struct http_head *head)
{
    static const char *const vital[] = {"content-length", "transfer-encoding", "host"};

    for (size_t i = 0; i < ARRAY_SIZE(vital); i++)
        if (http_head_lists(head, "connection", (struct http_text){vital[i], strlen(vital[i])}))
            return true;
    return false;
}

static void append(struct buf *out, struct http_text text)
{
    buf_append(out, text.at, text.len);
}

/* Origin form (RFC 9112, 3.2.1); a URL without a path means the server itself to OPTIONS (3.2.4). */
static void write_path(struct buf *out, const struct http_head *head, struct http_text path)
{
    bool is_options = head->method.len == 7 && memcmp(head->method.at, "OPTIONS", 7) == 0;

    if (path.len == 0 && is_options)
        buf_append_str(out, "*");
    else if (path.len == 0 || path.at[0] != '/')
        buf_append_str(out, "/");
    append(out, path);
}

static void write_forward(struct request *request, const struct http_head *head,
                          struct http_text path)
{
    struct buf *out = &request->forward;
    struct target host = request->target;
    char shown[TARGET_TEXT_MAX];

    host.port = host.port == HTTP_PORT ? 0 : host.port;
    target_format(&host, shown, sizeof(shown));
    append(out, head->method);
    buf_append_str(out, " ");
    write_path(out, head, path);
    buf_printf(out, " HTTP/1.%u\r\nHost: %s\r\n", head->minor, shown);
    for (size_t i = 0; i < head->count; i++) {
        if (is_left_out(head, head->headers[i].name))
            continue;
        append(out, head->headers[i].name);
        buf_append_str(out, ": ");
        append(out, head->headers[i].value);
        buf_append_str(out, "\r\n");
    }
    buf_append_str(out, "Connection: close\r\n\r\n");
}

static void read_connect(struct request *request, const struct http_head *head)
{
    request->kind = REQUEST_CONNECT;
    if (is_absolute(head->target))
        refuse(request, REFUSAL_METHOD);
    else if (target_parse(&request->target, head->target.at, head->target.len) < 0 ||
             !request->target.port)
        refuse(request, REFUSAL_MALFORMED);
    else
        request->state = REQUEST_DONE;
    request->has_target = request->state == REQUEST_DONE;
}

/* A request whose target is known: what both forms have in common. */
static void read_rest(struct request *request, const struct http_head *head, struct http_text path)
{
    struct http_text host;
    size_t hosts = http_head_find(head, "host", &host);

    if (http_text_is(head->method, "trace") || http_text_is(head->method, "track"))
        refuse(request, REFUSAL_METHOD);
    else if (hosts > 1 || !read_framing(request, head) || has_bad_connection(head))
        refuse(request, REFUSAL_MALFORMED);
    else if (hosts == 1 && !same_host(&request->target, host))
        refuse(request, request->is_inner ? REFUSAL_HOST_HEADER : REFUSAL_MALFORMED);
    else
        write_forward(request, head, path);
    if (request->state == REQUEST_MORE)
        request->state = REQUEST_DONE;
    if (request->state == REQUEST_DONE && request->forward.overflow)
        refuse(request, REFUSAL_HEAD_TOO_LARGE);
}

static void read_absolute(struct request *request, const struct http_head *head)
{
    struct http_text authority;
    struct http_text path;

    request->kind = REQUEST_HTTP;
    if (!split_absolute(head->target, &authority, &path) ||
        target_parse(&request->target, authority.at, authority.len) < 0) {
        refuse(request, REFUSAL_MALFORMED);
        return;
    }
    request->has_target = true;
    if (!request->target.port)
        request->target.port = HTTP_PORT;
    read_rest(request, head, path);
}

/* In a tunnel the client talks to the server itself (RFC 9112, 3.2.1), which Host must name. */
static void read_origin(struct request *request, const struct http_head *head)
{
    struct http_text path = head->target;
    struct http_text host;

    request->kind = REQUEST_HTTP;
    if (path.len == 1 && path.at[0] == '*')
        path.len = 0;
    if (head->method.len == 7 && memcmp(head->method.at, "CONNECT", 7) == 0)
        refuse(request, REFUSAL_METHOD);
    else if ((path.len && path.at[0] != '/') || memchr(path.at, '#', path.len) ||
             !http_head_find(head, "host", &host))
        refuse(request, REFUSAL_MALFORMED);
    else
        read_rest(request, head, path);
}

static void read_http(struct request *request)
{
    struct http_head head;

    if (http_head_parse(&head, (const char *)request->head.data, request->head.len) < 0)
        refuse(request, REFUSAL_MALFORMED);
    else if (request->is_inner)
        read_origin(request, &head);
    else if (request->password && !request_login_fits_head(request->password, &head))
        refuse(request, REFUSAL_LOGIN);
    else if (head.method.len == 7 && memcmp(head.method.at, "CONNECT", 7) == 0)
        read_connect(request, &head);
    else
        read_absolute(request, &head);
}

/* Takes bytes up to the end of the head. */
static size_t feed_http(struct request *request, const uint8_t *bytes, size_t len)
{
    size_t before = request->head.len;
    size_t room = REQUEST_HEAD_MAX - before;
    size_t from = before > 3 ? before - 3 : 0;
    size_t whole;

    buf_append(&request->head, bytes, len < room ? len : room);
    whole = http_head_length((const char *)request->head.data, request->head.len, &from);
    if (whole) {
        request->head.len = whole;
        read_http(request);
        return whole - before;
    }
    if (request->head.len == REQUEST_HEAD_MAX)
        refuse(request, REFUSAL_HEAD_TOO_LARGE);
    return request->head.len - before;
}

/* ---- SOCKS5, RFC 1928 ---- */

enum { SOCKS_METHODS, SOCKS_LOGIN, SOCKS_REQUEST };

#define METHOD_NONE     0
#define METHOD_PASSWORD 2
#define METHOD_REFUSED  0xFF

static void refuse_socks(struct request *request, enum refusal_reason reason, int code)
{
    refuse(request, reason);
    request->socks_code = code;
}

static void reply_socks(struct request *request, uint8_t version, uint8_t code, bool goes_on)
{
    const uint8_t reply[] = {version, code};

    buf_append(&request->reply, reply, sizeof(reply));
    request->state = goes_on ? REQUEST_REPLY : REQUEST_CLOSE;
    request->head.len = 0;
}

/* VER NMETHODS METHODS */
static void read_methods(struct request *request)
{
    const uint8_t *head = request->head.data;
    uint8_t method = request->password ? METHOD_PASSWORD : METHOD_NONE;
    bool has_it = memchr(head + 2, method, head[1]) != NULL;

    request->socks_step = request->password ? SOCKS_LOGIN : SOCKS_REQUEST;
    reply_socks(request, 5, has_it ? method : METHOD_REFUSED, has_it);
}

static void read_login(struct request *request)
{
    bool fits = request_login_fits_socks(request->password, request->head.data);

    request->socks_step = SOCKS_REQUEST;
    reply_socks(request, 1, fits ? 0 : 1, fits);
}

/* Bytes of the request: VER CMD RSV ATYP ADDR PORT; 0: not known yet. */
static size_t socks_length(const struct buf *head)
{
    if (head->len < 5)
        return 0;
    switch (head->data[3]) {
    case 1:
        return 4 + 4 + 2;
    case 3:
        return 5 + (size_t)head->data[4] + 2;
    case 4:
        return 4 + 16 + 2;
    default:
        return 5; /* refused whatever follows */
    }
}

static bool read_socks_target(struct request *request, const uint8_t *head, size_t len)
{
    struct target *target = &request->target;

    if (head[3] == 3) {
        if (target_parse_host(target, (const char *)head + 5, head[4]) < 0)
            return false;
    } else {
        bool is_v6 = head[3] == 4;

        *target =
            (struct target){.kind = is_v6 ? TARGET_IPV6 : TARGET_IPV4, .address.is_v6 = is_v6};
        memcpy(target->address.bytes, head + 4, is_v6 ? 16 : 4);
        net_address_format(&target->address, target->name, sizeof(target->name));
    }
    target->port = (uint16_t)(head[len - 2] << 8 | head[len - 1]);
    return target->port != 0;
}

static void read_socks(struct request *request, size_t len)
{
    const uint8_t *head = request->head.data;

    if (head[0] != 5 || head[2] != 0)
        refuse_socks(request, REFUSAL_MALFORMED, 1);
    else if (head[3] != 1 && head[3] != 3 && head[3] != 4)
        refuse_socks(request, REFUSAL_MALFORMED, 8);
    else if (head[1] != 1)
        refuse_socks(request, REFUSAL_METHOD, 7);
    else if (!read_socks_target(request, head, len))
        refuse_socks(request, REFUSAL_MALFORMED, 1);
    else
        request->state = REQUEST_DONE;
    request->has_target = request->state == REQUEST_DONE;
}

static size_t feed_socks(struct request *request, const uint8_t *bytes, size_t len)
{
    struct buf *head = &request->head;
    size_t taken = 0;

    request->kind = REQUEST_SOCKS;
    request->state = REQUEST_MORE;
    while (taken < len && request->state == REQUEST_MORE) {
        size_t whole;

        buf_append_byte(head, bytes[taken++]);
        if (request->socks_step == SOCKS_METHODS) {
            if (head->len >= 2 && head->len == (size_t)head->data[1] + 2)
                read_methods(request);
            continue;
        }
        if (request->socks_step == SOCKS_LOGIN) {
            if (head->len == request_login_socks_length(head->data, head->len))
                read_login(request);
            continue;
        }
        whole = socks_length(head);
        if (whole && head->len == whole)
            read_socks(request, whole);
    }
    return taken;
}

void request_socks_reply(struct buf *out, int code)
{
    const uint8_t reply[] = {5, (uint8_t)code, 0, 1, 0, 0, 0, 0, 0, 0};

    buf_append(out, reply, sizeof(reply));
}

/* ---- both ---- */

size_t request_feed(struct request *request, const uint8_t *bytes, size_t len)
{
    if (len == 0)
        return 0;
    if (request->kind == REQUEST_UNKNOWN && request->head.len == 0) {
        request->kind = bytes[0] == 5 && !request->is_inner ? REQUEST_SOCKS : REQUEST_HTTP;
        if (request->kind == REQUEST_HTTP && (bytes[0] < 'A' || bytes[0] > 'Z'))
            request->state = REQUEST_CLOSE;
        if (request->state == REQUEST_CLOSE)
            return 0;
    }
    return request->kind == REQUEST_SOCKS ? feed_socks(request, bytes, len)
                                          : feed_http(request, bytes, len);
}

int request_check_host(const uint8_t *bytes, size_t len, const struct target *target)
{
    struct http_head head;
    struct http_text host;
    size_t from = 0;
    size_t whole;

    if (len == 0)
        return 0;
    if (bytes[0] < 'A' || bytes[0] > 'Z')
        return -EINVAL;
    whole = http_head_length((const char *)bytes, len < REQUEST_HEAD_MAX ? len : REQUEST_HEAD_MAX,
                             &from);
    if (!whole)
        return len >= REQUEST_HEAD_MAX ? -EINVAL : 0;
    if (http_head_parse(&head, (const char *)bytes, whole) < 0 || head.target.at[0] != '/' ||
        http_head_find(&head, "host", &host) != 1)
        return -EINVAL;
    return same_host(target, host) ? 1 : -EPERM;
}
