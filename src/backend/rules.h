// SPDX-License-Identifier: GPL-3.0-only
/*
 * rules: Landlock rules derived from the plan. Pure.
 */
#pragma once

#include "backend/orders.h"
#include "policy/policy.h"

/* Fills handled_fs, handled_net (lockdown: TCP, but for the ports in listen), scoped, fd_access, rules and rule_count of orders for the kernel's ABI. Leaves
 * handled_fs 0 for an ABI without REFER (renames would break). A rule that an ancestor's rule
 * already contains is left out. The rules belong to the caller (rules_free). */
void rules_derive(struct orders *orders, const struct policy *policy);
void rules_free(struct orders *orders);
/* Names of the bits, for --dry-run: calls each with the name. */
const char *rules_right_name(unsigned bit);
