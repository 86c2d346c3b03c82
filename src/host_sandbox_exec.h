// SPDX-License-Identifier: GPL-3.0-only
/*
 * host_sandbox_exec: what a run on macOS needs of its host. The first four are facts that Darwin alone
 * knows (host_macos.c).
 */
#pragma once

#include "host.h"

/* The path of sandbox-exec. Static. */
const char *macos_sandbox_exec(void);
/* The user's directory for temporary files (confstr(3)), as the system spells it; malloc'ed. NULL: there
 * is none. */
char *macos_temporary_root(void);
/* More descriptors than this no process can have. */
uint64_t macos_descriptors_max(void);

/* True if that is the name of the program that process pid executes; of one that has ended and was not waited
 * for, executed last. */
bool macos_is_called(pid_t pid, const char *name);

/* Closes what host_find_backend() has opened and nobody has taken. */
void host_drop_listener(struct host *host);
