// SPDX-License-Identifier: GPL-3.0-only
/*
 * jail: the pipeline of main() up to the launch, on a made-up host.
 */
#include "support/jail.h"

#include <stdlib.h>

void jail_init(struct jail *jail, const char *tree, const char *const *environ)
{
    struct host *host = &jail->planner.host;

    *jail = (struct jail){0};
    planner_init(&jail->planner, tree, environ);
    plan_free(&jail->planner.plan);
    notes_free(&jail->planner.notes);
    host->landlock_abi = 7;
    host->has_seccomp = true;
    host->bwrap.path = xstrdup("/usr/bin/bwrap");
    host->bwrap.has_disable_userns = true;
    host->bwrap.has_cgroup_try = true;
    host->bwrap.has_bind_fd = true;
}

int jail_build(struct jail *jail, const char *const *words)
{
    struct strv argv CLEANUP(strv_free) = {0};
    int r;

    strv_push(&argv, "ai-jail");
    for (size_t i = 0; words && words[i]; i++)
        strv_push(&argv, words[i]);
    r = args_parse((int)argv.n, argv.v, &jail->args, &jail->error);
    if (r < 0)
        return r;
    config_merge(&jail->planner.config, &jail->args.cli);
    r = policy_build(&jail->policy, &jail->planner.config, &jail->planner.host, &jail->args.command,
                     &jail->planner.notes, &jail->error);
    if (r < 0)
        return r;
    return launch_build(&jail->launch, &jail->policy, &jail->error);
}

void jail_free(struct jail *jail)
{
    launch_free(&jail->launch);
    policy_free(&jail->policy);
    args_free(&jail->args);
    planner_free(&jail->planner);
}
