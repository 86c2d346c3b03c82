// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_mounter_none: a run without a mounter. On a Mac denies hold for names that appear later, too,
 * so nobody has to watch; what was left behind is not looked at there, but for the policy file.
 */
#include "pty/session_mounter.h"

#include "base/log.h"
#include "base/path.h"

#include <stdlib.h>

#define POLICY_FILE ".ai-jail"

static void look_at_policy(const struct session_mounter *side, struct stat *st)
{
    if (lstat(side->policy_file, st) < 0)
        *st = (struct stat){0};
}

void session_mounter_open(struct session_mounter *side, uv_loop_t *loop, struct jail *jail)
{
    (void)loop;
    side->policy = jail->policy;
    side->policy_file = path_join(jail->policy->project, POLICY_FILE);
    look_at_policy(side, &side->policy_stat);
}

void session_mounter_on_child(struct session_mounter *side)
{
    (void)side;
}

void session_mounter_close(struct session_mounter *side)
{
    (void)side;
}

void session_mounter_finish(struct session_mounter *side, const struct session_net *net, int code,
                            int signal)
{
    const struct stat *was = &side->policy_stat;
    struct stat is;

    (void)net;
    (void)code;
    (void)signal;
    if (!side->policy_file)
        return;
    look_at_policy(side, &is);
    if (is.st_dev != was->st_dev || is.st_ino != was->st_ino || is.st_size != was->st_size ||
        is.st_mtime != was->st_mtime || is.st_ctime != was->st_ctime)
        log_line(NOTE_SECURITY, "%s was %s during the run; read it before the next",
                 side->policy_file,
                 was->st_nlink == 0 ? "created"
                 : is.st_nlink > 0  ? "changed"
                                    : "removed");
    free(side->policy_file);
    side->policy_file = NULL;
}
