// SPDX-License-Identifier: GPL-3.0-only
/*
 * proxy: the listener, the connections and what was refused.
 *
 * Forwarded and published ports are doors of it, too: their connections count with the others.
 */
#include "net/proxy.h"

#include "base/os.h"
#include "net/connection.h"
#include "net/connection_audit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REFUSALS_MAX 256

struct proxy {
    struct proxy_options options;
    struct door doors[PROXY_DOORS_MAX];
    size_t door_count;
    struct resolver *resolver;
    bool is_closed;
    struct connection *connections;
    size_t count;
    uint32_t next_id;
    struct own_addresses own;
    struct rooms rooms;
    struct silent_names silent;
    struct dial_tls *tls_legs; /* to proxies of the host; some outlive their connection */
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
                                .parents = proxy->options.parents,
                                .own = &proxy->own,
                                .silent = &proxy->silent,
                                .tls_legs = &proxy->tls_legs,
                                .credentials = proxy->options.credentials,
                                .password = proxy->options.password,
                                .tls = proxy->options.tls,
                                .has_inside = proxy->options.connect_inside != NULL};
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
    connection_record(connection, proxy->options.audit);
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

struct rooms *proxy_rooms(struct proxy *proxy)
{
    return &proxy->rooms;
}

void proxy_ask_inside(struct proxy *proxy, uint32_t id, uint16_t port)
{
    proxy->options.connect_inside(proxy->options.arg, id, port);
}

static bool is_by_rule(enum refusal_reason reason)
{
    return reason > REFUSAL_NONE && reason <= REFUSAL_PLACEHOLDER;
}

void proxy_note_closed(struct proxy *proxy, const struct door *door)
{
    struct door *own = &proxy->doors[door - proxy->doors];

    if (!own->is_warned && proxy->options.on_closed)
        proxy->options.on_closed(proxy->options.arg, door->kind, door->port);
    own->is_warned = true;
}

void proxy_note_secret(struct proxy *proxy, const struct credential *credential,
                       const struct target *target, bool is_inserted)
{
    if (proxy->options.on_secret)
        proxy->options.on_secret(proxy->options.arg, credential->key, target, is_inserted);
}

void proxy_note_unproved(struct proxy *proxy, const struct target *target, const char *why)
{
    if (proxy->options.on_unproved)
        proxy->options.on_unproved(proxy->options.arg, target, why);
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

/* A client that there is no descriptor for. */
static void turn_away(int fd)
{
    struct buf answer CLEANUP(buf_free);

    buf_init(&answer, KIB);
    refusal_http(&answer, REFUSAL_TOO_MANY, NULL, false);
    (void)send(fd, answer.data, answer.len, os_send_quietly | MSG_DONTWAIT);
}

static void on_client(void *arg, const struct door *door, int fd, bool is_last)
{
    if (!is_last) {
        connection_accept(arg, door, fd);
        return;
    }
    if (door->kind == DOOR_PROXY)
        turn_away(fd);
    close(fd);
}

int proxy_new(struct proxy **result, const struct proxy_options *options, struct error *error)
{
    struct proxy *proxy = xcalloc(1, sizeof(*proxy));
    int r = resolver_new(&proxy->resolver, options->loop);

    if (r < 0) {
        free(proxy);
        return error_set(error, -r, "the proxy cannot start: %s", strerror(-r));
    }
    proxy->options = *options;
    *result = proxy;
    return 0;
}

int proxy_add_door(struct proxy *proxy, enum door_kind kind, uint16_t port, int fd,
                   struct error *error)
{
    struct door *door = &proxy->doors[proxy->door_count];
    int r;

    assert(proxy->door_count < PROXY_DOORS_MAX);
    *door =
        (struct door){.kind = kind, .port = port, .fd = fd, .on_client = on_client, .arg = proxy};
    r = door_open(door, proxy->options.loop);
    if (r < 0) {
        close(fd);
        return error_set(error, -r, "the proxy cannot listen: %s", strerror(-r));
    }
    proxy->door_count++;
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
    if (proxy->is_closed)
        return;
    proxy->is_closed = true;
    for (size_t i = 0; i < proxy->door_count; i++)
        door_close(&proxy->doors[i]);
    while (proxy->connections)
        connection_close(proxy->connections);
    dial_tls_close_all(&proxy->tls_legs);
    resolver_close(proxy->resolver);
}

void proxy_free(struct proxy *proxy)
{
    if (!proxy)
        return;
    own_addresses_free(&proxy->own);
    rooms_free(&proxy->rooms);
    for (size_t i = 0; i < proxy->door_count; i++)
        door_free(&proxy->doors[i]);
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
