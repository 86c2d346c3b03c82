// SPDX-License-Identifier: GPL-3.0-only
/*
 * proxy: the listener, the connections and what was refused.
 *
 * An accept that fails is tried again: libuv keeps the socket readable, and gives a descriptor back
 * that it holds in reserve when there are none left.
 */
#include "net/proxy.h"

#include "net/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BACKLOG      128
#define REFUSALS_MAX 256

struct proxy {
    struct proxy_options options;
    uv_tcp_t listener;
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
    return (struct proxy_facts){
        .loop = proxy->options.loop, .list = proxy->options.list, .own = &proxy->own};
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

bool proxy_is_full(const struct proxy *proxy)
{
    return proxy->count >= PROXY_CONNECTIONS_MAX;
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

static void on_connection(uv_stream_t *listener, int status)
{
    if (status == 0)
        (void)connection_accept(listener->data, listener);
}

int proxy_start(struct proxy **result, const struct proxy_options *options, struct error *error)
{
    struct proxy *proxy = xcalloc(1, sizeof(*proxy));
    int r;

    proxy->options = *options;
    uv_tcp_init(options->loop, &proxy->listener);
    proxy->listener.data = proxy;
    *result = proxy;
    r = uv_tcp_open(&proxy->listener, options->listener);
    if (r < 0)
        close(options->listener);
    else
        r = uv_listen((uv_stream_t *)&proxy->listener, BACKLOG, on_connection);
    if (r < 0)
        return error_set(error, -r, "the proxy cannot listen: %s", strerror(-r));
    return 0;
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
    if (!uv_is_closing((uv_handle_t *)&proxy->listener))
        uv_close((uv_handle_t *)&proxy->listener, NULL);
    while (proxy->connections)
        connection_close(proxy->connections);
}

void proxy_free(struct proxy *proxy)
{
    if (!proxy)
        return;
    own_addresses_free(&proxy->own);
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
