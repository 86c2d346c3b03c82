// SPDX-License-Identifier: GPL-3.0-only
/*
 * launch_show: --dry-run, as text and as JSON.
 *
 * The text can be replayed: descriptors are shown by what they hold.
 */
#include "backend/launch.h"

#include "backend/json_network.h"
#include "backend/json_text.h"
#include "backend/landlock.h"
#include "backend/rules.h"
#include "backend/seccomp.h"
#include "backend/show_parts.h"
#include "base/log.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOW_MAX (64 * MIB)

/* What stands for a descriptor word. Static or in text. */
static const char *fd_label(const struct launch *launch, const char *word, char *text, size_t size)
{
    const struct launch_fd *fd = &launch->fds[strtoul(word + 1, NULL, 10)];

    switch (fd->kind) {
    case LAUNCH_FD_DATA:
        snprintf(text, size, "<data:%s>", fd->entry->label);
        return text;
    case LAUNCH_FD_BIND: /* played again, the real directory would be written */
        return fd->entry->kind == PLAN_OVERLAY ? "<overlay>" : fd->entry->source;
    case LAUNCH_FD_SECCOMP:
        return "<fd:seccomp>";
    default:
        return "<fd:info>";
    }
}

/* An option of the list, or of the replayable form: a bind by descriptor is shown by name. */
static const char *shown_word(const struct launch *launch, size_t index, char *text, size_t size)
{
    const char *word = launch->words.v[index];

    if (launch_is_fd_word(launch, index))
        return fd_label(launch, word, text, size);
    if (strcmp(word, "--bind-fd") == 0)
        return "--bind";
    if (strcmp(word, "--ro-bind-fd") == 0)
        return "--ro-bind";
    return word;
}

static bool is_modifier(const char *word)
{
    return strcmp(word, "--perms") == 0 || strcmp(word, "--size") == 0;
}

/* True if a new line begins here: at an option, unless a --perms or --size before it belongs to
 * it. */
static bool begins_group(const struct strv *words, size_t index)
{
    if (!str_starts(words->v[index], "--"))
        return false;
    return index < 2 || !is_modifier(words->v[index - 2]);
}

static void append_backend(struct buf *out, const struct launch *launch,
                           const struct policy *policy)
{
    show_word(out, policy->host->bwrap.path);
    for (size_t i = 0; i < launch->words.n; i++) {
        char text[128];

        buf_append_str(out, begins_group(&launch->words, i) ? " \\\n    " : " ");
        show_word(out, shown_word(launch, i, text, sizeof(text)));
    }
    buf_append_str(out, " \\\n    -- '<fd:launcher>'\n");
}

static void append_origin(struct buf *out, const char *origin)
{
    buf_append_str(out, "  (");
    log_escape(out, origin, strlen(origin));
    buf_append_str(out, ")\n");
}

/* Files of the jail's own that are kept equal to the host's. */
static void append_in_step(struct buf *out, const struct in_step *files)
{
    for (size_t i = 0; i < files->n; i++) {
        buf_printf(out, "  %2d %-10s ", GROUP_HOME_PARTS, "in-step");
        show_word(out, files->v[i].jail);
        buf_append_str(out, " <- ");
        show_word(out, files->v[i].host);
        buf_append_str(out, "  (" AGENTS_ORIGIN ")\n");
    }
}

static void append_mounts(struct buf *out, const struct plan *plan)
{
    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_entry *entry = &plan->v[i];

        buf_printf(out, "  %2d %-10s ", entry->group, plan_kind_name(entry->kind));
        show_word(out, entry->dest);
        if (entry->source && !str_eq(entry->source, entry->dest)) {
            buf_append_str(out, " <- ");
            show_word(out, entry->source);
        }
        if (entry->target) {
            buf_append_str(out, " -> ");
            show_word(out, entry->target);
        }
        if (entry->kind == PLAN_TMPFS)
            buf_printf(out, " %llu MiB", (unsigned long long)(entry->size_bytes / MIB));
        append_origin(out, entry->origin);
    }
}

/* What is covered when it appears or is replaced. Literals that the mounts show already are repeated:
 * the rule outlives them. */
static void append_late_masks(struct buf *out, const struct mask_rules *masks)
{
    if (mask_rules_literal_count(masks) + mask_rules_pattern_count(masks) == 0)
        buf_append_str(out, "  none\n");
    for (size_t i = 0; i < mask_rules_literal_count(masks); i++) {
        struct mask_literal literal = mask_rules_literal(masks, i);

        buf_printf(out, "  %-10s ", plan_kind_name(literal.kind));
        show_word(out, literal.path);
        append_origin(out, literal.origin);
    }
    for (size_t i = 0; i < mask_rules_pattern_count(masks); i++) {
        struct mask_pattern pattern = mask_rules_pattern(masks, i);

        buf_printf(out, "  %-10s ", plan_kind_name(pattern.kind));
        show_word(out, pattern.text);
        buf_append_str(out, " in ");
        show_word(out, pattern.root);
        append_origin(out, pattern.origin);
    }
}

static void append_rights(struct buf *out, uint64_t access)
{
    bool first = true;

    for (unsigned bit = 0; rules_right_name(bit); bit++) {
        if (!(access & (1ULL << bit)))
            continue;
        buf_printf(out, "%s%s", first ? "" : ",", rules_right_name(bit));
        first = false;
    }
}

/* Handled: nothing but what is allowed. */
static void append_tcp(struct buf *out, const struct orders *orders)
{
    buf_append_str(out, "  tcp bind none\n  tcp connect");
    for (uint32_t i = 0; i < orders->listen_count; i++)
        buf_printf(out, " %u", orders->listen[i]);
    buf_append_str(out, orders->listen_count ? "\n" : " none\n");
}

static void append_landlock(struct buf *out, const struct launch *launch,
                            const struct policy *policy)
{
    if (!(launch->orders.flags & ORDERS_LANDLOCK)) {
        buf_append_str(out, !policy->landlock                ? "  off\n"
                            : policy->host->landlock_abi > 0 ? "  abi 1: left out\n"
                                                             : "  not available in this kernel\n");
        return;
    }
    buf_printf(out, "  abi %d\n", policy->host->landlock_abi);
    for (size_t i = 0; i < launch->orders.rule_count; i++) {
        buf_append_str(out, "  ");
        show_word(out, launch->orders.rules[i].path);
        buf_append_str(out, " ");
        append_rights(out, launch->orders.rules[i].access);
        buf_append_str(out, "\n");
    }
    if (launch->orders.handled_net)
        append_tcp(out, &launch->orders);
    if (launch->orders.scoped & LL_SCOPE_ABSTRACT_UNIX)
        buf_append_str(out, "  scope abstract unix sockets\n");
    if (launch->orders.scoped & LL_SCOPE_SIGNAL)
        buf_append_str(out, "  scope signals\n");
}

char *launch_text(const struct launch *launch, const struct policy *policy)
{
    struct buf out CLEANUP(buf_free);

    buf_init(&out, SHOW_MAX);
    buf_append_str(&out, "command\n ");
    show_words(&out, &policy->argv);
    buf_append_str(&out, "\nbackend\n  ");
    append_backend(&out, launch, policy);
    buf_append_str(&out, "mounts\n");
    append_mounts(&out, &policy->plan);
    append_in_step(&out, &policy->in_step);
    buf_append_str(&out, "environment\n");
    show_environment(&out, &policy->env);
    show_network(&out, policy);
    buf_append_str(&out, "landlock\n");
    append_landlock(&out, launch, policy);
    if (launch->seccomp_program >= 0)
        buf_printf(&out, "seccomp\n  %s, %u rules\n", seccomp_arch(),
                   seccomp_rule_count((enum seccomp_program)launch->seccomp_program));
    else
        buf_append_str(&out, "seccomp\n  off\n");
    buf_append_str(&out, "limits\n");
    show_limits(&out, &policy->limits);
    buf_append_str(&out, "late masks\n");
    append_late_masks(&out, policy->masks);
    return buf_take_cstr(&out);
}

/* ---- JSON ---- */

static json_t *json_backend(const struct launch *launch, const struct policy *policy)
{
    json_t *args = json_array();

    for (size_t i = 0; i < launch->words.n; i++) {
        char text[128];

        json_array_append_new(args, json_text(shown_word(launch, i, text, sizeof(text))));
    }
    return json_pack("{s:o, s:o}", "path", json_text(policy->host->bwrap.path), "args", args);
}

static json_t *json_mounts(const struct plan *plan)
{
    json_t *array = json_array();

    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_entry *entry = &plan->v[i];
        const char *source = entry->source ? entry->source : entry->target;
        json_t *flags = json_array();

        if (entry->optional)
            json_array_append_new(flags, json_string("optional"));
        json_array_append_new(array,
                              json_pack("{s:i, s:s, s:o, s:o, s:o, s:o}", "group",
                                        (int)entry->group, "kind", plan_kind_name(entry->kind),
                                        "source", json_text(source), "dest", json_text(entry->dest),
                                        "origin", json_text(entry->origin), "flags", flags));
    }
    return array;
}

static json_t *json_tcp(const struct orders *orders)
{
    json_t *ports = json_array();

    for (uint32_t i = 0; i < orders->listen_count; i++)
        json_array_append_new(ports, json_integer(orders->listen[i]));
    return json_pack("{s:[], s:o}", "bind", "connect", ports);
}

static json_t *json_landlock(const struct launch *launch, const struct policy *policy)
{
    json_t *rules = json_array();
    json_t *scopes = json_array();
    json_t *landlock;

    for (size_t i = 0; i < launch->orders.rule_count; i++) {
        const struct orders_rule *rule = &launch->orders.rules[i];
        json_t *rights = json_array();

        for (unsigned bit = 0; rules_right_name(bit); bit++)
            if (rule->access & (1ULL << bit))
                json_array_append_new(rights, json_string(rules_right_name(bit)));
        json_array_append_new(
            rules, json_pack("{s:o, s:o}", "path", json_text(rule->path), "rights", rights));
    }
    if (launch->orders.scoped & LL_SCOPE_ABSTRACT_UNIX)
        json_array_append_new(scopes, json_string("abstract-unix"));
    if (launch->orders.scoped & LL_SCOPE_SIGNAL)
        json_array_append_new(scopes, json_string("signal"));
    landlock = json_pack("{s:i, s:o, s:o}", "abi",
                         launch->orders.flags & ORDERS_LANDLOCK ? policy->host->landlock_abi : 0,
                         "rules", rules, "scopes", scopes);
    if (launch->orders.handled_net)
        json_object_set_new(landlock, "tcp", json_tcp(&launch->orders));
    return landlock;
}

static json_t *json_seccomp(const struct launch *launch)
{
    if (launch->seccomp_program < 0)
        return json_null();
    return json_pack("{s:s, s:i}", "arch", seccomp_arch(), "rules",
                     (int)seccomp_rule_count((enum seccomp_program)launch->seccomp_program));
}

static json_t *json_late_masks(const struct mask_rules *masks)
{
    json_t *array = json_array();

    for (size_t i = 0; i < mask_rules_literal_count(masks); i++) {
        struct mask_literal literal = mask_rules_literal(masks, i);

        json_array_append_new(array,
                              json_pack("{s:o, s:s, s:o, s:b}", "path", json_text(literal.path),
                                        "kind", plan_kind_name(literal.kind), "origin",
                                        json_text(literal.origin), "exists", literal.is_there));
    }
    for (size_t i = 0; i < mask_rules_pattern_count(masks); i++) {
        struct mask_pattern pattern = mask_rules_pattern(masks, i);

        json_array_append_new(
            array, json_pack("{s:o, s:o, s:s, s:o}", "pattern", json_text(pattern.text), "root",
                             json_text(pattern.root), "kind", plan_kind_name(pattern.kind),
                             "origin", json_text(pattern.origin)));
    }
    return array;
}

static json_t *json_in_step(const struct in_step *files)
{
    json_t *array = json_array();

    for (size_t i = 0; i < files->n; i++)
        json_array_append_new(array, json_pack("{s:o, s:o}", "path", json_text(files->v[i].jail),
                                               "source", json_text(files->v[i].host)));
    return array;
}

char *launch_json(const struct launch *launch, const struct policy *policy)
{
    json_t *root = json_pack(
        "{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "version", 1, "command",
        json_texts(&policy->argv), "backend", json_backend(launch, policy), "mounts",
        json_mounts(&policy->plan), "environment", show_environment_json(&policy->env), "network",
        json_network(policy), "landlock", json_landlock(launch, policy), "seccomp",
        json_seccomp(launch), "limits", show_limits_json(&policy->limits), "late_masks",
        json_late_masks(policy->masks), "in_step", json_in_step(&policy->in_step));

    return json_document(root);
}
