// SPDX-License-Identifier: GPL-3.0-only
/*
 * orders: encoding and decoding of what the launcher is told.
 *
 * The block is one struct wire (native byte order: both ends are one program on one machine), then
 * the access words of the rules, then NUL-terminated strings: cwd, argv, env, rule paths, mise, its
 * fixed names. Nothing
 * is aligned, so the access words are copied out. Every count is checked against the bytes that are
 * left before anything is allocated for it.
 */
#include "backend/orders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "aijo" and the version of the layout. */
#define WIRE_MAGIC 0x61696a6f00000002ULL

struct wire {
    uint64_t magic;
    uint64_t total; /* bytes of the whole block */
    uint64_t handled_fs;
    uint64_t handled_net;
    uint64_t scoped;
    uint64_t fd_access;
    uint64_t nproc;
    uint64_t nofile_hard;
    uint64_t core;
    uint64_t fsize;
    uint64_t sigignore;
    uint64_t sigmask;
    uint32_t flags;
    uint32_t umask_bits;
    uint32_t argv_count;
    uint32_t env_count;
    uint32_t rule_count;
    uint32_t listen_count;
    uint16_t listen[ORDERS_LISTEN_MAX];
    uint32_t mise_ms;
    uint32_t fixed_count;
};
_Static_assert(sizeof(struct wire) == 12 * 8 + 8 * 4 + 2 * ORDERS_LISTEN_MAX,
               "the wire header has no padding");

/* What is left to decode. */
struct cursor {
    char *at;
    size_t left;
};

static uint32_t count_strings(char *const *list)
{
    uint32_t count = 0;

    while (list && list[count])
        count++;
    return count;
}

static void append_string(struct buf *out, const char *text)
{
    buf_append(out, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void append_list(struct buf *out, char *const *list)
{
    for (size_t i = 0; list && list[i]; i++)
        append_string(out, list[i]);
}

static struct wire wire_from_orders(const struct orders *orders)
{
    struct wire wire = {
        .magic = WIRE_MAGIC,
        .handled_fs = orders->handled_fs,
        .handled_net = orders->handled_net,
        .scoped = orders->scoped,
        .fd_access = orders->fd_access,
        .nproc = orders->nproc,
        .nofile_hard = orders->nofile_hard,
        .core = orders->core,
        .fsize = orders->fsize,
        .sigignore = orders->sigignore,
        .sigmask = orders->sigmask,
        .flags = orders->flags,
        .umask_bits = orders->umask_bits,
        .argv_count = count_strings(orders->argv),
        .env_count = count_strings(orders->env),
        .rule_count = (uint32_t)orders->rule_count,
        .listen_count = orders->listen_count,
        .mise_ms = orders->mise_ms,
        .fixed_count = count_strings(orders->mise_fixed),
    };

    memcpy(wire.listen, orders->listen, sizeof(wire.listen));
    return wire;
}

int orders_encode(const struct orders *orders, struct buf *out)
{
    struct wire wire = wire_from_orders(orders);
    size_t start = out->len;

    buf_append(out, &wire, sizeof(wire));
    for (size_t i = 0; i < orders->rule_count; i++)
        buf_append(out, &orders->rules[i].access, sizeof(orders->rules[i].access));
    append_string(out, orders->cwd);
    append_list(out, orders->argv);
    append_list(out, orders->env);
    for (size_t i = 0; i < orders->rule_count; i++)
        append_string(out, orders->rules[i].path);
    append_string(out, orders->mise);
    append_list(out, orders->mise_fixed);
    if (out->overflow || out->len - start > ORDERS_MAX)
        return -ENOSPC;
    /* The length is the last thing that becomes true: a part of a block never decodes. */
    wire.total = out->len - start;
    memcpy(out->data + start, &wire, sizeof(wire));
    return 0;
}

static char *take_string(struct cursor *cursor)
{
    char *text = cursor->at;
    const char *end = cursor->left ? memchr(text, '\0', cursor->left) : NULL;

    if (!end)
        return NULL;
    cursor->left -= (size_t)(end + 1 - text);
    cursor->at += end + 1 - text;
    return text;
}

/* NULL if there are fewer than count strings left (each takes one byte at least). */
static char **take_list(struct cursor *cursor, size_t count)
{
    _cleanup_free_ char **list = NULL;

    if (count > cursor->left)
        return NULL;
    list = xcalloc(count + 1, sizeof(*list));
    for (size_t i = 0; i < count; i++) {
        list[i] = take_string(cursor);
        if (!list[i])
            return NULL;
    }
    return steal_ptr(&list);
}

static struct orders_rule *take_access(struct cursor *cursor, size_t count)
{
    struct orders_rule *rules;

    if (count > cursor->left / sizeof(rules->access))
        return NULL;
    rules = xcalloc(count, sizeof(*rules));
    for (size_t i = 0; i < count; i++) {
        memcpy(&rules[i].access, cursor->at, sizeof(rules[i].access));
        cursor->at += sizeof(rules[i].access);
        cursor->left -= sizeof(rules[i].access);
    }
    return rules;
}

static bool take_paths(struct cursor *cursor, struct orders_rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rules[i].path = take_string(cursor);
        if (!rules[i].path || rules[i].path[0] != '/')
            return false;
    }
    return true;
}

static void orders_from_wire(struct orders *orders, const struct wire *wire)
{
    *orders = (struct orders){
        .flags = wire->flags,
        .handled_fs = wire->handled_fs,
        .handled_net = wire->handled_net,
        .scoped = wire->scoped,
        .fd_access = wire->fd_access,
        .nproc = wire->nproc,
        .nofile_hard = wire->nofile_hard,
        .core = wire->core,
        .fsize = wire->fsize,
        .umask_bits = wire->umask_bits,
        .sigignore = wire->sigignore,
        .sigmask = wire->sigmask,
        .rule_count = wire->rule_count,
        .listen_count = wire->listen_count,
        .mise_ms = wire->mise_ms,
    };
    memcpy(orders->listen, wire->listen, sizeof(orders->listen));
}

/* As many ports as there are said to be, and nothing behind them. */
static bool has_valid_ports(const struct wire *wire)
{
    if (wire->listen_count > ORDERS_LISTEN_MAX)
        return false;
    for (uint32_t i = 0; i < ORDERS_LISTEN_MAX; i++)
        if ((wire->listen[i] != 0) != (i < wire->listen_count))
            return false;
    return true;
}

static bool is_wire_valid(const struct wire *wire, size_t len)
{
    return wire->magic == WIRE_MAGIC && wire->total == len && has_valid_ports(wire) &&
           (wire->flags & ~(uint32_t)ORDERS_FLAGS_ALL) == 0 && wire->umask_bits <= 0777 &&
           wire->argv_count > 0;
}

static bool decode_body(struct orders *orders, struct cursor *cursor, const struct wire *wire)
{
    orders->rules = take_access(cursor, wire->rule_count);
    if (!orders->rules)
        return false;
    orders->cwd = take_string(cursor);
    if (!orders->cwd || orders->cwd[0] != '/')
        return false;
    orders->argv = take_list(cursor, wire->argv_count);
    if (!orders->argv)
        return false;
    orders->env = take_list(cursor, wire->env_count);
    if (!orders->env || !take_paths(cursor, orders->rules, wire->rule_count))
        return false;
    orders->mise = take_string(cursor);
    if (!orders->mise || (orders->mise[0] && orders->mise[0] != '/'))
        return false;
    orders->mise_fixed = take_list(cursor, wire->fixed_count);
    return orders->mise_fixed && cursor->left == 0;
}

int orders_decode(struct orders *orders, char *bytes, size_t len)
{
    struct cursor cursor = {.at = bytes, .left = len};
    struct wire wire;

    *orders = (struct orders){0};
    if (len < sizeof(wire) || len > ORDERS_MAX)
        return -EBADMSG;
    memcpy(&wire, bytes, sizeof(wire));
    if (!is_wire_valid(&wire, len))
        return -EBADMSG;
    cursor.at += sizeof(wire);
    cursor.left -= sizeof(wire);
    orders_from_wire(orders, &wire);
    if (decode_body(orders, &cursor, &wire))
        return 0;
    free(orders->argv);
    free(orders->env);
    free(orders->rules);
    free(orders->mise_fixed);
    *orders = (struct orders){0};
    return -EBADMSG;
}
