// SPDX-License-Identifier: GPL-3.0-only
/*
 * reap: looks in short steps, because a child that may be waited for with a limit is a descriptor on one
 * system alone.
 */
#include "base/reap.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#define STEP_MS 5

void reap_child(pid_t *pid, int patience_ms)
{
    for (int waited_ms = 0; *pid > 0 && waited_ms < patience_ms; waited_ms += STEP_MS) {
        if (waitpid(*pid, NULL, WNOHANG) == *pid)
            *pid = 0;
        else
            poll(NULL, 0, STEP_MS);
    }
    if (*pid <= 0)
        return;
    kill(*pid, SIGKILL);
    while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *pid = 0;
}
