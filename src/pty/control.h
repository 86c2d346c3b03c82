// SPDX-License-Identifier: GPL-3.0-only
/*
 * control: the messages between the supervisor (outside) and the launcher (inside).
 *
 * One SOCK_SEQPACKET pair, fixed-size messages, at most one descriptor with one of them. The
 * launcher is our own program, but what it says is treated as hostile: a message that is not of the
 * right size, version, type or state ends the run with 125.
 *
 *   launcher                         supervisor
 *   LISTENER (+ socket)       ->                     0 or more: sockets of the jail's loopback
 *   HELLO (+ PTY master)      ->                     mounts are complete, the program is running
 *                             <-     GO              after the covers are placed and the supervisor
 *                                                    has confined itself
 *                             <-     SIGNAL, FOREGROUND, CONTINUE, CONNECT, from here on at any
 *                                    time
 *   CONNECTED (+ socket)      ->                     one for each CONNECT
 *   WARN_*, PATH_PRUNED       ->                     0 or more
 *   STARTED | FAILED          ->                     exec has happened, or did not
 *   STOPPED, CONTINUED        ->
 *   EXITED                    ->                     last message; then the jail ends
 *
 * FAILED may come in the place of HELLO, too (unreadable orders, no PTY, a port that is taken), and is then the last
 * message. A command that is killed before its exec is reported as STARTED and EXITED: from outside
 * the two cannot be told apart. End of file on either side ends the run; so does a message to the
 * launcher that does not fit its state.
 */
#pragma once

#include "base/base.h"

#include <sys/types.h>

#define CONTROL_VERSION 1U

enum control_type {
    /* from the launcher */
    CONTROL_HELLO = 1,   /* descriptor: PTY master if a PTY was ordered */
    CONTROL_WARN_RULE,   /* a: index of the Landlock rule, -1-N for descriptor N; b: errno */
    CONTROL_WARN_LIMIT,  /* a: RLIMIT_* number, b: errno */
    CONTROL_PATH_PRUNED, /* a: entries kept, b: entries before; only if some were removed */
    CONTROL_STARTED,
    CONTROL_FAILED,    /* a: enum launch_stage, b: errno */
    CONTROL_STOPPED,   /* a: signal */
    CONTROL_CONTINUED, /* not sent when the command stops or ends again at once */
    CONTROL_EXITED,    /* a: wait status of the command, b: processes left behind, or NEVER_RAN */
    CONTROL_LISTENER,  /* descriptor: listening on port a of 127.0.0.1; b is 1: of ::1 */
    CONTROL_CONNECTED, /* a: as in CONNECT, b: errno; descriptor: the connected socket if b is 0 */
    /* from the supervisor */
    CONTROL_GO,
    CONTROL_SIGNAL,     /* a: signal for the command's process group */
    CONTROL_FOREGROUND, /* put the command's group into the foreground of the PTY and continue it */
    CONTROL_CONTINUE,   /* continue the command's group */
    CONTROL_CONNECT,    /* a: any number, b: port of the jail's loopback to connect to */
    /* from the launcher, again */
    CONTROL_WARN_MISE, /* a: enum mise_trouble, b: errno or wait status; the command starts without */
    CONTROL_TYPE_COUNT
};

/* In the place of a number of processes: what ended is sandbox-exec, which did not become the command. */
#define CONTROL_NEVER_RAN (-1)

/* Where a start failed, inside. */
enum launch_stage {
    STAGE_ORDERS = 1,
    STAGE_PTY,
    STAGE_STDIO,
    STAGE_NETWORK, /* the jail's loopback: a port cannot be listened on */
    STAGE_FORK,
    STAGE_LIMITS,
    STAGE_LANDLOCK,
    STAGE_SELF_TEST_OPEN,    /* what Landlock forbids: b is the wrong answer, 0: it succeeded */
    STAGE_SELF_TEST_UNSHARE, /* what the filter forbids, likewise */
    STAGE_SELF_TEST_SOCKET,
    STAGE_CWD,
    STAGE_NOT_FOUND, /* 127 */
    STAGE_EXEC,      /* 126: b tells why */
    STAGE_SANDBOX,   /* macOS: sandbox-exec cannot be executed */
    STAGE_DIRECTORY, /* a directory as descriptor 0, 1 or 2 that the jail does not show */
    STAGE_COUNT
};

/* Why the environment of mise is not used. */
enum mise_trouble {
    MISE_NOT_STARTED = 1, /* b: errno */
    MISE_TOO_SLOW,
    MISE_FAILED,         /* b: wait status */
    MISE_TOO_MUCH,       /* more than is read, or than a command can be given */
    MISE_NO_ENVIRONMENT, /* not a JSON object of strings */
};

struct control_message {
    uint32_t version;
    uint32_t type; /* enum control_type */
    int32_t a;
    int32_t b;
};
_Static_assert(sizeof(struct control_message) == 16, "the message has no padding");

/* Sends one message without waiting, with descriptor fd unless it is -1. 0 or -errno (-EAGAIN on a
 * full socket, -EPIPE or -ECONNRESET when the peer is gone; no SIGPIPE). */
int control_send(int socket, enum control_type type, int32_t a, int32_t b, int fd);

/*
 * Receives one message without waiting. 1 message, 0 end of file, -EAGAIN nothing there, -EBADMSG
 * wrong size, version or type, or surplus descriptors (all closed), -errno. *fd is the descriptor
 * that came with it or -1; the caller owns it. An empty message counts as end of file. Messages
 * sent before the peer went away are still delivered, even if it left some of ours unread.
 */
int control_receive(int socket, struct control_message *message, int *fd);

/*
 * For the command's parent: does what SIGNAL, FOREGROUND and CONTINUE say to the command's process
 * group. terminal is the slave of its PTY, or -1; SIGTTOU must be blocked, for this may come while the
 * parent is in the background. False: it is another message, or its signal is none.
 */
bool control_obey(const struct control_message *message, pid_t command, int terminal);
