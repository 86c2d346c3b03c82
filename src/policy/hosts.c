// SPDX-License-Identifier: GPL-3.0-only
/*
 * hosts: which network a run has, and which hosts it may reach.
 *
 * The automatic hosts are what makes an agent work at once: where it talks to, where it logs in, and
 * where package managers fetch from. No telemetry is among them.
 */
#include "policy/hosts.h"

#include "policy/agents.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const registries[] = {
    "crates.io",
    "static.rust-lang.org",
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "pypi.org",
    "files.pythonhosted.org",
    "proxy.golang.org",
    "sum.golang.org",
    "repo1.maven.org",
    "repo.maven.apache.org",
    "repo.clojars.org",
    "plugins.gradle.org",
    "plugins-artifacts.gradle.org",
    "repo.packagist.org",
    "rubygems.org",
    "nuget.org",
    "hex.pm",
    "pub.dev",
    "github.com",
    "codeload.github.com",
    "objects.githubusercontent.com",
    "release-assets.githubusercontent.com",
};

/* ---- what an untrusted project leaves of them ---- */

/* The hosts that it said and nothing below permits; used[i]: automatic ones do, or it permits some. */
struct narrowing_list {
    struct allow_list list;
    bool *used;
};

/* True if one of the hosts that an untrusted project left open permits the entry. */
static bool is_left_open(const struct allow_list *list, const struct config *config,
                         struct narrowing_list *narrowing, const struct allow_entry *entry)
{
    const struct value *said = &config->values[SET_ALLOW_HOSTS];
    bool is_open = false;

    /* They stand first in list, in the order of the setting. */
    for (size_t i = 0; i < said->list.n; i++)
        is_open |= said->origins[i].is_untrusted && allow_covers(&list->v[i], entry);
    for (size_t i = 0; i < narrowing->list.n; i++)
        if (allow_covers(&narrowing->list.v[i], entry)) {
            narrowing->used[i] = true;
            is_open = true;
        }
    return is_open;
}

/* What the project said of a host that is allowed by itself. */
static void add_parts(struct allow_list *list, struct narrowing_list *narrowing,
                      const struct allow_entry *automatic)
{
    for (size_t i = 0; i < narrowing->list.n; i++) {
        const struct allow_entry *entry = &narrowing->list.v[i];

        if (narrowing->used[i] || !allow_covers(automatic, entry))
            continue;
        narrowing->used[i] = true;
        allow_add(list, entry->text, false, entry->origin, NULL);
    }
}

static void add_automatic(struct allow_list *list, const struct config *config,
                          struct narrowing_list *narrowing, const char *host, const char *origin)
{
    struct allow_list one CLEANUP(allow_free) = {0};
    int r = allow_add(&one, host, false, origin, NULL);

    assert(r == 0); /* the tables are ours */
    if (!config->hosts_are_narrowed || is_left_open(list, config, narrowing, &one.v[0]))
        allow_add(list, host, false, origin, NULL);
    else
        add_parts(list, narrowing, &one.v[0]);
}

static void read_narrowing(struct narrowing_list *narrowing, const struct config *config)
{
    narrowing->used = xcalloc(config->narrowing_count + 1, sizeof(bool));
    for (size_t i = 0; i < config->narrowing_count; i++) {
        _cleanup_free_ char *origin = config_describe_origin(&config->narrowing[i].origin);

        allow_add(&narrowing->list, config->narrowing[i].entry, false, origin, NULL);
    }
}

static void refuse_the_rest(const struct narrowing_list *narrowing, struct notes *notes)
{
    for (size_t i = 0; i < narrowing->list.n; i++)
        if (!narrowing->used[i])
            notes_add(notes, NOTE_SECURITY,
                      "%s: %s = \"%s\" is refused: a project file can only narrow the hosts that "
                      "are allowed anyway; it can be said in ~/.ai-jail or with --%s",
                      narrowing->list.v[i].origin, settings[SET_ALLOW_HOSTS].key,
                      narrowing->list.v[i].text, settings[SET_ALLOW_HOSTS].flag);
}

/* ---- automatic hosts ---- */

/* NULL behind the last one; none for what is no known agent, or NULL. */
static const char *const *hosts_of(const char *agent)
{
    static const char *const none[] = {NULL};
    const struct agent *known = agent ? agents_find(agent) : NULL;

    return known ? agents_hosts(known) : none;
}

static void add_automatic_hosts(struct allow_list *list, const struct config *config,
                                const char *agent, struct notes *notes)
{
    struct narrowing_list narrowing = {0};

    read_narrowing(&narrowing, config);
    for (const char *const *host = hosts_of(agent); *host; host++)
        add_automatic(list, config, &narrowing, *host, "agent");
    for (size_t i = 0; config_flag(config, SET_TOOLCHAINS) && i < ARRAY_SIZE(registries); i++)
        add_automatic(list, config, &narrowing, registries[i], "registry");
    refuse_the_rest(&narrowing, notes);
    allow_free(&narrowing.list);
    free(narrowing.used);
}

static int add_said_hosts(struct allow_list *list, const struct config *config, enum setting_id id,
                          struct error *error)
{
    const struct value *value = &config->values[id];

    for (size_t i = 0; i < value->list.n; i++) {
        _cleanup_free_ char *origin = config_describe_origin(&value->origins[i]);
        int r = allow_add(list, value->list.v[i], id == SET_ALLOW_PRIVATE, origin, error);

        if (r < 0) {
            _cleanup_free_ char *said = config_entry_spelling(config, id, i);

            error_wrap(error, "%s", said);
            return r;
        }
    }
    return 0;
}

/* An agent that cannot reach its own service does not work: said before it says so itself. */
static void warn_unreachable(const struct allow_list *list, const char *agent,
                             enum network_mode mode, struct notes *notes)
{
    const char *first = hosts_of(agent)[0];
    struct allow_entry wanted = {0};

    if (!first || mode == NETWORK_FULL)
        return;
    target_parse(&wanted.target, first, strlen(first));
    for (size_t i = 0; i < list->n; i++)
        if (allow_covers(&list->v[i], &wanted))
            return;
    notes_add(notes, NOTE_WARNING, "%s cannot reach its service: --%s %s would let it", agent,
              settings[SET_ALLOW_HOSTS].flag, first);
}

int hosts_decide(enum network_mode *mode, struct allow_list *list, const struct config *config,
                 const char *agent, struct notes *notes, struct error *error)
{
    bool is_said = config_is_set(config, SET_NETWORK);
    int r;

    *list = (struct allow_list){0};
    *mode = NETWORK_FULL;
    if (is_said && config_flag(config, SET_NETWORK))
        return 0;
    r = add_said_hosts(list, config, SET_ALLOW_HOSTS, error);
    if (r == 0)
        r = add_said_hosts(list, config, SET_ALLOW_PRIVATE, error);
    if (r < 0)
        return r;
    if (!is_said)
        add_automatic_hosts(list, config, agent, notes);
    *mode = list->n ? NETWORK_FILTERED : NETWORK_OFF;
    warn_unreachable(list, agent, *mode, notes);
    return 0;
}

void hosts_note_command(const struct strv *argv, const char *agent, enum network_mode mode,
                        struct notes *notes)
{
    if (!agent || !str_eq(agent, "opencode") || mode == NETWORK_FULL)
        return;
    for (size_t i = 0; i < argv->n; i++)
        if (str_eq(argv->v[i], "--standalone"))
            return;
    notes_add(
        notes, NOTE_WARNING,
        "opencode may look for a server that runs outside of the jail, which the network (%s) "
        "does not reach: opencode --standalone starts one of its own",
        hosts_mode_name(mode));
}

const char *hosts_mode_name(enum network_mode mode)
{
    static const char *const names[] = {
        [NETWORK_OFF] = "off", [NETWORK_FILTERED] = "filtered", [NETWORK_FULL] = "full"};

    return names[mode];
}
