// SPDX-License-Identifier: GPL-3.0-only
/*
 * mac: the pipeline of main() up to the profile, on a made-up Mac.
 */
#include "support/mac.h"

#include <stdlib.h>

bool mac_init(struct mac *mac, const char *tree, const char *cwd)
{
    struct host *host = &mac->host;

    *mac = (struct mac){.fakefs = fakefs_new(tree)};
    host->fs = fakefs_fs(mac->fakefs);
    host->uid = 501;
    host->gid = 20;
    host->home = xstrdup(MAC_HOME);
    host->home_spelling = xstrdup(MAC_HOME);
    host->cwd_spelling = xstrdup(cwd ? cwd : MAC_PROJECT);
    host->machine_id = xstrdup("");
    host->ram_bytes = 8 * GIB;
    host->bwrap.fd = -1;
    host->macos = (struct host_macos){.is_on = true, .tmp = xstrdup(MAC_TMP), .port = MAC_PORT};
    strv_push(&host->environ, "HOME=" MAC_HOME);
    strv_push(&host->environ, "PATH=/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin");
    config_builtin(&mac->config);
    return fs_resolve(host->fs, host->cwd_spelling, &host->cwd, NULL, NULL) == 0;
}

bool mac_build(struct mac *mac, const struct strv *words, bool has_tty)
{
    const struct seatbelt_facts facts = {.tty = has_tty ? MAC_TTY : NULL};
    int r = args_parse((int)words->n, words->v, &mac->args, &mac->error);

    if (r < 0)
        return false;
    config_merge(&mac->config, &mac->args.cli);
    r = policy_build(&mac->policy, &mac->config, &mac->host, &mac->args.command, &mac->notes,
                     &mac->error);
    if (r == 0)
        mac->profile = seatbelt_profile(&mac->policy, &facts, &mac->error);
    return mac->profile != NULL;
}

void mac_free(struct mac *mac)
{
    free(mac->profile);
    policy_free(&mac->policy);
    args_free(&mac->args);
    config_free(&mac->config);
    notes_free(&mac->notes);
    host_free(&mac->host);
    fakefs_free(mac->fakefs);
    *mac = (struct mac){0};
}
