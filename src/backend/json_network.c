// SPDX-License-Identifier: GPL-3.0-only
/*
 * json_network: what may be reached, and why.
 */
#include "backend/json_network.h"

#include "backend/json_text.h"
#include "policy/hosts.h"

static json_t *json_hosts(const struct allow_list *list)
{
    json_t *array = json_array();

    for (size_t i = 0; i < list->n; i++)
        json_array_append_new(array, json_pack("{s:o, s:o}", "entry", json_text(list->v[i].text),
                                               "origin", json_text(list->v[i].origin)));
    return array;
}

static json_t *json_ports(const struct port_pairs *pairs)
{
    json_t *array = json_array();

    for (size_t i = 0; i < pairs->n; i++)
        json_array_append_new(array, json_pack("{s:i, s:i}", "host_port", (int)pairs->v[i].host,
                                               "jail_port", (int)pairs->v[i].jail));
    return array;
}

/* Names alone. */
static json_t *json_secrets(const struct credentials *list)
{
    json_t *array = json_array();

    for (size_t i = 0; i < list->n; i++)
        for (size_t k = 0; k < list->v[i].hosts.n; k++)
            json_array_append_new(array, json_pack("{s:s, s:s}", "key", list->v[i].key, "host",
                                                   list->v[i].hosts.v[k]));
    return array;
}

json_t *json_network(const struct policy *policy)
{
    _cleanup_free_ char *through = parents_describe(&policy->parents);
    json_t *network =
        json_pack("{s:s, s:o, s:o, s:o}", "mode", hosts_mode_name(policy->network), "hosts",
                  json_hosts(&policy->hosts), "forward", json_ports(&policy->forward), "publish",
                  json_ports(&policy->publish));

    if (policy->credentials.n)
        json_object_set_new(network, "secrets", json_secrets(&policy->credentials));
    if (through)
        json_object_set_new(network, "through", json_text(through));
    return network;
}
