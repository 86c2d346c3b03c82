// SPDX-License-Identifier: GPL-3.0-only
/*
 * The network of a run: what layers that say on, off, hosts or nothing come to, which hosts are
 * added by themselves, and what a project that is not trusted can do about it.
 */
#include "policy/hosts.h"

#include "config/network.h"
#include "support/jail.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

/* What one layer says. */
enum said { UNSAID, ON, OFF };

struct layer {
    enum said network;
    const char *hosts;   /* separated by blanks; "private:" in front is allow_private */
    const char *narrows; /* the same, said by a project that is not trusted; NULL: it is another */
};

struct world {
    struct config config;
    enum network_mode mode;
    struct allow_list list;
    struct notes notes;
    struct error error;
    int result;
};

static void add_hosts(struct config *layer, const char *hosts)
{
    static const char private_prefix[] = "private:";
    char copy[512];
    char *rest = NULL;

    snprintf(copy, sizeof(copy), "%s", hosts ? hosts : "");
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (str_starts(word, private_prefix))
            config_add(layer, SET_ALLOW_PRIVATE, word + strlen(private_prefix));
        else
            config_add(layer, SET_ALLOW_HOSTS, word);
}

static void ignore(void *arg, size_t index)
{
    (void)arg;
    (void)index;
}

/* As gather() does it. */
static void merge(struct config *config, const struct layer *said, enum layer_kind kind)
{
    struct config layer CLEANUP(config_free);

    config_init(&layer, kind);
    layer.place.is_untrusted = said->narrows != NULL;
    layer.place.line = kind == LAYER_CLI ? 0 : 7;
    if (said->network != UNSAID)
        config_set_bool(&layer, SET_NETWORK, said->network == ON);
    add_hosts(&layer, said->narrows ? said->narrows : said->hosts);
    if (said->narrows) {
        network_narrow(&layer, config, ignore, NULL);
        layer.values[SET_ALLOW_HOSTS].origin.is_untrusted = true;
    }
    network_prepare_merge(config, &layer);
    config_merge(config, &layer);
}

static void decide(struct world *world, const struct layer *global, const struct layer *project,
                   const struct layer *cli, const char *agent, bool toolchains)
{
    *world = (struct world){0};
    config_builtin(&world->config);
    world->config.place.layer = LAYER_CLI;
    config_set_bool(&world->config, SET_TOOLCHAINS, toolchains);
    if (global)
        merge(&world->config, global, LAYER_GLOBAL);
    if (project)
        merge(&world->config, project, LAYER_PROJECT);
    if (cli)
        merge(&world->config, cli, LAYER_CLI);
    world->result = hosts_decide(&world->mode, &world->list, &world->config, agent, &world->notes,
                                 &world->error);
}

static void free_world(struct world *world)
{
    config_free(&world->config);
    allow_free(&world->list);
    notes_free(&world->notes);
}

/* "example.org private:x ..." of the entries whose origin is (not) automatic. */
static void list_entries(const struct world *world, bool automatic, char *text, size_t size)
{
    size_t at = 0;

    text[0] = '\0';
    for (size_t i = 0; i < world->list.n; i++) {
        const struct allow_entry *entry = &world->list.v[i];
        bool is_automatic = str_eq(entry->origin, "agent") || str_eq(entry->origin, "registry");

        if (is_automatic == automatic)
            at += (size_t)snprintf(text + at, size - at, "%s%s%s", at ? " " : "",
                                   entry->is_private ? "private:" : "", entry->text);
        assert_true(at < size);
    }
}

/* ---- the table ---- */

static void layers_come_to_one_network(void **state)
{
    static const struct {
        struct layer global;
        struct layer cli;
        enum network_mode mode;
        const char *said; /* entries that somebody said */
        bool has_automatic;
    } rows[] = {
        /* nothing said anywhere */
        {{UNSAID, NULL, NULL}, {UNSAID, NULL, NULL}, NETWORK_FILTERED, "", true},
        /* one layer */
        {{UNSAID, NULL, NULL}, {UNSAID, "a.test", NULL}, NETWORK_FILTERED, "a.test", true},
        {{UNSAID, NULL, NULL}, {ON, NULL, NULL}, NETWORK_FULL, "", false},
        {{UNSAID, NULL, NULL}, {OFF, NULL, NULL}, NETWORK_OFF, "", false},
        {{UNSAID, NULL, NULL}, {OFF, "a.test", NULL}, NETWORK_FILTERED, "a.test", false},
        {{UNSAID, NULL, NULL},
         {UNSAID, "private:a.test", NULL},
         NETWORK_FILTERED,
         "private:a.test",
         true},
        {{UNSAID, NULL, NULL},
         {OFF, "private:a.test", NULL},
         NETWORK_FILTERED,
         "private:a.test",
         false},
        /* over hosts */
        {{UNSAID, "g.test", NULL}, {UNSAID, NULL, NULL}, NETWORK_FILTERED, "g.test", true},
        {{UNSAID, "g.test", NULL},
         {UNSAID, "a.test", NULL},
         NETWORK_FILTERED,
         "g.test a.test",
         true},
        {{UNSAID, "g.test", NULL}, {ON, NULL, NULL}, NETWORK_FULL, "", false},
        {{UNSAID, "g.test", NULL}, {OFF, NULL, NULL}, NETWORK_OFF, "", false},
        {{UNSAID, "private:g.test", NULL}, {OFF, NULL, NULL}, NETWORK_OFF, "", false},
        {{UNSAID, "g.test", NULL}, {OFF, "a.test", NULL}, NETWORK_FILTERED, "a.test", false},
        {{UNSAID, "private:g.test", NULL},
         {OFF, "a.test", NULL},
         NETWORK_FILTERED,
         "a.test",
         false},
        /* over on */
        {{ON, NULL, NULL}, {UNSAID, NULL, NULL}, NETWORK_FULL, "", false},
        {{ON, NULL, NULL}, {UNSAID, "a.test", NULL}, NETWORK_FILTERED, "a.test", true},
        {{ON, NULL, NULL},
         {UNSAID, "private:a.test", NULL},
         NETWORK_FILTERED,
         "private:a.test",
         true},
        {{ON, NULL, NULL}, {OFF, NULL, NULL}, NETWORK_OFF, "", false},
        {{ON, NULL, NULL}, {OFF, "a.test", NULL}, NETWORK_FILTERED, "a.test", false},
        /* over off */
        {{OFF, NULL, NULL}, {UNSAID, NULL, NULL}, NETWORK_OFF, "", false},
        {{OFF, NULL, NULL}, {UNSAID, "a.test", NULL}, NETWORK_FILTERED, "a.test", false},
        {{OFF, NULL, NULL}, {ON, NULL, NULL}, NETWORK_FULL, "", false},
        {{OFF, "g.test", NULL}, {UNSAID, NULL, NULL}, NETWORK_FILTERED, "g.test", false},
        {{OFF, "g.test", NULL}, {UNSAID, "a.test", NULL}, NETWORK_FILTERED, "g.test a.test", false},
        {{OFF, "g.test", NULL}, {OFF, NULL, NULL}, NETWORK_OFF, "", false},
        {{OFF, "g.test", NULL}, {ON, NULL, NULL}, NETWORK_FULL, "", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct world world;
        char text[4096];

        decide(&world, &rows[i].global, NULL, &rows[i].cli, NULL, true);
        assert_int_equal(world.result, 0);
        if (world.mode != rows[i].mode)
            fail_msg("row %zu: %s", i, hosts_mode_name(world.mode));
        list_entries(&world, false, text, sizeof(text));
        assert_string_equal(text, rows[i].said);
        list_entries(&world, true, text, sizeof(text));
        assert_int_equal(text[0] != '\0', rows[i].has_automatic);
        assert_int_equal(world.list.n > 0, world.mode == NETWORK_FILTERED);
        free_world(&world);
    }
}

static void a_trusted_empty_list_is_no_list(void **state)
{
    struct world world = {0};

    (void)state;
    config_builtin(&world.config);
    config_set_empty(&world.config, SET_ALLOW_HOSTS);
    assert_int_equal(
        hosts_decide(&world.mode, &world.list, &world.config, NULL, &world.notes, &world.error), 0);
    assert_int_equal(world.mode, NETWORK_FILTERED);
    free_world(&world);
}

/* ---- automatic hosts ---- */

#define CLAUDE "api.anthropic.com console.anthropic.com claude.com claude.ai"
#define CODEX  "api.openai.com auth.openai.com chatgpt.com"
#define GEMINI                                                                                     \
    "generativelanguage.googleapis.com oauth2.googleapis.com accounts.google.com "                 \
    "cloudcode-pa.googleapis.com"
#define REGISTRIES                                                                                 \
    "crates.io static.rust-lang.org registry.npmjs.org registry.yarnpkg.com pypi.org "             \
    "files.pythonhosted.org proxy.golang.org sum.golang.org repo1.maven.org "                      \
    "repo.maven.apache.org repo.clojars.org plugins.gradle.org plugins-artifacts.gradle.org "      \
    "repo.packagist.org rubygems.org nuget.org hex.pm pub.dev github.com codeload.github.com "     \
    "objects.githubusercontent.com release-assets.githubusercontent.com"

static void automatic_hosts_follow_the_command(void **state)
{
    static const struct {
        const char *agent;
        bool toolchains;
        enum network_mode mode;
        const char *hosts;
    } rows[] = {
        {"claude", true, NETWORK_FILTERED, CLAUDE " " REGISTRIES},
        {"claude", false, NETWORK_FILTERED, CLAUDE},
        {"codex", false, NETWORK_FILTERED, CODEX},
        {"gemini", false, NETWORK_FILTERED, GEMINI},
        {"grok", false, NETWORK_FILTERED, "api.x.ai"},
        {"Claude", false, NETWORK_OFF, ""},
        {"claude-code", false, NETWORK_OFF, ""},
        {"opencode", false, NETWORK_OFF, ""},
        {"bash", false, NETWORK_OFF, ""},
        {"bash", true, NETWORK_FILTERED, REGISTRIES},
        {NULL, true, NETWORK_FILTERED, REGISTRIES},
        {NULL, false, NETWORK_OFF, ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct world world;
        char text[4096];

        decide(&world, NULL, NULL, NULL, rows[i].agent, rows[i].toolchains);
        assert_int_equal(world.result, 0);
        assert_int_equal(world.mode, rows[i].mode);
        list_entries(&world, true, text, sizeof(text));
        assert_string_equal(text, rows[i].hosts);
        free_world(&world);
    }
}

static void entries_tell_who_said_them(void **state)
{
    static const struct layer global = {UNSAID, "g.test", NULL};
    static const struct layer cli = {UNSAID, "c.test", NULL};
    struct world world;

    (void)state;
    decide(&world, &global, NULL, &cli, "claude", true);
    assert_string_equal(world.list.v[0].origin, "~/.ai-jail:7");
    assert_string_equal(world.list.v[1].origin, "command line");
    assert_string_equal(world.list.v[2].origin, "agent");
    assert_string_equal(world.list.v[world.list.n - 1].origin, "registry");
    free_world(&world);
}

static unsigned count_notes(const struct notes *notes, const char *part)
{
    unsigned count = 0;

    for (size_t i = 0; i < notes->n; i++)
        count += notes->v[i].class == NOTE_WARNING && strstr(notes->v[i].text, part) != NULL;
    return count;
}

static void an_unreachable_service_is_named(void **state)
{
    static const struct {
        struct layer cli;
        const char *agent;
        bool warns;
    } rows[] = {
        {{UNSAID, NULL, NULL}, "claude", false},
        {{OFF, NULL, NULL}, "claude", true},
        {{OFF, NULL, NULL}, "bash", false},
        {{ON, NULL, NULL}, "claude", false},
        {{OFF, "a.test", NULL}, "claude", true},
        {{OFF, "api.anthropic.com", NULL}, "claude", false},
        {{OFF, "anthropic.com", NULL}, "claude", false},
        {{OFF, "api.anthropic.com:8080", NULL}, "claude", true},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct world world;

        decide(&world, NULL, NULL, &rows[i].cli, rows[i].agent, true);
        assert_int_equal(count_notes(&world.notes, "--allow-host api.anthropic.com"),
                         rows[i].warns);
        free_world(&world);
    }
}

static void opencode_is_told_about_its_server(void **state)
{
    static const struct {
        const char *words[3];
        const char *agent;
        enum network_mode mode;
        unsigned notes;
    } rows[] = {
        {{"opencode"}, "opencode", NETWORK_FILTERED, 1},
        {{"opencode", "run"}, "opencode", NETWORK_OFF, 1},
        {{"opencode", "run", "--standalone"}, "opencode", NETWORK_OFF, 0},
        {{"opencode"}, "opencode", NETWORK_FULL, 0},
        {{"opencode"}, NULL, NETWORK_OFF, 0},
        {{"claude"}, "claude", NETWORK_FILTERED, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct strv argv CLEANUP(strv_free) = {0};
        struct notes notes CLEANUP(notes_free) = {0};

        for (size_t j = 0; j < 3 && rows[i].words[j]; j++)
            strv_push(&argv, rows[i].words[j]);
        hosts_note_command(&argv, rows[i].agent, rows[i].mode, &notes);
        assert_int_equal(count_notes(&notes, "--standalone"), rows[i].notes);
    }
}

/* ---- a project that is not trusted ---- */

static const struct narrow_case {
    struct layer global;
    struct layer project;
    struct layer cli;
    enum network_mode mode;
    const char *said;
    const char *automatic;
} narrow_cases[] = {
    {{UNSAID, "g.test h.test", NULL},
     {UNSAID, NULL, "g.test"},
     {UNSAID, NULL, NULL},
     NETWORK_FILTERED,
     "g.test",
     ""},
    {{UNSAID, "g.test", NULL},
     {UNSAID, NULL, "a.g.test"},
     {UNSAID, NULL, NULL},
     NETWORK_FILTERED,
     "a.g.test",
     ""},
    {{UNSAID, "a.g.test", NULL},
     {UNSAID, NULL, "g.test"},
     {UNSAID, NULL, NULL},
     NETWORK_FILTERED,
     "a.g.test",
     ""},
    {{UNSAID, "g.test", NULL},
     {UNSAID, NULL, "evil.test"},
     {UNSAID, NULL, NULL},
     NETWORK_OFF,
     "",
     ""},
    {{UNSAID, "g.test", NULL}, {OFF, NULL, ""}, {UNSAID, NULL, NULL}, NETWORK_OFF, "", ""},
    /* what is narrowed stays so, whatever the command line adds */
    {{UNSAID, "g.test", NULL},
     {UNSAID, NULL, "evil.test"},
     {UNSAID, "c.test", NULL},
     NETWORK_FILTERED,
     "c.test",
     ""},
    {{UNSAID, "g.test h.test", NULL},
     {UNSAID, NULL, "g.test"},
     {UNSAID, "c.test", NULL},
     NETWORK_FILTERED,
     "g.test c.test",
     ""},
    /* automatic ones that an entry covers */
    {{UNSAID, "claude.ai g.test", NULL},
     {UNSAID, NULL, "claude.ai"},
     {UNSAID, NULL, NULL},
     NETWORK_FILTERED,
     "claude.ai",
     "claude.ai"},
    {{UNSAID, "github.com", NULL},
     {UNSAID, NULL, "github.com"},
     {UNSAID, NULL, NULL},
     NETWORK_FILTERED,
     "github.com",
     "github.com codeload.github.com"},
    {{UNSAID, "github.com", NULL},
     {UNSAID, NULL, "github.com:443"},
     {UNSAID, NULL, NULL},
     NETWORK_FILTERED,
     "github.com:443",
     ""},
    /* parts of what is allowed by itself, and nothing wider */
    {{UNSAID, NULL, NULL},
     {UNSAID, NULL, "api.anthropic.com:443 x.github.com evil.test claude.ai:22"},
     {UNSAID, NULL, NULL},
     NETWORK_FILTERED,
     "api.anthropic.com:443 x.github.com",
     ""},
    {{UNSAID, NULL, NULL},
     {UNSAID, NULL, "anthropic.com"},
     {UNSAID, NULL, NULL},
     NETWORK_FILTERED,
     "",
     "api.anthropic.com console.anthropic.com"},
    {{UNSAID, "g.test", NULL},
     {UNSAID, NULL, "g.test claude.ai"},
     {UNSAID, NULL, NULL},
     NETWORK_FILTERED,
     "g.test",
     "claude.ai"},
    {{UNSAID, NULL, NULL},
     {UNSAID, NULL, "raw:github.com:443 evil.test"},
     {UNSAID, NULL, NULL},
     NETWORK_OFF,
     "",
     ""},
    {{OFF, NULL, NULL}, {UNSAID, NULL, "claude.ai"}, {UNSAID, NULL, NULL}, NETWORK_OFF, "", ""},
    /* over on: exactly its hosts */
    {{ON, NULL, NULL},
     {UNSAID, NULL, "p.test"},
     {UNSAID, NULL, NULL},
     NETWORK_FILTERED,
     "p.test",
     ""},
    {{ON, NULL, NULL},
     {UNSAID, NULL, "claude.ai"},
     {UNSAID, NULL, NULL},
     NETWORK_FILTERED,
     "claude.ai",
     "claude.ai"},
    {{ON, NULL, NULL}, {UNSAID, NULL, "p.test"}, {ON, NULL, NULL}, NETWORK_FULL, "", ""},
};

static void an_untrusted_project_only_narrows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(narrow_cases); i++) {
        struct world world;
        char text[4096];

        decide(&world, &narrow_cases[i].global, &narrow_cases[i].project, &narrow_cases[i].cli,
               "claude", true);
        assert_int_equal(world.result, 0);
        if (world.mode != narrow_cases[i].mode)
            fail_msg("row %zu: %s", i, hosts_mode_name(world.mode));
        list_entries(&world, false, text, sizeof(text));
        assert_string_equal(text, narrow_cases[i].said);
        list_entries(&world, true, text, sizeof(text));
        assert_string_equal(text, narrow_cases[i].automatic);
        free_world(&world);
    }
}

/* The command of a project that is not trusted is an agent only if the host knows it as one. */
static void an_untrusted_command_is_no_agent_of_its_own(void **state)
{
    static const char tree[] = "f /usr/bin/claude 0755\n"
                               "f /usr/bin/ai-memory 0755\n"
                               "f /home/u/proj/claude 0755\n"
                               "f /home/u/proj/ai-memory 0755\n"
                               "f /home/u/proj/bin/codex 0755\n"
                               "l /opt/bin/gemini ../../home/u/proj/claude\n"
                               "f /opt/bin/grok 0755\n";
    static const char *const environ[] = {"PATH=/usr/bin:/opt/bin:/home/u/proj/bin", NULL};
    static const struct {
        const char *words; /* of the command */
        bool is_untrusted;
        const char *host; /* of the agent */
        bool is_agent;
    } rows[] = {
        {"claude", false, "api.anthropic.com", true},
        {"claude", true, "api.anthropic.com", true},
        {"/usr/bin/claude", false, "api.anthropic.com", true},
        {"/usr/bin/claude", true, "api.anthropic.com", false},
        {"./claude", false, "api.anthropic.com", true},
        {"./claude", true, "api.anthropic.com", false},
        {"codex", false, "api.openai.com", true},
        {"codex", true, "api.openai.com", false}, /* on PATH, in the project */
        {"gemini", false, "accounts.google.com", true},
        {"gemini", true, "accounts.google.com", false}, /* a link into the project */
        {"grok", true, "api.x.ai", true},
        {"ai-memory run claude", true, "api.anthropic.com", true},
        {"./ai-memory run claude", true, "api.anthropic.com", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct jail jail CLEANUP(jail_free);
        char copy[64];
        char *rest = NULL;
        bool found = false;

        jail_init(&jail, tree, environ);
        jail.planner.config.place = (struct origin){
            .layer = LAYER_PROJECT, .line = 1, .is_untrusted = rows[i].is_untrusted};
        snprintf(copy, sizeof(copy), "%s", rows[i].words);
        for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
            config_add(&jail.planner.config, SET_COMMAND, word);
            strv_push(&jail.args.command, word);
        }
        if (policy_build(&jail.policy, &jail.planner.config, &jail.planner.host, &jail.args.command,
                         &jail.planner.notes, &jail.error) < 0)
            fail_msg("%s", jail.error.text);
        for (size_t j = 0; j < jail.policy.hosts.n; j++)
            found |= str_eq(jail.policy.hosts.v[j].text, rows[i].host);
        if (found != rows[i].is_agent)
            fail_msg("%s, %s", rows[i].words, rows[i].is_untrusted ? "not trusted" : "trusted");
        /* The registries are no agent's. */
        assert_int_equal(jail.policy.network, NETWORK_FILTERED);
    }
}

/* ---- errors ---- */

static void a_bad_entry_is_named_with_its_place(void **state)
{
    static const struct {
        const char *hosts;
        bool is_global;
        const char *text;
    } rows[] = {
        {"good.test *.test", false, "--allow-host: *.test: no patterns"},
        {"good.test *.test", true, "~/.ai-jail:7: allow_hosts: *.test: no patterns"},
        {"private:*.test", false, "--allow-private: *.test: no patterns"},
        {"private:*.test", true, "~/.ai-jail:7: allow_private: *.test: no patterns"},
        {"127.0.0.1", false, "--allow-host: 127.0.0.1: the host's loopback"},
        {"10.0.0.0/7", false, "--allow-host: 10.0.0.0/7: the network is too wide"},
        {"raw:a.test", false, "--allow-host: raw:a.test: a raw entry needs its port"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct layer layer = {UNSAID, rows[i].hosts, NULL};
        struct world world;

        decide(&world, rows[i].is_global ? &layer : NULL, NULL, rows[i].is_global ? NULL : &layer,
               "claude", true);
        assert_int_equal(world.result, -EINVAL);
        if (!str_starts(world.error.text, rows[i].text))
            fail_msg("%s", world.error.text);
        free_world(&world);
    }
}

static void modes_have_names(void **state)
{
    (void)state;
    assert_string_equal(hosts_mode_name(NETWORK_OFF), "off");
    assert_string_equal(hosts_mode_name(NETWORK_FILTERED), "filtered");
    assert_string_equal(hosts_mode_name(NETWORK_FULL), "full");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_come_to_one_network),
        cmocka_unit_test(a_trusted_empty_list_is_no_list),
        cmocka_unit_test(automatic_hosts_follow_the_command),
        cmocka_unit_test(entries_tell_who_said_them),
        cmocka_unit_test(an_unreachable_service_is_named),
        cmocka_unit_test(opencode_is_told_about_its_server),
        cmocka_unit_test(an_untrusted_project_only_narrows),
        cmocka_unit_test(an_untrusted_command_is_no_agent_of_its_own),
        cmocka_unit_test(a_bad_entry_is_named_with_its_place),
        cmocka_unit_test(modes_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
