// SPDX-License-Identifier: GPL-3.0-only
/*
 * network: what layers that speak of the network and of hosts mean together.
 *
 * "network" has three values (unset, on, off), and "allow_hosts" and "allow_private" are part of the
 * same decision, so they are merged as one, layer by layer. What comes of them is policy/hosts.h.
 */
#pragma once

#include "config/config.h"

/* True if one layer says "network on" and names hosts: nobody can know what is meant. */
bool network_contradicts(const struct config *layer);

/*
 * What the merged configuration's SET_NETWORK, SET_ALLOW_HOSTS and SET_ALLOW_PRIVATE become under a
 * later layer; to be called before config_merge() merges the same three.
 *
 *     later says          becomes
 *     nothing             as it was
 *     hosts               an "on" from below is unset, hosts are added
 *     on                  on, hosts from below are gone
 *     off                 off, hosts from below are gone
 *     off and hosts       exactly these hosts
 *
 * Hosts of an untrusted layer (network_narrow()) take the place of those below.
 */
void network_prepare_merge(struct config *config, const struct config *later);

/*
 * The hosts of an untrusted layer: what of the baseline they cover, and what the baseline covers of
 * them; over a baseline that is on, all of them. Replaces the layer's list in place (it may become
 * empty, and stays set: nothing is allowed then), each kept entry with the place where the project
 * said it. Indexes of what has to go are reported to refuse (arg, index in the layer's list as it
 * was) before anything is changed. An empty list becomes unset. Where the baseline says nothing of
 * the network, hosts may be allowed by themselves, which config does not know: what has nothing in
 * common with the baseline is kept in layer->narrowing for whoever does.
 */
void network_narrow(struct config *layer, const struct config *baseline,
                    void (*refuse)(void *arg, size_t index), void *arg);

/* True if everything that entry permits is permitted by wider, which both can be understood. */
bool network_covers(const char *wider, const char *entry);
