// SPDX-License-Identifier: GPL-3.0-only
/*
 * phantom: credentials that the command has placeholders of.
 *
 * Every entry is checked before anything is made: what cannot be kept is no reason to hand the value
 * to the command instead. A value is where environment_build() would take it from: the last one of
 * --env, else of the files of --env-from-file, else of the agent's own keys.
 */
#include "policy/phantom.h"

#include "base/vault.h"
#include "policy/env_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HTTPS_PORT 443

/* Clients that are told by a variable where their server is. */
static const struct base_url {
    const char *key;
    const char *host;
    const char *entry;
} base_urls[] = {
    {"ANTHROPIC_API_KEY", "api.anthropic.com", "ANTHROPIC_BASE_URL=http://api.anthropic.com"},
    {"OPENAI_API_KEY", "api.openai.com", "OPENAI_BASE_URL=http://api.openai.com/v1"},
};

/* One entry of the setting. */
struct wish {
    const char *text;
    char *spelling; /* where it was said; the two are owned */
    char *key;
    struct target target;
};

static void wish_free(struct wish *wish)
{
    free(wish->spelling);
    free(wish->key);
}

/* ---- the entry ---- */

static bool is_variable_name(const char *name)
{
    static const char bytes[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

    return strspn(name, bytes + 10) > 0 && name[strspn(name, bytes)] == '\0';
}

/* The list is asked as the proxy will be: for the port that the value goes to. */
static bool is_reachable(const struct allow_list *hosts, const struct target *target)
{
    struct target https = *target;

    https.port = HTTPS_PORT;
    return allow_decide(hosts, &https, NULL, 0).reason == REFUSAL_NONE;
}

static int read_wish(struct wish *wish, const struct allow_list *hosts, struct error *error)
{
    const char *separator = strchr(wish->text, '=');
    const char *host = separator ? separator + 1 : "";

    wish->key = xstrndup(wish->text, separator ? (size_t)(separator - wish->text) : 0);
    /* What stands here may be the value itself, by mistake: it is not repeated. */
    if (!is_variable_name(wish->key))
        return error_set(error, EINVAL,
                         "%s: an entry is the name of a variable, \"=\" and a host, as in "
                         "ANTHROPIC_API_KEY=api.anthropic.com",
                         wish->spelling);
    if (target_parse_host(&wish->target, host, strlen(host)) < 0 ||
        wish->target.kind != TARGET_NAME || target_is_own_loopback(&wish->target))
        return error_set(error, EINVAL,
                         "%s %s: the host must be a bare name, without port, path or wildcard",
                         wish->spelling, wish->key);
    if (!is_reachable(hosts, &wish->target))
        return error_set(error, EINVAL,
                         "%s %s: %s is not on the list of hosts that may be reached; add "
                         "--%s %s",
                         wish->spelling, wish->key, wish->target.name,
                         settings[SET_ALLOW_HOSTS].flag, wish->target.name);
    if (env_treatment_of(wish->key, strlen(wish->key)) == ENV_PROXY)
        return error_set(error, EINVAL, "%s %s: the jail has a proxy of its own in this variable",
                         wish->spelling, wish->key);
    return 0;
}

/* ---- the value ---- */

/* Of the last entry for the name; *is_named: there is one, although it may say that nothing is set. */
static const char *last_value(const struct strv *entries, const char *name, bool *is_named)
{
    size_t len = strlen(name);

    *is_named = false;
    for (size_t i = entries->n; i > 0 && !*is_named; i--) {
        const char *entry = entries->v[i - 1];

        *is_named = strncmp(entry, name, len) == 0 && (entry[len] == '=' || entry[len] == '\0');
        if (*is_named)
            return entry[len] == '=' ? entry + len + 1 : NULL;
    }
    return NULL;
}

static const char *find_value(const char *name, const struct config *config,
                              const struct host *host, const struct strv *keys)
{
    bool is_named;
    const char *value = last_value(config_list(config, SET_ENV_PASS), name, &is_named);

    if (is_named)
        return value ? value : host_getenv(host, name);
    value = last_value(&config->env_file, name, &is_named);
    return is_named ? value : last_value(keys, name, &is_named);
}

static const char *value_fault(const char *value)
{
    size_t len = strlen(value);

    if (len < CREDENTIAL_VALUE_MIN)
        return "its value is shorter than 8 bytes: no secret";
    if (len > CREDENTIAL_VALUE_MAX)
        return "its value is longer than 4096 bytes: no header can hold it";
    for (size_t i = 0; i < len; i++)
        if (value[i] < ' ' || value[i] > '~')
            return "its value is not printable ASCII throughout: no header can hold it";
    return NULL;
}

/* An agent's own key is not handed in by itself there. */
static bool is_left_out(const struct wish *wish, const struct config *config,
                        const struct host *host)
{
    const char *own = host_getenv(host, wish->key);

    return config_flag(config, SET_LOCKDOWN) && own && own[0];
}

static int check_value(const struct wish *wish, const char *value, const struct config *config,
                       const struct host *host, struct error *error)
{
    if (!value)
        return error_set(error, EINVAL,
                         "%s %s: there is no value for it%s; give it with --%s %s or --%s",
                         wish->spelling, wish->key,
                         is_left_out(wish, config, host)
                             ? ": in lockdown nothing is taken from the environment by itself"
                             : "",
                         settings[SET_ENV_PASS].flag, wish->key, settings[SET_ENV_FROM_FILE].flag);
    if (value_fault(value))
        return error_set(error, EINVAL, "%s %s: %s", wish->spelling, wish->key, value_fault(value));
    return 0;
}

/* ---- the credential ---- */

static struct credential *find_credential(struct credentials *list, const char *key)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_eq(list->v[i].key, key))
            return &list->v[i];
    return NULL;
}

static int make_credential(struct credentials *list, const char *key, const char *value,
                           const struct host *host, struct notes *notes, struct error *error)
{
    struct credential *credential = &list->v[list->n];
    uint8_t random[PLACEHOLDER_RANDOM];
    bool is_locked;
    int r = host->random ? host->random(random, sizeof(random)) : -ENOSYS;

    if (r < 0)
        return error_set(error, -r, "--%s: no random bytes for a placeholder: %s",
                         settings[SET_SECRET_HOSTS].flag, strerror(-r));
    *credential = (struct credential){
        .key = xstrdup(key),
        .value = vault_keep(value, strlen(value), &is_locked),
    };
    credential_set_placeholder(credential, random);
    list->n++;
    if (!is_locked)
        notes_add(notes, NOTE_WARNING,
                  "--%s %s: the value may be written to swap: the limit for locked memory is used "
                  "up (ulimit -l)",
                  settings[SET_SECRET_HOSTS].flag, key);
    return 0;
}

static void bind_host(struct credentials *list, struct environment_parts *parts,
                      const struct wish *wish)
{
    struct credential *credential = find_credential(list, wish->key);

    if (strv_find(&credential->hosts, wish->target.name) >= 0)
        return;
    strv_push(&credential->hosts, wish->target.name);
    for (size_t i = 0; i < ARRAY_SIZE(base_urls); i++)
        if (str_eq(base_urls[i].key, wish->key) && str_eq(base_urls[i].host, wish->target.name))
            strv_push(&parts->defaults, base_urls[i].entry);
}

static int fulfil(struct credentials *list, struct environment_parts *parts,
                  const struct wish *wish, const struct config *config, const struct host *host,
                  struct notes *notes, struct error *error)
{
    const char *value = find_value(wish->key, config, host, &parts->keys);
    int r = check_value(wish, value, config, host, error);

    if (r == 0 && !find_credential(list, wish->key)) {
        if (list->n == CREDENTIALS_MAX)
            return error_set(error, E2BIG, "%s %s: more than %d variables", wish->spelling,
                             wish->key, CREDENTIALS_MAX);
        r = make_credential(list, wish->key, value, host, notes, error);
    }
    if (r == 0)
        bind_host(list, parts, wish);
    return r;
}

static int check_mode(const struct config *config, enum network_mode network, struct error *error)
{
    _cleanup_free_ char *spelling = config_entry_spelling(config, SET_SECRET_HOSTS, 0);

    if (network == NETWORK_FILTERED)
        return 0;
    return error_set(error, EINVAL, "%s: only a filtered network can put a value in; %s%s",
                     spelling,
                     network == NETWORK_OFF ? "this one is off: name its host with --"
                                            : "this one is full: leave out --",
                     settings[network == NETWORK_OFF ? SET_ALLOW_HOSTS : SET_NETWORK].flag);
}

int phantom_build(struct credentials *list, struct environment_parts *parts,
                  const struct config *config, const struct host *host, enum network_mode network,
                  const struct allow_list *hosts, struct notes *notes, struct error *error)
{
    const struct strv *entries = config_list(config, SET_SECRET_HOSTS);
    int r;

    *list = (struct credentials){0};
    if (entries->n == 0)
        return 0;
    r = check_mode(config, network, error);
    for (size_t i = 0; r == 0 && i < entries->n; i++) {
        struct wish wish CLEANUP(wish_free) = {
            .text = entries->v[i],
            .spelling = config_entry_spelling(config, SET_SECRET_HOSTS, i),
        };

        r = read_wish(&wish, hosts, error);
        if (r == 0)
            r = fulfil(list, parts, &wish, config, host, notes, error);
    }
    for (size_t i = 0; r == 0 && i < list->n; i++)
        strv_pushf(&parts->forced, "%s=%s", list->v[i].key, list->v[i].placeholder);
    return r;
}

void phantom_note_copies(const struct credentials *list, const struct strv *env,
                         const struct strv *argv, struct notes *notes)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct credential *credential = &list->v[i];

        for (size_t k = 0; k < env->n; k++)
            if (strstr(env->v[k], credential->value))
                notes_add(notes, NOTE_SECURITY,
                          "the variable %.*s holds the value of %s, too: the command sees it there",
                          (int)strcspn(env->v[k], "="), env->v[k], credential->key);
        for (size_t k = 0; k < argv->n; k++)
            if (strstr(argv->v[k], credential->value)) {
                notes_add(notes, NOTE_SECURITY,
                          "the words of the command hold the value of %s: the command sees it "
                          "there",
                          credential->key);
                break;
            }
    }
}

void phantom_wipe(const struct credentials *list, char *const *texts)
{
    for (; texts && *texts; texts++)
        for (size_t i = 0; i < list->n; i++) {
            const char *value = list->v[i].value;
            char *at = *texts;

            while ((at = strstr(at, value)))
                memset(at, '*', strlen(value));
        }
}
