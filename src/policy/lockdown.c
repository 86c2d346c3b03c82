// SPDX-License-Identifier: GPL-3.0-only
/*
 * lockdown: the strictest mode. What it takes away from a configuration, and what it demands.
 *
 * The mode is a configuration with fewer requests in it: the table says what is dropped, a copy of the
 * configuration is made without it, and every part of the policy decides from the copy. So no part
 * has to know the mode in order to obey it, and a part that is added later obeys, too. What cannot be
 * said as a setting lies elsewhere: the read-only project (lockdown_seal), masks in /sys (system), the
 * fixed environment (environment), limits (policy), TCP rights (backend/rules), the system call filter
 * (backend/launch).
 *
 * Of the settings without a row none opens anything that the mode closes: masks and denies hide, their
 * exceptions cannot show what the plan does not hold, hosts that are named are the mode's only way
 * out.
 */
#include "policy/lockdown.h"

#include <errno.h>
#include <string.h>

enum treatment {
    KEPT,
    DROPPED,  /* back to its strict value, or to an empty list */
    LEFT_OUT, /* by the environment, which knows the mode: --secret still needs the values */
    DEMANDED, /* a wall: switched off, there is no start */
};

struct row {
    enum treatment treatment;
    bool value;        /* DROPPED flag: what it becomes */
    const char *given; /* what the mode has instead */
};

#define NO_HOST   "nothing of the host but the project is shown"
#define NO_HOME   "HOME is private and empty"
#define NO_ENV    "the environment is a fixed set"
#define NO_PORT   "no port leads in or out"
#define READ_ONLY "no tools or caches of HOME are shown"

static const struct row rows[SET_COUNT] = {
    [SET_RO_MAPS] = {DROPPED, false, NO_HOST},
    [SET_RW_MAPS] = {DROPPED, false, NO_HOST},
    [SET_OVERLAY_MAPS] = {DROPPED, false, NO_HOST},
    [SET_PRIVATE_HOME] = {DROPPED, true, NO_HOME},
    [SET_AGENT_STATE] = {DROPPED, false, NO_HOME},
    [SET_CLAUDE_DIR] = {DROPPED, false, NO_HOME},
    [SET_TOOLCHAINS] = {DROPPED, false, READ_ONLY},
    [SET_MISE] = {DROPPED, false, READ_ONLY},
    [SET_LANDLOCK] = {DEMANDED, true, NULL},
    [SET_SECCOMP] = {DEMANDED, true, NULL},
    [SET_RLIMITS] = {DEMANDED, true, NULL},
    [SET_ALLOW_DEBUG] = {DROPPED, false, "no process traces another"},
    [SET_GPU] = {DROPPED, false, NO_HOST},
    [SET_KVM] = {DROPPED, false, NO_HOST},
    [SET_DISPLAY] = {DROPPED, false, NO_HOST},
    [SET_X11] = {DROPPED, false, NO_HOST},
    [SET_AUDIO] = {DROPPED, false, NO_HOST},
    [SET_HOST_SHM] = {DROPPED, false, NO_HOST},
    [SET_DOCKER] = {DROPPED, false, NO_HOST},
    [SET_DOCKER_CONFIG] = {DROPPED, false, NO_HOST},
    [SET_SYSTEMD_USER] = {DROPPED, false, NO_HOST},
    [SET_TAILSCALE] = {DROPPED, false, NO_HOST},
    [SET_SSH] = {DROPPED, false, NO_HOST},
    [SET_PICTURES] = {DROPPED, false, NO_HOST},
    [SET_GITHUB] = {DROPPED, false, NO_HOST},
    [SET_AWS] = {DROPPED, false, NO_HOST},
    [SET_KUBE] = {DROPPED, false, NO_HOST},
    [SET_GCLOUD] = {DROPPED, false, NO_HOST},
    [SET_MACOS_HOST_IPC] = {DROPPED, false, NO_HOST},
    [SET_NETWORK] = {DROPPED, false, "the network is off, but for hosts that are named"},
    [SET_FORWARD_PORTS] = {DROPPED, false, NO_PORT},
    [SET_PUBLISH_PORTS] = {DROPPED, false, NO_PORT},
    [SET_ENV_PASS] = {LEFT_OUT, false, NO_ENV},
    [SET_ENV_FROM_FILE] = {LEFT_OUT, false, NO_ENV},
    [SET_INHERIT_ENV] = {DROPPED, false, NO_ENV},
    [SET_TERMINAL_PASSTHROUGH] = {DROPPED, false, "the terminal is always filtered"},
};

bool lockdown_drops(enum setting_id id)
{
    return rows[id].treatment == DROPPED || rows[id].treatment == LEFT_OUT;
}

bool lockdown_drops_value(const struct config *config, enum setting_id id)
{
    if (!lockdown_drops(id) || !config_is_set(config, id))
        return false;
    switch (settings[id].type) {
    case TYPE_BOOL:
        return config_flag(config, id) != rows[id].value;
    case TYPE_WORD:
        return !str_eq(config_word(config, id), settings[id].twin_word);
    case TYPE_LIST:
    case TYPE_TEXT:
        break;
    }
    return config->values[id].list.n > 0;
}

/* ---- the configuration ---- */

static void copy(struct config *out, const struct config *config)
{
    config_init(out, config->kind);
    config_merge(out, config);
    strv_push_all(&out->env_file, &config->env_file);
    out->hosts_are_narrowed = config->hosts_are_narrowed;
    /* What is taken away is said by whoever said lockdown. Built in, it would count as not said. */
    out->place = config->values[SET_LOCKDOWN].origin;
    if (out->place.layer == LAYER_BUILTIN)
        out->place.layer = LAYER_CLI;
}

/* True if --secret NAME=HOST gives the variable a placeholder. */
static bool is_secret(const struct config *config, const char *entry)
{
    const struct strv *secrets = config_list(config, SET_SECRET_HOSTS);
    size_t len = strcspn(entry, "=");

    for (size_t i = 0; i < secrets->n; i++)
        if (strncmp(secrets->v[i], entry, len) == 0 && secrets->v[i][len] == '=')
            return true;
    return false;
}

/* Lists: one line for each entry. Of a variable nothing but the name is ever printed. */
static void note_entries(const struct config *config, enum setting_id id, struct notes *notes)
{
    const struct strv *list = &config->values[id].list;

    for (size_t i = 0; i < list->n; i++) {
        _cleanup_free_ char *spelling = config_entry_spelling(config, id, i);
        int shown = (int)(id == SET_ENV_PASS ? strcspn(list->v[i], "=") : strlen(list->v[i]));

        if (id == SET_ENV_PASS && is_secret(config, list->v[i]))
            continue;
        notes_add(notes, NOTE_SECURITY, "%s %.*s is dropped by lockdown: %s", spelling, shown,
                  list->v[i], rows[id].given);
    }
}

static void note_drop(const struct config *config, enum setting_id id, struct notes *notes)
{
    _cleanup_free_ char *spelling = NULL;

    if (settings[id].type == TYPE_LIST || settings[id].type == TYPE_TEXT) {
        note_entries(config, id, notes);
        return;
    }
    spelling = config_spelling(config, id);
    notes_add(notes, NOTE_SECURITY, "%s is dropped by lockdown: %s", spelling, rows[id].given);
}

static void drop(struct config *out, enum setting_id id)
{
    const struct row *row = &rows[id];

    if (row->treatment != DROPPED)
        return;
    switch (settings[id].type) {
    case TYPE_BOOL:
        config_set_bool(out, id, row->value);
        break;
    case TYPE_WORD:
        config_set_word(out, id, settings[id].twin_word);
        break;
    case TYPE_LIST:
        config_set_empty(out, id);
        break;
    case TYPE_TEXT:
        config_unset(out, id);
        break;
    }
}

static int check_walls(const struct config *config, const struct host *host, struct error *error)
{
    for (enum setting_id id = 0; id < SET_COUNT; id++) {
        _cleanup_free_ char *wall = NULL;
        _cleanup_free_ char *mode = NULL;

        if (rows[id].treatment != DEMANDED || config_flag(config, id))
            continue;
        wall = config_spelling(config, id);
        mode = config_spelling(config, SET_LOCKDOWN);
        return error_set(error, EINVAL, "%s and %s contradict each other: lockdown has every wall",
                         mode, wall);
    }
    if (host->landlock_abi < LOCKDOWN_LANDLOCK_ABI)
        return error_set(error, ENOTSUP,
                         "lockdown needs Landlock ABI %d (Linux 6.2 or newer, and landlock in the "
                         "list lsm=); this kernel has ABI %d",
                         LOCKDOWN_LANDLOCK_ABI, host->landlock_abi);
    if (!host->has_seccomp)
        return error_set(error, ENOTSUP,
                         "lockdown needs system call filters (CONFIG_SECCOMP_FILTER), which this "
                         "kernel lacks");
    return 0;
}

int lockdown_tighten(struct config *out, const struct config *config, const struct host *host,
                     struct notes *notes, struct error *error)
{
    bool was_full = config_is_set(config, SET_NETWORK) && config_flag(config, SET_NETWORK);
    int r = check_walls(config, host, error);

    copy(out, config);
    if (r < 0)
        return r;
    for (enum setting_id id = 0; id < SET_COUNT; id++) {
        if (lockdown_drops_value(config, id))
            note_drop(config, id, notes);
        drop(out, id);
    }
    /* Hosts had no effect beside the host's network; that it is dropped must not give them one. */
    if (was_full) {
        config_set_empty(out, SET_ALLOW_HOSTS);
        config_set_empty(out, SET_ALLOW_PRIVATE);
    }
    return 0;
}

/* ---- the plan ---- */

void lockdown_seal(struct plan *plan)
{
    for (size_t i = 0; i < plan->n; i++)
        if (plan->v[i].kind == PLAN_RW || plan->v[i].kind == PLAN_OVERLAY)
            plan->v[i].kind = PLAN_RO;
}
