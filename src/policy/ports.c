// SPDX-License-Identifier: GPL-3.0-only
/*
 * ports: pairs of ports as a user writes them: FIRST, or FIRST:SECOND.
 *
 * The side that listens comes second in both: the jail's port of a forwarded one, the host's of a
 * published one. A port of the jail below 1024 cannot be listened on without a capability there.
 */
#include "policy/ports.h"

#include "net/refusal.h"

#include <errno.h>
#include <string.h>

#define LOWEST_FORWARDED 1024

/* Up to five digits, no sign, no leading zero but "0" itself. The end, or NULL. */
static const char *read_port(const char *text, uint16_t *port)
{
    size_t digits = strspn(text, "0123456789");
    unsigned value = 0;

    if (digits == 0 || digits > 5 || (digits > 1 && text[0] == '0'))
        return NULL;
    for (size_t i = 0; i < digits; i++)
        value = value * 10 + (unsigned)(text[i] - '0');
    *port = (uint16_t)value;
    return value <= UINT16_MAX ? text + digits : NULL;
}

static bool read_pair(const char *text, uint16_t *first, uint16_t *second)
{
    const char *at = read_port(text, first);

    *second = *first;
    if (at && *at == ':')
        at = read_port(at + 1, second);
    return at && *at == '\0' && *first != 0;
}

static const char *forward_fault(const struct port_pairs *known, const struct port_pair *pair)
{
    if (pair->jail < LOWEST_FORWARDED)
        return "the jail cannot listen on a port below 1024: write HOSTPORT:JAILPORT, such as "
               "80:8080";
    if (pair->jail == PROXY_PORT)
        return "that port of the jail is the proxy's: write HOSTPORT:JAILPORT with another one";
    for (size_t i = 0; i < known->n; i++)
        if (known->v[i].jail == pair->jail)
            return "that port of the jail is listed twice";
    return NULL;
}

static const char *publish_fault(const struct port_pairs *known, const struct port_pair *pair)
{
    if (pair->jail == PROXY_PORT)
        return "that port of the jail is the proxy's";
    for (size_t i = 0; i < known->n && pair->host; i++)
        if (known->v[i].host == pair->host)
            return "that port of the host is listed twice";
    return NULL;
}

/* NULL: it was added. */
static const char *add_pair(struct port_pairs *pairs, enum setting_id id, const char *text)
{
    bool is_forward = id == SET_FORWARD_PORTS;
    struct port_pair pair;
    const char *fault;

    if (!read_pair(text, is_forward ? &pair.host : &pair.jail,
                   is_forward ? &pair.jail : &pair.host))
        return is_forward ? "write HOSTPORT or HOSTPORT:JAILPORT, such as 5432 or 5432:15432"
                          : "write JAILPORT or JAILPORT:HOSTPORT, such as 3000 or 3000:0";
    fault = is_forward ? forward_fault(pairs, &pair) : publish_fault(pairs, &pair);
    if (!fault && pairs->n == PORT_PAIRS_MAX)
        fault = "31 ports are the most";
    if (!fault)
        pairs->v[pairs->n++] = pair;
    return fault;
}

static int read_pairs(struct port_pairs *pairs, const struct config *config, enum setting_id id,
                      struct error *error)
{
    const struct value *value = &config->values[id];

    for (size_t i = 0; i < value->list.n; i++) {
        const char *fault = add_pair(pairs, id, value->list.v[i]);
        _cleanup_free_ char *origin = NULL;

        if (!fault)
            continue;
        origin = config_describe_origin(&value->origins[i]);
        return error_set(error, EINVAL, "%s: --%s %s: %s", origin, settings[id].flag,
                         value->list.v[i], fault);
    }
    return 0;
}

int ports_decide(struct port_pairs *forward, struct port_pairs *publish,
                 const struct config *config, enum network_mode mode, struct notes *notes,
                 struct error *error)
{
    int r = read_pairs(forward, config, SET_FORWARD_PORTS, error);

    if (r == 0)
        r = read_pairs(publish, config, SET_PUBLISH_PORTS, error);
    if (r < 0 || mode != NETWORK_FULL || forward->n + publish->n == 0)
        return r;
    notes_add(notes, NOTE_INFO,
              "--%s and --%s have no effect with --%s: the jail has the host's loopback",
              settings[SET_FORWARD_PORTS].flag, settings[SET_PUBLISH_PORTS].flag,
              settings[SET_NETWORK].flag);
    forward->n = publish->n = 0;
    return 0;
}
