// SPDX-License-Identifier: GPL-3.0-only
/*
 * Address classes: every network with the addresses at both sides of its borders, and every way in
 * which an IPv6 address holds an IPv4 one (P-NET-4).
 */
#include "net/address.h"

#include "support/test.h"

#include <arpa/inet.h>
#include <string.h>

#define OWN_V4  "203.1.1.1"
#define OWN_LAN "192.168.7.7"
#define OWN_V6  "2a00:1::1"

static struct net_address parse(const char *text)
{
    struct net_address address = {.is_v6 = strchr(text, ':') != NULL};

    assert_int_equal(inet_pton(address.is_v6 ? AF_INET6 : AF_INET, text, address.bytes), 1);
    return address;
}

static enum address_class classify(const char *text)
{
    const struct net_address own[] = {parse(OWN_V4), parse(OWN_LAN), parse(OWN_V6)};
    const struct net_address address = parse(text);

    return address_classify(&address, own, ARRAY_SIZE(own));
}

static const struct row {
    const char *text;
    enum address_class class;
} rows[] = {
    /* IPv4, in order: the last address before a network, its first, its last, the next one */
    {"0.0.0.0", ADDRESS_UNSPECIFIED},
    {"0.255.255.255", ADDRESS_UNSPECIFIED},
    {"1.0.0.0", ADDRESS_PUBLIC},
    {"9.255.255.255", ADDRESS_PUBLIC},
    {"10.0.0.0", ADDRESS_PRIVATE},
    {"10.255.255.255", ADDRESS_PRIVATE},
    {"11.0.0.0", ADDRESS_PUBLIC},
    {"100.63.255.255", ADDRESS_PUBLIC},
    {"100.64.0.0", ADDRESS_PRIVATE},
    {"100.100.100.199", ADDRESS_PRIVATE},
    {"100.100.100.200", ADDRESS_METADATA},
    {"100.100.100.201", ADDRESS_PRIVATE},
    {"100.127.255.255", ADDRESS_PRIVATE},
    {"100.128.0.0", ADDRESS_PUBLIC},
    {"126.255.255.255", ADDRESS_PUBLIC},
    {"127.0.0.0", ADDRESS_LOOPBACK},
    {"127.0.0.1", ADDRESS_LOOPBACK},
    {"127.255.255.255", ADDRESS_LOOPBACK},
    {"128.0.0.0", ADDRESS_PUBLIC},
    {"168.63.129.15", ADDRESS_PUBLIC},
    {"168.63.129.16", ADDRESS_METADATA},
    {"168.63.129.17", ADDRESS_PUBLIC},
    {"169.253.255.255", ADDRESS_PUBLIC},
    {"169.254.0.0", ADDRESS_LINK_LOCAL},
    {"169.254.169.253", ADDRESS_LINK_LOCAL},
    {"169.254.255.255", ADDRESS_LINK_LOCAL},
    {"169.255.0.0", ADDRESS_PUBLIC},
    {"172.15.255.255", ADDRESS_PUBLIC},
    {"172.16.0.0", ADDRESS_PRIVATE},
    {"172.31.255.255", ADDRESS_PRIVATE},
    {"172.32.0.0", ADDRESS_PUBLIC},
    {"191.255.255.255", ADDRESS_PUBLIC},
    {"192.0.0.0", ADDRESS_RESERVED},
    {"192.0.0.255", ADDRESS_RESERVED},
    {"192.0.1.0", ADDRESS_PUBLIC},
    {"192.0.1.255", ADDRESS_PUBLIC},
    {"192.0.2.0", ADDRESS_RESERVED},
    {"192.0.2.255", ADDRESS_RESERVED},
    {"192.0.3.0", ADDRESS_PUBLIC},
    {"192.167.255.255", ADDRESS_PUBLIC},
    {"192.168.0.0", ADDRESS_PRIVATE},
    {"192.168.255.255", ADDRESS_PRIVATE},
    {"192.169.0.0", ADDRESS_PUBLIC},
    {"198.17.255.255", ADDRESS_PUBLIC},
    {"198.18.0.0", ADDRESS_BENCH},
    {"198.19.255.255", ADDRESS_BENCH},
    {"198.20.0.0", ADDRESS_PUBLIC},
    {"198.51.99.255", ADDRESS_PUBLIC},
    {"198.51.100.0", ADDRESS_RESERVED},
    {"198.51.100.255", ADDRESS_RESERVED},
    {"198.51.101.0", ADDRESS_PUBLIC},
    {"203.0.112.255", ADDRESS_PUBLIC},
    {"203.0.113.0", ADDRESS_RESERVED},
    {"203.0.113.255", ADDRESS_RESERVED},
    {"203.0.114.0", ADDRESS_PUBLIC},
    {"223.255.255.255", ADDRESS_PUBLIC},
    {"224.0.0.0", ADDRESS_MULTICAST},
    {"239.255.255.255", ADDRESS_MULTICAST},
    {"240.0.0.0", ADDRESS_RESERVED},
    {"255.255.255.254", ADDRESS_RESERVED},
    {"255.255.255.255", ADDRESS_MULTICAST},
    /* own */
    {OWN_V4, ADDRESS_OWN},
    {"203.1.1.2", ADDRESS_PUBLIC},
    {OWN_LAN, ADDRESS_PRIVATE}, /* own and private */
    {OWN_V6, ADDRESS_OWN},
    {"::ffff:" OWN_V4, ADDRESS_OWN},
    {"64:ff9b::" OWN_V4, ADDRESS_OWN},
    /* IPv6 */
    {"::", ADDRESS_UNSPECIFIED},
    {"::1", ADDRESS_LOOPBACK},
    {"::2", ADDRESS_UNSPECIFIED}, /* v4-compatible 0.0.0.2 */
    {"ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ADDRESS_PUBLIC},
    {"100::", ADDRESS_RESERVED},
    {"100::ffff:ffff:ffff:ffff", ADDRESS_RESERVED},
    {"100:0:0:1::", ADDRESS_PUBLIC},
    {"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", ADDRESS_PUBLIC},
    {"2001:db8::", ADDRESS_RESERVED},
    {"2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", ADDRESS_RESERVED},
    {"2001:db9::", ADDRESS_PUBLIC},
    {"2606:4700::1111", ADDRESS_PUBLIC},
    {"fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ADDRESS_PUBLIC},
    {"fc00::", ADDRESS_PRIVATE},
    {"fd00:ec2::253", ADDRESS_PRIVATE},
    {"fd00:ec2::254", ADDRESS_METADATA},
    {"fd00:ec2::255", ADDRESS_PRIVATE},
    {"fd00:ec2::22", ADDRESS_PRIVATE},
    {"fd00:ec2::23", ADDRESS_METADATA},
    {"fd00:ec2::24", ADDRESS_PRIVATE},
    {"fd20:ce::253", ADDRESS_PRIVATE},
    {"fd20:ce::254", ADDRESS_METADATA},
    {"fd20:ce::255", ADDRESS_PRIVATE},
    {"fd00:42::41", ADDRESS_PRIVATE},
    {"fd00:42::42", ADDRESS_METADATA},
    {"fd00:42::43", ADDRESS_PRIVATE},
    {"fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ADDRESS_PRIVATE},
    {"fe00::", ADDRESS_PUBLIC},
    {"fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ADDRESS_PUBLIC},
    {"fe80::", ADDRESS_LINK_LOCAL},
    {"febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ADDRESS_LINK_LOCAL},
    {"fec0::", ADDRESS_LINK_LOCAL},
    {"feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ADDRESS_LINK_LOCAL},
    {"ff00::", ADDRESS_MULTICAST},
    {"ff02::1", ADDRESS_MULTICAST},
    {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ADDRESS_MULTICAST},
    /* borders of what holds an IPv4 address: 127.0.0.1 just outside of it */
    {"::fffe:127.0.0.1", ADDRESS_PUBLIC},
    {"::1:0:127.0.0.1", ADDRESS_PUBLIC},
    {"64:ff9a::127.0.0.1", ADDRESS_PUBLIC},
    {"64:ff9b::1:127.0.0.1", ADDRESS_PUBLIC},
    {"64:ff9b:2::127.0.0.1", ADDRESS_PUBLIC},
    {"64:ff9b:0:1::127.0.0.1", ADDRESS_PUBLIC},
    {"2003:7f00:1::", ADDRESS_PUBLIC},
    {"2001:1:7f00:1::", ADDRESS_PUBLIC},
};

static void networks_have_borders(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        enum address_class found = classify(rows[i].text);

        if (found != rows[i].class)
            fail_msg("%s is %s, not %s", rows[i].text, address_class_name(found),
                     address_class_name(rows[i].class));
    }
}

/* Where the four bytes stand; of Teredo both places, the other one filled with 8.8.8.8. */
static const struct embedding {
    const char *label;
    const char *around;
    unsigned offset;
    uint8_t mask;
} embeddings[] = {
    {"mapped", "::ffff:0:0", 12, 0},
    {"compatible", "::", 12, 0},
    {"NAT64", "64:ff9b::", 12, 0},
    {"NAT64, local", "64:ff9b:1::", 12, 0},
    {"NAT64, local, last", "64:ff9b:1:ffff:ffff:ffff::", 12, 0},
    {"6to4", "2002::", 2, 0},
    {"6to4, with a suffix", "2002:0:0:1::1", 2, 0},
    {"Teredo server", "2001:0:0:0:0:0:f7f7:f7f7", 4, 0},
    {"Teredo client", "2001:0:808:808::", 12, 0xFF},
};

static void embedded_addresses_count(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(embeddings); i++)
        for (size_t j = 0; j < ARRAY_SIZE(rows); j++) {
            struct net_address outer = parse(embeddings[i].around);
            const struct net_address own[] = {parse(OWN_V4), parse(OWN_LAN)};
            struct net_address inner = parse(rows[j].text);
            enum address_class wanted = rows[j].class;

            if (inner.is_v6)
                continue;
            for (size_t k = 0; k < 4; k++)
                outer.bytes[embeddings[i].offset + k] = inner.bytes[k] ^ embeddings[i].mask;
            /* :: is 0.0.0.0 in this form, and that is the same class. */
            if (address_classify(&outer, own, ARRAY_SIZE(own)) != wanted)
                fail_msg("%s in %s", rows[j].text, embeddings[i].label);
        }
}

static void never_is_these(void **state)
{
    (void)state;
    for (int class = 0; class < ADDRESS_CLASS_COUNT; class ++) {
        bool can_be_lifted = class == ADDRESS_PUBLIC || class == ADDRESS_OWN ||
                             class == ADDRESS_PRIVATE || class == ADDRESS_BENCH;

        assert_int_equal(address_class_is_never((enum address_class) class), !can_be_lifted);
        assert_non_null(address_class_name((enum address_class) class));
    }
}

static void ranges_lie_in_what_is_never_reached(void **state)
{
    static const struct {
        const char *net;
        unsigned prefix;
        bool is_never;
    } ranges[] = {
        {"127.0.0.0", 8, true},
        {"127.1.0.0", 16, true},
        {"126.0.0.0", 7, false},
        {"192.0.0.0", 24, true},
        {"192.0.0.0", 23, false},
        {"192.0.0.0", 8, false},
        {"169.254.0.0", 16, true},
        {"169.254.0.0", 15, false},
        {"169.254.169.254", 32, true},
        {"100.100.100.200", 32, true},
        {"100.100.100.200", 31, false},
        {"100.64.0.0", 10, false},
        {"10.0.0.0", 8, false},
        {"198.18.0.0", 15, false},
        {"224.0.0.0", 8, true},
        {"250.0.0.0", 8, true},
        {"8.8.8.8", 32, false},
        {"0.0.0.0", 8, true},
        {"::1", 128, true},
        {"::", 127, true},
        {"::", 16, false},
        {"fe80::", 16, true},
        {"fec0::", 16, true},
        {"fe00::", 16, false},
        {"fd00:ec2::254", 128, true},
        {"fd00:ec2::", 32, false},
        {"ff02::", 16, true},
        {"2001:db8::", 32, true},
        {"2001:db8::", 31, false},
        {"2001:db8:1::", 48, true},
        {"::ffff:127.0.0.0", 104, true},
        {"::ffff:127.0.0.0", 103, false},
        {"::ffff:0:0", 96, false},
        {"::ffff:10.0.0.0", 104, false},
        {"64:ff9b::169.254.0.0", 112, true},
        {"2002:7f00::", 24, true},
        {"2002:7f00::", 23, false},
        {"2002:7f00:1::", 48, true},
        {"2002:808:808::", 48, false},
        {"2001:0:7f00:1::", 64, true},
        {"2001:0:808:808::80ff:fffe", 128, true},
        {"2001:0:808:808::f7f7:f7f7", 128, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
        struct net_address net = parse(ranges[i].net);

        if (address_range_is_never(&net, ranges[i].prefix) != ranges[i].is_never)
            fail_msg("%s/%u", ranges[i].net, ranges[i].prefix);
    }
}

static void prefixes_are_compared_bit_by_bit(void **state)
{
    (void)state;
    for (unsigned family = 0; family < 2; family++)
        for (unsigned prefix = 0; prefix <= (family ? 128U : 32U); prefix++) {
            struct net_address net = parse(family ? "::" : "0.0.0.0");

            for (unsigned bit = 0; bit < (family ? 128U : 32U); bit++) {
                struct net_address address = net;

                address.bytes[bit / 8] = (uint8_t)(0x80 >> bit % 8);
                assert_int_equal(address_is_within(&address, &net, prefix), bit >= prefix);
            }
        }
}

static void families_never_meet(void **state)
{
    struct net_address v4 = parse("0.0.0.0");
    struct net_address v6 = parse("::");

    (void)state;
    assert_false(address_is_within(&v4, &v6, 0));
    assert_false(address_is_within(&v6, &v4, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_have_borders),
        cmocka_unit_test(embedded_addresses_count),
        cmocka_unit_test(never_is_these),
        cmocka_unit_test(ranges_lie_in_what_is_never_reached),
        cmocka_unit_test(prefixes_are_compared_bit_by_bit),
        cmocka_unit_test(families_never_meet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
