// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_signals: what the supervisor is sent in a run.
 *
 * The first of SIGTERM, SIGHUP, SIGINT and SIGQUIT goes to the command, which then has a time of
 * grace; the second of the same ends the jail. SIGTSTP goes to the command, too, and it is the command's
 * stop that stops us (session_control.c). The rest is news: the size of the terminal, continued, a child.
 */
#include "pty/session_parts.h"

#include <signal.h>

#define GRACE_MS 5000 /* from the first signal to SIGKILL */

static const int numbers[SESSION_SIGNAL_COUNT] = {
    [SESSION_TERM] = SIGTERM, [SESSION_HUP] = SIGHUP,     [SESSION_INT] = SIGINT,
    [SESSION_QUIT] = SIGQUIT, [SESSION_WINCH] = SIGWINCH, [SESSION_CONT] = SIGCONT,
    [SESSION_TSTP] = SIGTSTP, [SESSION_CHLD] = SIGCHLD,
};

static void forward_signal(struct session *session, size_t slot)
{
    int sig = numbers[slot];

    /* A closed window brings HUP up to three times: from the kernel, the shell, the shell's end. */
    if (sig == SIGHUP && session->signal_counts[slot] > 0 && jobs_terminal_is_gone(&session->jobs))
        return;
    if (session->phase == PHASE_ENDING || session->signal_counts[slot]++ > 0) {
        session_kill_jail(session);
        return;
    }
    session_control_send(session, CONTROL_SIGNAL, sig);
    /* A stopped command takes the signal only when it is continued. */
    if (session->phase == PHASE_STOPPED)
        session_control_send(session, CONTROL_CONTINUE, 0);
    if (session->phase != PHASE_ENDING && !uv_is_active((uv_handle_t *)&session->timer))
        session_kill_jail_in(session, GRACE_MS);
}

static void on_resize(struct session *session)
{
    struct winsize size;

    if (!session->relay)
        return;
    terminal_size(&session->jail.terminal, &size);
    relay_resize(session->relay, &size);
}

static void on_signal(uv_signal_t *handle, int sig)
{
    struct session *session = handle->data;

    switch (sig) {
    case SIGCHLD:
        session_reap(session);
        break;
    case SIGWINCH:
        on_resize(session);
        break;
    case SIGTSTP:
        if (session->phase != PHASE_ENDING)
            session_control_send(session, CONTROL_SIGNAL, SIGTSTP);
        break;
    case SIGCONT:
        if (session->phase != PHASE_RUNNING || !jobs_retake(&session->jobs))
            session_control_resume(session);
        break;
    default:
        forward_signal(session, (size_t)(handle - session->signals));
        break;
    }
}

void session_signals_hang_up(struct session *session)
{
    forward_signal(session, SESSION_HUP);
}

/* A signal that the caller ignores (nohup, a shell's `&`) is none for us either. What the caller
 * blocks is let in: the loop lives on it. */
void session_signals_open(struct session *session)
{
    uint64_t ignored = session->jail.policy->host->sigignore;
    sigset_t none;

    for (size_t i = 0; i < SESSION_SIGNAL_COUNT; i++) {
        bool is_other = i >= SESSION_FORWARDED_COUNT;
        int sig = numbers[i];

        uv_signal_init(&session->loop, &session->signals[i]);
        session->signals[i].data = session;
        if (!(ignored & 1ULL << (sig - 1)) || (is_other && sig != SIGTSTP))
            uv_signal_start(&session->signals[i], on_signal, sig);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void session_signals_close(struct session *session)
{
    for (size_t i = 0; i < SESSION_SIGNAL_COUNT; i++)
        uv_close((uv_handle_t *)&session->signals[i], NULL);
}
