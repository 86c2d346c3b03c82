// SPDX-License-Identifier: GPL-3.0-only
/*
 * allow: the list of hosts, and the two decisions about a target.
 *
 * Entries are few, so each decision walks them all: the ports of every entry that matches are
 * united, and what an entry lifts it lifts for its own ports alone.
 */
#include "net/allow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WIDEST_V4 8
#define WIDEST_V6 16

static const char raw_prefix[] = "raw:";

/* ---- entries ---- */

/* "/24" or "/24:443" behind the address of a range; the length of the number, 0 if it is none. */
static size_t parse_prefix(const char *text, unsigned max, unsigned *prefix)
{
    size_t digits = strspn(text, "0123456789");
    unsigned long value;

    if (digits == 0 || digits > 3 || (digits > 1 && text[0] == '0'))
        return 0;
    value = strtoul(text, NULL, 10);
    *prefix = (unsigned)value;
    return value <= max ? digits : 0;
}

/* ADDRESS/PREFIX[:PORT] or [ADDRESS/PREFIX][:PORT]: without the prefix, what is left is read as a
 * host. */
static const char *parse_range(struct allow_entry *entry, const char *text, const char *slash)
{
    static const char form[] = "a network is written 192.168.5.0/24 or [fd12::/48], perhaps with "
                               ":PORT behind it";
    bool is_v6 = text[0] == '[';
    size_t digits = parse_prefix(slash + 1, is_v6 ? 128 : 32, &entry->prefix);
    _cleanup_free_ char *host = NULL;
    const char *rest = slash + 1 + digits;

    if (!digits || memchr(text, ']', (size_t)(slash - text)) ||
        (!is_v6 && memchr(text, ':', (size_t)(slash - text))))
        return form;
    host = xasprintf("%.*s%s", (int)(slash - text), text, rest);
    if (target_parse(&entry->target, host, strlen(host)) < 0 || entry->target.kind == TARGET_NAME)
        return form;
    if (entry->prefix < (is_v6 ? WIDEST_V6 : WIDEST_V4))
        return "the network is too wide: at least /8, for IPv6 /16";
    return NULL;
}

static const char *parse_single(struct allow_entry *entry, const char *text)
{
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at >= 0x80)
            return "a name with other than ASCII letters is written in its ASCII form (xn--...)";
    if (target_parse(&entry->target, text, strlen(text)) < 0)
        return "neither a host nor HOST:PORT: letters, digits, '-', '_' and dots; an IPv6 address "
               "in brackets";
    if (entry->target.kind != TARGET_NAME)
        entry->prefix = entry->target.kind == TARGET_IPV6 ? 128 : 32;
    return NULL;
}

static const char *check_class(const struct allow_entry *entry)
{
    if (entry->target.kind == TARGET_NAME)
        return target_is_own_loopback(&entry->target)
                   ? "that name means the jail itself: --forward-port PORT reaches a port of the "
                     "host's loopback"
                   : NULL;
    if (!address_range_is_never(&entry->target.address, entry->prefix))
        return NULL;
    if (address_classify(&entry->target.address, NULL, 0) == ADDRESS_LOOPBACK)
        return "the host's loopback is never reached by address: --forward-port PORT opens one "
               "port";
    return "addresses of this kind (link-local, metadata, multicast, reserved) are never reached";
}

/* What is wrong, or NULL with the entry filled but for text and origin. */
static const char *parse_entry(struct allow_entry *entry, const char *text)
{
    const char *slash;
    const char *fault;

    *entry = (struct allow_entry){0};
    if (strchr(text, '*'))
        return "no patterns: a bare name includes its subdomains";
    if (str_starts(text, raw_prefix)) {
        entry->is_raw = true;
        text += strlen(raw_prefix);
    }
    slash = strchr(text, '/');
    fault = slash ? parse_range(entry, text, slash) : parse_single(entry, text);
    if (fault)
        return fault;
    if (entry->is_raw && !entry->target.port)
        return "a raw entry needs its port: write raw:HOST:PORT";
    return check_class(entry);
}

const char *allow_fault(const char *text)
{
    struct allow_entry entry;

    return parse_entry(&entry, text);
}

int allow_add(struct allow_list *list, const char *text, bool is_private, const char *origin,
              struct error *error)
{
    struct allow_entry entry;
    const char *fault = parse_entry(&entry, text);

    if (fault)
        return error_set(error, EINVAL, "%s: %s", text, fault);
    entry.is_private = is_private;
    entry.text = xstrdup(text);
    entry.origin = xstrdup(origin);
    list->v = xrealloc(list->v, list->n + 1, sizeof(*list->v));
    list->v[list->n++] = entry;
    return 0;
}

void allow_free(struct allow_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->v[i].text);
        free(list->v[i].origin);
    }
    free(list->v);
    *list = (struct allow_list){0};
}

/* ---- matching ---- */

static bool has_port(const struct allow_entry *entry, uint16_t port)
{
    return entry->target.port ? entry->target.port == port : port == 80 || port == 443;
}

/* A name without a dot stands for itself alone: "com" is no way to allow half of the network. */
static bool has_name(const struct allow_entry *entry, const char *name)
{
    if (entry->target.kind != TARGET_NAME)
        return false;
    return strchr(entry->target.name, '.') ? target_name_is_within(name, entry->target.name)
                                           : str_eq(name, entry->target.name);
}

static bool has_address(const struct allow_entry *entry, const struct net_address *address)
{
    return entry->target.kind != TARGET_NAME &&
           address_is_within(address, &entry->target.address, entry->prefix);
}

static bool has_target(const struct allow_entry *entry, const struct target *target)
{
    return target->kind == TARGET_NAME ? has_name(entry, target->name)
                                       : has_address(entry, &target->address);
}

bool allow_covers(const struct allow_entry *cover, const struct allow_entry *entry)
{
    bool ports = cover->target.port == entry->target.port ||
                 (!cover->target.port && (entry->target.port == 80 || entry->target.port == 443));

    if (!ports || (entry->is_raw && !cover->is_raw) || (entry->is_private && !cover->is_private))
        return false;
    return has_target(cover, &entry->target) &&
           (entry->target.kind == TARGET_NAME || cover->prefix <= entry->prefix);
}

/* ---- decisions ---- */

struct allow_decision allow_decide(const struct allow_list *list, const struct target *target,
                                   const struct net_address *own, size_t own_count)
{
    struct allow_decision decision = {.reason = REFUSAL_HOST_NOT_LISTED};

    for (size_t i = 0; i < list->n; i++) {
        const struct allow_entry *entry = &list->v[i];

        if (!has_target(entry, target))
            continue;
        if (!has_port(entry, target->port)) {
            if (decision.reason != REFUSAL_NONE)
                decision.reason = REFUSAL_PORT_NOT_LISTED;
            continue;
        }
        decision.reason = REFUSAL_NONE;
        decision.is_raw |= entry->is_raw;
        decision.may_be_private |= entry->is_private;
        if (!decision.entry)
            decision.entry = entry;
    }
    if (decision.reason == REFUSAL_NONE && target->kind != TARGET_NAME &&
        address_class_is_never(address_classify(&target->address, own, own_count)))
        decision.reason = REFUSAL_ADDRESS;
    return decision;
}

static bool is_listed_address(const struct allow_list *list, const struct net_address *address,
                              uint16_t port)
{
    for (size_t i = 0; i < list->n; i++)
        if (has_address(&list->v[i], address) && has_port(&list->v[i], port))
            return true;
    return false;
}

enum refusal_reason allow_decide_address(const struct allow_list *list, const struct target *target,
                                         const struct allow_decision *decision,
                                         const struct net_address *address,
                                         const struct net_address *own, size_t own_count,
                                         enum address_class *class)
{
    enum address_class found = address_classify(address, own, own_count);
    bool is_open =
        found == ADDRESS_PUBLIC || (found == ADDRESS_PRIVATE && decision->may_be_private) ||
        (!address_class_is_never(found) && is_listed_address(list, address, target->port));

    if (class)
        *class = found;
    return is_open ? REFUSAL_NONE : REFUSAL_ADDRESS;
}
