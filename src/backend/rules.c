// SPDX-License-Identifier: GPL-3.0-only
/*
 * rules: Landlock rules derived from the plan.
 *
 * Each entry of the plan that shows something gives a right to its destination by its kind.
 * Landlock grants what any directory above a file grants, so a rule says something only if no rule
 * above it says the same already; a read-only entry inside a writable one is held by the mount
 * alone.
 */
#include "backend/rules.h"

#include "backend/landlock.h"
#include "base/path.h"

#include <stdlib.h>

#define SET_DEV (LL_READ_FILE | LL_WRITE_FILE | LL_READ_DIR | LL_IOCTL_DEV)
/* The covers of the plan decide what is writable in /proc. */
#define SET_PROC (LL_SET_READ | LL_WRITE_FILE | LL_TRUNCATE)

static uint64_t access_of(const struct plan_entry *entry)
{
    switch (entry->kind) {
    case PLAN_RO:
    case PLAN_DATA:
        return LL_SET_READ;
    case PLAN_OVERLAY:
    case PLAN_RW:
    case PLAN_TMPFS:
        return LL_SET_READ | LL_SET_WRITE | LL_RESOLVE_UNIX;
    case PLAN_DEV:
    case PLAN_DEVICE:
        return SET_DEV;
    case PLAN_PROC:
        return SET_PROC;
    default:
        return 0;
    }
}

static uint64_t granted_above(const struct orders *orders, const char *path)
{
    uint64_t access = 0;

    for (size_t i = 0; i < orders->rule_count; i++)
        if (path_is_within(path, orders->rules[i].path))
            access |= orders->rules[i].access;
    return access;
}

static void add_rule(struct orders *orders, const char *path, uint64_t access)
{
    access &= orders->handled_fs;
    if ((access & ~granted_above(orders, path)) == 0)
        return;
    orders->rules = xrealloc(orders->rules, orders->rule_count + 1, sizeof(*orders->rules));
    orders->rules[orders->rule_count++] =
        (struct orders_rule){.access = access, .path = xstrdup(path)};
}

void rules_derive(struct orders *orders, const struct policy *policy)
{
    int abi = policy->host->landlock_abi;

    if (!policy->landlock || abi < 1)
        return;
    orders->scoped = landlock_scopes(abi);
    if (abi < 2)
        return;
    if (policy->lockdown)
        orders->handled_net = landlock_net_rights(abi);
    orders->handled_fs = landlock_fs_rights(abi);
    orders->fd_access =
        (LL_READ_FILE | LL_WRITE_FILE | LL_TRUNCATE | LL_IOCTL_DEV) & orders->handled_fs;
    add_rule(orders, "/", LL_READ_DIR);
    for (size_t i = 0; i < policy->plan.n; i++) {
        const struct plan_entry *entry = &policy->plan.v[i];

        add_rule(orders, entry->dest, access_of(entry));
    }
}

void rules_free(struct orders *orders)
{
    for (size_t i = 0; i < orders->rule_count; i++)
        free(orders->rules[i].path);
    free(orders->rules);
    orders->rules = NULL;
    orders->rule_count = 0;
}

const char *rules_right_name(unsigned bit)
{
    static const char *const names[] = {
        "execute",   "write_file", "read_file", "read_dir",  "remove_dir",   "remove_file",
        "make_char", "make_dir",   "make_reg",  "make_sock", "make_fifo",    "make_block",
        "make_sym",  "refer",      "truncate",  "ioctl_dev", "resolve_unix",
    };

    return bit < ARRAY_SIZE(names) ? names[bit] : NULL;
}
