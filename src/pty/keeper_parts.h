// SPDX-License-Identifier: GPL-3.0-only
/*
 * keeper_parts: what the files of the keeper share. Nothing else includes this.
 *
 *   keeper.c          the parent of the command: session, messages, job control, the end
 *   keeper_command.c  the child: finds the command, takes its limits and becomes sandbox-exec
 *   keeper_mise.c     the child asks mise for the environment, in the same sandbox
 */
#pragma once

#include "pty/control.h"
#include "pty/keeper.h"

/* Numbers of the keeper's descriptors. */
enum keeper_fd {
    KEEPER_FD_CONTROL = 3,
    KEEPER_FD_LIFELINE,
    KEEPER_FD_SLAVE,
    KEEPER_FD_TERMINAL,
    KEEPER_FD_STDIO, /* and the two behind it: what becomes 0, 1, 2 of the command */
    KEEPER_FD_END = KEEPER_FD_STDIO + 3
};

struct keeper_child {
    const struct keeper_options *options;
    char **argv; /* of sandbox-exec */
    char **env;  /* of the command */
    int report;  /* struct control_message for the keeper; its end is the exec */
};

/* The whole life of the child. */
_Noreturn void keeper_child_run(struct keeper_child *child);
/* Sends one record to the keeper, which passes it on. */
void keeper_report(const struct keeper_child *child, enum control_type type, int32_t a, int32_t b);
/* As the caller of ai-jail had dispositions and mask. */
void keeper_restore_signals(const struct host *host);
/* Where the policy's PATH leads argv[0]; malloc'ed. 0, -ENOENT, or why what is there cannot be executed. */
int keeper_find_command(const struct policy *policy, char **path);

/* Asks mise, if it is to be asked, and makes child->env of the answer. */
void keeper_ask_mise(struct keeper_child *child);
