// SPDX-License-Identifier: GPL-3.0-only
/*
 * proxy: the listener, the connections and what was refused.
 *
 * The listener is polled and accepted on here, not by libuv: when there are no descriptors left, one
 * held in reserve is given up to tell a client so, and accepting goes on a little later. libuv would
 * open a file for its reserve, which the supervisor may not do any more, and spin without one.
 */
#include "net/proxy.h"

#include "base/fd.h"
#include "net/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define RETRY_MS     100
#define ACCEPTS_MAX  64 /* in a row, before others have their turn */
#define REFUSALS_MAX 256

struct proxy {
    struct proxy_options options;
    int listener;
    int reserve;
    uv_poll_t poll;
    uv_timer_t retry;
    struct resolver *resolver;
    bool is_closed;
    struct connection *connections;
    size_t count;
    uint32_t next_id;
    struct own_addresses own;
    struct proxy_refused refused[REFUSALS_MAX];
    size_t refused_count;
    uint64_t refused_more;
};

/* ---- for connections ---- */

struct proxy_facts proxy_facts(struct proxy *proxy)
{
    return (struct proxy_facts){.loop = proxy->options.loop,
                                .resolver = proxy->resolver,
                                .list = proxy->options.list,
                                .own = &proxy->own};
}

void proxy_add(struct proxy *proxy, struct connection *connection)
{
    connection->id = proxy->next_id++;
    connection->next = proxy->connections;
    if (proxy->connections)
        proxy->connections->previous = connection;
    proxy->connections = connection;
    proxy->count++;
}

void proxy_remove(struct proxy *proxy, struct connection *connection)
{
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        proxy->connections = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    connection->next = connection->previous = NULL;
    proxy->count--;
}

size_t proxy_count(const struct proxy *proxy)
{
    return proxy->count;
}

void proxy_ask_inside(struct proxy *proxy, uint32_t id, uint16_t port)
{
    proxy->options.connect_inside(proxy->options.arg, id, port);
}

static bool is_by_rule(enum refusal_reason reason)
{
    return reason > REFUSAL_NONE && reason <= REFUSAL_HOST_HEADER;
}

void proxy_note_refusal(struct proxy *proxy, const struct target *target,
                        enum refusal_reason reason, bool private_only)
{
    if (!target || !is_by_rule(reason))
        return;
    if (proxy->options.on_refused)
        proxy->options.on_refused(proxy->options.arg, target, reason);
    for (size_t i = 0; i < proxy->refused_count; i++) {
        struct proxy_refused *row = &proxy->refused[i];

        if (row->reason == reason && row->target.port == target->port &&
            str_eq(row->target.name, target->name)) {
            row->count++;
            return;
        }
    }
    if (proxy->refused_count == REFUSALS_MAX) {
        proxy->refused_more++;
        return;
    }
    proxy->refused[proxy->refused_count++] = (struct proxy_refused){
        .target = *target, .reason = reason, .private_only = private_only, .count = 1};
}

/* ---- for the session ---- */

static void on_readable(uv_poll_t *poll, int status, int events);

static void on_retry(uv_timer_t *retry)
{
    struct proxy *proxy = retry->data;

    uv_poll_start(&proxy->poll, UV_READABLE, on_readable);
}

/* One client is told why, in the place of the descriptor that is kept for it. */
static void turn_away(struct proxy *proxy)
{
    struct buf answer CLEANUP(buf_free);
    int fd;

    if (proxy->reserve < 0)
        return;
    close(steal_fd(&proxy->reserve));
    fd = accept4(proxy->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
        buf_init(&answer, KIB);
        refusal_http(&answer, REFUSAL_TOO_MANY, NULL, false);
        (void)send(fd, answer.data, answer.len, MSG_NOSIGNAL | MSG_DONTWAIT);
        close(fd);
    }
    proxy->reserve = fcntl(proxy->listener, F_DUPFD_CLOEXEC, 0);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct proxy *proxy = poll->data;

    (void)status;
    (void)events;
    for (int i = 0; i < ACCEPTS_MAX; i++) {
        int fd = accept4(proxy->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (fd >= 0) {
            connection_accept(proxy, fd);
            continue;
        }
        if (errno == EAGAIN)
            return;
        if (errno == EINTR || errno == ECONNABORTED)
            continue;
        if (errno == EMFILE || errno == ENFILE)
            turn_away(proxy);
        uv_poll_stop(&proxy->poll);
        uv_timer_start(&proxy->retry, on_retry, RETRY_MS, 0);
        return;
    }
}

int proxy_start(struct proxy **result, const struct proxy_options *options, struct error *error)
{
    struct proxy *proxy = xcalloc(1, sizeof(*proxy));
    int r;

    proxy->options = *options;
    proxy->listener = options->listener;
    proxy->reserve = fcntl(options->listener, F_DUPFD_CLOEXEC, 0);
    r = resolver_new(&proxy->resolver, options->loop);
    if (r == 0)
        r = uv_poll_init(options->loop, &proxy->poll, options->listener); /* makes it non-blocking */
    if (r < 0) {
        resolver_close(proxy->resolver);
        proxy_free(proxy);
        return error_set(error, -r, "the proxy cannot listen: %s", strerror(-r));
    }
    uv_timer_init(options->loop, &proxy->retry);
    proxy->poll.data = proxy->retry.data = proxy;
    *result = proxy;
    r = uv_poll_start(&proxy->poll, UV_READABLE, on_readable);
    return r < 0 ? error_set(error, -r, "the proxy cannot listen: %s", strerror(-r)) : 0;
}

void proxy_connected(struct proxy *proxy, uint32_t id, int fd, int error)
{
    for (struct connection *at = proxy->connections; at; at = at->next)
        if (at->id == id) {
            connection_inside(at, fd, error);
            return;
        }
    if (fd >= 0)
        close(fd);
}

void proxy_close(struct proxy *proxy)
{
    if (proxy->is_closed)
        return;
    proxy->is_closed = true;
    uv_close((uv_handle_t *)&proxy->poll, NULL);
    uv_close((uv_handle_t *)&proxy->retry, NULL);
    while (proxy->connections)
        connection_close(proxy->connections);
    resolver_close(proxy->resolver);
}

void proxy_free(struct proxy *proxy)
{
    if (!proxy)
        return;
    own_addresses_free(&proxy->own);
    if (proxy->listener >= 0)
        close(proxy->listener);
    if (proxy->reserve >= 0)
        close(proxy->reserve);
    free(proxy);
}

static int compare_refused(const void *left, const void *right)
{
    const struct proxy_refused *a = left;
    const struct proxy_refused *b = right;

    return a->count > b->count ? -1 : a->count < b->count;
}

const struct proxy_refused *proxy_refusals(struct proxy *proxy, size_t *n, uint64_t *more)
{
    qsort(proxy->refused, proxy->refused_count, sizeof(*proxy->refused), compare_refused);
    *n = proxy->refused_count;
    *more = proxy->refused_more;
    return proxy->refused;
}
