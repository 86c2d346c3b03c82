// SPDX-License-Identifier: GPL-3.0-only
/*
 * allow: the list of hosts, and the two decisions about a target: by its name and port before it is
 * resolved, by each of its addresses afterwards.
 */
#pragma once

#include "base/error.h"
#include "net/address.h"
#include "net/refusal.h"

struct allow_entry {
    struct target target; /* the name, the address, or the network's address; port 0: 80 and 443 */
    unsigned prefix;      /* bits; of a literal all of them */
    bool is_raw;          /* no content rule */
    bool is_private;      /* the name may have private addresses */
    char *text;           /* as it was written */
    char *origin;         /* who said it: "agent", "registry", a place in a file, "command line" */
};

struct allow_list {
    struct allow_entry *v;
    size_t n;
};

/* Adds one entry as a user writes it: NAME[:PORT], raw:NAME:PORT, IPv4[:PORT], [IPv6][:PORT],
 * CIDR[:PORT]. 0, or -EINVAL with the entry and what is wrong with it; who said it is the caller's to
 * add. is_private: --allow-private. */
int allow_add(struct allow_list *list, const char *entry, bool is_private, const char *origin,
              struct error *error);
/* What is wrong with an entry, for the settings table; NULL if nothing is. Static text. */
const char *allow_fault(const char *entry);
void allow_free(struct allow_list *list);

/* True if everything that entry permits is permitted by cover, too. */
bool allow_covers(const struct allow_entry *cover, const struct allow_entry *entry);

struct allow_decision {
    enum refusal_reason reason; /* REFUSAL_NONE: go on */
    bool is_raw;                /* no content rule */
    bool may_be_private;
    const struct allow_entry *entry; /* that decided; borrowed; NULL if none did */
};

/* By name and port; a literal target is judged by its address, too. own as in address.h. */
struct allow_decision allow_decide(const struct allow_list *list, const struct target *target,
                                   const struct net_address *own, size_t own_count);
/* One of the addresses that the name has. REFUSAL_NONE or REFUSAL_ADDRESS; *class (may be NULL)
 * tells its class. */
enum refusal_reason allow_decide_address(const struct allow_list *list, const struct target *target,
                                         const struct allow_decision *decision,
                                         const struct net_address *address,
                                         const struct net_address *own, size_t own_count,
                                         enum address_class *class);
