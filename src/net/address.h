// SPDX-License-Identifier: GPL-3.0-only
/*
 * address: what kind of address one is, decided on its bytes.
 *
 * An IPv4 address inside an IPv6 one (v4-mapped, v4-compatible, NAT64, 6to4, Teredo: both of its
 * addresses) is judged as IPv4, and the most restrictive class counts.
 */
#pragma once

#include "net/target.h"

/* Least restrictive first. */
enum address_class {
    ADDRESS_PUBLIC,
    ADDRESS_OWN,     /* of an interface of this machine */
    ADDRESS_PRIVATE, /* RFC 1918, RFC 6598, RFC 4193 */
    ADDRESS_BENCH,   /* 198.18.0.0/15: lifted by a literal or a range alone */
    ADDRESS_RESERVED,
    ADDRESS_MULTICAST,
    ADDRESS_METADATA, /* of cloud machines */
    ADDRESS_LINK_LOCAL,
    ADDRESS_UNSPECIFIED,
    ADDRESS_LOOPBACK,
    ADDRESS_CLASS_COUNT
};

/* own: addresses of this machine's interfaces, count of them. */
enum address_class address_classify(const struct net_address *address,
                                    const struct net_address *own, size_t count);
/* "public", "private" ...: static text. */
const char *address_class_name(enum address_class class);
/* True if nothing ever lifts the class. */
bool address_class_is_never(enum address_class class);
/* True if the whole network (bits behind the prefix do not count) lies in classes that nothing ever
 * lifts. */
bool address_range_is_never(const struct net_address *net, unsigned prefix);
/* True if both are of one family and the first prefix bits are the same. */
bool address_is_within(const struct net_address *address, const struct net_address *net,
                       unsigned prefix);
