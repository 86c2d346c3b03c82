// SPDX-License-Identifier: GPL-3.0-only
/*
 * target: a host and a port, read strictly.
 *
 * Length-delimited throughout: a NUL is a byte like any other, and one that no rule allows. A name
 * whose last label begins with a digit is an IPv4 address or nothing (WHATWG URL, "ends in a number"),
 * so that no resolver further down can read an address where this file read a name.
 */
#include "net/target.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LABEL_MAX 63

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static char fold(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static bool is_name_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || is_digit(byte) || byte == '-' || byte == '_';
}

/* Decimal without a leading zero, at most max; -1 if it is none. */
static long parse_number(const char *bytes, size_t len, long max)
{
    long value = 0;

    if (len == 0 || len > 5 || (len > 1 && bytes[0] == '0'))
        return -1;
    for (size_t i = 0; i < len; i++) {
        if (!is_digit(bytes[i]))
            return -1;
        value = value * 10 + (bytes[i] - '0');
    }
    return value <= max ? value : -1;
}

/* The last label begins with a digit: the whole is meant as an address, in some spelling. */
static bool ends_in_number(const char *name, size_t len)
{
    size_t start = len;

    while (start > 0 && name[start - 1] != '.')
        start--;
    return start < len && is_digit(name[start]);
}

/* A last label of a name may begin with a digit only if it is no number in any base. */
static bool is_numeric_label(const char *name, size_t len)
{
    size_t start = len;

    if (!ends_in_number(name, len))
        return false;
    while (start > 0 && name[start - 1] != '.')
        start--;
    if (len - start >= 2 && name[start] == '0' && name[start + 1] == 'x')
        return true;
    for (size_t i = start; i < len; i++)
        if (!is_digit(name[i]))
            return false;
    return true;
}

static int parse_ipv4(struct target *target, const char *text, size_t len)
{
    size_t at = 0;

    for (int part = 0; part < 4; part++) {
        const char *dot = memchr(text + at, '.', len - at);
        size_t end = part < 3 ? (dot ? (size_t)(dot - text) : len) : len;
        long value = parse_number(text + at, end - at, 255);

        if (value < 0 || (part < 3 && !dot))
            return -EINVAL;
        target->address.bytes[part] = (uint8_t)value;
        at = end + 1;
    }
    target->kind = TARGET_IPV4;
    net_address_format(&target->address, target->name, sizeof(target->name));
    return 0;
}

static int parse_ipv6(struct target *target, const char *text, size_t len)
{
    char copy[INET6_ADDRSTRLEN];

    if (len == 0 || len >= sizeof(copy))
        return -EINVAL;
    for (size_t i = 0; i < len; i++)
        if (!strchr("0123456789abcdefABCDEF:.", text[i]) || text[i] == '\0')
            return -EINVAL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    target->address.is_v6 = true;
    if (inet_pton(AF_INET6, copy, target->address.bytes) != 1)
        return -EINVAL;
    target->kind = TARGET_IPV6;
    net_address_format(&target->address, target->name, sizeof(target->name));
    return 0;
}

static int parse_name(struct target *target, const char *bytes, size_t len)
{
    size_t label = 0;

    if (len > 0 && bytes[len - 1] == '.')
        len--;
    if (len == 0 || len > TARGET_NAME_MAX)
        return -EINVAL;
    for (size_t i = 0; i < len; i++) {
        char byte = fold(bytes[i]);

        if (byte == '.' ? label == 0 : !is_name_byte(byte) || ++label > LABEL_MAX)
            return -EINVAL;
        if (byte == '.')
            label = 0;
        target->name[i] = byte;
    }
    if (label == 0)
        return -EINVAL;
    target->name[len] = '\0';
    target->kind = TARGET_NAME;
    return 0;
}

int target_parse_host(struct target *target, const char *bytes, size_t len)
{
    int r;

    *target = (struct target){0};
    if (len >= 2 && bytes[0] == '[' && bytes[len - 1] == ']')
        return parse_ipv6(target, bytes + 1, len - 2);
    r = parse_name(target, bytes, len);
    if (r < 0)
        return r;
    return is_numeric_label(target->name, strlen(target->name))
               ? parse_ipv4(target, target->name, strlen(target->name))
               : 0;
}

int target_parse(struct target *target, const char *bytes, size_t len)
{
    size_t host = len;
    long port = 0;
    int r;

    /* The colon behind a bracket, or the only one. */
    for (size_t i = len; i > 0 && bytes[i - 1] != ']'; i--)
        if (bytes[i - 1] == ':') {
            host = i - 1;
            break;
        }
    if (host < len) {
        port = parse_number(bytes + host + 1, len - host - 1, 65535);
        if (port <= 0)
            return -EINVAL;
    }
    r = target_parse_host(target, bytes, host);
    target->port = (uint16_t)port;
    return r;
}

void target_format(const struct target *target, char *text, size_t size)
{
    bool bracket = target->kind == TARGET_IPV6;

    if (target->port)
        snprintf(text, size, "%s%s%s:%u", bracket ? "[" : "", target->name, bracket ? "]" : "",
                 target->port);
    else
        snprintf(text, size, "%s%s%s", bracket ? "[" : "", target->name, bracket ? "]" : "");
}

bool target_name_is_within(const char *name, const char *domain)
{
    size_t len = strlen(name);
    size_t domain_len = strlen(domain);

    if (len < domain_len || strcmp(name + len - domain_len, domain) != 0)
        return false;
    return len == domain_len || name[len - domain_len - 1] == '.';
}

bool target_is_own_loopback(const struct target *target)
{
    static const uint8_t one[16] = {[15] = 1};

    switch (target->kind) {
    case TARGET_NAME:
        return target_name_is_within(target->name, "localhost") ||
               str_eq(target->name, "ai-sandbox");
    case TARGET_IPV4:
        return target->address.bytes[0] == 127;
    case TARGET_IPV6:
        return memcmp(target->address.bytes, one, sizeof(one)) == 0;
    }
    return false;
}

void net_address_format(const struct net_address *address, char *text, size_t size)
{
    if (!inet_ntop(address->is_v6 ? AF_INET6 : AF_INET, address->bytes, text, (socklen_t)size))
        text[0] = '\0';
}

bool net_address_from(struct net_address *address, const struct sockaddr *sockaddr)
{
    *address = (struct net_address){0};
    if (sockaddr->sa_family == AF_INET) {
        memcpy(address->bytes, &((const struct sockaddr_in *)(const void *)sockaddr)->sin_addr, 4);
        return true;
    }
    if (sockaddr->sa_family != AF_INET6)
        return false;
    address->is_v6 = true;
    memcpy(address->bytes, &((const struct sockaddr_in6 *)(const void *)sockaddr)->sin6_addr, 16);
    return true;
}
