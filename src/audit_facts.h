// SPDX-License-Identifier: GPL-3.0-only
/*
 * audit_facts: whether a run is recorded (--audit-log), and what its first record says.
 */
#pragma once

#include "config/gather.h"
#include "net/audit.h"
#include "policy/policy.h"

/* Opens the log and writes the record of the start. NULL if none is wanted, or with a warning in
 * notes. argv: of ai-jail, count words. Before the supervisor confines itself. */
struct audit *audit_facts_open(const struct gathered *gathered, const struct policy *policy,
                               char *const *argv, int count, struct notes *notes);
