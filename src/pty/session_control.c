// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_control: what the launcher says and is told in a run, and with it stop and continue.
 *
 * The launcher is our program and stands where the agent is, so it is believed nothing: a message of a
 * type that the phase does not know ends the run. The network's messages are session_net's, warnings
 * session_say's; the rest is the life of the command, from STARTED to EXITED.
 *
 * The format of a message is control.c, who has the terminal meanwhile jobs.c.
 */
#include "pty/session_parts.h"

#include "base/log.h"
#include "pty/diagnose.h"
#include "pty/session_say.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define BACKGROUND_MS 250 /* how often a background job looks whether it still is one */

void session_control_send(struct session *session, enum control_type type, int a)
{
    int r = control_send(session->jail.control, type, a, 0, -1);

    if (r < 0 && r != -EPIPE && r != -ECONNRESET)
        session_abort(session, "the launcher does not take orders");
}

/* ---- stop and continue ---- */

static void on_background(uv_timer_t *timer)
{
    struct session *session = timer->data;

    if (session->phase < PHASE_STOPPED)
        jobs_retake(&session->jobs);
    if (session->phase == PHASE_ENDING || !jobs_is_waiting(&session->jobs))
        uv_timer_stop(timer);
}

/* Nothing tells a running job that it has become the foreground one. */
void session_control_watch_foreground(struct session *session)
{
    if (jobs_is_waiting(&session->jobs))
        uv_timer_start(&session->background, on_background, BACKGROUND_MS, BACKGROUND_MS);
}

void session_control_resume(struct session *session)
{
    bool foreground;

    if (session->phase != PHASE_STOPPED)
        return;
    session->phase = PHASE_RUNNING;
    foreground = jobs_resume(&session->jobs);
    session_control_send(session, foreground ? CONTROL_FOREGROUND : CONTROL_CONTINUE, 0);
    session_control_watch_foreground(session);
}

/* A command in a pipeline such as `ai-jail make | less` asks for the terminal by reading it. */
static void on_stopped(struct session *session, int sig)
{
    bool asks = sig == SIGTTIN || sig == SIGTTOU;

    session->phase = PHASE_STOPPED;
    if (!asks || !session->relay || session->jobs.owns_terminal) {
        jobs_stop(&session->jobs);
        session_control_resume(session);
        return;
    }
    jobs_wait_foreground(&session->jobs);
    session->phase = PHASE_RUNNING;
    session_control_send(session, CONTROL_FOREGROUND, 0);
}

/* ---- messages of the launcher ---- */

static void on_exited(struct session *session, const struct control_message *message)
{
    int status = message->a;

    if (message->b == CONTROL_NEVER_RAN) {
        log_line(NOTE_FATAL, "sandbox-exec ended with %d before the command began",
                 WEXITSTATUS(status));
        session_end(session, 125);
        return;
    }
    /* A browser ends before its helpers, always. */
    if (message->b > 0 && session->options->policy->browser.profile == BROWSER_NONE)
        log_line(NOTE_INFO, "%d process%s left behind by the command ended with the jail",
                 message->b, message->b == 1 ? "" : "es");
    if (WIFEXITED(status))
        session_end(session, WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        session_end(session, 128 + (session->signal = WTERMSIG(status)));
    else
        session_abort(session, "the launcher reported an impossible exit status");
}

static void on_failed(struct session *session, const struct control_message *message)
{
    struct error error = {0};
    int code = diagnose_failed(message, session->jail.policy, &error);

    log_line(NOTE_FATAL, "%s", error.text);
    session_end(session, code);
}

/* Which messages a phase accepts; anything else ends the run. */
static bool is_expected(const struct session *session, uint32_t type)
{
    switch (type) {
    case CONTROL_WARN_RULE:
    case CONTROL_WARN_LIMIT:
    case CONTROL_WARN_MISE:
    case CONTROL_PATH_PRUNED:
    case CONTROL_STARTED:
    case CONTROL_FAILED:
        return session->phase == PHASE_STARTING;
    case CONTROL_STOPPED:
        return session->phase == PHASE_RUNNING;
    case CONTROL_CONTINUED:
    case CONTROL_EXITED:
        return session->phase == PHASE_RUNNING || session->phase == PHASE_STOPPED;
    default:
        return false;
    }
}

static void on_message(struct session *session, const struct control_message *message)
{
    if (!is_expected(session, message->type)) {
        session_abort(session, "the launcher said something unexpected");
        return;
    }
    switch (message->type) {
    case CONTROL_STARTED:
        session->phase = PHASE_RUNNING;
        if (session->relay)
            relay_release_input(session->relay);
        break;
    case CONTROL_FAILED:
        on_failed(session, message);
        break;
    case CONTROL_STOPPED:
        on_stopped(session, message->a);
        break;
    case CONTROL_CONTINUED:
        session->phase = PHASE_RUNNING;
        break;
    case CONTROL_EXITED:
        on_exited(session, message);
        break;
    default:
        session_say_warning(message, &session->jail.launch->orders);
        break;
    }
}

static void lost_backend(struct session *session)
{
    if (session->phase == PHASE_ENDING)
        return;
    if (session->killed) {
        session_end(session, 128 + SIGKILL);
        return;
    }
    session_abort(session, "the jail ended without reporting how the command did");
}

/* Takes every message that is there, until the run ends. */
static void read_all(struct session *session)
{
    while (session->phase != PHASE_ENDING) {
        struct control_message message;
        int fd = -1;
        int r = control_receive(session->jail.control, &message, &fd);

        if (r == 1 && session_net_takes(&session->net, &message, &fd))
            continue;
        if (fd >= 0) {
            close(fd);
            r = -EBADMSG;
        }
        if (r == -EAGAIN)
            return;
        if (r == 1)
            on_message(session, &message);
        else if (r == 0 || r == -ECONNRESET)
            lost_backend(session);
        else
            session_abort(session, "the launcher said something unexpected");
    }
}

static void on_control(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    read_all(poll->data);
}

void session_control_gone(struct session *session)
{
    read_all(session);
    lost_backend(session);
}

void session_control_open(struct session *session)
{
    uv_poll_init(&session->loop, &session->control, session->jail.control);
    session->control.data = session;
    uv_poll_start(&session->control, UV_READABLE | UV_DISCONNECT, on_control);
    uv_timer_init(&session->loop, &session->background);
    session->background.data = session;
}

void session_control_close(struct session *session)
{
    uv_close((uv_handle_t *)&session->control, NULL);
    uv_close((uv_handle_t *)&session->background, NULL);
}
