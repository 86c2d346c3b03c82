// SPDX-License-Identifier: GPL-3.0-only
/*
 * network: merging "network" and "allow_hosts".
 */
#include "config/network.h"

#include "net/allow.h"

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

/* Takes what is no business of this file along. */
static void add_narrowing(struct config *config, const char *entry, const struct origin *origin)
{
    config->narrowing =
        xrealloc(config->narrowing, config->narrowing_count + 1, sizeof(*config->narrowing));
    config->narrowing[config->narrowing_count++] =
        (struct narrowing){.entry = xstrdup(entry), .origin = *origin};
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
    for (size_t i = 0; i < later->narrowing_count; i++)
        add_narrowing(config, later->narrowing[i].entry, &later->narrowing[i].origin);
    if (!later->values[SET_NETWORK].is_set && host_count(later) && is_on(config))
        config_unset(config, SET_NETWORK);
}

/* ---- what covers what ---- */

bool network_covers(const char *wider, const char *entry)
{
    struct allow_list both CLEANUP(allow_free) = {0};

    return allow_add(&both, wider, false, "", NULL) == 0 &&
           allow_add(&both, entry, false, "", NULL) == 0 && allow_covers(&both.v[0], &both.v[1]);
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
    bool has_automatic =
        !config_is_set(baseline, SET_NETWORK) && !config_is_set(layer, SET_NETWORK);
    struct config kept CLEANUP(config_free);
    struct origin where;

    config_init(&kept, layer->kind);
    if (said->n == 0)
        config_unset(layer, SET_ALLOW_HOSTS);
    if (said->n == 0 || is_on(baseline))
        return;
    for (size_t i = 0; i < said->n; i++)
        if (!keep_entry(&kept, layer, i, allowed)) {
            if (has_automatic)
                add_narrowing(layer, said->v[i], &layer->values[SET_ALLOW_HOSTS].origins[i]);
            else
                refuse(arg, i);
        }
    where = layer->values[SET_ALLOW_HOSTS].origin;
    config_set_empty(layer, SET_ALLOW_HOSTS);
    config_merge(layer, &kept);
    layer->values[SET_ALLOW_HOSTS].origin = where;
}
