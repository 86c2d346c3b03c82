// SPDX-License-Identifier: GPL-3.0-only
/*
 * mise: its program, its installed tools and its settings, read-only.
 *
 * The launcher runs it inside, so the planner only finds it. Which project files mise trusts is kept in
 * a directory of state; a private home does not show it, and without one it is made read-only, because
 * a jail that could write there could have a project's file trusted outside.
 */
#include "policy/mise.h"

#include "base/path.h"
#include "policy/command.h"
#include "policy/toolchains.h"

#include <stdlib.h>
#include <string.h>

void mise_free(struct mise *mise)
{
    free(mise->program);
    strv_free(&mise->fixed);
    *mise = (struct mise){0};
}

/* What the variable says, else NAME in an XDG base directory. malloc'ed. */
static char *place_of(const struct host *host, const char *variable, const char *xdg,
                      const char *below_home)
{
    const char *said = host_getenv(host, variable);
    _cleanup_free_ char *base = NULL;

    if (said && said[0] == '/')
        return path_clean(said);
    base = path_base_dir(host_getenv(host, xdg), host->home, below_home);
    return path_join(base, "mise");
}

/* Not even what --no-private-home shows writable stays so. */
static void show(struct plan *plan, const struct host *host, const char *project, const char *path,
                 struct notes *notes)
{
    struct plan_view view = plan_look(plan, path);
    bool is_safe = view.entry && view.entry->kind == PLAN_RO && plan_shows(plan, host->fs, path);

    free(view.host_path);
    if (!is_safe)
        toolchains_bind_tool(plan, host, project, path, MISE_ORIGIN, notes);
}

/* Absent, it is made: a jail must not be the first to make it. */
static void close_state(struct plan *plan, const struct host *host)
{
    _cleanup_free_ char *path = place_of(host, "MISE_STATE_DIR", "XDG_STATE_HOME", ".local/state");
    _cleanup_free_ char *parent = path_parent(path);
    struct plan_view view = plan_look(plan, path);
    bool is_writable = view.host_path && view.entry->kind == PLAN_RW &&
                       str_eq(view.host_path, path) && plan_shows(plan, host->fs, parent);

    free(view.host_path);
    if (is_writable)
        plan_add_new_dir(plan, host->fs, GROUP_HOME_PARTS, PLAN_RO, path, path, MISE_ORIGIN);
}

static void push_name(struct strv *names, const char *entry)
{
    _cleanup_free_ char *name = xstrndup(entry, strcspn(entry, "="));

    if (strv_find(names, name) < 0)
        strv_push(names, name);
}

static void push_names(struct strv *names, const struct strv *entries)
{
    for (size_t i = 0; i < entries->n; i++)
        push_name(names, entries->v[i]);
}

/* What the user said, and what the jail depends on; proxies the launcher knows by their ending. */
static void fix_names(struct strv *names, const struct environment_parts *parts,
                      const struct config *config, enum network_mode network)
{
    push_name(names, "AI_JAIL");
    push_name(names, "HOME");
    if (network == NETWORK_FILTERED)
        push_name(names, "NODE_USE_ENV_PROXY");
    push_names(names, &config->env_file);
    push_names(names, config_list(config, SET_ENV_PASS));
    push_names(names, &parts->forced);
}

void mise_add(struct mise *mise, struct plan *plan, const struct environment_parts *parts,
              const struct config *config, const struct host *host, const char *project,
              enum network_mode network, struct notes *notes)
{
    _cleanup_free_ char *data = place_of(host, "MISE_DATA_DIR", "XDG_DATA_HOME", ".local/share");
    _cleanup_free_ char *config_dir =
        place_of(host, "MISE_CONFIG_DIR", "XDG_CONFIG_HOME", ".config");
    struct command found = {0};

    if (!command_is_foreign("mise", project, host) ||
        (!fs_is_dir(host->fs, data) && !fs_is_dir(host->fs, config_dir)))
        return;
    show(plan, host, project, data, notes);
    show(plan, host, project, config_dir, notes);
    close_state(plan, host);
    command_expose(&found, "mise", true, project, host, plan, notes);
    mise->program = xstrdup(found.host_path);
    command_free(&found);
    fix_names(&mise->fixed, parts, config, network);
}
