// SPDX-License-Identifier: GPL-3.0-only
/*
 * address: what kind of address one is.
 *
 * Two tables of networks (IANA special-purpose address registries), searched whole: of all rows that
 * match the most restrictive counts.
 */
#include "net/address.h"

#include <string.h>

struct network {
    uint8_t bytes[16];
    uint8_t prefix;
    uint8_t class;
};

static const struct network ipv4[] = {
    {{127}, 8, ADDRESS_LOOPBACK},
    {{0}, 8, ADDRESS_UNSPECIFIED},
    {{169, 254}, 16, ADDRESS_LINK_LOCAL},
    {{169, 254, 169, 254}, 32, ADDRESS_METADATA},
    {{100, 100, 100, 200}, 32, ADDRESS_METADATA},
    {{168, 63, 129, 16}, 32, ADDRESS_METADATA},
    {{224}, 4, ADDRESS_MULTICAST},
    {{255, 255, 255, 255}, 32, ADDRESS_MULTICAST},
    {{240}, 4, ADDRESS_RESERVED},
    {{192, 0, 0}, 24, ADDRESS_RESERVED},
    {{192, 0, 2}, 24, ADDRESS_RESERVED},
    {{198, 51, 100}, 24, ADDRESS_RESERVED},
    {{203, 0, 113}, 24, ADDRESS_RESERVED},
    {{198, 18}, 15, ADDRESS_BENCH},
    {{10}, 8, ADDRESS_PRIVATE},
    {{172, 16}, 12, ADDRESS_PRIVATE},
    {{192, 168}, 16, ADDRESS_PRIVATE},
    {{100, 64}, 10, ADDRESS_PRIVATE},
};

static const struct network ipv6[] = {
    {{[15] = 1}, 128, ADDRESS_LOOPBACK},
    {{0}, 128, ADDRESS_UNSPECIFIED},
    {{0xFE, 0x80}, 10, ADDRESS_LINK_LOCAL},
    {{0xFE, 0xC0}, 10, ADDRESS_LINK_LOCAL},
    /* fd00:ec2::254 and ::23 (EKS Pod Identity) of AWS, fd20:ce::254 of Google, fd00:42::42 of
     * Scaleway: beside them other things may be in use. */
    {{0xFD, 0x00, 0x0E, 0xC2, [14] = 0x02, [15] = 0x54}, 128, ADDRESS_METADATA},
    {{0xFD, 0x00, 0x0E, 0xC2, [15] = 0x23}, 128, ADDRESS_METADATA},
    {{0xFD, 0x20, 0x00, 0xCE, [14] = 0x02, [15] = 0x54}, 128, ADDRESS_METADATA},
    {{0xFD, 0x00, 0x00, 0x42, [15] = 0x42}, 128, ADDRESS_METADATA},
    {{0xFF}, 8, ADDRESS_MULTICAST},
    {{0x01}, 64, ADDRESS_RESERVED},
    {{0x20, 0x01, 0x0D, 0xB8}, 32, ADDRESS_RESERVED},
    {{0xFC}, 7, ADDRESS_PRIVATE},
};

/* Where an IPv6 address holds IPv4 ones. */
static const struct embedding {
    uint8_t bytes[16];
    uint8_t prefix;
    uint8_t offset;   /* of the IPv4 address */
    bool is_inverted; /* Teredo hides the client's by inverting its bits (RFC 4380, 4) */
} embeddings[] = {
    {{[10] = 0xFF, [11] = 0xFF}, 96, 12, false},           /* v4-mapped, RFC 4291 */
    {{0}, 96, 12, false},                                  /* v4-compatible */
    {{0x00, 0x64, 0xFF, 0x9B}, 96, 12, false},             /* NAT64, RFC 6052 */
    {{0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01}, 48, 12, false}, /* RFC 8215 */
    {{0x20, 0x02}, 16, 2, false},                          /* 6to4, RFC 3056 */
    {{0x20, 0x01, 0x00, 0x00}, 32, 4, false},              /* Teredo: the server */
    {{0x20, 0x01, 0x00, 0x00}, 32, 12, true},              /* and the client */
};

static const char *const class_names[ADDRESS_CLASS_COUNT] = {
    [ADDRESS_PUBLIC] = "public",           [ADDRESS_OWN] = "own",
    [ADDRESS_PRIVATE] = "private",         [ADDRESS_BENCH] = "benchmarking",
    [ADDRESS_RESERVED] = "reserved",       [ADDRESS_MULTICAST] = "multicast",
    [ADDRESS_METADATA] = "metadata",       [ADDRESS_LINK_LOCAL] = "link-local",
    [ADDRESS_UNSPECIFIED] = "unspecified", [ADDRESS_LOOPBACK] = "loopback",
};

static bool same_prefix(const uint8_t *a, const uint8_t *b, unsigned prefix)
{
    unsigned whole = prefix / 8;
    unsigned rest = prefix % 8;

    if (memcmp(a, b, whole) != 0)
        return false;
    return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

static enum address_class search(const struct network *table, size_t count, const uint8_t *bytes)
{
    enum address_class found = ADDRESS_PUBLIC;

    for (size_t i = 0; i < count; i++)
        if (table[i].class > found && same_prefix(bytes, table[i].bytes, table[i].prefix))
            found = (enum address_class)table[i].class;
    return found;
}

static enum address_class stricter(enum address_class a, enum address_class b)
{
    return a > b ? a : b;
}

static bool is_own(const struct net_address *address, const struct net_address *own, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (own[i].is_v6 == address->is_v6 &&
            memcmp(own[i].bytes, address->bytes, address->is_v6 ? 16 : 4) == 0)
            return true;
    return false;
}

static void extract(uint8_t bytes[4], const struct net_address *address,
                    const struct embedding *row)
{
    for (size_t i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(address->bytes[row->offset + i] ^ (row->is_inverted ? 0xFF : 0));
}

static enum address_class classify_embedded(const struct net_address *address,
                                            const struct net_address *own, size_t count)
{
    enum address_class found = ADDRESS_PUBLIC;

    for (size_t i = 0; i < ARRAY_SIZE(embeddings); i++) {
        const struct embedding *row = &embeddings[i];
        struct net_address inner = {0};

        if (!same_prefix(address->bytes, row->bytes, row->prefix))
            continue;
        extract(inner.bytes, address, row);
        found = stricter(found, address_classify(&inner, own, count));
    }
    return found;
}

enum address_class address_classify(const struct net_address *address,
                                    const struct net_address *own, size_t count)
{
    enum address_class found = address->is_v6 ? search(ipv6, ARRAY_SIZE(ipv6), address->bytes)
                                              : search(ipv4, ARRAY_SIZE(ipv4), address->bytes);

    if (is_own(address, own, count))
        found = stricter(found, ADDRESS_OWN);
    /* ::1 and :: are also v4-compatible: the row of their own is the stricter one. */
    if (address->is_v6)
        found = stricter(found, classify_embedded(address, own, count));
    return found;
}

const char *address_class_name(enum address_class class)
{
    return class_names[class];
}

bool address_class_is_never(enum address_class class)
{
    return class >= ADDRESS_RESERVED;
}

/* Whether every address of a network is never reached, whoever asks: it lies in such a row, or it is
 * the image of an IPv4 network that does. */
static bool lies_in_never(const struct network *table, size_t count, const uint8_t *bytes,
                          unsigned prefix)
{
    for (size_t i = 0; i < count; i++)
        if (address_class_is_never((enum address_class)table[i].class) &&
            table[i].prefix <= prefix && same_prefix(bytes, table[i].bytes, table[i].prefix))
            return true;
    return false;
}

bool address_range_is_never(const struct net_address *net, unsigned prefix)
{
    if (!net->is_v6)
        return lies_in_never(ipv4, ARRAY_SIZE(ipv4), net->bytes, prefix);
    if (lies_in_never(ipv6, ARRAY_SIZE(ipv6), net->bytes, prefix))
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(embeddings); i++) {
        const struct embedding *row = &embeddings[i];
        unsigned start = 8U * row->offset;
        unsigned inner = prefix < start ? 0 : prefix - start > 32 ? 32 : prefix - start;
        uint8_t bytes[4];

        if (prefix < row->prefix || !same_prefix(net->bytes, row->bytes, row->prefix))
            continue;
        extract(bytes, net, row);
        if (lies_in_never(ipv4, ARRAY_SIZE(ipv4), bytes, inner))
            return true;
    }
    return false;
}

bool address_is_within(const struct net_address *address, const struct net_address *net,
                       unsigned prefix)
{
    return address->is_v6 == net->is_v6 && same_prefix(address->bytes, net->bytes, prefix);
}
