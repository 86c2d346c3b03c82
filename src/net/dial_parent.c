// SPDX-License-Identifier: GPL-3.0-only
/*
 * dial_parent: from a target that may be reached to a tunnel that the host's proxy has made to it.
 *
 * The proxy is found anew each time: it may have moved since the run began. It gets 10 s for its
 * answer, of which no byte is read too much. Where it wants TLS, the socket that was connected goes to
 * dial_tls.c, and the plain side of that takes its place: first the handle has to be closed, since
 * libuv gives no other socket to one that is open.
 */
#include "net/dial_parent.h"

#include "base/os.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TALK_MS    10000 /* with the handshake of TLS */
#define RESOLVE_MS 10000

/* ---- asking ---- */

static void fail(struct dial *dial)
{
    uv_read_stop((uv_stream_t *)dial->upstream);
    dial_finish(dial, REFUSAL_PARENT_FAILED);
}

static void on_talk_timeout(uv_timer_t *timer)
{
    struct dial *dial = timer->data;

    if (dial->tls_leg && !dial_tls_is_proved(dial->tls_leg))
        dial->parent_fault = "no handshake within 10 s";
    fail(dial);
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

static void talk(struct dial *dial)
{
    parent_talk_start(&dial->talk, dial->through, &dial->target);
    dial->upstream->data = dial;
    dial->timer->data = dial;
    uv_timer_start(dial->timer, on_talk_timeout, TALK_MS, 0);
    if (!send_out(dial) || uv_read_start((uv_stream_t *)dial->upstream, on_talk_alloc, on_talk) < 0)
        fail(dial);
}

/* ---- TLS ---- */

static void on_tls_broken(void *arg, const char *why)
{
    struct dial *dial = arg;

    dial->tls_leg = NULL;
    if (dial->is_over) {
        dial->on_broken(dial, REFUSAL_PARENT_FAILED);
        return;
    }
    dial->parent_fault = why;
    fail(dial);
}

/* The handle that was connected is closed; its socket lives on as fd, which is taken. */
static void open_tls(struct dial *dial, int fd)
{
    int plain = -1;

    dial->tls_leg = dial_tls_open(dial->tls_legs, dial->loop, dial->tls, dial->through->target.name,
                                  fd, &plain, on_tls_broken, dial);
    if (!dial->tls_leg) {
        dial->parent_fault = "there are no descriptors for it";
        dial_finish(dial, REFUSAL_PARENT_FAILED);
        return;
    }
    uv_tcp_init(dial->loop, dial->upstream);
    dial->has_handle = true;
    if (uv_tcp_open(dial->upstream, plain) == 0) {
        talk(dial);
        return;
    }
    close(plain);
    fail(dial);
}

static void on_handed_over(uv_handle_t *handle)
{
    struct dial *dial = handle->data;
    int fd = dial->handed_over;

    dial->has_handle = false;
    dial->handed_over = -1;
    if (!dial->is_over) {
        open_tls(dial, fd);
        return;
    }
    close(fd);
    if (dial->is_cancelled)
        dial->on_idle(dial);
}

static void hand_over(struct dial *dial)
{
    uv_os_fd_t fd;

    dial->handed_over =
        uv_fileno((uv_handle_t *)dial->upstream, &fd) == 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (!dial->tls || dial->handed_over < 0) {
        dial->parent_fault =
            dial->tls ? "there are no descriptors for it" : "the library is not loaded";
        dial_finish(dial, REFUSAL_PARENT_FAILED);
        return;
    }
    uv_timer_stop(dial->timer);
    dial->upstream->data = dial;
    uv_close((uv_handle_t *)dial->upstream, on_handed_over);
}

void dial_parent_connected(struct dial *dial)
{
    dial->has_parent_answered = true;
    if (dial->through->is_tls)
        hand_over(dial);
    else
        talk(dial);
}

/* ---- reaching it ---- */

static void on_resolved(void *arg, int status, struct addrinfo *found)
{
    struct dial *dial = arg;

    dial->parent_lookup = NULL;
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

    dial_finish(dial, REFUSAL_NAME_TIMEOUT);
}

static void resolve_parent(struct dial *dial, const char *name)
{
    dial->parent_lookup = resolve_start(dial->resolver, name, true, on_resolved, dial);
    if (!dial->parent_lookup) {
        dial_finish(dial, REFUSAL_NAME_TIMEOUT);
        return;
    }
    dial->timer->data = dial;
    uv_timer_start(dial->timer, on_resolve_timeout, RESOLVE_MS, 0);
}

void dial_parent_start(struct dial *dial)
{
    const struct target *proxy = &dial->through->target;

    dial->is_at_parent = true;
    dial->count = 0;
    if (dial->through->fault) {
        dial_finish(dial, REFUSAL_PARENT_FAILED);
    } else if (proxy->kind == TARGET_NAME) {
        resolve_parent(dial, proxy->name);
    } else {
        dial_add_literal(dial, proxy);
        dial_connect(dial);
    }
}

const char *dial_detail(const struct dial *dial, char *text, size_t size)
{
    if (!dial->is_at_parent)
        return NULL;
    if (dial->through->fault)
        return "its variable is badly written";
    if (!dial->has_parent_answered)
        return "it cannot be reached";
    if (dial->parent_fault) {
        snprintf(text, size, "TLS with it failed, %s", dial->parent_fault);
        return text;
    }
    if (dial->parent_status == 0)
        return "it gave no answer that can be read";
    snprintf(text, size, dial->through->kind == PARENT_HTTP ? "it answered %d" : "SOCKS reply %d",
             dial->parent_status);
    return text;
}
