// SPDX-License-Identifier: GPL-3.0-only
/*
 * instep: keeps the agent's state files equal inside and outside.
 *
 * Part of the mounter. In the jail such a file is an ordinary one in the jail's own HOME, so that the
 * agent can lock it, write another beside it and rename that over it. Both directories are watched
 * (inotify(7)); half a second after the last change the side that changed is copied to the other one.
 */
#pragma once

#include "policy/agents.h"

#include <sys/types.h>

struct instep;

/*
 * Outside, before the jail is entered: opens the directories of the host, reads the files, and begins
 * to watch. NULL if there is nothing to do. pid names this run in the file that is left when both
 * sides have changed; events go to the socket (mounter_event.h). files is borrowed.
 */
struct instep *instep_open(const struct in_step *files, pid_t pid, int socket);
/* In the jail, before the command exists: puts the files there. What fails is told later. */
void instep_enter(struct instep *instep);
/* To be polled for reading; -1: nothing to be polled. */
int instep_fd(const struct instep *instep);
/* Until instep_step() is due at the latest; -1: nothing to do but for events. */
int instep_timeout_ms(const struct instep *instep);
/* Does what is due. */
void instep_step(struct instep *instep);
/* After the last process of the jail: the last copy. Takes a second at most where others hold the
 * lock. */
void instep_finish(struct instep *instep);
void instep_free(struct instep *instep);
