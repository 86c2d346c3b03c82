// SPDX-License-Identifier: GPL-3.0-only
/*
 * host_run: a program of the host, run outside the jail for a short question.
 */
#pragma once

#include <sys/types.h>

/*
 * Starts program (absolute, checked by the caller) in a session of its own with exactly this
 * environment (NULL: none), in the directory "/", without a terminal, its output into out and everything else on
 * /dev/null. It does not outlive this process. The child's pid, or -errno. If it cannot be executed,
 * it ends with 126.
 */
pid_t host_run_start(const char *program, char *const *argv, char *const *env, int out);

/* Ends it, if it has not ended, with everything it started, and reaps it. */
void host_run_end(pid_t pid);
