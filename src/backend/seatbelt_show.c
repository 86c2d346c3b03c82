// SPDX-License-Identifier: GPL-3.0-only
/*
 * seatbelt_show: --dry-run for macOS: the call, the profile, and what else a run would have.
 *
 * Values of variables are never shown, only names.
 */
#include "backend/json_network.h"
#include "backend/json_text.h"
#include "backend/seatbelt.h"
#include "base/log.h"
#include "policy/hosts.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define SHOW_MAX (64 * MIB)

#define PROFILE_WORD "<file:profile>"

/* Escaped line by line, for a terminal: line feeds of the profile are its own. */
static void append_lines(struct buf *out, const char *lines)
{
    while (*lines) {
        size_t len = strcspn(lines, "\n");

        if (len)
            buf_append_str(out, "  ");
        log_escape(out, lines, len);
        buf_append_byte(out, '\n');
        lines += len + (lines[len] == '\n');
    }
}

static void append_word(struct buf *out, const char *word)
{
    buf_append_byte(out, ' ');
    log_escape(out, word, strlen(word));
}

static void append_names(struct buf *out, const struct strv *env)
{
    for (size_t i = 0; i < env->n; i++) {
        buf_append_str(out, "  ");
        log_escape(out, env->v[i], strcspn(env->v[i], "="));
        buf_append_byte(out, '\n');
    }
}

static void append_hosts(struct buf *out, const struct policy *policy)
{
    buf_printf(out, "network\n  %s\n", hosts_mode_name(policy->network));
    for (size_t i = 0; i < policy->hosts.n; i++) {
        buf_append_str(out, "  ");
        log_escape(out, policy->hosts.v[i].text, strlen(policy->hosts.v[i].text));
        buf_append_str(out, " (");
        log_escape(out, policy->hosts.v[i].origin, strlen(policy->hosts.v[i].origin));
        buf_append_str(out, ")\n");
    }
}

/* Name and value, UINT64_MAX: not set. */
struct limit_row {
    const char *name;
    uint64_t value;
};

#define LIMIT_ROWS(limits_)                                                                        \
    {                                                                                              \
        {"nofile", (limits_)->nofile_hard}, {"core", (limits_)->core},                             \
        {                                                                                          \
            "fsize", (limits_)->fsize                                                              \
        }                                                                                          \
    }

static void append_limits(struct buf *out, const struct limits *limits)
{
    const struct limit_row rows[] = LIMIT_ROWS(limits);

    buf_append_str(out, "limits\n");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].value != UINT64_MAX)
            buf_printf(out, "  %s %llu\n", rows[i].name, (unsigned long long)rows[i].value);
}

char *seatbelt_text(const struct policy *policy, const struct seatbelt_facts *facts,
                    struct error *error)
{
    _cleanup_free_ char *profile = seatbelt_profile(policy, facts, error);
    struct buf out CLEANUP(buf_free);

    buf_init(&out, SHOW_MAX);
    if (!profile)
        return NULL;
    buf_append_str(&out, "command\n ");
    for (size_t i = 0; i < policy->argv.n; i++)
        append_word(&out, policy->argv.v[i]);
    buf_append_str(&out, "\nbackend\n  " SEATBELT_PROGRAM " -f '" PROFILE_WORD "' --");
    for (size_t i = 0; i < policy->argv.n; i++)
        append_word(&out, i || !policy->command.host_path ? policy->argv.v[i]
                                                          : policy->command.host_path);
    buf_append_str(&out, "\nprofile\n");
    append_lines(&out, profile);
    buf_append_str(&out, "environment\n");
    append_names(&out, &policy->env);
    append_hosts(&out, policy);
    append_limits(&out, &policy->limits);
    return buf_take_cstr(&out);
}

/* ---- JSON ---- */

static json_t *json_names(const struct strv *env)
{
    json_t *array = json_array();

    for (size_t i = 0; i < env->n; i++) {
        _cleanup_free_ char *name = xstrndup(env->v[i], strcspn(env->v[i], "="));

        json_array_append_new(array, json_text(name));
    }
    return array;
}

static json_t *json_call(const struct policy *policy)
{
    json_t *args = json_array();

    json_array_append_new(args, json_string("-f"));
    json_array_append_new(args, json_string(PROFILE_WORD));
    json_array_append_new(args, json_string("--"));
    for (size_t i = 0; i < policy->argv.n; i++)
        json_array_append_new(args, json_text(i || !policy->command.host_path
                                                  ? policy->argv.v[i]
                                                  : policy->command.host_path));
    return json_pack("{s:s, s:o}", "path", SEATBELT_PROGRAM, "args", args);
}

static json_t *json_limits(const struct limits *limits)
{
    const struct limit_row rows[] = LIMIT_ROWS(limits);
    json_t *object = json_object();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].value != UINT64_MAX)
            json_object_set_new(object, rows[i].name, json_integer((json_int_t)rows[i].value));
    return object;
}

/* The profile is checked to be UTF-8, and jansson escapes what is no ASCII: nothing in it acts on a
 * terminal, and a reader gets the very text. */
char *seatbelt_json(const struct policy *policy, const struct seatbelt_facts *facts,
                    struct error *error)
{
    _cleanup_free_ char *profile = seatbelt_profile(policy, facts, error);
    _cleanup_free_ char *text = NULL;
    json_t *root;

    if (!profile)
        return NULL;
    root = json_pack("{s:i, s:o, s:o, s:s, s:o, s:o, s:o}", "version", 1, "command",
                     json_texts(&policy->argv), "backend", json_call(policy), "profile", profile,
                     "environment", json_names(&policy->env), "network", json_network(policy),
                     "limits", json_limits(&policy->limits));
    text = root ? json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII) : NULL;
    json_decref(root);
    return text ? xasprintf("%s\n", text) : NULL;
}
