// SPDX-License-Identifier: GPL-3.0-only
/*
 * tighten: modes that are a configuration with fewer requests in it.
 *
 * The tables say what a mode drops; a copy of the configuration is made without it, and every part of
 * the policy decides from the copy. So no part has to know the mode in order to obey it, and a part
 * that is added later obeys, too. What cannot be said as a setting lies elsewhere. Lockdown: the
 * read-only project (lockdown_seal), masks in /sys (system), the fixed environment (environment), limits
 * (policy), TCP rights (backend/rules), the system call filter (backend/launch). Browsers: the
 * read-only project (policy), state and downloads (browser_files), the status row (status_facts).
 *
 * Of the settings without a row none opens anything that a mode closes: masks and denies hide, their
 * exceptions cannot show what the plan does not hold, hosts that are named are a way out that somebody
 * asked for.
 */
#include "policy/tighten.h"

#include <string.h>

enum treatment {
    KEPT,
    DROPPED,   /* back to its strict value, or to an empty list */
    LEFT_OUT,  /* by the environment, which knows the mode: --secret still needs the values */
    SAID_ONLY, /* a flag that nobody said becomes the value; what was said stays */
};

struct row {
    enum treatment treatment;
    bool value;        /* flag: what it becomes */
    const char *given; /* what the mode has instead */
};

#define NO_HOST   "nothing of the host but the project is shown"
#define NO_HOME   "HOME is private and empty"
#define NO_ENV    "the environment is a fixed set"
#define NO_PORT   "no port leads in or out"
#define READ_ONLY "no tools or caches of HOME are shown"
#define NO_KEYS   "a browser gets no keys, sockets or devices that rule the host"

/* clang-format off */
static const struct row tables[MODE_COUNT][SET_COUNT] = {
    [MODE_LOCKDOWN] = {
        [SET_RO_MAPS] = {DROPPED, false, NO_HOST},
        [SET_RW_MAPS] = {DROPPED, false, NO_HOST},
        [SET_OVERLAY_MAPS] = {DROPPED, false, NO_HOST},
        [SET_PRIVATE_HOME] = {DROPPED, true, NO_HOME},
        [SET_AGENT_STATE] = {DROPPED, false, NO_HOME},
        [SET_CLAUDE_DIR] = {DROPPED, false, NO_HOME},
        [SET_TOOLCHAINS] = {DROPPED, false, READ_ONLY},
        [SET_MISE] = {DROPPED, false, READ_ONLY},
        [SET_ALLOW_DEBUG] = {DROPPED, false, "no process traces another"},
        [SET_DOWNLOADS] = {DROPPED, false, "nothing of the host is writable"},
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
    },
    [MODE_BROWSER] = {
        [SET_RO_MAPS] = {DROPPED, false, NO_HOST},
        [SET_RW_MAPS] = {DROPPED, false, NO_HOST},
        [SET_OVERLAY_MAPS] = {DROPPED, false, NO_HOST},
        [SET_PRIVATE_HOME] = {DROPPED, true, NO_HOME},
        [SET_AGENT_STATE] = {DROPPED, false, NO_HOME},
        [SET_CLAUDE_DIR] = {DROPPED, false, NO_HOME},
        [SET_TOOLCHAINS] = {DROPPED, false, READ_ONLY},
        [SET_MISE] = {DROPPED, false, READ_ONLY},
        [SET_WORKTREE] = {DROPPED, false, NO_HOST},
        [SET_KVM] = {DROPPED, false, NO_KEYS},
        [SET_DOCKER] = {DROPPED, false, NO_KEYS},
        [SET_DOCKER_CONFIG] = {DROPPED, false, NO_KEYS},
        [SET_SYSTEMD_USER] = {DROPPED, false, NO_KEYS},
        [SET_SSH] = {DROPPED, false, NO_KEYS},
        [SET_PICTURES] = {DROPPED, false, NO_HOST},
        [SET_GITHUB] = {DROPPED, false, NO_KEYS},
        [SET_AWS] = {DROPPED, false, NO_KEYS},
        [SET_KUBE] = {DROPPED, false, NO_KEYS},
        [SET_GCLOUD] = {DROPPED, false, NO_KEYS},
        [SET_MACOS_HOST_IPC] = {DROPPED, false, NO_HOST},
        [SET_NETWORK] = {SAID_ONLY, false, NULL}, /* no host is open that nobody named */
    },
};
/* clang-format on */

const char *tighten_mode_name(enum mode mode)
{
    static const char *const names[MODE_COUNT] = {
        [MODE_LOCKDOWN] = "lockdown", [MODE_BROWSER] = "the browser profile"};

    return names[mode];
}

/* The setting that switches the mode on. */
static enum setting_id switch_of(enum mode mode)
{
    return mode == MODE_LOCKDOWN ? SET_LOCKDOWN : SET_BROWSER_PROFILE;
}

bool tighten_drops(enum mode mode, enum setting_id id)
{
    enum treatment treatment = tables[mode][id].treatment;

    return treatment == DROPPED || treatment == LEFT_OUT;
}

bool tighten_drops_value(enum mode mode, const struct config *config, enum setting_id id)
{
    if (!tighten_drops(mode, id) || !config_is_set(config, id))
        return false;
    switch (settings[id].type) {
    case TYPE_BOOL:
        return config_flag(config, id) != tables[mode][id].value;
    case TYPE_WORD:
        return !str_eq(config_word(config, id), settings[id].twin_word);
    case TYPE_LIST:
    case TYPE_TEXT:
        break;
    }
    return config->values[id].list.n > 0;
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
static void note_entries(enum mode mode, const struct config *config, enum setting_id id,
                         struct notes *notes)
{
    const struct strv *list = &config->values[id].list;

    for (size_t i = 0; i < list->n; i++) {
        _cleanup_free_ char *spelling = config_entry_spelling(config, id, i);
        int shown = (int)(id == SET_ENV_PASS ? strcspn(list->v[i], "=") : strlen(list->v[i]));

        if (id == SET_ENV_PASS && is_secret(config, list->v[i]))
            continue;
        notes_add(notes, NOTE_SECURITY, "%s %.*s is dropped by %s: %s", spelling, shown, list->v[i],
                  tighten_mode_name(mode), tables[mode][id].given);
    }
}

static void note_drop(enum mode mode, const struct config *config, enum setting_id id,
                      struct notes *notes)
{
    _cleanup_free_ char *spelling = NULL;

    if (settings[id].type == TYPE_LIST || settings[id].type == TYPE_TEXT) {
        note_entries(mode, config, id, notes);
        return;
    }
    spelling = config_spelling(config, id);
    notes_add(notes, NOTE_SECURITY, "%s is dropped by %s: %s", spelling, tighten_mode_name(mode),
              tables[mode][id].given);
}

static void drop(struct config *out, enum mode mode, enum setting_id id)
{
    const struct row *row = &tables[mode][id];

    if (row->treatment == SAID_ONLY && !config_is_set(out, id))
        config_set_bool(out, id, row->value);
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

void tighten_begin(struct config *out, const struct config *config)
{
    config_init(out, config->kind);
    config_merge(out, config);
    strv_push_all(&out->env_file, &config->env_file);
    out->hosts_are_narrowed = config->hosts_are_narrowed;
}

void tighten_apply(struct config *config, enum mode mode, struct notes *notes)
{
    /* What is taken away is said by whoever said the mode. Built in, it would count as not said. */
    config->place = config->values[switch_of(mode)].origin;
    if (config->place.layer == LAYER_BUILTIN)
        config->place.layer = LAYER_CLI;
    for (enum setting_id id = 0; id < SET_COUNT; id++) {
        if (tighten_drops_value(mode, config, id))
            note_drop(mode, config, id, notes);
        drop(config, mode, id);
    }
}
