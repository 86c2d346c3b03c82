// SPDX-License-Identifier: GPL-3.0-only
/*
 * connection_audit: what is kept of a connection: who, how, which rule, how many bytes.
 *
 * Not of the jail's connections with itself: they lead nowhere, and there may be any number of them.
 * Nor of clients that left before they had asked for anything.
 */
#include "net/connection_audit.h"

#include "net/address.h"

#include <string.h>

static const char *via_name(enum request_kind kind)
{
    static const char *const names[] = {
        [REQUEST_UNKNOWN] = NULL,
        [REQUEST_CONNECT] = "connect",
        [REQUEST_HTTP] = "http",
        [REQUEST_SOCKS] = "socks5",
    };

    return names[kind];
}

static const char *verdict_name(enum refusal_reason reason)
{
    if (reason == REFUSAL_NONE)
        return "allowed";
    return reason < REFUSAL_NAME_UNKNOWN ? "refused" : "failed";
}

/* Of the address that was connected to, or that was refused. */
static const char *class_name(const struct connection *connection)
{
    const struct dial *dial = &connection->dial;
    struct proxy_facts facts = proxy_facts(connection->proxy);
    struct net_address address;

    if (!dial->owner || dial->through)
        return NULL;
    if (connection->refused == REFUSAL_ADDRESS)
        return dial->has_refused ? address_class_name(dial->worst) : NULL;
    if (dial->next == 0 ||
        !net_address_from(&address,
                          (const struct sockaddr *)(const void *)&dial->addresses[dial->next - 1]))
        return NULL;
    return address_class_name(address_classify(&address, facts.own->v, facts.own->n));
}

static void record_port(const struct connection *connection, struct audit *audit)
{
    bool is_publish = connection->door->kind == DOOR_PUBLISH;
    struct sockaddr_storage own = {0};
    int size = sizeof(own);
    unsigned listening = 0;

    /* Where the client came in is the other port of the pair. */
    if (uv_tcp_getsockname(&connection->client, (struct sockaddr *)(void *)&own, &size) == 0)
        listening =
            ntohs(own.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&own)->sin6_port
                                            : ((struct sockaddr_in *)(void *)&own)->sin_port);
    audit_port(audit, is_publish, is_publish ? listening : connection->door->port,
               is_publish ? connection->door->port : listening, verdict_name(connection->refused),
               connection->up.bytes, connection->down.bytes);
}

void connection_record(const struct connection *connection, struct audit *audit)
{
    const struct request *request = &connection->request;
    const struct allow_entry *entry = connection->dial.decision.entry;
    enum refusal_reason reason = connection->refused;

    if (!audit)
        return;
    if (connection->door->kind != DOOR_PROXY) {
        record_port(connection, audit);
        return;
    }
    if (reason == REFUSAL_NONE && !connection->dial.owner)
        return;
    if (request->has_target && target_is_own_loopback(&request->target) &&
        reason != REFUSAL_LOOPBACK_CLOSED)
        return;
    audit_connect(audit, &(struct audit_connect){
                             .host = request->has_target ? request->target.name : NULL,
                             .port = request->has_target ? request->target.port : 0,
                             .via = via_name(request->kind),
                             .verdict = verdict_name(reason),
                             .reason = reason ? refusal_rows[reason].id : NULL,
                             .rule = entry ? entry->text : NULL,
                             .class = class_name(connection),
                             .up = connection->up.bytes,
                             .down = connection->down.bytes,
                             .ms = uv_now(connection->client.loop) - connection->began_ms,
                         });
}
