// SPDX-License-Identifier: GPL-3.0-only
/*
 * audit_facts: the first record of a run.
 *
 * What the record says was decided elsewhere; here it is only put together. Values of variables stay
 * out: the words of the command line are cleaned by the log, which is told the values that are known.
 */
#include "audit_facts.h"

#include "policy/hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Options of the settings table that open something of the host. */
static const enum setting_id doors[] = {
    SET_GPU,    SET_KVM,           SET_DISPLAY,      SET_X11,       SET_AUDIO,       SET_HOST_SHM,
    SET_DOCKER, SET_DOCKER_CONFIG, SET_SYSTEMD_USER, SET_TAILSCALE, SET_SSH,         SET_PICTURES,
    SET_GITHUB, SET_AWS,           SET_KUBE,         SET_GCLOUD,    SET_ALLOW_DEBUG,
};

static void add_capabilities(struct strv *names, const struct config *config)
{
    for (size_t i = 0; i < ARRAY_SIZE(doors); i++) {
        const struct setting *row = &settings[doors[i]];
        const char *word = row->type == TYPE_WORD ? config_word(config, row->id) : NULL;

        if (row->type == TYPE_BOOL ? config_flag(config, row->id)
                                   : word && !str_eq(word, row->twin_word))
            strv_pushf(names, "%s%s%s", row->flag, word ? "=" : "", word ? word : "");
    }
}

static void add_files(struct strv *files, const struct gathered *gathered)
{
    const struct gathered_file *const both[] = {&gathered->global, &gathered->project};

    for (size_t i = 0; i < ARRAY_SIZE(both); i++)
        if (both[i]->state == FILE_READ)
            strv_pushf(files, "%s%s", both[i]->path,
                       both[i]->why_untrusted ? " (not trusted)" : "");
}

static void add_refusals(struct strv *refused, const struct gathered *gathered)
{
    for (size_t i = 0; i < gathered->refusal_count; i++) {
        const struct refusal *refusal = &gathered->refusals[i];
        const struct setting *row = &settings[refusal->id];
        _cleanup_free_ char *where = config_describe_origin(&refusal->origin);

        strv_pushf(refused, "%s: %s%s%s: %s", where, row->key ? row->key : row->flag,
                   refusal->value ? " = " : "", refusal->value ? refusal->value : "", refusal->why);
    }
}

/* Every value that somebody gave to the jail: those of --env, of its files, and what is named like a
 * credential in the jail's environment. */
static void add_known(struct strv *known, const struct policy *policy)
{
    strv_push_all(known, config_list(policy->config, SET_ENV_PASS));
    strv_push_all(known, &policy->config->env_file);
    for (size_t i = 0; i < policy->env.n; i++)
        if (audit_is_secret_name(policy->env.v[i]))
            strv_push(known, policy->env.v[i]);
}

static struct audit_host *list_hosts(const struct allow_list *list)
{
    struct audit_host *hosts = xcalloc(list->n + 1, sizeof(*hosts));

    for (size_t i = 0; i < list->n; i++)
        hosts[i] = (struct audit_host){.entry = list->v[i].text, .origin = list->v[i].origin};
    return hosts;
}

static void write_start(struct audit *audit, const struct gathered *gathered,
                        const struct policy *policy, const struct strv *argv)
{
    struct strv capabilities CLEANUP(strv_free) = {0};
    struct strv files CLEANUP(strv_free) = {0};
    struct strv refused CLEANUP(strv_free) = {0};
    struct strv known CLEANUP(strv_free) = {0};
    _cleanup_free_ struct audit_host *hosts = list_hosts(&policy->hosts);

    add_capabilities(&capabilities, policy->config);
    add_files(&files, gathered);
    add_refusals(&refused, gathered);
    add_known(&known, policy);
    audit_start(audit, &(struct audit_start){
                           .argv = argv,
                           .command = &policy->argv,
                           .project = policy->project,
                           .mode = hosts_mode_name(policy->network),
                           .lockdown = policy->lockdown,
                           .capabilities = &capabilities,
                           .hosts = hosts,
                           .host_count = policy->hosts.n,
                           .files_read = &files,
                           .refused = &refused,
                           .known = &known,
                       });
}

struct audit *audit_facts_open(const struct gathered *gathered, const struct policy *policy,
                               char *const *argv, int count, struct notes *notes)
{
    struct strv words CLEANUP(strv_free) = {0};
    struct error error = {0};
    struct audit *audit;
    int r;

    if (!config_flag(policy->config, SET_AUDIT_LOG))
        return NULL;
    r = audit_open(&audit, host_getenv(policy->host, "XDG_DATA_HOME"), policy->host->home, &error);
    if (r < 0) {
        notes_add(notes, NOTE_WARNING, "%s", error.text);
        return NULL;
    }
    for (int i = 0; i < count; i++)
        strv_push(&words, argv[i]);
    write_start(audit, gathered, policy, &words);
    audit_take_fault(audit, notes);
    return audit;
}
