// SPDX-License-Identifier: GPL-3.0-only
/*
 * pidlimit: a limit on the number of tasks in a PID namespace (Linux 6.14: kernel.pid_max belongs
 * to the namespace; before, it is the machine's, and nothing may be written there).
 *
 * RLIMIT_NPROC does not bind processes of the host's root, so a jail that root started has this.
 */
#pragma once

#include "base/base.h"

#include <sys/types.h>

/* True from the kernel on in which the value belongs to the namespace. */
bool pidlimit_is_namespaced(const unsigned kernel[2]);

/*
 * Sets the limit of the PID namespace that pid_namespace (a descriptor of /proc/PID/ns/pid) names.
 * The caller has joined the user namespace that owns it, and sees a procfs at /proc. Forks: only a
 * member of the namespace can set it. 0, -ENOTSUP if the value turned out to be the machine's (it
 * is put back), or -errno.
 */
int pidlimit_set(int pid_namespace, uint64_t limit);
