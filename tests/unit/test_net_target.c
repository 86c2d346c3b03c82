// SPDX-License-Identifier: GPL-3.0-only
/*
 * Hosts and ports: what is one, what only looks like one, and how it is shown (P-NET-5, P-NET-6,
 * P-NET-7).
 */
#include "net/target.h"

#include "support/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#define LABEL_63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define NAME_251                                                                                   \
    LABEL_63 "." LABEL_63 "." LABEL_63                                                             \
             ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* Text with its length, so that a NUL is a byte like any other. */
#define BYTES(text) text, sizeof(text) - 1

struct row {
    const char *text;
    size_t len;
    const char *shown; /* NULL: refused */
    enum target_kind kind;
};

static const struct row targets[] = {
    /* names */
    {BYTES("example.org"), "example.org", TARGET_NAME},
    {BYTES("EXAMPLE.Org:443"), "example.org:443", TARGET_NAME},
    {BYTES("example.org."), "example.org", TARGET_NAME},
    {BYTES("example.org.:443"), "example.org:443", TARGET_NAME},
    {BYTES("localhost"), "localhost", TARGET_NAME},
    {BYTES("a"), "a", TARGET_NAME},
    {BYTES("_dmarc.example.org"), "_dmarc.example.org", TARGET_NAME},
    {BYTES("a_b-c.example"), "a_b-c.example", TARGET_NAME},
    {BYTES("-"), "-", TARGET_NAME},
    {BYTES("xn--mnchen-3ya.de"), "xn--mnchen-3ya.de", TARGET_NAME},
    {BYTES("1.2.3.4.com"), "1.2.3.4.com", TARGET_NAME},
    {BYTES("1password.com"), "1password.com", TARGET_NAME},
    {BYTES("example.3com"), "example.3com", TARGET_NAME},
    {BYTES("deadbeef"), "deadbeef", TARGET_NAME},
    {BYTES(LABEL_63 ".org"), LABEL_63 ".org", TARGET_NAME},
    {BYTES(NAME_251 ".a"), NAME_251 ".a", TARGET_NAME},
    {BYTES(NAME_251 ".a.:80"), NAME_251 ".a:80", TARGET_NAME},
    /* no names */
    {BYTES(""), NULL, 0},
    {BYTES("."), NULL, 0},
    {BYTES(".."), NULL, 0},
    {BYTES(".example.org"), NULL, 0},
    {BYTES("example..org"), NULL, 0},
    {BYTES("example.org.."), NULL, 0},
    {BYTES(LABEL_63 "a.org"), NULL, 0},
    {BYTES(NAME_251 ".aa"), NULL, 0},
    {BYTES(NAME_251 "." NAME_251), NULL, 0},
    {BYTES("example.org\0"), NULL, 0},
    {BYTES("example.org\0.evil.example"), NULL, 0},
    {BYTES("\0"), NULL, 0},
    {BYTES("example.org\r"), NULL, 0},
    {BYTES("example.org\n"), NULL, 0},
    {BYTES("example.org\r\nHost: evil"), NULL, 0},
    {BYTES(" example.org"), NULL, 0},
    {BYTES("example.org "), NULL, 0},
    {BYTES("exam ple.org"), NULL, 0},
    {BYTES("exam\tple.org"), NULL, 0},
    {BYTES("user@example.org"), NULL, 0},
    {BYTES("user:pass@example.org:443"), NULL, 0},
    {BYTES("example.org%00"), NULL, 0},
    {BYTES("ex%61mple.org"), NULL, 0},
    {BYTES("example.org/"), NULL, 0},
    {BYTES("example.org\\evil"), NULL, 0},
    {BYTES("example.org#a"), NULL, 0},
    {BYTES("example.org?a"), NULL, 0},
    {BYTES("*.example.org"), NULL, 0},
    {BYTES("m\xC3\xBCnchen.de"), NULL, 0},
    {BYTES("example\xE3\x80\x82org"), NULL, 0}, /* ideographic full stop */
    {BYTES("example.\xEF\xBD\x8Frg"), NULL, 0}, /* full-width o */
    {BYTES("exam\xC2\xADple.org"), NULL, 0},    /* soft hyphen */
    {BYTES("example.org\x7F"), NULL, 0},
    {BYTES("example.org\x1B[2J"), NULL, 0},
    {BYTES("[example.org]"), NULL, 0},
    {BYTES("[example.org]:443"), NULL, 0},
    {BYTES("http://example.org"), NULL, 0},
    /* ports */
    {BYTES("example.org:1"), "example.org:1", TARGET_NAME},
    {BYTES("example.org:65535"), "example.org:65535", TARGET_NAME},
    {BYTES("example.org:0"), NULL, 0},
    {BYTES("example.org:65536"), NULL, 0},
    {BYTES("example.org:99999"), NULL, 0},
    {BYTES("example.org:4294967376"), NULL, 0},
    {BYTES("example.org:080"), NULL, 0},
    {BYTES("example.org:00080"), NULL, 0},
    {BYTES("example.org:"), NULL, 0},
    {BYTES("example.org:+80"), NULL, 0},
    {BYTES("example.org:-80"), NULL, 0},
    {BYTES("example.org: 80"), NULL, 0},
    {BYTES("example.org:80 "), NULL, 0},
    {BYTES("example.org:0x50"), NULL, 0},
    {BYTES("example.org:http"), NULL, 0},
    {BYTES("example.org:80:80"), NULL, 0},
    {BYTES("example.org::80"), NULL, 0},
    {BYTES("example.org:80\0"), NULL, 0},
    {BYTES(":80"), NULL, 0},
    {BYTES(".:80"), NULL, 0},
    /* IPv4 */
    {BYTES("192.0.2.1"), "192.0.2.1", TARGET_IPV4},
    {BYTES("192.0.2.1:8080"), "192.0.2.1:8080", TARGET_IPV4},
    {BYTES("0.0.0.0"), "0.0.0.0", TARGET_IPV4},
    {BYTES("255.255.255.255"), "255.255.255.255", TARGET_IPV4},
    {BYTES("1.2.3.4."), "1.2.3.4", TARGET_IPV4},
    {BYTES("1.2.3.4.."), NULL, 0},
    {BYTES("127.1"), NULL, 0},
    {BYTES("127.0.1"), NULL, 0},
    {BYTES("1"), NULL, 0},
    {BYTES("2130706433"), NULL, 0},
    {BYTES("017700000001"), NULL, 0},
    {BYTES("0177.0.0.1"), NULL, 0},
    {BYTES("127.0.0.01"), NULL, 0},
    {BYTES("127.0.00.1"), NULL, 0},
    {BYTES("00.0.0.0"), NULL, 0},
    {BYTES("0x7f.1"), NULL, 0},
    {BYTES("0x7f.0.0.1"), NULL, 0},
    {BYTES("127.0.0.0x1"), NULL, 0},
    {BYTES("0x7f000001"), NULL, 0},
    {BYTES("0X7F000001"), NULL, 0},
    {BYTES("0x"), NULL, 0},
    {BYTES("example.0xorg"), NULL, 0},
    {BYTES("1.2.3"), NULL, 0},
    {BYTES("1.2.3.4.5"), NULL, 0},
    {BYTES("1.2.3.256"), NULL, 0},
    {BYTES("1.2.3.99999"), NULL, 0},
    {BYTES("1.2.3.0000000004"), NULL, 0},
    {BYTES("256.2.3.4"), NULL, 0},
    {BYTES("example.4"), NULL, 0},
    {BYTES("a.2.3.4"), NULL, 0},
    {BYTES("1..3.4"), NULL, 0},
    {BYTES("[192.0.2.1]"), NULL, 0},
    {BYTES("1.2.3.4/8"), NULL, 0},
    {BYTES("\xEF\xBC\x91.2.3.4"), NULL, 0}, /* full-width one */
    /* IPv6 */
    {BYTES("[::1]"), "[::1]", TARGET_IPV6},
    {BYTES("[::1]:443"), "[::1]:443", TARGET_IPV6},
    {BYTES("[2001:DB8:0:0:0:0:0:1]"), "[2001:db8::1]", TARGET_IPV6},
    {BYTES("[::ffff:192.0.2.1]"), "[::ffff:192.0.2.1]", TARGET_IPV6},
    {BYTES("[::FFFF:c000:201]"), "[::ffff:192.0.2.1]", TARGET_IPV6},
    {BYTES("[::]"), "[::]", TARGET_IPV6},
    {BYTES("::1"), NULL, 0},
    {BYTES("2001:db8::1"), NULL, 0},
    {BYTES("[::1"), NULL, 0},
    {BYTES("::1]"), NULL, 0},
    {BYTES("[]"), NULL, 0},
    {BYTES("["), NULL, 0},
    {BYTES("]"), NULL, 0},
    {BYTES("[]:80"), NULL, 0},
    {BYTES("[[::1]]"), NULL, 0},
    {BYTES("[::1]]"), NULL, 0},
    {BYTES("[::1]x"), NULL, 0},
    {BYTES("[::1]."), NULL, 0},
    {BYTES("[::1].:80"), NULL, 0},
    {BYTES("[::1]443"), NULL, 0},
    {BYTES("[::1]:"), NULL, 0},
    {BYTES("[::1]:0"), NULL, 0},
    {BYTES("[::1]:65536"), NULL, 0},
    {BYTES("[::1]:80:80"), NULL, 0},
    {BYTES("[::1%lo]"), NULL, 0},
    {BYTES("[::1%25lo]"), NULL, 0},
    {BYTES("[fe80::1%1]"), NULL, 0},
    {BYTES("[::1\0]"), NULL, 0},
    {BYTES("[\0]"), NULL, 0},
    {BYTES("[::1 ]"), NULL, 0},
    {BYTES("[ ::1]"), NULL, 0},
    {BYTES("[::1/128]"), NULL, 0},
    {BYTES("[:::]"), NULL, 0},
    {BYTES("[1::2::3]"), NULL, 0},
    {BYTES("[00001::]"), NULL, 0},
    {BYTES("[1:2:3:4:5:6:7]"), NULL, 0},
    {BYTES("[1:2:3:4:5:6:7:8:9]"), NULL, 0},
    {BYTES("[::127.1]"), NULL, 0},
    {BYTES("[::127.0.0.01]"), NULL, 0},
    {BYTES("[::0x7f.0.0.1]"), NULL, 0},
    {BYTES("[v1.fe80::a]"), NULL, 0},
    {BYTES("[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]"), NULL, 0},
};

static void targets_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
        const struct row *row = &targets[i];
        struct target target;
        char shown[TARGET_TEXT_MAX];
        /* Exactly as long as it is: a sanitizer sees every step too far. */
        char *copy = malloc(row->len ? row->len : 1);
        int r;

        memcpy(copy, row->text, row->len);
        r = target_parse(&target, copy, row->len);
        free(copy);
        if (!row->shown) {
            if (r != -EINVAL)
                fail_msg("%s: taken", row->text);
            continue;
        }
        if (r != 0)
            fail_msg("%s: refused", row->text);
        target_format(&target, shown, sizeof(shown));
        assert_string_equal(shown, row->shown);
        assert_int_equal(target.kind, row->kind);
    }
}

/* What is shown is read as the same target. */
static void shown_targets_are_read_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
        struct target first;
        struct target second;

        if (!targets[i].shown)
            continue;
        assert_int_equal(target_parse(&first, targets[i].text, targets[i].len), 0);
        assert_int_equal(target_parse(&second, targets[i].shown, strlen(targets[i].shown)), 0);
        assert_string_equal(first.name, second.name);
        assert_memory_equal(&first.address, &second.address, sizeof(first.address));
        assert_int_equal(first.port, second.port);
    }
}

/* Every byte, in the middle of a name and at its ends: only letters, digits, '-', '_' and dots. */
static void every_other_byte_is_refused(void **state)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        const char middle[] = {'a', (char)byte, 'b'};
        const char front[] = {(char)byte, 'b'};
        const char end[] = {'a', (char)byte};
        bool is_good = byte && strchr(allowed, byte);
        struct target target;

        assert_int_equal(target_parse_host(&target, middle, 3) == 0, is_good || byte == '.');
        assert_int_equal(target_parse_host(&target, front, 2) == 0, is_good);
        assert_int_equal(target_parse_host(&target, end, 2) == 0, is_good || byte == '.');
    }
}

/* Whatever a lenient parser takes for an IPv4 address is one here, too, or is refused. */
static void no_address_passes_as_a_name(void **state)
{
    static const char *const parts[] = {"0", "1", "07", "08", "0x1", "0xg", "255", "256", "a"};
    const size_t n = ARRAY_SIZE(parts) + 1; /* and none */
    char text[64];

    (void)state;
    for (size_t i = 0; i < n * n * n * n; i++) {
        struct in_addr lenient;
        struct target target;
        size_t rest = i;

        text[0] = '\0';
        for (int part = 0; part < 4; part++, rest /= n) {
            if (rest % n == n - 1)
                continue;
            strcat(text, text[0] ? "." : "");
            strcat(text, parts[rest % n]);
        }
        if (target_parse_host(&target, text, strlen(text)) < 0)
            continue;
        if (inet_aton(text, &lenient)) {
            assert_int_equal(target.kind, TARGET_IPV4);
            assert_memory_equal(target.address.bytes, &lenient, 4);
        } else {
            assert_int_equal(target.kind, TARGET_NAME);
        }
    }
}

static void names_lie_within_on_label_boundaries(void **state)
{
    static const struct {
        const char *name;
        const char *domain;
        bool is_within;
    } rows[] = {
        {"example.org", "example.org", true},       {"a.example.org", "example.org", true},
        {"a.b.example.org", "example.org", true},   {"evilexample.org", "example.org", false},
        {"example.org.evil", "example.org", false}, {"org", "example.org", false},
        {"example.com", "example.org", false},      {"-example.org", "example.org", false},
        {"_example.org", "example.org", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        assert_int_equal(target_name_is_within(rows[i].name, rows[i].domain), rows[i].is_within);
}

static void the_loopback_has_these_names(void **state)
{
    static const struct {
        const char *text;
        bool is_own;
    } rows[] = {
        {"localhost", true},
        {"LOCALHOST.", true},
        {"a.localhost", true},
        {"ai-sandbox", true},
        {"127.0.0.1", true},
        {"127.255.255.255", true},
        {"[::1]", true},
        {"notlocalhost", false},
        {"localhost.example.org", false},
        {"a.ai-sandbox", false},
        {"126.255.255.255", false},
        {"128.0.0.0", false},
        {"0.0.0.0", false},
        {"[::]", false},
        {"[::2]", false},
        {"[::ffff:127.0.0.1]", false}, /* never: its class is loopback */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct target target;

        assert_int_equal(target_parse(&target, rows[i].text, strlen(rows[i].text)), 0);
        if (target_is_own_loopback(&target) != rows[i].is_own)
            fail_msg("%s", rows[i].text);
    }
}

static void addresses_come_from_sockets(void **state)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0xC0000201)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr other = {.sa_family = AF_UNIX};
    struct net_address address;
    char text[64];

    (void)state;
    assert_true(net_address_from(&address, (const struct sockaddr *)&v4));
    net_address_format(&address, text, sizeof(text));
    assert_string_equal(text, "192.0.2.1");
    assert_true(net_address_from(&address, (const struct sockaddr *)&v6));
    net_address_format(&address, text, sizeof(text));
    assert_string_equal(text, "::1");
    assert_false(net_address_from(&address, &other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_are_read),
        cmocka_unit_test(shown_targets_are_read_again),
        cmocka_unit_test(every_other_byte_is_refused),
        cmocka_unit_test(no_address_passes_as_a_name),
        cmocka_unit_test(names_lie_within_on_label_boundaries),
        cmocka_unit_test(the_loopback_has_these_names),
        cmocka_unit_test(addresses_come_from_sockets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
