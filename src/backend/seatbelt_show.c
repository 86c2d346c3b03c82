// SPDX-License-Identifier: GPL-3.0-only
/*
 * seatbelt_show: --dry-run for macOS: the call, the profile, and what else a run would have.
 */
#include "backend/json_network.h"
#include "backend/json_text.h"
#include "backend/seatbelt.h"
#include "backend/show_parts.h"
#include "base/log.h"

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

/* A word of the call: the program by the path that was found. */
static const char *started_word(const struct policy *policy, size_t index)
{
    return index || !policy->command.host_path ? policy->argv.v[index] : policy->command.host_path;
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
    show_words(&out, &policy->argv);
    buf_append_str(&out, "\nbackend\n  " SEATBELT_PROGRAM " -f '" PROFILE_WORD "' --");
    for (size_t i = 0; i < policy->argv.n; i++) {
        buf_append_byte(&out, ' ');
        show_word(&out, started_word(policy, i));
    }
    buf_append_str(&out, "\nprofile\n");
    append_lines(&out, profile);
    buf_append_str(&out, "environment\n");
    show_environment(&out, &policy->env);
    show_network(&out, policy);
    buf_append_str(&out, "limits\n");
    show_limits(&out, &policy->limits);
    return buf_take_cstr(&out);
}

/* ---- JSON ---- */

static json_t *json_call(const struct policy *policy)
{
    json_t *args = json_array();

    json_array_append_new(args, json_string("-f"));
    json_array_append_new(args, json_string(PROFILE_WORD));
    json_array_append_new(args, json_string("--"));
    for (size_t i = 0; i < policy->argv.n; i++)
        json_array_append_new(args, json_text(started_word(policy, i)));
    return json_pack("{s:s, s:o}", "path", SEATBELT_PROGRAM, "args", args);
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
                     "environment", show_environment_json(&policy->env), "network",
                     json_network(policy), "limits", show_limits_json(&policy->limits));
    text = root ? json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII) : NULL;
    json_decref(root);
    return text ? xasprintf("%s\n", text) : NULL;
}
