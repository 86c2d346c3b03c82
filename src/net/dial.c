// SPDX-License-Identifier: GPL-3.0-only
/*
 * dial: from a target to a connected socket.
 *
 * A failed attempt closes its handle before the next one begins: libuv cannot connect a handle
 * twice. An address that does not answer gets a part of the time only, as long as others are left.
 */
#include "net/dial.h"

#include "base/own_peer.h"
#include "net/dial_parent.h"

#include <ifaddrs.h>
#include <stdlib.h>
#include <string.h>

#define RESOLVE_MS  10000
#define PATIENCE_MS 2000 /* with a resolver, where a proxy can resolve, too */
#define SLOW_MS     500  /* an answer that says nothing after that was as good as none */
#define CONNECT_MS  10000
#define ATTEMPT_MS  2500 /* while another address is left */
#define OWN_MS      2000

/* Of all interfaces: the address of one without a carrier leads to this machine, too. False: they are
 * not known, and nothing may be judged. */
static bool refresh_own(struct own_addresses *own)
{
    uint64_t now = uv_hrtime() / 1000000;
    struct ifaddrs *found = NULL;
    size_t count = 0;

    if (own->read_ms && now - own->read_ms < OWN_MS)
        return true;
    if (getifaddrs(&found) < 0)
        return own->read_ms != 0; /* what was known stays */
    own->read_ms = now;
    for (const struct ifaddrs *at = found; at; at = at->ifa_next)
        count++;
    free(own->v);
    own->v = xcalloc(count + 1, sizeof(*own->v));
    own->n = 0;
    for (const struct ifaddrs *at = found; at; at = at->ifa_next)
        if (at->ifa_addr && net_address_from(&own->v[own->n], at->ifa_addr))
            own->n++;
    freeifaddrs(found);
    return true;
}

void own_addresses_free(struct own_addresses *own)
{
    free(own->v);
    *own = (struct own_addresses){0};
}

/* What goes wrong between us and the proxy of the host says nothing about the target. */
static enum refusal_reason reason_through(enum refusal_reason reason)
{
    switch (reason) {
    case REFUSAL_NAME_UNKNOWN:
    case REFUSAL_NAME_TIMEOUT:
    case REFUSAL_CONNECT_FAILED:
    case REFUSAL_CONNECT_TIMEOUT:
        return REFUSAL_PARENT_FAILED;
    default:
        return reason;
    }
}

static void give_lookups_up(struct dial *dial)
{
    if (dial->lookup)
        resolve_give_up(dial->lookup);
    if (dial->parent_lookup)
        resolve_give_up(dial->parent_lookup);
    dial->lookup = dial->parent_lookup = NULL;
}

void dial_finish(struct dial *dial, enum refusal_reason reason)
{
    if (dial->is_over)
        return;
    dial->is_over = true;
    uv_timer_stop(dial->timer);
    parent_talk_free(&dial->talk);
    if (reason != REFUSAL_NONE)
        give_lookups_up(dial);
    dial->on_done(dial, dial->is_at_parent ? reason_through(reason) : reason);
}

/* ---- connecting ---- */

static void attempt(struct dial *dial);

static void on_attempt_closed(uv_handle_t *handle)
{
    struct dial *dial = handle->data;

    dial->has_handle = false;
    if (!dial->is_over)
        attempt(dial);
    else if (dial->is_cancelled)
        dial->on_idle(dial);
}

static void give_attempt_up(struct dial *dial, int error)
{
    dial->last_error = error;
    uv_timer_stop(dial->timer);
    if (uv_is_closing((uv_handle_t *)dial->upstream))
        return;
    dial->upstream->data = dial;
    /* Reset, there is nothing left of it: no state that waits for late packets. */
    if (!dial->resets || uv_tcp_close_reset(dial->upstream, on_attempt_closed) < 0)
        uv_close((uv_handle_t *)dial->upstream, on_attempt_closed);
    dial->resets = false;
}

static bool has_met_itself(const struct dial *dial)
{
    uv_os_fd_t fd;

    return uv_fileno((const uv_handle_t *)dial->upstream, &fd) == 0 && socket_is_own_peer(fd);
}

static void on_connected(uv_connect_t *connect, int status)
{
    struct dial *dial = connect->data;

    if (status == UV_ECANCELED)
        return;
    if (status == 0 && has_met_itself(dial)) {
        dial->resets = true;
        status = UV_ECONNREFUSED;
    }
    if (status < 0) {
        give_attempt_up(dial, status);
        return;
    }
    if (dial->through)
        dial_parent_connected(dial);
    else
        dial_finish(dial, REFUSAL_NONE);
}

static void on_attempt_timeout(uv_timer_t *timer)
{
    give_attempt_up(timer->data, UV_ETIMEDOUT);
}

static void attempt(struct dial *dial)
{
    uint64_t now = uv_now(dial->loop);
    uint64_t left = dial->deadline_ms > now ? dial->deadline_ms - now : 0;
    const struct sockaddr *address;
    int r;

    if (dial->next == dial->count || left == 0) {
        dial_finish(dial, dial->last_error == UV_ETIMEDOUT || left == 0 ? REFUSAL_CONNECT_TIMEOUT
                                                                        : REFUSAL_CONNECT_FAILED);
        return;
    }
    address = (const struct sockaddr *)&dial->addresses[dial->next++];
    uv_tcp_init(dial->loop, dial->upstream);
    dial->has_handle = true;
    dial->connect.data = dial;
    r = uv_tcp_connect(&dial->connect, dial->upstream, address, on_connected);
    if (r < 0) {
        give_attempt_up(dial, r);
        return;
    }
    if (dial->next < dial->count && left > ATTEMPT_MS)
        left = ATTEMPT_MS;
    dial->timer->data = dial;
    uv_timer_start(dial->timer, on_attempt_timeout, left, 0);
}

/* ---- addresses ---- */

static void set_port(struct sockaddr_storage *address, uint16_t port)
{
    if (address->ss_family == AF_INET)
        ((struct sockaddr_in *)(void *)address)->sin_port = htons(port);
    else
        ((struct sockaddr_in6 *)(void *)address)->sin6_port = htons(port);
}

void dial_add_address(struct dial *dial, const struct sockaddr *address, size_t size, uint16_t port)
{
    struct sockaddr_storage *place = &dial->addresses[dial->count];

    if (dial->count == DIAL_ADDRESSES_MAX || size > sizeof(*place) ||
        (address->sa_family != AF_INET && address->sa_family != AF_INET6))
        return;
    memset(place, 0, sizeof(*place));
    memcpy(place, address, size);
    set_port(place, port);
    dial->count++;
}

/* True: it may be connected to. */
static bool judge_address(struct dial *dial, const struct sockaddr *address)
{
    struct net_address plain;
    enum address_class class;

    if (!net_address_from(&plain, address))
        return false;
    if (allow_decide_address(dial->list, &dial->target, &dial->decision, &plain, dial->own->v,
                             dial->own->n, &class) == REFUSAL_NONE)
        return true;
    dial->private_only &= class == ADDRESS_PRIVATE;
    dial->worst = class > dial->worst ? class : dial->worst;
    dial->has_refused = true;
    return false;
}

void dial_connect(struct dial *dial)
{
    dial->next = 0;
    dial->deadline_ms = uv_now(dial->loop) + CONNECT_MS;
    attempt(dial);
}

/* What is judged has been judged. Which of the addresses a proxy takes is its own choice: all of
 * them must be allowed. */
static void go_on(struct dial *dial)
{
    if (dial->count == 0 || (dial->through && dial->has_refused))
        dial_finish(dial, REFUSAL_ADDRESS);
    else if (dial->through)
        dial_parent_start(dial);
    else
        dial_connect(dial);
}

/* This host does not know the name: nobody knows but its proxy. */
static void give_name_up(struct dial *dial, enum refusal_reason reason)
{
    if (dial->through)
        dial_parent_start(dial);
    else
        dial_finish(dial, reason);
}

/* The proxy was asked meanwhile; addresses are its own now. */
static void take_late_answer(struct dial *dial, const struct addrinfo *found)
{
    for (; found && refresh_own(dial->own); found = found->ai_next)
        judge_address(dial, found->ai_addr);
    if (!dial->has_refused)
        return;
    if (dial->is_over)
        dial->on_broken(dial, REFUSAL_ADDRESS);
    else
        dial_finish(dial, REFUSAL_ADDRESS);
}

/* How long the next one waits for this name. */
static void note_answer(struct dial *dial, bool has_answered)
{
    uint64_t now = uv_now(dial->loop);
    uint64_t took = now - dial->began_ms;

    if (has_answered)
        silent_note(dial->silent, dial->target.name, took > PATIENCE_MS ? SILENT_LATE : SILENT_NOT,
                    now);
    else if (took > SLOW_MS)
        silent_note(dial->silent, dial->target.name, SILENT_DEAD, now);
}

static void on_resolved(void *arg, int status, struct addrinfo *found)
{
    struct dial *dial = arg;

    dial->lookup = NULL;
    note_answer(dial, status == 0);
    if (dial->is_late) {
        take_late_answer(dial, found);
        if (found)
            freeaddrinfo(found);
        return;
    }
    uv_timer_stop(dial->timer);
    if (status != 0) {
        give_name_up(dial, REFUSAL_NAME_UNKNOWN);
        return;
    }
    for (const struct addrinfo *at = found; at && refresh_own(dial->own); at = at->ai_next)
        if (judge_address(dial, at->ai_addr))
            dial_add_address(dial, at->ai_addr, at->ai_addrlen, dial->target.port);
    freeaddrinfo(found);
    go_on(dial);
}

static void on_resolve_timeout(uv_timer_t *timer)
{
    struct dial *dial = timer->data;

    if (dial->through) {
        dial->is_late = true;
        note_answer(dial, false);
    } else {
        give_lookups_up(dial);
    }
    give_name_up(dial, REFUSAL_NAME_TIMEOUT);
}

static unsigned patience(const struct dial *dial)
{
    static const unsigned of_kind[] = {
        [SILENT_NOT] = PATIENCE_MS, [SILENT_DEAD] = 0, [SILENT_LATE] = RESOLVE_MS};

    return dial->through ? of_kind[silent_look(dial->silent, dial->target.name, uv_now(dial->loop))]
                         : RESOLVE_MS;
}

static void resolve_target(struct dial *dial)
{
    dial->began_ms = uv_now(dial->loop);
    dial->lookup = resolve_start(dial->resolver, dial->target.name, false, on_resolved, dial);
    if (!dial->lookup) {
        dial_finish(dial, REFUSAL_NAME_TIMEOUT);
        return;
    }
    dial->timer->data = dial;
    uv_timer_start(dial->timer, on_resolve_timeout, patience(dial), 0);
}

void dial_add_literal(struct dial *dial, const struct target *target)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

    if (target->kind == TARGET_IPV4) {
        memcpy(&v4.sin_addr, target->address.bytes, sizeof(v4.sin_addr));
        dial_add_address(dial, (const struct sockaddr *)(const void *)&v4, sizeof(v4),
                         target->port);
    } else {
        memcpy(&v6.sin6_addr, target->address.bytes, sizeof(v6.sin6_addr));
        dial_add_address(dial, (const struct sockaddr *)(const void *)&v6, sizeof(v6),
                         target->port);
    }
}

static void take_literal(struct dial *dial)
{
    dial_add_literal(dial, &dial->target);
    if (!judge_address(dial, (const struct sockaddr *)(const void *)&dial->addresses[0]))
        dial->count = 0;
    go_on(dial);
}

void dial_start(struct dial *dial, const struct target *target)
{
    dial->target = *target;
    dial->private_only = true;
    if (!refresh_own(dial->own)) {
        dial->private_only = false;
        dial_finish(dial, REFUSAL_ADDRESS);
        return;
    }
    dial->decision = allow_decide(dial->list, target, dial->own->v, dial->own->n);
    if (dial->decision.reason != REFUSAL_NONE) {
        dial->private_only = false;
        dial_finish(dial, dial->decision.reason);
    } else {
        dial->through = parents_for(dial->parents, target);
        if (target->kind == TARGET_NAME)
            resolve_target(dial);
        else
            take_literal(dial);
    }
}

void dial_start_loopback(struct dial *dial, uint16_t port)
{
    const struct sockaddr_in v4 = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct sockaddr_in6 v6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};

    memcpy(&dial->addresses[dial->count++], &v4, sizeof(v4));
    memcpy(&dial->addresses[dial->count++], &v6, sizeof(v6));
    dial_connect(dial);
}

bool dial_cancel(struct dial *dial, bool is_abort)
{
    bool was_over = dial->is_over;

    dial->is_over = true;
    if (!was_over)
        uv_timer_stop(dial->timer);
    give_lookups_up(dial);
    parent_talk_free(&dial->talk);
    if (dial->tls_leg)
        dial_tls_leave(dial->tls_leg, is_abort);
    dial->tls_leg = NULL;
    dial->is_cancelled = dial->has_handle && uv_is_closing((uv_handle_t *)dial->upstream);
    return dial->is_cancelled;
}
