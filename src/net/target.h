// SPDX-License-Identifier: GPL-3.0-only
/*
 * target: a host and a port, read strictly.
 *
 * One parser for what the user lists and what the jail asks for, so that the two can never mean
 * different things. Names are ASCII letters, digits, '-', '_' and dots, folded to lower case, one
 * trailing dot removed; IPv4 is a dotted quad of decimal parts without leading zeros and nothing
 * else that a lenient parser takes for one; IPv6 stands in brackets (RFC 3986, 3.2.2), without a
 * zone.
 */
#pragma once

#include "base/base.h"

#include <netinet/in.h>

#define TARGET_NAME_MAX 253

enum target_kind { TARGET_NAME, TARGET_IPV4, TARGET_IPV6 };

/* An IP address; IPv4 in the first four bytes. */
struct net_address {
    bool is_v6;
    uint8_t bytes[16]; /* network order */
};

struct target {
    enum target_kind kind;
    char name[TARGET_NAME_MAX + 1]; /* TARGET_NAME: folded; a literal: its canonical text */
    struct net_address address;     /* not TARGET_NAME */
    uint16_t port;                  /* 0: none was given */
};

/* HOST of exactly len bytes. 0 or -EINVAL. */
int target_parse_host(struct target *target, const char *bytes, size_t len);
/* HOST or HOST:PORT of exactly len bytes, port 1 to 65535 in digits without a leading zero. 0 or
 * -EINVAL. */
int target_parse(struct target *target, const char *bytes, size_t len);
/* "name:443", "192.0.2.1:80", "[2001:db8::1]:443"; size >= TARGET_TEXT_MAX. Nothing in it acts on a
 * terminal. */
#define TARGET_TEXT_MAX (TARGET_NAME_MAX + 16)
void target_format(const struct target *target, char *text, size_t size);

/* True if name is domain or lies below it, on a label boundary. Both are folded. */
bool target_name_is_within(const char *name, const char *domain);
/* True for what always means the jail itself: localhost, names below .localhost, ai-sandbox,
 * 127.0.0.0/8, ::1. */
bool target_is_own_loopback(const struct target *target);

void net_address_format(const struct net_address *address, char *text, size_t size);
/* From AF_INET or AF_INET6; false: another family. */
bool net_address_from(struct net_address *address, const struct sockaddr *sockaddr);
