// SPDX-License-Identifier: GPL-3.0-only
/*
 * show_parts: see show_parts.h.
 */
#include "backend/show_parts.h"

#include "backend/json_text.h"
#include "base/log.h"
#include "base/shell_word.h"
#include "policy/hosts.h"

#include <stdlib.h>
#include <string.h>

static bool is_printable(const char *word)
{
    for (const unsigned char *at = (const unsigned char *)word; *at; at++)
        if (*at < 0x20 || *at >= 0x7F)
            return false;
    return true;
}

void show_word(struct buf *out, const char *word)
{
    if (is_printable(word)) {
        shell_word_append(out, word);
        return;
    }
    buf_append_str(out, "$'");
    for (const unsigned char *at = (const unsigned char *)word; *at; at++)
        if (*at < 0x20 || *at >= 0x7F)
            buf_printf(out, "\\x%02X", *at);
        else if (*at == '\'' || *at == '\\')
            buf_printf(out, "\\%c", *at);
        else
            buf_append_byte(out, *at);
    buf_append_byte(out, '\'');
}

void show_words(struct buf *out, const struct strv *words)
{
    for (size_t i = 0; i < words->n; i++) {
        buf_append_byte(out, ' ');
        show_word(out, words->v[i]);
    }
}

static char *variable_name(const char *entry)
{
    return xstrndup(entry, strcspn(entry, "="));
}

void show_environment(struct buf *out, const struct strv *env)
{
    for (size_t i = 0; i < env->n; i++) {
        _cleanup_free_ char *name = variable_name(env->v[i]);

        buf_append_str(out, "  ");
        show_word(out, name);
        buf_append_byte(out, '\n');
    }
}

void show_limits(struct buf *out, const struct limits *limits)
{
    if (limits->nproc == UINT64_MAX && limits->nofile_hard == UINT64_MAX)
        buf_append_str(out, "  off\n");
    if (limits->nproc != UINT64_MAX)
        buf_printf(out, "  nproc %llu\n", (unsigned long long)limits->nproc);
    if (limits->nofile_hard != UINT64_MAX)
        buf_printf(out, "  nofile %llu\n", (unsigned long long)limits->nofile_hard);
    if (limits->core != UINT64_MAX)
        buf_printf(out, "  core %llu\n", (unsigned long long)limits->core);
    if (limits->fsize != UINT64_MAX)
        buf_printf(out, "  fsize %llu\n", (unsigned long long)limits->fsize);
}

static void append_ports(struct buf *out, const struct policy *policy)
{
    for (size_t i = 0; i < policy->forward.n; i++)
        buf_printf(out, "  port %u of this machine is port %u of the jail\n",
                   policy->forward.v[i].host, policy->forward.v[i].jail);
    for (size_t i = 0; i < policy->publish.n; i++) {
        const struct port_pair *pair = &policy->publish.v[i];

        if (pair->host)
            buf_printf(out, "  port %u of the jail is port %u of this machine\n", pair->jail,
                       pair->host);
        else
            buf_printf(out, "  port %u of the jail is a free port of this machine\n", pair->jail);
    }
}

void show_network(struct buf *out, const struct policy *policy)
{
    _cleanup_free_ char *through = parents_describe(&policy->parents);

    buf_printf(out, "network\n  %s\n", hosts_mode_name(policy->network));
    if (through)
        buf_printf(out, "  %s\n", through);
    for (size_t i = 0; i < policy->hosts.n; i++) {
        buf_append_str(out, "  ");
        log_escape(out, policy->hosts.v[i].text, strlen(policy->hosts.v[i].text));
        buf_append_str(out, " (");
        log_escape(out, policy->hosts.v[i].origin, strlen(policy->hosts.v[i].origin));
        buf_append_str(out, ")\n");
    }
    append_ports(out, policy);
    for (size_t i = 0; i < policy->credentials.n; i++)
        for (size_t k = 0; k < policy->credentials.v[i].hosts.n; k++)
            buf_printf(out, "  %s is a placeholder inside; its value goes to %s alone, by TLS\n",
                       policy->credentials.v[i].key, policy->credentials.v[i].hosts.v[k]);
}

/* ---- JSON ---- */

json_t *show_environment_json(const struct strv *env)
{
    json_t *array = json_array();

    for (size_t i = 0; i < env->n; i++) {
        _cleanup_free_ char *name = variable_name(env->v[i]);

        json_array_append_new(array, json_text(name));
    }
    return array;
}

json_t *show_limits_json(const struct limits *limits)
{
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
        {"nproc", limits->nproc},
        {"nofile", limits->nofile_hard},
        {"core", limits->core},
        {"fsize", limits->fsize},
    };
    json_t *object = json_object();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].value != UINT64_MAX)
            json_object_set_new(object, rows[i].name, json_integer((json_int_t)rows[i].value));
    return object;
}
