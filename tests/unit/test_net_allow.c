// SPDX-License-Identifier: GPL-3.0-only
/*
 * The list of hosts: what an entry may say, what it matches, what it lifts, and which entry permits
 * all that another does.
 */
#include "net/allow.h"

#include "support/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

/* Entries separated by blanks; "private:" in front is --allow-private. */
static void fill(struct allow_list *list, const char *entries)
{
    static const char private_prefix[] = "private:";
    char copy[512];
    char *rest = NULL;

    *list = (struct allow_list){0};
    assert_true(strlen(entries) < sizeof(copy));
    strcpy(copy, entries);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        bool is_private = str_starts(word, private_prefix);
        struct error error = {0};

        if (is_private)
            word += strlen(private_prefix);
        if (allow_add(list, word, is_private, "test", &error) < 0)
            fail_msg("%s", error.text);
    }
}

static struct net_address parse_address(const char *text)
{
    struct net_address address = {.is_v6 = strchr(text, ':') != NULL};

    assert_int_equal(inet_pton(address.is_v6 ? AF_INET6 : AF_INET, text, address.bytes), 1);
    return address;
}

static struct target parse_target(const char *text)
{
    struct target target;

    if (target_parse(&target, text, strlen(text)) < 0)
        fail_msg("%s", text);
    return target;
}

/* ---- entries ---- */

static void entries_are_read(void **state)
{
    static const char *const good[] = {
        "example.org",
        "Example.ORG.",
        "example.org:8080",
        "com",
        "raw:example.org:22",
        "raw:192.168.1.1:22",
        "raw:[fd12::1]:22",
        "8.8.8.8",
        "8.8.8.8:53",
        "10.0.0.1",
        "[2606:4700::1111]",
        "[2606:4700::1111]:443",
        "10.0.0.0/8",
        "10.0.0.0/8:5432",
        "10.1.2.3/24", /* bits behind the length do not count */
        "192.168.5.9/32",
        "198.18.0.0/15",
        "[fd12::/16]",
        "[fd12:3456::/32]:443",
        "[fd12::1/128]",
        /* They contain networks that are never reached, and open nothing of these. */
        "192.0.0.0/8",
        "169.0.0.0/8",
        "[2001::/16]",
        "[fd00::/16]",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(good); i++)
        if (allow_fault(good[i]))
            fail_msg("%s: %s", good[i], allow_fault(good[i]));
}

static void entries_are_refused(void **state)
{
    static const struct {
        const char *entry;
        const char *why; /* part of it */
    } rows[] = {
        {"", "neither a host"},
        {"*", "no patterns"},
        {"*.example.org", "no patterns"},
        {"example.*", "no patterns"},
        {"example.org:*", "no patterns"},
        {"example.org:0", "neither a host"},
        {"example.org:65536", "neither a host"},
        {"example.org:080", "neither a host"},
        {"example.org:", "neither a host"},
        {"http://example.org", "network is written"},
        {"example.org/path", "network is written"},
        {"example.org/24", "network is written"},
        {"user@example.org", "neither a host"},
        {"example org", "neither a host"},
        {"example.org\n", "neither a host"},
        {"127.1", "neither a host"},
        {"0x7f.1", "neither a host"},
        {"::1", "neither a host"},
        {"[::1%lo]", "neither a host"},
        {"m\xC3\xBCnchen.de", "xn--"},
        {"raw:example.org", "needs its port"},
        {"raw:", "neither a host"},
        {"raw:raw:example.org:22", "neither a host"},
        {"RAW:example.org:22", "neither a host"},
        {"raw:*:22", "no patterns"},
        /* networks */
        {"10.0.0.0/7", "too wide"},
        {"0.0.0.0/0", "too wide"},
        {"[fd00::/15]", "too wide"},
        {"[::/0]", "too wide"},
        {"10.0.0.0/33", "network is written"},
        {"[fd12::/129]", "network is written"},
        {"10.0.0.0/", "network is written"},
        {"10.0.0.0/08", "network is written"},
        {"10.0.0.0/-8", "network is written"},
        {"10.0.0.0/255.0.0.0", "network is written"},
        {"10.0.0.0/8/8", "network is written"},
        {"10.0.0.0:80/8", "network is written"},
        {"10.0.0.0/8:0", "network is written"},
        {"10.0.0.0/8]", "network is written"},
        {"10.0/16", "network is written"},
        {"fd12::/32", "network is written"},
        {"[fd12::]/32", "network is written"},
        {"[fd12::]:80/32", "network is written"},
        {"[fd12::/32", "network is written"},
        {"[fd12::/32:80", "network is written"},
        {"[fd12::/32]x", "network is written"},
        {"[10.0.0.0/8]", "network is written"},
        {"/8", "network is written"},
        /* what is never reached */
        {"localhost", "--forward-port"},
        {"a.localhost", "--forward-port"},
        {"ai-sandbox", "--forward-port"},
        {"127.0.0.1", "--forward-port"},
        {"127.0.0.1:5432", "--forward-port"},
        {"127.0.0.0/8", "--forward-port"},
        {"[::1]", "--forward-port"},
        {"[::ffff:127.0.0.1]", "--forward-port"},
        {"0.0.0.0", "never"},
        {"0.0.0.0/8", "never"},
        {"[::]", "never"},
        {"169.254.169.254", "never"},
        {"169.254.1.0/24", "never"},
        {"100.100.100.200", "never"},
        {"168.63.129.16", "never"},
        {"[fd00:ec2::254]", "never"},
        {"[fe80::1]", "never"},
        {"[fe80::/16]", "never"},
        {"224.0.0.1", "never"},
        {"224.0.0.0/8", "never"},
        {"255.255.255.255", "never"},
        {"240.0.0.0/8", "never"},
        {"192.0.2.1", "never"},
        {"192.0.2.0/24", "never"},
        {"192.0.2.128/25", "never"},
        {"[2001:db8::/32]", "never"},
        {"[::ffff:169.254.0.0/112]", "never"},
        {"[2002:7f00::/24]", "never"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct allow_list list = {0};
        struct error error = {0};
        const char *why = allow_fault(rows[i].entry);

        if (!why || !strstr(why, rows[i].why))
            fail_msg("%s: %s", rows[i].entry, why ? why : "taken");
        assert_int_equal(allow_add(&list, rows[i].entry, false, "test", &error), -EINVAL);
        assert_non_null(strstr(error.text, rows[i].entry));
        assert_non_null(strstr(error.text, why));
        assert_int_equal(list.n, 0);
        allow_free(&list);
    }
}

static void entries_keep_their_words(void **state)
{
    struct allow_list list = {0};

    (void)state;
    assert_int_equal(allow_add(&list, "Example.org", true, "./.ai-jail:3", NULL), 0);
    assert_int_equal(list.n, 1);
    assert_string_equal(list.v[0].text, "Example.org");
    assert_string_equal(list.v[0].origin, "./.ai-jail:3");
    assert_string_equal(list.v[0].target.name, "example.org");
    assert_true(list.v[0].is_private);
    allow_free(&list);
    assert_null(list.v);
}

/* ---- by name and port ---- */

static const struct {
    const char *entries;
    const char *target;
    enum refusal_reason reason;
    bool is_raw;
    bool may_be_private;
} target_rows[] = {
    /* an empty list is not everything */
    {"", "example.org:443", REFUSAL_HOST_NOT_LISTED, 0, 0},
    {"", "8.8.8.8:443", REFUSAL_HOST_NOT_LISTED, 0, 0},
    /* labels */
    {"example.org", "example.org:443", REFUSAL_NONE, 0, 0},
    {"example.org", "example.org:80", REFUSAL_NONE, 0, 0},
    {"example.org", "EXAMPLE.ORG.:443", REFUSAL_NONE, 0, 0},
    {"EXAMPLE.ORG.", "example.org:443", REFUSAL_NONE, 0, 0},
    {"example.org", "a.b.example.org:443", REFUSAL_NONE, 0, 0},
    {"example.org", "evilexample.org:443", REFUSAL_HOST_NOT_LISTED, 0, 0},
    {"example.org", "example.org.evil:443", REFUSAL_HOST_NOT_LISTED, 0, 0},
    {"example.org", "org:443", REFUSAL_HOST_NOT_LISTED, 0, 0},
    {"a.example.org", "example.org:443", REFUSAL_HOST_NOT_LISTED, 0, 0},
    {"com", "com:443", REFUSAL_NONE, 0, 0},
    {"com", "example.com:443", REFUSAL_HOST_NOT_LISTED, 0, 0},
    {"intranet", "a.intranet:443", REFUSAL_HOST_NOT_LISTED, 0, 0},
    /* ports */
    {"example.org", "example.org:22", REFUSAL_PORT_NOT_LISTED, 0, 0},
    {"example.org", "example.org:8080", REFUSAL_PORT_NOT_LISTED, 0, 0},
    {"example.org:8080", "example.org:8080", REFUSAL_NONE, 0, 0},
    {"example.org:8080", "a.example.org:8080", REFUSAL_NONE, 0, 0},
    {"example.org:8080", "example.org:443", REFUSAL_PORT_NOT_LISTED, 0, 0},
    {"example.org:8080", "example.org:80", REFUSAL_PORT_NOT_LISTED, 0, 0},
    {"example.org example.org:8080", "example.org:8080", REFUSAL_NONE, 0, 0},
    {"example.org example.org:8080", "example.org:443", REFUSAL_NONE, 0, 0},
    {"example.org a.example.org:22", "a.example.org:443", REFUSAL_NONE, 0, 0},
    {"example.org a.example.org:22", "example.org:22", REFUSAL_PORT_NOT_LISTED, 0, 0},
    {"example.org:1 example.org:2", "example.org:2", REFUSAL_NONE, 0, 0},
    /* raw, for its port alone */
    {"raw:example.org:22", "example.org:22", REFUSAL_NONE, 1, 0},
    {"raw:example.org:22", "a.example.org:22", REFUSAL_NONE, 1, 0},
    {"raw:example.org:22", "example.org:443", REFUSAL_PORT_NOT_LISTED, 0, 0},
    {"raw:example.org:22 example.org", "example.org:443", REFUSAL_NONE, 0, 0},
    {"raw:example.org:443 example.org", "example.org:443", REFUSAL_NONE, 1, 0},
    {"example.org raw:example.org:443", "example.org:80", REFUSAL_NONE, 0, 0},
    {"example.org raw:a.example.org:443", "example.org:443", REFUSAL_NONE, 0, 0},
    /* private, for its ports alone */
    {"private:example.org", "example.org:443", REFUSAL_NONE, 0, 1},
    {"private:example.org", "example.org:22", REFUSAL_PORT_NOT_LISTED, 0, 0},
    {"example.org private:example.org:8080", "example.org:443", REFUSAL_NONE, 0, 0},
    {"example.org private:example.org:8080", "example.org:8080", REFUSAL_NONE, 0, 1},
    {"example.org private:a.example.org", "example.org:443", REFUSAL_NONE, 0, 0},
    /* literals */
    {"8.8.8.8", "8.8.8.8:443", REFUSAL_NONE, 0, 0},
    {"8.8.8.8", "8.8.8.8:53", REFUSAL_PORT_NOT_LISTED, 0, 0},
    {"8.8.8.8:53", "8.8.8.8:53", REFUSAL_NONE, 0, 0},
    {"8.8.8.8", "8.8.4.4:443", REFUSAL_HOST_NOT_LISTED, 0, 0},
    {"8.8.8.8", "[::ffff:8.8.8.8]:443", REFUSAL_HOST_NOT_LISTED, 0, 0},
    {"8.8.8.8", "dns.google:443", REFUSAL_HOST_NOT_LISTED, 0, 0},
    {"[2606:4700::1111]", "[2606:4700:0::1111]:443", REFUSAL_NONE, 0, 0},
    {"[2606:4700::1111]", "[2606:4700::1112]:443", REFUSAL_HOST_NOT_LISTED, 0, 0},
    {"example.org", "8.8.8.8:443", REFUSAL_HOST_NOT_LISTED, 0, 0},
    {"10.0.0.1", "10.0.0.1:443", REFUSAL_NONE, 0, 0},
    {"198.18.0.1", "198.18.0.1:80", REFUSAL_NONE, 0, 0},
    {"10.0.0.7", "10.0.0.7:80", REFUSAL_NONE, 0, 0},   /* an own address */
    {"203.1.1.1", "203.1.1.1:80", REFUSAL_NONE, 0, 0}, /* another one */
    /* networks */
    {"10.1.0.0/16", "10.1.0.0:80", REFUSAL_NONE, 0, 0},
    {"10.1.0.0/16", "10.1.255.255:80", REFUSAL_NONE, 0, 0},
    {"10.1.0.0/16", "10.0.255.255:80", REFUSAL_HOST_NOT_LISTED, 0, 0},
    {"10.1.0.0/16", "10.2.0.0:80", REFUSAL_HOST_NOT_LISTED, 0, 0},
    {"10.1.2.3/16", "10.1.200.1:80", REFUSAL_NONE, 0, 0},
    {"10.1.0.0/16:5432", "10.1.0.1:5432", REFUSAL_NONE, 0, 0},
    {"10.1.0.0/16:5432", "10.1.0.1:443", REFUSAL_PORT_NOT_LISTED, 0, 0},
    {"[fd12:3456::/32]", "[fd12:3456:ffff::1]:443", REFUSAL_NONE, 0, 0},
    {"[fd12:3456::/32]", "[fd12:3457::]:443", REFUSAL_HOST_NOT_LISTED, 0, 0},
    {"raw:10.1.0.0/16:22", "10.1.0.1:22", REFUSAL_NONE, 1, 0},
    /* of what a network contains, some is never reached */
    {"192.0.0.0/8", "192.0.1.1:80", REFUSAL_NONE, 0, 0},
    {"192.0.0.0/8", "192.0.2.1:80", REFUSAL_ADDRESS, 0, 0},
    {"169.0.0.0/8", "169.254.169.254:80", REFUSAL_ADDRESS, 0, 0},
    {"100.64.0.0/10", "100.100.100.200:80", REFUSAL_ADDRESS, 0, 0},
    {"[fd00::/16]", "[fd00:ec2::254]:80", REFUSAL_ADDRESS, 0, 0},
    {"[2002::/16]", "[2002:7f00:1::]:80", REFUSAL_ADDRESS, 0, 0},
    {"[2002::/16]", "[2002:808:808::]:80", REFUSAL_NONE, 0, 0},
    {"private:example.org", "127.0.0.1:80", REFUSAL_HOST_NOT_LISTED, 0, 0},
};

static void targets_are_decided(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(target_rows); i++) {
        const struct net_address own[] = {parse_address("10.0.0.7"), parse_address("203.1.1.1")};
        const struct target target = parse_target(target_rows[i].target);
        struct allow_decision decision;
        struct allow_list list;

        fill(&list, target_rows[i].entries);
        decision = allow_decide(&list, &target, own, ARRAY_SIZE(own));
        if (decision.reason != target_rows[i].reason)
            fail_msg("%s with %s: %s", target_rows[i].target, target_rows[i].entries,
                     refusal_rows[decision.reason].id);
        if (decision.is_raw != target_rows[i].is_raw ||
            decision.may_be_private != target_rows[i].may_be_private)
            fail_msg("%s with %s: raw %d, private %d", target_rows[i].target,
                     target_rows[i].entries, decision.is_raw, decision.may_be_private);
        assert_int_equal(decision.entry != NULL,
                         decision.reason == REFUSAL_NONE || decision.reason == REFUSAL_ADDRESS);
        allow_free(&list);
    }
}

/* ---- by address ---- */

#define HOST "example.org "

static void addresses_are_decided(void **state)
{
    static const struct {
        const char *entries;
        const char *target;
        const char *address;
        bool is_open;
    } rows[] = {
        {HOST, "example.org:443", "8.8.8.8", true},
        {HOST, "example.org:443", "2606:4700::1111", true},
        {HOST, "example.org:443", "10.0.0.1", false},
        {HOST, "example.org:443", "fd12::1", false},
        {HOST, "example.org:443", "198.18.0.1", false},
        {HOST, "example.org:443", "203.1.1.1", false}, /* own and public */
        {HOST, "example.org:443", "10.0.0.7", false},  /* own and private */
        {HOST, "example.org:443", "127.0.0.1", false},
        {HOST, "example.org:443", "::1", false},
        {HOST, "example.org:443", "0.0.0.0", false},
        {HOST, "example.org:443", "169.254.169.254", false},
        {HOST, "example.org:443", "::ffff:10.0.0.1", false},
        {HOST, "example.org:443", "64:ff9b::10.0.0.1", false},
        {HOST, "example.org:443", "64:ff9b::8.8.8.8", true},
        /* --allow-private: private ranges, and nothing else (P-NET-12) */
        {"private:example.org", "example.org:443", "10.0.0.1", true},
        {"private:example.org", "example.org:443", "fd12::1", true},
        {"private:example.org", "example.org:443", "100.64.0.1", true},
        {"private:example.org", "example.org:443", "::ffff:10.0.0.1", true},
        {"private:example.org", "example.org:443", "10.0.0.7", true},
        {"private:example.org", "example.org:443", "203.1.1.1", false},
        {"private:example.org", "example.org:443", "198.18.0.1", false},
        {"private:example.org", "example.org:443", "127.0.0.1", false},
        {"private:example.org", "example.org:443", "169.254.169.254", false},
        {"private:example.org", "example.org:443", "169.254.1.1", false},
        {"private:example.org", "example.org:443", "100.100.100.200", false},
        {"private:example.org", "example.org:443", "fd00:ec2::254", false},
        {"private:example.org", "example.org:443", "192.0.2.1", false},
        {"private:example.org", "example.org:443", "0.0.0.0", false},
        {"private:example.org", "example.org:443", "224.0.0.1", false},
        {"private:example.org", "example.org:443", "fe80::1", false},
        {"private:example.org", "example.org:443", "64:ff9b::127.0.0.1", false},
        {HOST "private:a.example.org", "example.org:443", "10.0.0.1", false},
        {HOST "private:example.org:8080", "example.org:443", "10.0.0.1", false},
        /* a listed address or network lifts for its ports */
        {HOST "10.0.0.1", "example.org:443", "10.0.0.1", true},
        {HOST "10.0.0.1", "example.org:443", "10.0.0.2", false},
        {HOST "10.0.0.1:8080", "example.org:443", "10.0.0.1", false},
        {HOST "10.0.0.0/24", "example.org:443", "10.0.0.255", true},
        {HOST "10.0.0.0/24", "example.org:443", "10.0.1.0", false},
        {HOST "10.0.0.0/24", "example.org:443", "::ffff:10.0.0.1", false},
        {HOST "[fd12::/16]", "example.org:443", "fd12::1", true},
        {HOST "198.18.0.0/15", "example.org:443", "198.19.0.1", true},
        {HOST "203.1.1.1", "example.org:443", "203.1.1.1", true},
        {HOST "10.0.0.0/24", "example.org:443", "10.0.0.7", true},
        {HOST "100.64.0.0/10", "example.org:443", "100.100.100.200", false},
        {HOST "192.0.0.0/8", "example.org:443", "192.0.2.1", false},
        {HOST "[fd00::/16]", "example.org:443", "fd00:ec2::254", false},
        {"10.0.0.1", "10.0.0.1:443", "10.0.0.1", true},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct net_address own[] = {parse_address("10.0.0.7"), parse_address("203.1.1.1")};
        const struct target target = parse_target(rows[i].target);
        const struct net_address address = parse_address(rows[i].address);
        struct allow_decision decision;
        enum address_class class = ADDRESS_CLASS_COUNT;
        enum refusal_reason reason;
        struct allow_list list;

        fill(&list, rows[i].entries);
        decision = allow_decide(&list, &target, own, ARRAY_SIZE(own));
        assert_int_equal(decision.reason, REFUSAL_NONE);
        reason =
            allow_decide_address(&list, &target, &decision, &address, own, ARRAY_SIZE(own), &class);
        if (reason != (rows[i].is_open ? REFUSAL_NONE : REFUSAL_ADDRESS))
            fail_msg("%s with %s", rows[i].address, rows[i].entries);
        assert_int_equal(class, address_classify(&address, own, ARRAY_SIZE(own)));
        assert_int_equal(
            allow_decide_address(&list, &target, &decision, &address, own, ARRAY_SIZE(own), NULL),
            reason);
        allow_free(&list);
    }
}

/* ---- covering ---- */

static void entries_cover_entries(void **state)
{
    static const struct {
        const char *cover;
        const char *entry;
        bool covers;
    } rows[] = {
        {"example.org", "example.org", true},
        {"example.org", "a.example.org", true},
        {"example.org", "EXAMPLE.org.", true},
        {"a.example.org", "example.org", false},
        {"example.org", "evilexample.org", false},
        {"com", "com", true},
        {"com", "example.com", false},
        {"example.org", "com", false},
        {"example.org", "example.org:443", true},
        {"example.org", "example.org:80", true},
        {"example.org", "example.org:8080", false},
        {"example.org:443", "example.org", false},
        {"example.org:443", "example.org:443", true},
        {"example.org:8080", "a.example.org:8080", true},
        {"raw:example.org:443", "example.org:443", true},
        {"example.org", "raw:example.org:443", false},
        {"raw:example.org:22", "raw:a.example.org:22", true},
        {"example.org:22", "raw:example.org:22", false},
        {"example.org", "private:example.org", false},
        {"private:example.org", "example.org", true},
        {"private:example.org", "private:a.example.org", true},
        {"8.8.8.8", "8.8.8.8", true},
        {"8.8.8.8", "8.8.4.4", false},
        {"8.8.8.8", "8.8.8.8:443", true},
        {"8.8.8.8", "8.8.8.8:53", false},
        {"8.8.8.8", "[::ffff:8.8.8.8]", false},
        {"example.org", "8.8.8.8", false},
        {"8.8.8.8", "example.org", false},
        {"10.0.0.0/8", "10.1.0.0/16", true},
        {"10.1.0.0/16", "10.0.0.0/8", false},
        {"10.0.0.0/8", "10.0.0.0/8", true},
        {"10.0.0.0/8", "10.1.2.3", true},
        {"10.1.2.3", "10.1.2.3/32", true},
        {"10.1.2.3", "10.1.2.0/24", false},
        {"10.1.0.0/16", "10.2.0.0/16", false},
        {"[fd12::/16]", "[fd12:1::/32]", true},
        {"[fd12:1::/32]", "[fd12::/16]", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct allow_list cover;
        struct allow_list entry;

        fill(&cover, rows[i].cover);
        fill(&entry, rows[i].entry);
        if (allow_covers(&cover.v[0], &entry.v[0]) != rows[i].covers)
            fail_msg("%s over %s", rows[i].cover, rows[i].entry);
        allow_free(&cover);
        allow_free(&entry);
    }
}

/* What an entry permits is permitted by whatever covers it, whoever asks for what. */
static void covering_agrees_with_deciding(void **state)
{
    static const char *const entries[] = {
        "example.org",
        "a.example.org",
        "example.org:443",
        "example.org:22",
        "com",
        "raw:example.org:22",
        "private:example.org",
        "10.0.0.0/8",
        "10.1.0.0/16:22",
        "10.1.2.3",
        "raw:a.example.org:443",
        "[fd12::/16]",
        "[fd12::1]:22",
    };
    static const char *const targets[] = {
        "example.org:443",    "example.org:22", "a.example.org:443", "a.example.org:80",
        "b.a.example.org:22", "com:443",        "10.1.2.3:80",       "10.1.2.3:22",
        "10.9.9.9:443",       "[fd12::1]:22",   "[fd12::1]:443",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(entries) * ARRAY_SIZE(entries); i++) {
        struct allow_list cover;
        struct allow_list entry;

        fill(&cover, entries[i / ARRAY_SIZE(entries)]);
        fill(&entry, entries[i % ARRAY_SIZE(entries)]);
        for (size_t j = 0; j < ARRAY_SIZE(targets); j++) {
            const struct target target = parse_target(targets[j]);
            struct allow_decision narrow = allow_decide(&entry, &target, NULL, 0);
            struct allow_decision wide = allow_decide(&cover, &target, NULL, 0);

            if (!allow_covers(&cover.v[0], &entry.v[0]) || narrow.reason != REFUSAL_NONE)
                continue;
            assert_int_equal(wide.reason, REFUSAL_NONE);
            assert_true(wide.is_raw >= narrow.is_raw);
            assert_true(wide.may_be_private >= narrow.may_be_private);
        }
        allow_free(&cover);
        allow_free(&entry);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_read),
        cmocka_unit_test(entries_are_refused),
        cmocka_unit_test(entries_keep_their_words),
        cmocka_unit_test(targets_are_decided),
        cmocka_unit_test(addresses_are_decided),
        cmocka_unit_test(entries_cover_entries),
        cmocka_unit_test(covering_agrees_with_deciding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
