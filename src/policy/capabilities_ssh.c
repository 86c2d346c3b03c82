// SPDX-License-Identifier: GPL-3.0-only
/*
 * capabilities_ssh: --ssh and --ssh=agent.
 *
 * The agent form shows what ssh needs to know and no key: config, known_hosts, public keys, one by
 * one. A link among them is followed, but never to a file that has a right to be shown only under
 * another name: a "public key" that leads to the private one stays out.
 *
 * ssh refuses files of its configuration that belong to neither root nor the user. Inside, root is
 * nobody, so what /etc/ssh/ssh_config includes is hidden.
 */
#include "base/path.h"
#include "policy/capabilities_parts.h"
#include "policy/home.h"
#include "policy/secrets.h"

#include <stdlib.h>
#include <string.h>

#define SSH_DIR      ".ssh"
#define SSH_INCLUDED "/etc/ssh/ssh_config.d"
#define PUBLIC_MAX   128

static bool is_public(const char *name)
{
    size_t len = strlen(name);

    return str_eq(name, "config") || str_eq(name, "known_hosts") ||
           (len > 4 && str_eq(name + len - 4, ".pub"));
}

static int collect_public(void *arg, const char *name)
{
    struct strv *names = arg;

    if (is_public(name))
        strv_push(names, name);
    return names->n > PUBLIC_MAX;
}

/* True if the file may be shown for one that is public. */
static bool is_acceptable(const struct granting *granting, const char *source)
{
    const struct host *host = granting->host;
    struct fs_stat st;

    if (fs_stat(host->fs, source, false, &st) < 0 || st.type != FS_FILE ||
        (st.uid != host->uid && st.uid != 0) || path_is_within(source, granting->project) ||
        secrets_hold_other(host, source, SSH_DIR))
        return false;
    return is_public(path_base(source)) || !secrets_hold(host, source);
}

static void show_public(const struct granting *granting, const char *dir)
{
    const struct host *host = granting->host;
    _cleanup_strv_ struct strv names = {0};

    home_uncover(granting->plan, host, SSH_DIR);
    plan_add(granting->plan, GROUP_HOME_PARTS, PLAN_DIR, dir, granting->origin)->mode = 0700;
    if (host->fs->list(host->fs->ctx, dir, collect_public, &names) > 0)
        grant_refuse(granting, "%s has more than %d public files: only some are shown", dir,
                     PUBLIC_MAX);
    for (size_t i = 0; i < names.n; i++) {
        _cleanup_free_ char *path = path_join(dir, names.v[i]);
        _cleanup_free_ char *source = NULL;

        if (fs_resolve(host->fs, path, &source, NULL, NULL) == 0 && is_acceptable(granting, source))
            plan_add_bind(granting->plan, host->fs, GROUP_HOME_PARTS, PLAN_RO, source, path,
                          granting->origin);
        else
            grant_refuse(granting, "%s is not shown: it is no public file of yours", path);
    }
}

static bool show_all(const struct granting *granting, const char *dir)
{
    const struct host *host = granting->host;
    _cleanup_free_ char *source = home_accept_dir(host, granting->project, dir, SSH_DIR);

    if (!source) {
        grant_refuse(granting, "%s is no directory, or a link to a place that must not be shown",
                     dir);
        return false;
    }
    home_uncover(granting->plan, host, SSH_DIR);
    plan_add_bind(granting->plan, host->fs, GROUP_HOME_PARTS, PLAN_RO, source, dir,
                  granting->origin);
    if (!str_eq(source, dir))
        plan_add(granting->plan, GROUP_MASKS, PLAN_COVER_RO, source, granting->origin)->optional =
            true;
    return true;
}

static bool show_agent(const struct granting *granting, bool is_needed)
{
    const char *path = host_getenv(granting->host, "SSH_AUTH_SOCK");
    _cleanup_free_ char *dest = grant_inside(granting, "ssh-agent");
    bool is_on_macos = granting->host->macos.is_on;
    struct plan_entry *entry;

    if (!path || !path[0]) {
        if (is_needed)
            grant_refuse(granting, "SSH_AUTH_SOCK is not set: there is no ssh-agent to show");
        return false;
    }
    entry = path[0] == '/' ? grant_socket(granting, path, dest, granting->host->uid) : NULL;
    if (!entry) {
        grant_refuse(granting, "SSH_AUTH_SOCK %s is no socket of yours", path);
        return false;
    }
    if (is_on_macos)
        entry->kind = PLAN_RO; /* a profile permits to connect, and no more */
    grant_variable(granting, "SSH_AUTH_SOCK", is_on_macos ? path : dest);
    return true;
}

bool grant_ssh(struct granting *granting)
{
    const struct host *host = granting->host;
    bool by_agent = str_eq(config_word(granting->config, SET_SSH), "agent");
    _cleanup_free_ char *dir = path_join(host->home, SSH_DIR);
    bool has_dir = fs_is_dir(host->fs, dir) && !grant_is_hidden(granting, SSH_DIR);
    bool has_agent = show_agent(granting, by_agent || !has_dir);

    if (has_dir && by_agent)
        show_public(granting, dir);
    else if (has_dir)
        has_dir = show_all(granting, dir);
    if (fs_is_dir(host->fs, SSH_INCLUDED) && !host->macos.is_on)
        plan_add(granting->plan, GROUP_HOME_PARTS, PLAN_COVER_EMPTY, SSH_INCLUDED, granting->origin)
            ->optional = true;
    if (has_dir && !by_agent)
        notes_add(granting->notes, NOTE_INFO,
                  "the command can read ~/" SSH_DIR
                  " with your private keys (%s); --%s=agent shows "
                  "none of them",
                  granting->origin, settings[SET_SSH].flag);
    if (has_agent)
        notes_add(granting->notes, NOTE_INFO,
                  "the command can sign with the keys of ssh-agent (%s)", granting->origin);
    return has_dir || has_agent;
}
