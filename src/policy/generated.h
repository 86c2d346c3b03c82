// SPDX-License-Identifier: GPL-3.0-only
/*
 * generated: the files of /etc whose content ai-jail makes: hosts, hostname, machine-id and
 * resolv.conf.
 */
#pragma once

#include "host.h"
#include "policy/environment.h"
#include "policy/plan.h"

void generated_add(struct plan *plan, const struct host *host, enum network_mode network,
                   struct notes *notes);
