// SPDX-License-Identifier: GPL-3.0-only
/*
 * agents: what each known agent brings into the jail, and what it does not.
 */
#include "policy/agents.h"

#include "policy/home.h"
#include "support/planner.h"
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define H PLANNER_HOME

struct world {
    struct planner planner;
    struct environment_parts parts;
    struct in_step in_step;
    struct error error;
    int result;
};

static void world_free(struct world *world)
{
    environment_parts_free(&world->parts);
    in_step_free(&world->in_step);
    planner_free(&world->planner);
}

#define _cleanup_world_ CLEANUP(world_free)

static const char *const keys[] = {
    "ANTHROPIC_API_KEY=a", "OPENAI_API_KEY=o",   "GEMINI_API_KEY=g", "GOOGLE_API_KEY=p",
    "XAI_API_KEY=x",       "MOONSHOT_API_KEY=m", "OTHER_API_KEY=t",  NULL,
};

static void init(struct world *world, const char *tree)
{
    *world = (struct world){0};
    planner_init(&world->planner, tree, keys);
}

static void add(struct world *world, const char *name)
{
    struct planner *planner = &world->planner;

    world->result = agents_add(&planner->plan, &world->parts, &world->in_step, agents_find(name),
                               &planner->config, &planner->host, PLANNER_PROJECT, &planner->notes,
                               &world->error);
}

/* One line for each entry, sorted by destination as they were added: "new rw /a = /source" ... */
static char *state_of(const struct world *world)
{
    _cleanup_strv_ struct strv lines = {0};
    const struct plan *plan = &world->planner.plan;

    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_entry *entry = &plan->v[i];

        if (!str_eq(entry->origin, AGENTS_ORIGIN))
            continue;
        strv_pushf(&lines, "%s%s %s%s%s", entry->is_new ? "new " : "",
                   entry->kind == PLAN_RW ? "rw" : "ro", entry->dest,
                   str_eq(entry->dest, entry->source) ? "" : " = ",
                   str_eq(entry->dest, entry->source) ? "" : entry->source);
    }
    for (size_t i = 0; i < world->in_step.n; i++)
        strv_pushf(&lines, "file %s%s%s", world->in_step.v[i].jail,
                   str_eq(world->in_step.v[i].jail, world->in_step.v[i].host) ? "" : " = ",
                   str_eq(world->in_step.v[i].jail, world->in_step.v[i].host)
                       ? ""
                       : world->in_step.v[i].host);
    return strv_join(&lines, "\n");
}

static void check_state(const struct world *world, const char *what, const char *want)
{
    _cleanup_free_ char *found = state_of(world);

    if (!str_eq(found, want))
        fail_msg("%s:\n--- wanted\n%s\n--- found\n%s", what, want, found);
}

static const struct row {
    const char *name;
    const char *absent;   /* the plan if nothing is there */
    const char *present;  /* if everything is */
    const char *keys;     /* joined by blanks */
    const char *defaults; /* the same */
    const char *host;     /* the first */
} rows[] = {
    {"claude", "new rw " H "/.claude\nnew rw " H "/.local/state/claude\nfile " H "/.claude.json",
     "rw " H "/.claude\nrw " H "/.local/state/claude\nfile " H "/.claude.json",
     "ANTHROPIC_API_KEY=a", "", "api.anthropic.com"},
    {"codex", "new rw " H "/.codex", "rw " H "/.codex", "OPENAI_API_KEY=o", "", "api.openai.com"},
    {"gemini", "new rw " H "/.gemini", "rw " H "/.gemini", "GEMINI_API_KEY=g GOOGLE_API_KEY=p",
     "GEMINI_SANDBOX=false", "generativelanguage.googleapis.com"},
    {"antigravity", "new rw " H "/.gemini", "rw " H "/.gemini", "GEMINI_API_KEY=g GOOGLE_API_KEY=p",
     "", NULL},
    {"grok", "new rw " H "/.grok", "rw " H "/.grok", "XAI_API_KEY=x", "", "api.x.ai"},
    {"opencode",
     "new rw " H "/.config/opencode\nnew rw " H "/.local/share/opencode\nnew rw " H
     "/.local/state/opencode",
     "rw " H "/.config/opencode\nrw " H "/.local/share/opencode\nrw " H "/.local/state/opencode",
     "", "", NULL},
    {"crush", "new rw " H "/.config/crush\nnew rw " H "/.local/share/crush",
     "rw " H "/.config/crush\nrw " H "/.local/share/crush\nrw " H "/.crush", "", "", NULL},
    {"kimi", "new rw " H "/.kimi", "rw " H "/.kimi\nrw " H "/.kimi-code", "MOONSHOT_API_KEY=m", "",
     NULL},
    {"kimi-cli", "new rw " H "/.kimi", "rw " H "/.kimi\nrw " H "/.kimi-code", "MOONSHOT_API_KEY=m",
     "", NULL},
    {"kimi-code", "new rw " H "/.kimi", "rw " H "/.kimi\nrw " H "/.kimi-code", "MOONSHOT_API_KEY=m",
     "", NULL},
    {"jcode", "new rw " H "/.jcode\nnew rw " H "/.config/jcode",
     "rw " H "/.jcode\nrw " H "/.config/jcode", "", "", NULL},
    {"pi", "new rw " H "/.pi", "rw " H "/.pi\nrw " H "/.pi-lens", "", "", NULL},
    {"aider", "new rw " H "/.aider", "rw " H "/.aider", "", "", NULL},
    {"soulforge", "new rw " H "/.soulforge", "rw " H "/.soulforge", "", "", NULL},
    {"omp", "new rw " H "/.omp", "rw " H "/.omp", "", "", NULL},
    {"prime-agent", "new rw " H "/.prime/agent", "rw " H "/.prime/agent", "", "", NULL},
    {"kiro-cli", "new rw " H "/.kiro\nnew rw " H "/.local/share/kiro-cli",
     "rw " H "/.kiro\nrw " H "/.local/share/kiro-cli", "", "", NULL},
    {"devin", "",
     "rw " H "/.config/devin\nrw " H "/.local/share/devin\nrw " H "/.local/share/devin/cli\nro " H
     "/.local/share/devin/cli/_versions",
     "", "", NULL},
};

static const char everything[] =
    "d " H "/.claude 0700 1000\nd " H "/.codex 0700 1000\nd " H "/.gemini 0700 1000\n"
    "d " H "/.grok 0700 1000\nd " H "/.config/opencode 0700 1000\n"
    "d " H "/.local/share/opencode 0700 1000\nd " H "/.local/state/opencode 0700 1000\n"
    "d " H "/.local/state/claude 0700 1000\nd " H "/.config/crush 0700 1000\n"
    "d " H "/.local/share/crush 0700 1000\nd " H "/.crush 0700 1000\nd " H "/.kimi 0700 1000\n"
    "d " H "/.kimi-code 0700 1000\nd " H "/.jcode 0700 1000\nd " H "/.config/jcode 0700 1000\n"
    "d " H "/.pi 0700 1000\nd " H "/.pi-lens 0700 1000\nd " H "/.aider 0700 1000\n"
    "d " H "/.soulforge 0700 1000\nd " H "/.omp 0700 1000\nd " H "/.prime/agent 0700 1000\n"
    "d " H "/.kiro 0700 1000\nd " H "/.local/share/kiro-cli 0700 1000\n"
    "d " H "/.config/devin 0700 1000\nd " H "/.local/share/devin/cli/_versions 0700 1000\n"
    "f " H "/.claude.json 0600 1000 {}\n";

/* Parents that a new directory is made in must be the user's own. */
static const char parents[] = "d " H "/.config 0700 1000\nd " H "/.local 0700 1000\n"
                              "d " H "/.local/share 0700 1000\nd " H "/.local/state 0700 1000\n";

static void check_words(const char *what, const struct strv *found, const char *want)
{
    _cleanup_free_ char *joined = strv_join(found, " ");

    if (!str_eq(joined, want))
        fail_msg("%s: %s instead of %s", what, joined, want);
}

static void every_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct row *row = &rows[i];
        _cleanup_world_ struct world absent, present, bare;

        init(&bare, NULL);
        add(&bare, row->name);
        check_state(&bare, row->name, row->absent);
        init(&absent, parents);
        add(&absent, row->name);
        check_state(&absent, row->name, row->absent);
        init(&present, parents);
        fakefs_add(present.planner.fakefs, everything);
        add(&present, row->name);
        check_state(&present, row->name, row->present);
        check_words(row->name, &present.parts.keys, row->keys);
        check_words(row->name, &present.parts.defaults, row->defaults);
        if (!str_eq(agents_hosts(agents_find(row->name))[0], row->host))
            fail_msg("%s: first host", row->name);
        if (planner_count_notes(&present.planner, NOTE_WARNING, AGENTS_ORIGIN))
            fail_msg("%s: %s", row->name, present.planner.notes.v[0].text);
    }
}

/* P-AGT-7: what merely looks like an agent is none. */
static void exact_names(void **state)
{
    static const char *const names[] = {"claude-code", "Claude", "claude ", "kimi-x", "bash",
                                        "./claude",    "",       "codexx",  "clau"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (agents_find(names[i]))
            fail_msg("%s is an agent", names[i]);
}

/* Without state and keys, but told what it needs in any jail. */
static void switched_off(void **state)
{
    static const enum setting_id ids[] = {SET_AGENT_STATE, SET_LOCKDOWN};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
        for (size_t j = 0; j < ARRAY_SIZE(rows); j++) {
            _cleanup_world_ struct world world;

            init(&world, everything);
            config_set_bool(&world.planner.config, ids[i], ids[i] == SET_LOCKDOWN);
            add(&world, rows[j].name);
            check_state(&world, rows[j].name, "");
            assert_int_equal(world.parts.keys.n, 0);
            check_words(rows[j].name, &world.parts.defaults, rows[j].defaults);
        }
}

static void no_agent(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    init(&world, everything);
    add(&world, "bash");
    check_state(&world, "bash", "");
    assert_int_equal(world.parts.keys.n + world.parts.defaults.n, 0);
}

/* --hide-dotdir, with and without the dot, takes an entry away by its first component. */
static void hidden(void **state)
{
    static const struct {
        const char *hide;
        const char *agent;
        const char *want;
    } cases[] = {
        {"claude", "claude", "rw " H "/.local/state/claude"},
        {".claude", "claude", "rw " H "/.local/state/claude"},
        {".local", "claude", "rw " H "/.claude\nfile " H "/.claude.json"},
        {".claud", "claude",
         "rw " H "/.claude\nrw " H "/.local/state/claude\nfile " H "/.claude.json"},
        {".config", "opencode", "rw " H "/.local/share/opencode\nrw " H "/.local/state/opencode"},
        {".local", "devin", "rw " H "/.config/devin"},
        {".kimi", "kimi", "rw " H "/.kimi-code"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        _cleanup_world_ struct world world;

        init(&world, everything);
        config_add(&world.planner.config, SET_HIDE_DOTDIRS, cases[i].hide);
        add(&world, cases[i].agent);
        check_state(&world, cases[i].hide, cases[i].want);
    }
}

/* P-AGT-4: what a name leads to decides. */
static void links(void **state)
{
    static const struct {
        const char *tree;
        const char *want; /* of .codex */
    } cases[] = {
        {"d /data/codex 0700 1000\nl " H "/.codex /data/codex", "rw " H "/.codex = /data/codex"},
        {"d /data/codex 0700 0\nl " H "/.codex /data/codex", ""},
        {"d " H "/proj/x 0700 1000\nl " H "/.codex proj/x", ""},
        {"d " H "/.ssh/x 0700 1000\nl " H "/.codex .ssh/x", ""},
        {"d " H "/.kimi 0700 1000\nl " H "/.codex .kimi", ""},
        {"d " H "/.config/gh 0700 1000\nl " H "/.codex .config/gh", ""},
        {"d " H "/.config/gh 0700 1000\nl " H "/.codex .config", ""},
        {"d /data/d/ssh 0700 1000\nd /data/d 0700 1000\nl " H "/.ssh /data/d/ssh\nl " H
         "/.codex /data/d",
         ""},
        {"l " H "/.codex .", ""},
        {"l " H "/.codex /", ""},
        {"l " H "/.codex nowhere", ""},
        {"l " H "/.codex .codex", ""},
        {"f " H "/.codex 0600 1000 x", ""},
        {"p " H "/.codex 0600 1000", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        _cleanup_world_ struct world world;

        init(&world, cases[i].tree);
        add(&world, "codex");
        check_state(&world, cases[i].tree, cases[i].want);
        assert_int_equal(
            planner_count_notes(&world.planner, NOTE_WARNING, H "/.codex is not shown"),
            cases[i].want[0] == '\0');
    }
}

static void new_directories(void **state)
{
    static const struct {
        const char *tree;
        const char *want; /* of jcode's second */
    } cases[] = {
        {NULL, "new rw " H "/.config/jcode"},
        {"d " H "/.config 0700 1000", "new rw " H "/.config/jcode"},
        {"d /dots/config 0700 1000\nl " H "/.config /dots/config",
         "new rw " H "/.config/jcode = /dots/config/jcode"},
        {"d " H "/.config 0755 0", NULL},
        {"f " H "/.config 0600 1000 x", NULL},
        {"d " H "/proj/c 0700 1000\nl " H "/.config proj/c", NULL},
        {"l " H "/.config nowhere", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        _cleanup_free_ char *want = xasprintf("new rw " H "/.jcode%s%s", cases[i].want ? "\n" : "",
                                              cases[i].want ? cases[i].want : "");
        _cleanup_world_ struct world world;

        init(&world, cases[i].tree);
        add(&world, "jcode");
        check_state(&world, cases[i].tree ? cases[i].tree : "empty", want);
        assert_int_equal(planner_count_notes(&world.planner, NOTE_WARNING, "/.config/jcode"),
                         cases[i].want == NULL);
    }
}

static void a_home_of_somebody_else(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    init(&world, "d " H " 0755 0\nd " H "/.claude 0700 1000");
    add(&world, "claude");
    check_state(&world, "claude", "rw " H "/.claude");
    assert_int_equal(planner_count_notes(&world.planner, NOTE_WARNING, AGENTS_ORIGIN), 2);
}

/* Secrets are shown to the agent whose they are, also where they are links. */
static void freed_secrets(void **state)
{
    _cleanup_world_ struct world world;
    struct plan_view view;

    (void)state;
    init(&world, "d /data/kimi 0700 1000\nl " H "/.kimi /data/kimi\nd " H "/.aws 0700 1000");
    home_add(&world.planner.plan, &world.planner.host, PLANNER_PROJECT, false,
             &world.planner.notes);
    add(&world, "kimi");
    check_state(&world, "kimi", "rw " H "/.kimi = /data/kimi");
    plan_finish(&world.planner.plan, world.planner.host.fs, &world.planner.notes);
    view = plan_look(&world.planner.plan, H "/.kimi/x");
    assert_string_equal(view.host_path, "/data/kimi/x");
    free(view.host_path);
}

/* A new directory below one that is shown without a private home is there when it is needed. */
static void new_below_a_bind(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    init(&world, parents);
    home_add(&world.planner.plan, &world.planner.host, PLANNER_PROJECT, false,
             &world.planner.notes);
    add(&world, "opencode");
    plan_finish(&world.planner.plan, world.planner.host.fs, &world.planner.notes);
    check_state(&world, "opencode", rows[5].absent);
    assert_int_equal(planner_count_notes(&world.planner, NOTE_WARNING, ""), 0);
}

static void state_files(void **state)
{
    static const struct {
        const char *tree;
        const char *want; /* host path, NULL: not kept in step */
    } cases[] = {
        {NULL, H "/.claude.json"},
        {"f " H "/.claude.json 0600 1000 {}", H "/.claude.json"},
        {"d /data 0755 1000\nf /data/c 0600 1000 {}\nl " H "/.claude.json /data/c", "/data/c"},
        {"d /data 0755 0\nf /data/c 0600 1000 {}\nl " H "/.claude.json /data/c", NULL},
        {"f " H "/.claude.json 0600 0 {}", NULL},
        {"f " H "/proj/c 0600 1000 {}\nl " H "/.claude.json proj/c", NULL},
        {"f " H "/.ssh/c 0600 1000 {}\nl " H "/.claude.json .ssh/c", NULL},
        {"l " H "/.claude.json nowhere", NULL},
        {"d " H "/.claude.json 0700 1000", NULL},
        {"p " H "/.claude.json 0600 1000", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        _cleanup_world_ struct world world;

        init(&world, cases[i].tree);
        add(&world, "claude");
        if (world.in_step.n != (cases[i].want != NULL) ||
            (cases[i].want && !str_eq(world.in_step.v[0].host, cases[i].want)))
            fail_msg("%s: %s", cases[i].tree, world.in_step.n ? world.in_step.v[0].host : "none");
        assert_int_equal(planner_count_notes(&world.planner, NOTE_WARNING, ".claude.json"),
                         cases[i].want == NULL);
    }
}

/* What a map shows, or a mask hides, is not the jail's own file. */
static void settled(void **state)
{
    static const char tree[] = "f " H "/.claude.json 0600 1000 {}";
    _cleanup_world_ struct world plain, mapped, masked;
    struct mask_rules *rules = NULL;
    struct planner *planner = &masked.planner;

    (void)state;
    init(&plain, tree);
    add(&plain, "claude");
    plan_finish(&plain.planner.plan, plain.planner.host.fs, &plain.planner.notes);
    agents_settle(&plain.in_step, &plain.planner.plan, NULL, &plain.planner.host);
    assert_int_equal(plain.in_step.n, 1);

    init(&mapped, tree);
    add(&mapped, "claude");
    plan_add_bind(&mapped.planner.plan, mapped.planner.host.fs, GROUP_MAPS_OUTSIDE, PLAN_RW,
                  H "/.claude.json", H "/.claude.json", "--rw-map");
    plan_finish(&mapped.planner.plan, mapped.planner.host.fs, &mapped.planner.notes);
    agents_settle(&mapped.in_step, &mapped.planner.plan, NULL, &mapped.planner.host);
    assert_int_equal(mapped.in_step.n, 0);

    init(&masked, tree);
    add(&masked, "claude");
    config_add(&planner->config, SET_MASK, H "/.claude.json");
    assert_int_equal(mask_rules_build(&rules, &planner->config, &planner->host, PLANNER_PROJECT,
                                      &planner->notes, &masked.error),
                     0);
    assert_int_equal(
        mask_rules_walk(rules, &planner->plan, &planner->host, &planner->notes, &masked.error), 0);
    plan_finish(&planner->plan, planner->host.fs, &planner->notes);
    agents_settle(&masked.in_step, &planner->plan, rules, &planner->host);
    assert_int_equal(masked.in_step.n, 0);
    mask_rules_free(rules);
}

static void own_directory(void **state)
{
    static const struct {
        const char *dir;
        int result;
    } cases[] = {
        {"/data/c", 0},          {H "/work", 0},          {"/data/link", 0},
        {"/data/none", -ENOENT}, {"/data/file", -EINVAL}, {H, -EINVAL},
        {"/", -EINVAL},          {"/home", -EINVAL},      {H "/proj/c", -EINVAL},
        {H "/proj", -EINVAL},    {"/data/in", -EINVAL},   {H "/.ssh", -EINVAL},
        {"/proc/x", -EINVAL},
    };
    static const char tree[] =
        "d /data/c 0700 1000\nd " H "/work 0700 1000\nl /data/link c\nf /data/file 0600 1000 x\n"
        "d " H "/proj/c 0700 1000\nl /data/in " H "/proj/c\nd " H "/.ssh 0700 1000\nd /proc/x\n"
        "d " H "/.claude 0700 1000\nf " H "/.claude.json 0600 1000 {}\n";

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        _cleanup_free_ char *variable = xasprintf("CLAUDE_CONFIG_DIR=%s", cases[i].dir);
        _cleanup_world_ struct world world, other;

        init(&world, tree);
        config_set_text(&world.planner.config, SET_CLAUDE_DIR, cases[i].dir);
        add(&world, "claude");
        if (world.result != cases[i].result)
            fail_msg("%s: %d %s", cases[i].dir, world.result, world.error.text);
        if (world.result < 0)
            assert_non_null(strstr(world.error.text, cases[i].dir));
        else {
            check_state(&world, cases[i].dir, "new rw " H "/.local/state/claude");
            check_words(cases[i].dir, &world.parts.defaults, variable);
            assert_true(plan_shows(&world.planner.plan, world.planner.host.fs, cases[i].dir));
        }
        /* It is nobody else's. */
        init(&other, tree);
        config_set_text(&other.planner.config, SET_CLAUDE_DIR, cases[i].dir);
        add(&other, "codex");
        assert_int_equal(other.result, 0);
        assert_int_equal(other.parts.defaults.n, 0);
    }
}

/* On the command line it was meant for this run; in a file it waits for the runs of claude. */
static void own_directory_of_nobody(void **state)
{
    static const struct {
        const char *command; /* NULL: no agent */
        enum layer_kind layer;
        bool agent_state;
        unsigned lines;
    } cases[] = {
        {"claude", LAYER_CLI, true, 0}, {"codex", LAYER_CLI, true, 1},
        {NULL, LAYER_CLI, true, 1},     {"claude", LAYER_CLI, false, 1},
        {NULL, LAYER_GLOBAL, true, 0},  {"codex", LAYER_GLOBAL, true, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        _cleanup_world_ struct world world;

        init(&world, "d /data/c 0700 1000\n");
        world.planner.config.place.layer = cases[i].layer;
        config_set_text(&world.planner.config, SET_CLAUDE_DIR, "/data/c");
        config_set_bool(&world.planner.config, SET_AGENT_STATE, cases[i].agent_state);
        add(&world, cases[i].command ? cases[i].command : "nobody");
        assert_int_equal(world.result, 0);
        assert_int_equal(
            planner_count_notes(&world.planner, NOTE_WARNING, "--claude-dir has no effect: "),
            cases[i].lines);
    }
}

static void devin(void **state)
{
    static const struct {
        const char *tree;
        const char *want;
    } cases[] = {
        {"d " H "/.config/devin 0700 1000", "rw " H "/.config/devin"},
        {"d " H "/.local/share/devin/cli 0700 1000", "ro " H "/.local/share/devin"},
        {"d " H "/.local/share/devin 0700 1000\nd /x/_versions 0700 1000\nl " H
         "/.local/share/devin/cli /x",
         "ro " H "/.local/share/devin"},
        {"d " H "/.local/share/devin/cli/v 0700 1000\nl " H "/.local/share/devin/cli/_versions v",
         "ro " H "/.local/share/devin"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        _cleanup_world_ struct world world;

        init(&world, cases[i].tree);
        add(&world, "devin");
        check_state(&world, cases[i].tree, cases[i].want);
        assert_int_equal(planner_count_notes(&world.planner, NOTE_WARNING, "start devin once"), 1);
        assert_int_equal(planner_count_notes(&world.planner, NOTE_WARNING, "is read-only"), i > 0);
    }
}

/* The base directories of XDG count where the jail is told of them: below HOME. */
static void devin_elsewhere(void **state)
{
    static const char *const environ[] = {"XDG_CONFIG_HOME=" H "/cfg/", "XDG_DATA_HOME=/srv/data",
                                          NULL};
    _cleanup_world_ struct world world = {0};

    (void)state;
    planner_init(&world.planner,
                 "d " H "/cfg/devin 0700 1000\nd /srv/data/devin 0700 1000\nd " H
                 "/.local/share/devin/cli/_versions 0700 1000",
                 environ);
    add(&world, "devin");
    check_state(&world, "devin",
                "rw " H "/cfg/devin\nrw " H "/.local/share/devin\nrw " H
                "/.local/share/devin/cli\nro " H "/.local/share/devin/cli/_versions");
}

static void hints(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    init(&world, NULL);
    add(&world, "codex");
    assert_int_equal(planner_count_notes(&world.planner, NOTE_INFO, "danger-full-access"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),       cmocka_unit_test(exact_names),
        cmocka_unit_test(switched_off),    cmocka_unit_test(no_agent),
        cmocka_unit_test(hidden),          cmocka_unit_test(links),
        cmocka_unit_test(new_directories), cmocka_unit_test(a_home_of_somebody_else),
        cmocka_unit_test(freed_secrets),   cmocka_unit_test(new_below_a_bind),
        cmocka_unit_test(state_files),     cmocka_unit_test(settled),
        cmocka_unit_test(own_directory),   cmocka_unit_test(own_directory_of_nobody),
        cmocka_unit_test(devin),           cmocka_unit_test(devin_elsewhere),
        cmocka_unit_test(hints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
