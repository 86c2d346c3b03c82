// SPDX-License-Identifier: GPL-3.0-only
/*
 * json_network: the network of a run, in the same words in every document.
 */
#pragma once

#include "policy/policy.h"

#include <jansson.h>

/* {mode, hosts[{entry, origin}], forward[{host_port, jail_port}], publish[]}, and "through" in words
 * where proxies of the host are used: a new reference. */
json_t *json_network(const struct policy *policy);
