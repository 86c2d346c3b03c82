// SPDX-License-Identifier: GPL-3.0-only
/*
 * environment: the command's environment, built once.
 *
 * The entries are pushed in the order of authority into one list in which the last entry of a name
 * decides (env_list): base set (env_host), the files of --env-from-file, --env, defaults for what is not
 * set yet. At the end the list is sorted, one entry per name kept, and what the network mode forbids
 * removed. Values are bytes; nothing here asks whether they are text. In lockdown the base is a fixed set,
 * and nothing that was asked for is added.
 *
 * PATH stays as the host has it: the launcher removes what is not a directory inside.
 */
#include "policy/environment.h"

#include "base/path.h"
#include "net/refusal.h"
#include "policy/env_host.h"
#include "policy/env_list.h"
#include "policy/env_names.h"
#include "policy/terminfo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TERM_FALLBACK "xterm-256color"

struct builder {
    const struct config *config;
    const struct host *host;
    enum network_mode network;
    struct plan *plan;
    struct notes *notes;
    bool is_fixed; /* lockdown: what was asked for is not there */
    struct strv list;
};

/* ---- lockdown ---- */

/* What a program needs to know about its user and terminal, and nothing that tells of the host. */
static void add_fixed(struct builder *builder, const struct strv *dirs)
{
    static const char *const names[] = {
        "COLORTERM", "LANG", "LC_ALL",       "LC_CTYPE",
        "LOGNAME",   "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION",
        "TZ",        "USER",
    };
    _cleanup_strv_ struct strv path = {0};
    _cleanup_free_ char *joined = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *value = host_getenv(builder->host, names[i]);

        if (value)
            env_list_set(&builder->list, names[i], value);
    }
    strv_split(&path,
               builder->host->macos.is_on
                   ? "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
                   : "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
               ':');
    /* Where the command was found comes last: it adds programs and replaces none. */
    for (size_t i = 0; dirs && i < dirs->n; i++)
        if (dirs->v[i][0] == '/' && !strchr(dirs->v[i], ':') && strv_find(&path, dirs->v[i]) < 0)
            strv_push(&path, dirs->v[i]);
    joined = strv_join(&path, ":");
    env_list_set(&builder->list, "PATH", joined);
    env_list_set(&builder->list, "HOME", builder->host->home_spelling);
}

/* ---- the base set ---- */

static void add_base(struct builder *builder)
{
    const struct env_host_wish wish = {
        .everything = config_flag(builder->config, SET_INHERIT_ENV),
        .proxies = builder->network == NETWORK_FULL,
    };

    env_host_copy(&builder->list, builder->host, &wish, builder->plan, builder->notes);
    if (wish.everything) {
        _cleanup_free_ char *spelling = config_spelling(builder->config, SET_INHERIT_ENV);

        notes_add(builder->notes, NOTE_SECURITY,
                  "%zu variables of the host are passed (%s), whatever they contain",
                  builder->list.n, spelling);
    }
    env_list_set(&builder->list, "HOME", builder->host->home_spelling);
}

/* ---- --env and --env-from-file ---- */

static void copy_named(struct builder *builder, const char *name)
{
    const char *value = host_getenv(builder->host, name);

    if (value)
        env_list_set(&builder->list, name, value);
    else
        strv_push(&builder->list, name);
}

static int add_passed(struct builder *builder, struct error *error)
{
    const struct strv *passed = config_list(builder->config, SET_ENV_PASS);

    for (size_t i = 0; i < passed->n; i++) {
        const char *entry = passed->v[i];

        if (env_list_name_len(entry) == 0) {
            _cleanup_free_ char *spelling = config_entry_spelling(builder->config, SET_ENV_PASS, i);

            return error_set(error, EINVAL, "%s: the name of an entry is empty", spelling);
        }
        if (strchr(entry, '='))
            strv_push(&builder->list, entry);
        else
            copy_named(builder, entry);
    }
    return 0;
}

/* One line for each --env NAME that decided and found nothing. */
static void note_absent(const struct builder *builder)
{
    const struct strv *passed = config_list(builder->config, SET_ENV_PASS);

    for (size_t i = 0; i < passed->n; i++) {
        bool is_last = true;

        for (size_t k = i + 1; k < passed->n && is_last; k++)
            is_last = !env_list_same_name(passed->v[i], passed->v[k]);
        if (is_last && !strchr(passed->v[i], '=') && !host_getenv(builder->host, passed->v[i])) {
            _cleanup_free_ char *spelling = config_entry_spelling(builder->config, SET_ENV_PASS, i);

            notes_add(builder->notes, NOTE_WARNING, "%s %s: the host has no such variable",
                      spelling, passed->v[i]);
        }
    }
}

/* What somebody wants beyond the base set. */
static int add_asked(struct builder *builder, const struct environment_parts *parts,
                     struct error *error)
{
    int r;

    strv_push_all(&builder->list, &parts->keys);
    strv_push_all(&builder->list, &parts->capabilities);
    strv_push_all(&builder->list, &builder->config->env_file);
    r = add_passed(builder, error);
    if (r == 0)
        note_absent(builder);
    return r;
}

static bool is_passed(const struct builder *builder, const char *name)
{
    return env_list_find(config_list(builder->config, SET_ENV_PASS), name) >= 0 ||
           env_list_find(&builder->config->env_file, name) >= 0;
}

/* What asked for a variable, for messages; malloc'ed. */
static char *passed_by(const struct builder *builder, const char *entry)
{
    ptrdiff_t index = env_list_find(config_list(builder->config, SET_ENV_PASS), entry);

    return index >= 0 ? config_entry_spelling(builder->config, SET_ENV_PASS, (size_t)index)
                      : xstrdup("--env-from-file");
}

/* ---- what depends on the whole ---- */

static void settle_term(struct builder *builder)
{
    const char *term = env_list_get(&builder->list, "TERM");

    /* "dumb" promises nothing, so it needs no entry either. */
    if (!term || strcmp(term, "dumb") == 0 || terminfo_show(builder->plan, builder->host, term))
        return;
    if (!builder->is_fixed && is_passed(builder, "TERM")) {
        notes_add(builder->notes, NOTE_VERBOSE, "the jail has no terminfo entry for %s", term);
        return;
    }
    notes_add(builder->notes, NOTE_VERBOSE,
              "TERM is " TERM_FALLBACK " inside: there is no terminfo entry for %s", term);
    env_list_set(&builder->list, "TERM", TERM_FALLBACK);
}

struct env_default {
    const char *name;
    const char *value;
    bool (*wanted)(const struct builder *builder, const char *argv0); /* NULL: always */
};

static bool is_plain_shell(const struct builder *builder, const char *argv0)
{
    const char *name = path_base(argv0);

    (void)builder;
    return strcmp(name, "bash") == 0 || strcmp(name, "sh") == 0;
}

static bool is_windows_terminal(const struct builder *builder, const char *argv0)
{
    (void)argv0;
    return host_getenv(builder->host, "WT_SESSION") != NULL;
}

/* Only one id is mapped: tar run by uid 0 would fail on every foreign owner. */
static bool is_root(const struct builder *builder, const char *argv0)
{
    (void)argv0;
    return builder->host->uid == 0 && !builder->host->macos.is_on;
}

static const struct env_default defaults[] = {
    {"AI_JAIL", "1", NULL},
    {"MISE_NOT_FOUND_AUTO_INSTALL", "false", NULL},
    {"PS1", "(jail) \\w \\$ ", is_plain_shell},
    {"TAR_OPTIONS", "--no-same-owner", is_root},
    {"TMPDIR", "/tmp", NULL},
    {"WT_SESSION", "00000000-0000-4000-8000-000000000000", is_windows_terminal},
    {"_ZO_DOCTOR", "0", NULL},
};

static void add_defaults(struct builder *builder, const char *argv0)
{
    if (builder->host->macos.is_on && !env_list_get(&builder->list, "TMPDIR"))
        env_list_set(&builder->list, "TMPDIR", builder->host->macos.tmp);
    for (size_t i = 0; i < ARRAY_SIZE(defaults); i++) {
        const struct env_default *row = &defaults[i];

        if (!env_list_get(&builder->list, row->name) &&
            (!row->wanted || row->wanted(builder, argv0)))
            env_list_set(&builder->list, row->name, row->value);
    }
    if (builder->host->macos.is_on)
        return;
    if (!env_list_get(&builder->list, "XDG_RUNTIME_DIR"))
        strv_pushf(&builder->list, "XDG_RUNTIME_DIR=/run/user/%u", builder->host->uid);
}

/* How programs find the jail's own proxy. With an empty exception list its loopback is reached
 * through it, too. */
static void force_proxies(struct builder *builder)
{
    static const char *const names[] = {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"};
    const struct host_macos *macos = &builder->host->macos;
    _cleanup_free_ char *url =
        macos->password
            ? xasprintf("http://" PROXY_USER ":%s@127.0.0.1:%u", macos->password, macos->port)
            : xasprintf("http://127.0.0.1:%u", macos->is_on ? macos->port : PROXY_PORT);

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        env_list_set(&builder->list, names[i], url);
    env_list_set(&builder->list, "no_proxy", "");
    env_list_set(&builder->list, "NO_PROXY", "");
    env_list_set(&builder->list, "NODE_USE_ENV_PROXY", "1");
}

/* Any other proxy is out of reach, whoever named it. */
static void remove_proxies(struct builder *builder)
{
    for (size_t i = 0; i < builder->list.n;) {
        const char *entry = builder->list.v[i];
        enum env_treatment treatment = env_treatment_of(entry, env_list_name_len(entry));
        _cleanup_free_ char *spelling = NULL;

        if (treatment != ENV_PROXY && treatment != ENV_PROXY_LIKE) {
            i++;
            continue;
        }
        spelling = passed_by(builder, entry);
        notes_add(builder->notes, NOTE_WARNING, "%s %.*s has no effect: %s", spelling,
                  (int)env_list_name_len(entry), entry,
                  builder->network == NETWORK_OFF ? "the network is off"
                                                  : "the jail has a proxy of its own");
        strv_remove(&builder->list, i);
    }
}

void environment_parts_free(struct environment_parts *parts)
{
    strv_free(&parts->keys);
    strv_free(&parts->capabilities);
    strv_free(&parts->defaults);
    strv_free(&parts->forced);
}

int environment_build(struct strv *env, const struct config *config, const struct host *host,
                      const struct environment_needs *needs, struct plan *plan, struct notes *notes,
                      struct error *error)
{
    static const struct environment_parts none;
    const struct environment_parts *parts = needs->parts ? needs->parts : &none;
    enum network_mode network = needs->network;
    struct builder builder = {
        .config = config,
        .host = host,
        .network = network,
        .plan = plan,
        .notes = notes,
        .is_fixed = needs->lockdown,
    };
    int r;

    if (needs->lockdown) {
        add_fixed(&builder, needs->command_dirs);
    } else {
        add_base(&builder);
        r = add_asked(&builder, parts, error);
        if (r < 0) {
            strv_free(&builder.list);
            return r;
        }
    }
    settle_term(&builder);
    env_list_add_absent(&builder.list, &parts->defaults);
    add_defaults(&builder, needs->argv0);
    env_list_settle(&builder.list);
    if (network != NETWORK_FULL)
        remove_proxies(&builder);
    if (network == NETWORK_FILTERED)
        force_proxies(&builder);
    strv_push_all(&builder.list, &parts->forced);
    env_list_settle(&builder.list);
    *env = builder.list;
    return 0;
}
