// SPDX-License-Identifier: GPL-3.0-only
/*
 * network: merging "network" and "allow_hosts".
 */
#include "config/network.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_on(const struct config *config)
{
    return config->values[SET_NETWORK].is_set && config->values[SET_NETWORK].on;
}

/* A host whose addresses may be private is a host. */
static size_t host_count(const struct config *config)
{
    return config_list(config, SET_ALLOW_HOSTS)->n + config_list(config, SET_ALLOW_PRIVATE)->n;
}

bool network_contradicts(const struct config *layer)
{
    return is_on(layer) && host_count(layer) > 0;
}

void network_prepare_merge(struct config *config, const struct config *later)
{
    const struct value *hosts = &later->values[SET_ALLOW_HOSTS];

    bool is_narrowing = hosts->is_set && hosts->origin.is_untrusted;

    /* Hosts of an untrusted layer are what is left of those below. */
    if (later->values[SET_NETWORK].is_set || is_narrowing)
        config_unset(config, SET_ALLOW_HOSTS);
    if (later->values[SET_NETWORK].is_set)
        config_unset(config, SET_ALLOW_PRIVATE);
    config->hosts_are_narrowed |= is_narrowing;
    if (!later->values[SET_NETWORK].is_set && host_count(later) && is_on(config))
        config_unset(config, SET_NETWORK);
}

/* ---- what covers what ---- */

struct host_entry {
    size_t name_len;
    const char *port; /* behind the colon; NULL: 80 and 443 */
};

/* NAME or NAME:PORT, a name that is no address; false for everything else. */
static bool split_entry(const char *text, struct host_entry *entry)
{
    static const char name_bytes[] =
        "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    size_t len = strspn(text, name_bytes);
    const char *port = text[len] == ':' ? text + len + 1 : NULL;
    const char *last = text + len;

    if (len == 0 || (text[len] && !port))
        return false;
    if (port && (port[0] == '\0' || port[strspn(port, "0123456789")]))
        return false;
    while (last > text && last[-1] != '.')
        last--;
    /* A numeric last label makes it an address. */
    if (last == text + len || strspn(last, "0123456789") == (size_t)(text + len - last) ||
        strncasecmp(last, "0x", 2) == 0)
        return false;
    *entry = (struct host_entry){.name_len = len, .port = port};
    return true;
}

static bool name_covers(const char *wider, size_t wider_len, const char *name, size_t len)
{
    if (len < wider_len || strncasecmp(name + len - wider_len, wider, wider_len) != 0)
        return false;
    /* A single label means that name alone. */
    return len == wider_len ||
           (name[len - wider_len - 1] == '.' && memchr(wider, '.', wider_len) != NULL);
}

static bool port_covers(const char *wider, const char *port)
{
    if (!wider)
        return !port || str_eq(port, "80") || str_eq(port, "443");
    return str_eq(wider, port);
}

bool network_covers(const char *wider, const char *entry)
{
    struct host_entry a;
    struct host_entry b;

    if (strcasecmp(wider, entry) == 0)
        return true;
    return split_entry(wider, &a) && split_entry(entry, &b) &&
           name_covers(wider, a.name_len, entry, b.name_len) && port_covers(a.port, b.port);
}

static bool any_covers(const struct strv *wider, const char *entry)
{
    for (size_t i = 0; i < wider->n; i++)
        if (network_covers(wider->v[i], entry))
            return true;
    return false;
}

/* ---- an untrusted layer ---- */

/* Says text at the place where the layer says entry index. */
static void keep(struct config *kept, const struct config *layer, size_t index, const char *text)
{
    kept->place = layer->values[SET_ALLOW_HOSTS].origins[index];
    config_add(kept, SET_ALLOW_HOSTS, text);
}

/* False if entry index and the allowed hosts have nothing in common. */
static bool keep_entry(struct config *kept, const struct config *layer, size_t index,
                       const struct strv *allowed)
{
    const char *entry = config_list(layer, SET_ALLOW_HOSTS)->v[index];
    bool is_common = any_covers(allowed, entry);

    if (is_common)
        keep(kept, layer, index, entry);
    for (size_t i = 0; i < allowed->n; i++)
        if (network_covers(entry, allowed->v[i])) {
            keep(kept, layer, index, allowed->v[i]);
            is_common = true;
        }
    return is_common;
}

void network_narrow(struct config *layer, const struct config *baseline,
                    void (*refuse)(void *arg, size_t index), void *arg)
{
    const struct strv *allowed = config_list(baseline, SET_ALLOW_HOSTS);
    const struct strv *said = config_list(layer, SET_ALLOW_HOSTS);
    struct config kept CLEANUP(config_free);
    struct origin where;

    config_init(&kept, layer->kind);
    if (said->n == 0)
        config_unset(layer, SET_ALLOW_HOSTS);
    if (said->n == 0 || is_on(baseline))
        return;
    for (size_t i = 0; i < said->n; i++)
        if (!keep_entry(&kept, layer, i, allowed))
            refuse(arg, i);
    where = layer->values[SET_ALLOW_HOSTS].origin;
    config_set_empty(layer, SET_ALLOW_HOSTS);
    config_merge(layer, &kept);
    layer->values[SET_ALLOW_HOSTS].origin = where;
}
