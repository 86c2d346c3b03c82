// SPDX-License-Identifier: GPL-3.0-only
/*
 * command: what has to be visible so that the command can start.
 *
 * Resolves argv[0] as execvp would on the host, walks every link, finds the install root of the
 * final file, its interpreters (#!, env, ELF PT_INTERP), and adds the missing read-only binds and
 * links to the plan. Never HOME itself, never a directory of secrets.
 */
#pragma once

#include "host.h"
#include "policy/plan.h"

struct command {
    char *host_path;   /* where the host found argv[0], absolute, not resolved; NULL: not found */
    char *interpreter; /* what its #! line names, as written; NULL if it is no script */
    struct strv dirs;  /* of PATH: where the command and what it needs were found */
};

/*
 * Adds the exemption of argv[0] to plan (group GROUP_COMMAND; the plan must already hold the other
 * groups, unfinished). project is the canonical project directory. is_trusted:
 * argv[0] is the user's word, not that of a project file that is not trusted. Not found is not an error: the
 * launcher reports 127. Extra PATH directories that became visible are simply visible.
 */
void command_expose(struct command *command, const char *argv0, bool is_trusted,
                    const char *project, const struct host *host, struct plan *plan,
                    struct notes *notes);
/* True if argv0 is a bare name that the host's PATH leads to a program outside the project: the only
 * way in which a project that is not trusted can name an agent. */
bool command_is_foreign(const char *argv0, const char *project, const struct host *host);
void command_free(struct command *command);
