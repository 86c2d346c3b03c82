// SPDX-License-Identifier: GPL-3.0-only
/*
 * The generated files of /etc: where they stand and what they say (P-BW-10).
 */
#include "policy/system.h"
#include "support/planner.h"
#include "support/test.h"

#include <string.h>

#define STUB     "/run/systemd/resolve/stub-resolv.conf"
#define UPSTREAM "/run/systemd/resolve/resolv.conf"

static const char closed[] = "# The network is off in this jail: names do not resolve.\n"
                             "nameserver 127.0.0.1\n"
                             "options timeout:1 attempts:1\n";

/* A planner whose plan holds the base with the given network. */
static void init(struct planner *planner, const char *tree, enum network_mode network)
{
    planner_init(planner, tree, NULL);
    plan_free(&planner->plan);
    notes_free(&planner->notes);
    system_add(&planner->plan, &planner->host, network, &planner->notes);
    plan_finish(&planner->plan, planner->host.fs, &planner->notes);
}

static const struct plan_entry *find(const struct planner *planner, const char *dest)
{
    for (size_t i = 0; i < planner->plan.n; i++)
        if (planner->plan.v[i].kind == PLAN_DATA && str_eq(planner->plan.v[i].dest, dest))
            return &planner->plan.v[i];
    return NULL;
}

static unsigned count(const struct planner *planner, const char *label)
{
    unsigned n = 0;

    for (size_t i = 0; i < planner->plan.n; i++)
        n += planner->plan.v[i].kind == PLAN_DATA && str_eq(planner->plan.v[i].label, label);
    return n;
}

static void check_text(const struct planner *planner, const char *dest, const char *want)
{
    const struct plan_entry *entry = find(planner, dest);

    if (!entry)
        fail_msg("there is no file at %s", dest);
    assert_string_equal(entry->data, want);
    assert_int_equal(entry->mode, 0444);
    assert_true(entry->group == GROUP_GENERATED);
}

static void fixed_files(void **state)
{
    _cleanup_planner_ struct planner planner;

    (void)state;
    init(&planner, "f /etc/hostname 0644 0 secret\nf /etc/machine-id 0444 0 x\n", NETWORK_OFF);
    check_text(&planner, "/etc/hosts",
               "127.0.0.1 localhost ai-sandbox\n::1 localhost ai-sandbox\n");
    check_text(&planner, "/etc/hostname", "ai-sandbox\n");
    /* printf ai-jail0123456789abcdef0123456789abcdef | sha256sum | cut -c-32 */
    check_text(&planner, "/etc/machine-id", "695802cafcb86c755c7715b7c16a8be1\n");
    assert_int_equal(planner.notes.n, 0);
}

static void file_that_the_host_lacks_is_not_made(void **state)
{
    _cleanup_planner_ struct planner planner;

    (void)state;
    init(&planner, NULL, NETWORK_OFF);
    assert_null(find(&planner, "/etc/hostname"));
    assert_null(find(&planner, "/etc/machine-id"));
    assert_null(find(&planner, "/etc/resolv.conf"));
    assert_int_equal(planner.notes.n, 0);
}

/* ---- places ---- */

static void file_stands_at_the_end_of_the_links(void **state)
{
    static const struct {
        const char *tree;
        const char *dest;
        const char *second; /* NULL: one copy */
    } rows[] = {
        {"f /etc/resolv.conf 0644 0 x", "/etc/resolv.conf", NULL},
        {"l /etc/resolv.conf ..//run/nm/resolv.conf\nf /run/nm/resolv.conf 0644 0 x",
         "/run/nm/resolv.conf", NULL},
        {"l /etc/resolv.conf /run/nm/resolv.conf", "/run/nm/resolv.conf", NULL},
        {"l /etc/resolv.conf /tmp/x/resolv.conf", "/tmp/x/resolv.conf", NULL},
        {"l /etc/resolv.conf alt\nl /etc/alt ../run/nm/resolv.conf", "/run/nm/resolv.conf", NULL},
        {"l /etc/resolv.conf d/resolv.conf\nl /etc/d /run/nm", "/run/nm/resolv.conf", NULL},
        {"l /etc/resolv.conf alt\nl /etc/alt real\nf /etc/real 0644 0 x", "/etc/real", NULL},
        {"l /etc/resolv.conf /run/a/resolv.conf\nl /run/a/resolv.conf /run/b/resolv.conf\n"
         "f /run/b/resolv.conf 0644 0 x",
         "/run/b/resolv.conf", "/run/a/resolv.conf"},
        {"l /etc/resolv.conf /run/a/resolv.conf\nl /run/a/resolv.conf /etc/rc/resolv.conf\n"
         "f /etc/rc/resolv.conf 0644 0 x",
         "/etc/rc/resolv.conf", "/run/a/resolv.conf"},
        {"l /var/run /run\nl /etc/resolv.conf /var/run/nm/resolv.conf", "/run/nm/resolv.conf",
         NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_planner_ struct planner planner;

        init(&planner, rows[i].tree, NETWORK_OFF);
        check_text(&planner, rows[i].dest, closed);
        if (rows[i].second)
            check_text(&planner, rows[i].second, closed);
        assert_int_equal(count(&planner, "resolv.conf"), rows[i].second ? 2 : 1);
        if (planner.notes.n)
            fail_msg("%s: %s", rows[i].tree, planner.notes.v[0].text);
    }
}

static void link_that_leads_nowhere_else_gives_no_file(void **state)
{
    static const char *const trees[] = {
        "l /etc/resolv.conf /mnt/wsl/resolv.conf",
        "l /etc/resolv.conf none",
        "l /etc/resolv.conf resolv.conf",
        "l /etc/resolv.conf a\nl /etc/a b\nl /etc/b a",
        "l /etc/resolv.conf hosts/x",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
        _cleanup_planner_ struct planner planner;

        init(&planner, trees[i], NETWORK_OFF);
        assert_int_equal(count(&planner, "resolv.conf"), 0);
    }
}

/* ---- resolv.conf with the host's network ---- */

static void open_network_shows_the_hosts_file(void **state)
{
    static const struct {
        const char *name;
        const char *text;     /* of the host's file */
        const char *upstream; /* NULL: there is none */
        bool wants_upstream;
    } rows[] = {
        {"ordinary", "nameserver 192.168.1.1\\n", "nameserver 10.0.0.1\\n", false},
        {"stub", "# 127.0.0.53\\nnameserver 127.0.0.53\\n", "nameserver 10.0.0.1\\n", true},
        {"stub, tab", "nameserver\\t127.0.0.53 \\n", "nameserver 10.0.0.1\\n", true},
        {"other stub", "nameserver 127.0.0.1\\n", "nameserver 10.0.0.1\\n", false},
        {"longer", "nameserver 127.0.0.530\\n", "nameserver 10.0.0.1\\n", false},
        {"comment", "#nameserver 127.0.0.53\\n", "nameserver 10.0.0.1\\n", false},
        {"no upstream", "nameserver 127.0.0.53\\n", NULL, false},
        {"tailnet server", "nameserver 127.0.0.53\\n", "nameserver 100.100.100.100\\n", false},
        {"first of range", "nameserver 127.0.0.53\\n", "nameserver 100.64.0.1\\n", false},
        {"last of range", "nameserver 127.0.0.53\\n", "nameserver 100.127.255.1\\n", false},
        {"below range", "nameserver 127.0.0.53\\n", "nameserver 100.63.0.1\\n", true},
        {"above range", "nameserver 127.0.0.53\\n", "nameserver 100.128.0.1\\n", true},
        {"link local", "nameserver 127.0.0.53\\n", "nameserver 169.254.1.1\\n", false},
        {"not link local", "nameserver 127.0.0.53\\n", "nameserver 169.253.1.1\\n", true},
        {"private", "nameserver 127.0.0.53\\n", "nameserver 192.168.1.1\\n", true},
        {"search", "nameserver 127.0.0.53\\nsearch lan tail1.ts.net\\n", "nameserver 8.8.8.8\\n",
         false},
        {"upstream search", "nameserver 127.0.0.53\\n", "nameserver 8.8.8.8\\nsearch A.TS.NET.\\n",
         false},
        {"domain", "nameserver 127.0.0.53\\n", "nameserver 8.8.8.8\\ndomain ts.net\\n", false},
        {"similar domain", "nameserver 127.0.0.53\\n", "nameserver 8.8.8.8\\nsearch xts.net\\n",
         true},
        {"similar end", "nameserver 127.0.0.53\\n", "nameserver 8.8.8.8\\nsearch ts.net.org\\n",
         true},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_planner_ struct planner planner;
        _cleanup_free_ char *tree = NULL;
        _cleanup_free_ char *want = NULL;

        tree = xasprintf("l /etc/resolv.conf %s\nf " STUB " 0644 0 %s\n%s%s", STUB, rows[i].text,
                         rows[i].upstream ? "f " UPSTREAM " 0644 0 " : "",
                         rows[i].upstream ? rows[i].upstream : "");
        init(&planner, tree, NETWORK_FULL);
        want = fs_read_text(planner.host.fs, rows[i].wants_upstream ? UPSTREAM : STUB, 4096);
        if (!find(&planner, STUB) || strcmp(find(&planner, STUB)->data, want) != 0)
            fail_msg("%s: %s", rows[i].name,
                     find(&planner, STUB) ? find(&planner, STUB)->data : "");
    }
}

static void unreadable_file_is_not_replaced(void **state)
{
    static const char *const trees[] = {
        "f /etc/resolv.conf 0000 0 nameserver\\x201.1.1.1",
        "l /etc/resolv.conf /run/none",
        "p /etc/resolv.conf 0644 0",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
        _cleanup_planner_ struct planner planner;

        init(&planner, trees[i], NETWORK_FULL);
        assert_int_equal(count(&planner, "resolv.conf"), 0);
        assert_int_equal(planner_count_notes(&planner, NOTE_WARNING, "cannot be read"), 1);
    }
}

/* The host's resolvers are none of the jail's business without a network. */
static void closed_network_tells_nothing_of_the_host(void **state)
{
    _cleanup_planner_ struct planner planner;

    (void)state;
    init(&planner, "f /etc/resolv.conf 0644 0 nameserver 10.9.8.7\\nsearch corp.example\\n",
         NETWORK_OFF);
    for (size_t i = 0; i < planner.plan.n; i++)
        if (planner.plan.v[i].data) {
            assert_null(strstr(planner.plan.v[i].data, "10.9.8.7"));
            assert_null(strstr(planner.plan.v[i].data, "corp"));
        }
}

/* A person or a model that looks why no name resolves learns which of the two it is. */
static void closed_network_says_which_it_is(void **state)
{
    static const struct {
        enum network_mode network;
        const char *line;
    } rows[] = {
        {NETWORK_OFF, "# The network is off in this jail: names do not resolve.\n"},
        {NETWORK_FILTERED,
         "# The network of this jail is a proxy, which the environment names: names "
         "do not resolve.\n"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_planner_ struct planner planner;
        _cleanup_free_ char *want = xasprintf("%snameserver 127.0.0.1\n"
                                              "options timeout:1 attempts:1\n",
                                              rows[i].line);

        init(&planner, "f /etc/resolv.conf 0644 0 x", rows[i].network);
        check_text(&planner, "/etc/resolv.conf", want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_files),
        cmocka_unit_test(file_that_the_host_lacks_is_not_made),
        cmocka_unit_test(file_stands_at_the_end_of_the_links),
        cmocka_unit_test(link_that_leads_nowhere_else_gives_no_file),
        cmocka_unit_test(open_network_shows_the_hosts_file),
        cmocka_unit_test(unreadable_file_is_not_replaced),
        cmocka_unit_test(closed_network_tells_nothing_of_the_host),
        cmocka_unit_test(closed_network_says_which_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
