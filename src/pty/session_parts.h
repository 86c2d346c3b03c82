// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_parts: what the files of a run share. Nothing else includes this.
 *
 *   session.c          a run from its start to its end: the loop, the relay, what ends it
 *   session_control.c  what the launcher says and is told; stop and continue
 *   session_signals.c  what the supervisor is sent
 */
#pragma once

#include "filter/filter.h"
#include "pty/control.h"
#include "pty/jobs.h"
#include "pty/relay.h"
#include "pty/session.h"
#include "pty/session_mounter.h"
#include "pty/session_net.h"
#include "pty/start.h"
#include "pty/statusline.h"

#include <uv.h>

enum session_phase {
    PHASE_STARTING, /* GO was sent */
    PHASE_RUNNING,
    PHASE_STOPPED, /* the command is stopped */
    PHASE_ENDING,  /* the exit code is known */
};

enum session_signal {
    SESSION_TERM,
    SESSION_HUP,
    SESSION_INT,
    SESSION_QUIT,
    SESSION_FORWARDED_COUNT, /* those before go to the command and end the run, if need be */
    SESSION_WINCH = SESSION_FORWARDED_COUNT,
    SESSION_CONT,
    SESSION_TSTP,
    SESSION_CHLD,
    SESSION_SIGNAL_COUNT
};

struct session {
    const struct session_options *options; /* borrowed */
    struct jail jail;
    enum session_phase phase;
    int code;
    int signal; /* that ended the command, 0: none */
    struct filter *filter;
    struct relay *relay;
    struct probe probe;
    struct jobs jobs;
    struct statusline statusline;
    struct session_mounter mounter;
    struct session_net net;
    uv_loop_t loop;
    uv_poll_t control;
    uv_timer_t timer;      /* grace, or the end of the jail */
    uv_timer_t background; /* runs while the terminal is due to the command and somebody else's */
    uv_signal_t signals[SESSION_SIGNAL_COUNT];
    unsigned signal_counts[SESSION_FORWARDED_COUNT];
    bool output_done;
    bool backend_gone;
    bool killed; /* by us */
    bool closing;
};

/* ---- session.c: the end ---- */

void session_kill_jail(struct session *session);
/* The same in a while. A later call puts the moment anew. */
void session_kill_jail_in(struct session *session, unsigned delay_ms);
/* The exit code is known: what the command wrote is passed on, and the jail has a moment to end. Of
 * several calls the first counts. */
void session_end(struct session *session, int code);
/* The jail cannot be trusted or supervised any longer: says why, and ends it. */
void session_abort(struct session *session, const char *why);
/* After SIGCHLD: reaps what has ended. */
void session_reap(struct session *session);

/* ---- session_control.c: the launcher ---- */

/* Starts listening. */
void session_control_open(struct session *session);
void session_control_close(struct session *session);
/* An order. One that a living launcher does not take ends the run. */
void session_control_send(struct session *session, enum control_type type, int a);
/* The jail's process is gone: takes what is still there. Without a last word of the launcher the run has failed. */
void session_control_gone(struct session *session);
/* Continues a stopped command. */
void session_control_resume(struct session *session);
/* As long as the terminal is somebody else's while it is due to the command: looks now and then. */
void session_control_watch_foreground(struct session *session);

/* ---- session_signals.c ---- */

/* Starts to listen, and lets in what the caller of ai-jail had blocked. */
void session_signals_open(struct session *session);
void session_signals_close(struct session *session);
/* As if SIGHUP had come: the terminal is gone. */
void session_signals_hang_up(struct session *session);
