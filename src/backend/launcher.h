// SPDX-License-Identifier: GPL-3.0-only
/*
 * launcher: what the files of the launcher share. Nothing else includes this.
 *
 *   launcher.c           PID 1 of the jail: descriptors, orders, PTY, messages, job control, the end
 *   launcher_net.c       sockets of the jail's own loopback, for the supervisor
 *   launcher_child.c     the forked child: stdio, limits, Landlock, signals, directory
 *   launcher_selftest.c  the child proves that the walls stand
 *   launcher_trial.c     --doctor: the child tries the walls and tells, instead of the rest
 *   launcher_mise.c      the child asks mise for the environment
 *   launcher_exec.c      the child prunes PATH, finds the command and becomes it
 *
 * Everything that the child does is async-signal-safe: what it needs is allocated before the fork.
 */
#pragma once

#include "backend/orders.h"
#include "pty/control.h"

#define STRING_MAX (128 * KIB) /* MAX_ARG_STRLEN of the kernel, binfmts.h */

/* Room for what mise says; all NULL if it is not to be asked. */
struct launcher_mise {
    char *output;
    char **list;   /* entries in output */
    char **merged; /* the environment that comes of it */
    char **env;    /* its own environment */
};

struct launcher_child {
    const struct orders *orders;
    char **env; /* of the command: the orders', or what mise made of it */
    struct launcher_mise mise;
    int slave;          /* PTY, -1: none */
    int report;         /* write end of the pipe to PID 1; carries struct control_message */
    char **script_argv; /* room for "/bin/sh", the script and argv[1..] */
    char *path;         /* room for the longest PATH entry with the command's name */
    size_t path_size;
};

/* A socket that listens on the port of 127.0.0.1, or of ::1; -errno. */
int net_listen(uint16_t port, bool is_v6);
/* A socket connected to the port of the loopback, of either family; -errno. Waits for at most
 * NET_CONNECT_MS. */
#define NET_CONNECT_MS 200
int net_connect(uint16_t port);

/* Sends one record up the pipe; PID 1 passes it on as a message. */
void child_report(const struct launcher_child *child, enum control_type type, int32_t a, int32_t b);
/* Reports where and why the start failed, and ends the child. */
_Noreturn void child_fail(const struct launcher_child *child, enum launch_stage stage, int error);
/* The whole life of the child after the fork. */
_Noreturn void child_run(struct launcher_child *child);

/* What a probe that had to be refused was answered. */
struct selftest {
    enum launch_stage stage;
    int answer; /* errno, 0: it was let through, EOPNOTSUPP: nothing could be probed */
};

/* Probes every layer that the orders switch on. True if each refused with its own errno; otherwise
 * *result tells which did not. Leaves nothing behind. */
bool selftest_passes(const struct orders *orders, struct selftest *result);

/* Tries what a jail must refuse, tells descriptor 1, and ends the child. */
_Noreturn void trial_run(const struct orders *orders);

/* As the caller had dispositions and mask. A signal sent meanwhile arrives here. */
void child_restore_signals(const struct orders *orders);

/* Allocates what asking needs, if mise is to be asked. Before the fork. */
void mise_prepare(struct launcher_child *child);
/* Asks, and changes child->env by the answer; reports what went wrong. Waits for at most
 * orders->mise_ms. */
void mise_ask(struct launcher_child *child);

/* Allocates what the child's search needs. Before the fork. */
void exec_prepare(struct launcher_child *child);
/* Removes from the value of PATH, in place, what is no directory; *kept of *total entries stay. An
 * empty entry means the current directory and stays. */
void exec_prune_path(char *value, int *kept, int *total);
/* Prunes PATH, looks the command up in what is left of it (execvp(3)) and executes it. */
_Noreturn void exec_command(const struct launcher_child *child);
