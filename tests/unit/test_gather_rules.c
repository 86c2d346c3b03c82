// SPDX-License-Identifier: GPL-3.0-only
/*
 * What layers mean together: network and hosts, the command line against the project, environment
 * files, and what this version cannot do.
 */
#include "config/network.h"
#include "support/gathering.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- network and hosts ---- */

struct network_case {
    const char *global;
    const char *table;
    const char *project;
    bool is_trusted;
    int typed; /* --network 1, --no-network 0, nothing -1 */
    bool is_on;
    const char *hosts;
    unsigned refused; /* lines about allow_hosts */
};

#define ON         "network = true\n"
#define OFF        "network = false\n"
#define HOSTS(...) "allow_hosts = [" __VA_ARGS__ "]\n"

static void check_network(const struct network_case *want)
{
    _cleanup_gathering_ struct gathering_test test;
    _cleanup_free_ char *global = xasprintf("%s[commands.tool]\n%s", want->global, want->table);
    _cleanup_free_ char *hosts = NULL;

    gathering_init(&test, &(struct gathering_case){global, want->project, want->is_trusted});
    gathering_command(&test, "tool");
    if (want->typed >= 0)
        config_set_bool(&test.args.cli, SET_NETWORK, want->typed);
    gathering_must_run(&test);
    hosts = strv_join(config_list(&test.gathered.config, SET_ALLOW_HOSTS), " ");
    if (config_flag(&test.gathered.config, SET_NETWORK) != want->is_on ||
        !str_eq(hosts, want->hosts))
        fail_msg("%s|%s|%s|%d: %s, '%s'", want->global, want->table, want->project, want->typed,
                 config_flag(&test.gathered.config, SET_NETWORK) ? "on" : "off", hosts);
    assert_int_equal(gathering_count(&test, NOTE_SECURITY, "allow_hosts"), want->refused);
}

static void networks_and_hosts_are_merged_as_one(void **state)
{
    static const struct network_case rows[] = {
        {"", "", "", false, -1, false, "", 0},
        {ON, "", "", false, -1, true, "", 0},
        {OFF, ON, "", false, -1, true, "", 0},
        {ON, OFF, "", false, -1, false, "", 0},
        /* hosts only: added; an "on" from below no longer counts */
        {HOSTS("'a.org'"), HOSTS("'b.org'"), "", false, -1, false, "a.org b.org", 0},
        {ON, HOSTS("'b.org'"), "", false, -1, false, "b.org", 0},
        /* on or off alone: hosts from below are gone */
        {HOSTS("'a.org'"), ON, "", false, -1, true, "", 0},
        {HOSTS("'a.org'"), OFF, "", false, -1, false, "", 0},
        {HOSTS("'a.org'"), OFF HOSTS("'b.org'"), "", false, -1, false, "b.org", 0},
        {HOSTS("'a.org'"), "", "", false, 1, true, "", 0},
        {HOSTS("'a.org'"), "", "", false, 0, false, "", 0},
        {ON, "", "", false, 0, false, "", 0},
        /* P-CFG-3: an empty list is none */
        {ON, HOSTS(), "", false, -1, true, "", 0},
        {ON, "", HOSTS(), false, -1, true, "", 0},
        {HOSTS("'a.org'"), "", HOSTS(), false, -1, false, "a.org", 0},
        {"", "", HOSTS(), false, -1, false, "", 0},
        /* a trusted project is a layer like the others */
        {"", "", ON, true, -1, true, "", 0},
        {"", "", ON, true, 0, false, "", 0},
        {HOSTS("'a.org'"), "", HOSTS("'b.org'"), true, -1, false, "a.org b.org", 0},
        /* an untrusted one only narrows */
        {"", "", ON, false, -1, false, "", 0},
        {ON, "", ON, false, -1, true, "", 0},
        {ON, "", OFF, false, -1, false, "", 0},
        {ON, "", OFF, false, 1, true, "", 0},
        {ON, "", HOSTS("'a.org'"), false, -1, false, "a.org", 0},
        /* it may be a part of what is allowed by itself: the policy decides */
        {"", "", HOSTS("'a.org'"), false, -1, false, "", 0},
        {OFF, "", HOSTS("'a.org'"), false, -1, false, "", 1},
        {HOSTS("'a.org', 'b.org'"), "", HOSTS("'b.org'"), false, -1, false, "b.org", 0},
        {HOSTS("'a.org'"), "", HOSTS("'b.org'"), false, -1, false, "", 0},
        {HOSTS("'a.org'"), "", HOSTS("'x.a.org', 'b.org'"), false, -1, false, "x.a.org", 0},
        {HOSTS("'x.a.org', 'c.org'"), "", HOSTS("'a.org'"), false, -1, false, "x.a.org", 0},
        {HOSTS("'a.org'"), "", ON HOSTS("'a.org'"), false, -1, false, "a.org", 0},
        {HOSTS("'a.org'"), "", OFF HOSTS("'a.org'"), false, -1, false, "a.org", 0},
        {HOSTS("'a.org'"), "", OFF, false, -1, false, "", 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_network(&rows[i]);
}

/* Whatever an untrusted project says, more than the baseline is never the result. */
static void no_project_widens_the_network(void **state)
{
    static const char *const texts[] = {
        "", ON, OFF, HOSTS(), HOSTS("'a.org'"), OFF HOSTS("'a.org'"), HOSTS("'b.org', 'x.a.org'"),
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts) * ARRAY_SIZE(texts); i++) {
        const char *below = texts[i % ARRAY_SIZE(texts)];
        const char *said = texts[i / ARRAY_SIZE(texts)];
        _cleanup_gathering_ struct gathering_test without;
        _cleanup_gathering_ struct gathering_test with;
        const struct strv *hosts;

        gathering_init(&without, &(struct gathering_case){below, NULL, false});
        gathering_init(&with, &(struct gathering_case){below, said, false});
        gathering_must_run(&without);
        gathering_must_run(&with);
        if (config_flag(&without.gathered.config, SET_NETWORK))
            continue;
        assert_false(config_flag(&with.gathered.config, SET_NETWORK));
        hosts = config_list(&with.gathered.config, SET_ALLOW_HOSTS);
        for (size_t j = 0; j < hosts->n; j++) {
            const struct strv *allowed = config_list(&without.gathered.config, SET_ALLOW_HOSTS);
            bool is_covered = false;

            for (size_t k = 0; k < allowed->n; k++)
                is_covered |= network_covers(allowed->v[k], hosts->v[j]);
            if (!is_covered)
                fail_msg("%s over %s allows %s", said, below, hosts->v[j]);
        }
    }
}

static void entries_cover_what_they_permit(void **state)
{
    static const struct {
        const char *wider;
        const char *entry;
        bool covers;
    } rows[] = {
        {"a.org", "a.org", true},
        {"a.org", "A.ORG", true},
        {"a.org", "x.a.org", true},
        {"a.org", "x.y.a.org", true},
        {"a.org", "xa.org", false},
        {"x.a.org", "a.org", false},
        {"a.org", "a.org:443", true},
        {"a.org", "a.org:80", true},
        {"a.org", "a.org:22", false},
        {"a.org:443", "a.org", false},
        {"a.org:22", "x.a.org:22", true},
        {"a.org:22", "x.a.org:23", false},
        {"host", "host", true},
        {"host", "x.host", false},
        {"raw:a.org:22", "a.org:22", true},
        {"a.org:22", "raw:a.org:22", false},
        {"raw:a.org:22", "raw:a.org:22", true},
        {"10.0.0.0/8", "10.0.0.1", true},
        {"10.0.0.0/8", "10.1.0.0/16:443", true},
        {"10.1.0.0/16", "10.0.0.0/8", false},
        {"10.0.0.0/8", "10.0.0.1:22", false},
        {"a.org", "a.org.", true},
        {"a.org.", "X.A.org", true},
        {"1.2.3.4", "1.2.3.4", true},
        {"3.4", "1.2.3.4", false},
        {"[::1]:1", "[::1]:2", false},
        {"", "a.org", false},
        {"org", "a.org", false},
        {".org", "a.org", false},
        {"a.org", "b.org:443\n", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (network_covers(rows[i].wider, rows[i].entry) != rows[i].covers)
            fail_msg("%s, %s", rows[i].wider, rows[i].entry);
}

static void on_and_hosts_in_one_layer_is_no_launch(void **state)
{
    static const struct {
        struct gathering_case with;
        const char *place; /* NULL: no contradiction */
    } rows[] = {
        {{ON HOSTS("'a.org'"), NULL, false}, "~/.ai-jail:1: network and ~/.ai-jail:2: allow_hosts"},
        {{"[commands.tool]\n" ON HOSTS("'a.org'"), NULL, false}, "[commands.tool]: network"},
        {{"", ON HOSTS("'a.org'"), false}, "./.ai-jail:1: network"},
        {{ON "allow_private = ['a.org']\n", NULL, false},
         "~/.ai-jail:1: network and ~/.ai-jail:2: allow_private"},
        {{"", ON HOSTS("'a.org'"), true}, "./.ai-jail:1: network"},
        {{ON HOSTS(), NULL, false}, NULL},
        {{ON, HOSTS("'a.org'"), true}, NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_gathering_ struct gathering_test test;
        int r;

        gathering_init(&test, &rows[i].with);
        gathering_command(&test, "tool");
        gathering_must_run(&test);
        r = gather_check_support(&test.gathered, &test.notes, &test.error);
        assert_int_equal(r, rows[i].place ? -EINVAL : 0);
        if (rows[i].place && !strstr(test.error.text, rows[i].place))
            fail_msg("%s", test.error.text);
    }
}

/* ---- the command line against the project ---- */

static void the_command_line_wins_and_says_so(void **state)
{
    _cleanup_gathering_ struct gathering_test test;

    (void)state;
    gathering_init(&test, &(struct gathering_case){
                              "inherit_env = true\nnetwork = true\nclipboard = \"copy\"\n",
                              "inherit_env = false\nnetwork = false\nclipboard = \"off\"\n"
                              "protect_git = true\nro_maps = [\".\"]\n",
                              false});
    config_set_bool(&test.args.cli, SET_INHERIT_ENV, true);
    config_set_bool(&test.args.cli, SET_NETWORK, true);
    config_set_bool(&test.args.cli, SET_PROTECT_GIT, true);
    config_set_word(&test.args.cli, SET_CLIPBOARD, "copy");
    config_add(&test.args.cli, SET_RW_MAPS, "./sub");
    gathering_must_run(&test);
    assert_true(config_flag(&test.gathered.config, SET_INHERIT_ENV));
    assert_true(config_flag(&test.gathered.config, SET_NETWORK));
    assert_string_equal(config_word(&test.gathered.config, SET_CLIPBOARD), "copy");
    assert_int_equal(config_list(&test.gathered.config, SET_RO_MAPS)->n, 0);
    assert_int_equal(gathering_count(&test, NOTE_INFO, "the command line wins"), 4);
    assert_int_equal(gathering_count(&test, NOTE_INFO, "./.ai-jail:1: inherit_env: "), 1);
    assert_int_equal(gathering_count(&test, NOTE_INFO, "./.ai-jail:2: network: "), 1);
    assert_int_equal(gathering_count(&test, NOTE_INFO, "./.ai-jail:3: clipboard: "), 1);
    assert_int_equal(gathering_count(&test, NOTE_INFO, "./.ai-jail:5: ro_maps: "), 1);
}

static void paths_of_the_command_line_are_made_absolute(void **state)
{
    _cleanup_gathering_ struct gathering_test test;
    _cleanup_free_ char *near = NULL;
    _cleanup_free_ char *far = NULL;
    _cleanup_free_ char *global = NULL;

    (void)state;
    gathering_init(&test, &(struct gathering_case){NULL, NULL, false});
    global = xasprintf("ro_maps = [\"%s/near\"]\n", test.project);
    gathering_write(&test, "home/.ai-jail", global, 0600);
    config_add(&test.args.cli, SET_RO_MAPS, "x/../near");
    config_add(&test.args.cli, SET_RO_MAPS, "~/far:../far");
    config_add(&test.args.cli, SET_MASK, "~/m");
    config_add(&test.args.cli, SET_MASK, "m");
    gathering_must_run(&test);
    near = xasprintf("%s/near", test.project);
    far = xasprintf("%s/far:%s/far", test.home, test.base);
    assert_int_equal(config_list(&test.gathered.config, SET_RO_MAPS)->n, 2);
    assert_string_equal(config_list(&test.gathered.config, SET_RO_MAPS)->v[0], near);
    assert_string_equal(config_list(&test.gathered.config, SET_RO_MAPS)->v[1], far);
    assert_string_equal(config_list(&test.gathered.config, SET_MASK)->v[1], "m");
}

/* What the user says, too, is the user's: it is not held to the project any longer. */
static void an_entry_of_both_is_the_users(void **state)
{
    _cleanup_gathering_ struct gathering_test test;
    const struct value *maps;

    (void)state;
    gathering_init(&test, &(struct gathering_case){NULL, "ro_maps = [\".\"]\n", false});
    config_add(&test.args.cli, SET_RO_MAPS, ".");
    gathering_must_run(&test);
    maps = &test.gathered.config.values[SET_RO_MAPS];
    assert_int_equal(maps->list.n, 1);
    assert_false(maps->origins[0].is_untrusted);
    assert_int_equal(maps->origins[0].layer, LAYER_CLI);
}

/* ---- environment files ---- */

static void environment_files_are_read_for_a_launch(void **state)
{
    static const enum verb verbs[] = {VERB_RUN, VERB_DRY_RUN, VERB_STATUS,
                                      VERB_WHY, VERB_INIT,    VERB_OVERLAY_LIST};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
        _cleanup_gathering_ struct gathering_test test;
        bool is_read = verbs[i] != VERB_INIT && verbs[i] != VERB_OVERLAY_LIST;

        gathering_init(&test,
                       &(struct gathering_case){"env_from_file = [\"~/one\"]\n", NULL, false});
        gathering_write(&test, "home/one", "A=1\nB=2\n", 0600);
        gathering_write(&test, "home/two", "A=3\n", 0600);
        config_add(&test.args.cli, SET_ENV_FROM_FILE, "~/two");
        test.args.verb = verbs[i];
        gathering_must_run(&test);
        assert_int_equal(test.gathered.config.env_file.n, is_read ? 3 : 0);
        if (is_read) {
            assert_string_equal(test.gathered.config.env_file.v[0], "A=1");
            assert_string_equal(test.gathered.config.env_file.v[2], "A=3");
        }
    }
}

static void a_bad_environment_file_ends_it_without_a_value(void **state)
{
    static const struct {
        const char *text;
        unsigned mode;
    } rows[] = {{"A=1\ncanary\n", 0600}, {"A=canary\n", 0640}, {NULL, 0}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_gathering_ struct gathering_test test;

        gathering_init(&test,
                       &(struct gathering_case){"env_from_file = [\"~/one\"]\n", NULL, false});
        gathering_write(&test, "home/one", rows[i].text, rows[i].mode);
        test.args.verb = VERB_RUN;
        assert_true(gathering_run(&test) < 0);
        assert_non_null(strstr(test.error.text, "~/.ai-jail:1: env_from_file: "));
        assert_non_null(strstr(test.error.text, "/home/one"));
        assert_null(strstr(test.error.text, "canary"));
    }
}

/* ---- what this version cannot do ---- */

struct support_case {
    const char *text;
    int result;
    const char *part; /* of the error or of the one line; NULL: nothing is said */
};

static const struct support_case support_cases[] = {
    {"", 0, NULL},
    {"browser_profile = \"hard\"\n", 0, NULL},
    {"browser_profile = \"survivable\"\n", 0, NULL},
    {"browser_profile = \"none\"\n", 0, NULL},
    /* P-CFG-17 */
    {"allow_tcp_ports = [8080]\n", -ENOTSUP, "allow_hosts = [\"HOST:PORT\"]"},
    {"allow_tcp_ports = []\n", 0, NULL},
    {"audit_log = true\n", 0, NULL},
    {"kvm = true\n", 0, NULL},
    {"macos_host_ipc = true\n", 0, "macos_host_ipc has no effect on Linux"},
    {"macos_host_ipc = false\n", 0, NULL},
    {"no_toolchains = false\n", 0, NULL},
    {"agent_state = true\n", 0, NULL},
    {"ssh = \"agent\"\n", 0, NULL},
    {"allow_hosts = [\"a.org\"]\n", 0, NULL},
    {"allow_hosts = []\n", 0, NULL},
    {"network = false\nallow_hosts = [\"a.org\"]\n", 0, NULL},
    {"forward_ports = [5432]\n", 0, NULL},
    {"claude_dir = \"~/x\"\n", 0, NULL},
    {"resize_redraw_key = \"ctrl-l\"\n", 0, NULL},
    {"resize_redraw_key = \"none\"\n", 0, NULL},
};

static void what_cannot_be_done_is_said(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(support_cases); i++) {
        const struct support_case *want = &support_cases[i];
        _cleanup_gathering_ struct gathering_test test;
        size_t lines = want->part && want->result == 0;
        const char *said;

        gathering_init(&test, &(struct gathering_case){want->text, NULL, false});
        gathering_must_run(&test);
        assert_int_equal(test.notes.n, 0);
        if (gather_check_support(&test.gathered, &test.notes, &test.error) != want->result)
            fail_msg("%s: %s", want->text, test.error.text);
        if (test.notes.n != lines)
            fail_msg("%s: %zu lines", want->text, test.notes.n);
        said = lines ? test.notes.v[0].text : test.error.text;
        if (want->part && !strstr(said, want->part))
            fail_msg("%s", said);
        assert_null(strstr(said, "canary"));
    }
}

/* What a project did not get is not asked for. */
static void a_refused_value_asks_for_nothing(void **state)
{
    _cleanup_gathering_ struct gathering_test test;
    size_t before;

    (void)state;
    gathering_init(&test, &(struct gathering_case){NULL,
                                                   "kvm = true\nssh = true\nno_docker = false\n"
                                                   "allow_tcp_ports = [1]\n"
                                                   "browser_profile = \"hard\"\n",
                                                   false});
    gathering_must_run(&test);
    before = test.notes.n;
    assert_int_equal(before, 5);
    assert_int_equal(gather_check_support(&test.gathered, &test.notes, &test.error), 0);
    assert_int_equal(test.notes.n, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_and_hosts_are_merged_as_one),
        cmocka_unit_test(no_project_widens_the_network),
        cmocka_unit_test(entries_cover_what_they_permit),
        cmocka_unit_test(on_and_hosts_in_one_layer_is_no_launch),
        cmocka_unit_test(the_command_line_wins_and_says_so),
        cmocka_unit_test(paths_of_the_command_line_are_made_absolute),
        cmocka_unit_test(an_entry_of_both_is_the_users),
        cmocka_unit_test(environment_files_are_read_for_a_launch),
        cmocka_unit_test(a_bad_environment_file_ends_it_without_a_value),
        cmocka_unit_test(what_cannot_be_done_is_said),
        cmocka_unit_test(a_refused_value_asks_for_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
