// SPDX-License-Identifier: GPL-3.0-only
/*
 * dial_parent: from a target that may be reached to a tunnel that the host's proxy has made to it.
 *
 * The proxy is found anew each time: it may have moved since the run began. It gets 10 s for its
 * answer, of which no byte is read too much.
 */
#include "net/dial_parent.h"

#include "base/os.h"

#include <stdio.h>
#include <string.h>

#define TALK_MS 10000

/* ---- asking ---- */

static void fail(struct dial *dial)
{
    uv_read_stop((uv_stream_t *)dial->upstream);
    dial_finish(dial, REFUSAL_PARENT_FAILED);
}

static void on_talk_timeout(uv_timer_t *timer)
{
    fail(timer->data);
}

/* The socket is empty: what does not fit at once is not sent at all. */
static bool send_out(struct dial *dial)
{
    struct buf *out = &dial->talk.out;
    uv_buf_t bytes = uv_buf_init((char *)out->data, (unsigned)out->len);
    bool is_sent =
        out->len == 0 || uv_try_write((uv_stream_t *)dial->upstream, &bytes, 1) == (int)out->len;

    os_wipe(out->data, out->len);
    buf_reset(out);
    return is_sent;
}

static void on_talk_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct dial *dial = handle->data;
    size_t wants = parent_talk_wants(&dial->talk);

    (void)suggested;
    *buf = uv_buf_init((char *)dial->answer,
                       (unsigned)(wants < sizeof(dial->answer) ? wants : sizeof(dial->answer)));
}

static void on_talk(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct dial *dial = stream->data;

    if (n == 0)
        return;
    if (n < 0) {
        fail(dial);
        return;
    }
    parent_talk_feed(&dial->talk, (const uint8_t *)buf->base, (size_t)n);
    dial->parent_status = dial->talk.status;
    if (dial->talk.state == PARENT_TALK_FAILED || !send_out(dial)) {
        fail(dial);
    } else if (dial->talk.state == PARENT_TALK_OPEN) {
        uv_read_stop(stream);
        dial_finish(dial, REFUSAL_NONE);
    }
}

void dial_parent_talk(struct dial *dial)
{
    parent_talk_start(&dial->talk, dial->through, &dial->target);
    dial->has_parent_answered = true;
    dial->upstream->data = dial;
    dial->timer->data = dial;
    uv_timer_start(dial->timer, on_talk_timeout, TALK_MS, 0);
    if (!send_out(dial) || uv_read_start((uv_stream_t *)dial->upstream, on_talk_alloc, on_talk) < 0)
        fail(dial);
}

/* ---- reaching it ---- */

static void on_resolved(void *arg, int status, struct addrinfo *found)
{
    struct dial *dial = arg;

    dial->lookup = NULL;
    uv_timer_stop(dial->timer);
    for (const struct addrinfo *at = found; status == 0 && at; at = at->ai_next)
        dial_add_address(dial, at->ai_addr, at->ai_addrlen, dial->through->target.port);
    if (found)
        freeaddrinfo(found);
    if (dial->count)
        dial_connect(dial);
    else
        dial_finish(dial, REFUSAL_NAME_UNKNOWN);
}

static void on_resolve_timeout(uv_timer_t *timer)
{
    struct dial *dial = timer->data;

    resolve_give_up(dial->lookup);
    dial->lookup = NULL;
    dial_finish(dial, REFUSAL_NAME_TIMEOUT);
}

static void take_literal(struct dial *dial, const struct target *proxy)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

    if (proxy->kind == TARGET_IPV4) {
        memcpy(&v4.sin_addr, proxy->address.bytes, sizeof(v4.sin_addr));
        dial_add_address(dial, (const struct sockaddr *)(const void *)&v4, sizeof(v4), proxy->port);
    } else {
        memcpy(&v6.sin6_addr, proxy->address.bytes, sizeof(v6.sin6_addr));
        dial_add_address(dial, (const struct sockaddr *)(const void *)&v6, sizeof(v6), proxy->port);
    }
    dial_connect(dial);
}

void dial_parent_start(struct dial *dial)
{
    const struct target *proxy = &dial->through->target;

    dial->is_at_parent = true;
    dial->count = 0;
    if (proxy->kind == TARGET_NAME)
        dial_resolve(dial, proxy->name, on_resolved, on_resolve_timeout);
    else
        take_literal(dial, proxy);
}

const char *dial_detail(const struct dial *dial, char *text, size_t size)
{
    if (!dial->is_at_parent)
        return NULL;
    if (!dial->has_parent_answered)
        return "it cannot be reached";
    if (dial->parent_status == 0)
        return "it gave no answer that can be read";
    snprintf(text, size, dial->through->kind == PARENT_HTTP ? "it answered %d" : "SOCKS reply %d",
             dial->parent_status);
    return text;
}
