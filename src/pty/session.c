// SPDX-License-Identifier: GPL-3.0-only
/*
 * session: supervises one run.
 *
 *   start_jail()          the jail waits, the terminal is untouched           (start.c)
 *   isolate_supervisor()  nothing can be written, opened or executed any more (isolate.c)
 *   open_loop()           what needs no covers is ready                       (here)
 *   start_wait()          the covers are in place                             (start.c)
 *   GO                    the command starts
 *   uv_run()              messages of the launcher (session_control.c), terminal bytes (relay.c),
 *                         signals (session_signals.c), the end of children
 *   restore               the terminal is as it was; held lines are printed
 *
 * The loop is made after the confinement, so that it never gets anything that would be refused then.
 * All state of a run is in struct session (session_parts.h); its phase says which messages are valid.
 * The run has ended when bubblewrap has been reaped and all output is written. Who has the terminal
 * meanwhile is jobs.c.
 */
#include "pty/session_parts.h"

#include "backend/seccomp.h"
#include "base/log.h"
#include "pty/diagnose.h"
#include "pty/isolate.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_OWN_FAILURE 125
#define END_MS           2000 /* from the command's end to the end of the jail */

/* ---- the end ---- */

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

/* Once nothing is left to wait for, every handle of ours is closed and uv_run() returns. */
static void finish_if_done(struct session *session)
{
    if (session->closing || !session->backend_gone || !session->output_done)
        return;
    session->closing = true;
    statusline_close(&session->statusline);
    session_mounter_close(&session->mounter);
    session_net_close(&session->net);
    session_control_close(session);
    session_signals_close(session);
    uv_close((uv_handle_t *)&session->timer, NULL);
    if (session->relay) {
        session->jobs.was_cut = relay_was_cut(session->relay);
        relay_close(session->relay);
    }
    session->relay = NULL;
    session->jobs.relay = NULL;
}

void session_kill_jail(struct session *session)
{
    session->killed = true;
    start_kill(&session->jail);
}

static void on_timer(uv_timer_t *timer)
{
    session_kill_jail(timer->data);
}

void session_kill_jail_in(struct session *session, unsigned delay_ms)
{
    uv_timer_start(&session->timer, on_timer, delay_ms, 0);
}

void session_end(struct session *session, int code)
{
    if (session->phase == PHASE_ENDING)
        return;
    session->phase = PHASE_ENDING;
    session->code = code;
    session_mounter_ending(&session->mounter);
    uv_poll_stop(&session->control);
    session_kill_jail_in(session, END_MS);
    if (session->relay)
        relay_finish(session->relay);
    else
        session->output_done = true;
    finish_if_done(session);
}

void session_abort(struct session *session, const char *why)
{
    if (session->phase != PHASE_ENDING)
        log_line(NOTE_FATAL, "%s; the jail is ended", why);
    session_kill_jail(session);
    session_end(session, EXIT_OWN_FAILURE);
}

void session_reap(struct session *session)
{
    struct jail *jail = &session->jail;
    int status;

    session_mounter_on_child(&session->mounter);
    if (jail->pid > 0 && waitpid(jail->pid, &status, WNOHANG) == jail->pid) {
        jail->pid = 0;
        session->backend_gone = true;
        session_control_gone(session);
    }
    finish_if_done(session);
}

static void on_mounter_lost(void *arg, const char *why)
{
    session_abort(arg, why);
}

/* ---- the loop ---- */

static void on_restore_changed(void *arg)
{
    struct session *session = arg;

    jobs_keep_restore(&session->jobs);
}

static void on_output_end(void *arg)
{
    struct session *session = arg;

    session->output_done = true;
    /* EOF of the PTY without a word from the launcher: the message is on its way. */
    finish_if_done(session);
}

static void on_terminal_gone(void *arg)
{
    struct session *session = arg;

    if (session->phase != PHASE_ENDING)
        session_signals_hang_up(session);
}

/* Learns what the terminal is, which makes it raw, and keeps what was typed meanwhile. */
static struct filter *make_filter(struct session *session)
{
    struct jail *jail = &session->jail;
    const struct host *host = jail->policy->host;
    struct filter_profile profile;

    probe_assume(&jail->terminal, host, jail->policy->env.v, &profile);
    if (probe_is_wanted(&jail->terminal, host) && jobs_set_raw(&session->jobs) == 0)
        probe_ask(&session->probe, &jail->terminal, host, &profile);
    profile.may_write_clipboard = session->options->clipboard;
    return filter_new(&profile);
}

static int open_relay(struct session *session, struct error *error)
{
    struct jail *jail = &session->jail;
    struct relay_options options = {
        .loop = &session->loop,
        .terminal = &jail->terminal,
        .master = jail->master,
        .redraw_key = session->options->redraw_key,
        .hold_input = true,
        .on_output_end = on_output_end,
        .on_terminal_gone = on_terminal_gone,
        .on_restore_changed = on_restore_changed,
        .arg = session,
    };

    if (jail->master < 0) {
        session->output_done = true;
        return 0;
    }
    if (!session->options->passthrough)
        session->filter = make_filter(session);
    options.filter = session->filter;
    terminal_copy_to_pty(&jail->terminal, jail->master);
    session->relay = relay_new(&options, error);
    if (!session->relay)
        return -error->code;
    jail->master = -1;
    session->jobs.filter = session->filter;
    session->jobs.relay = session->relay;
    statusline_open(&session->statusline, session->relay, &options);
    relay_type_ahead(session->relay, session->probe.typed.data, session->probe.typed.len);
    if (jail->stdio.foreground)
        jobs_take_terminal(&session->jobs);
    session_control_watch_foreground(session);
    return 0;
}

/* What waits for neither the terminal nor the covers: made while the mounter places them. */
static int open_loop(struct session *session, struct error *error)
{
    int r;

    signal(SIGPIPE, SIG_IGN);
    r = uv_loop_init(&session->loop);
    if (r < 0)
        return error_set(error, -r, "the event loop cannot be made: %s", uv_strerror(r));
    session->loop.data = session;
    session_control_open(session);
    uv_timer_init(&session->loop, &session->timer);
    session->timer.data = session;
    session->net.audit = session->options->audit;
    return session_net_open(&session->net, &session->loop, &session->jail, error);
}

static void close_loop(struct session *session)
{
    if (!session->loop.data) /* there is none */
        return;
    uv_walk(&session->loop, close_handle, NULL);
    uv_run(&session->loop, UV_RUN_DEFAULT);
    uv_loop_close(&session->loop);
}

static void open_handles(struct session *session)
{
    session->jobs = (struct jobs){
        .terminal = &session->jail.terminal,
        .page = session->jail.page,
        .probe = &session->probe,
    };
    session->statusline.facts = session->options->status;
    session->statusline.refused = &session->net.refused;
    session->statusline.update = session->options->update;
    session->mounter = (struct session_mounter){
        .on_lost = on_mounter_lost, .arg = session, .audit = session->options->audit};
    session_mounter_open(&session->mounter, &session->loop, &session->jail);
    session_signals_open(session);
}

static int supervise(struct session *session)
{
    struct error error = {0};

    open_handles(session);
    /* Lines of ours would land in the command's screen. */
    if (terminal_is_behind(&session->jail.terminal, STDERR_FILENO))
        log_hold();
    if (open_relay(session, &error) < 0)
        session_abort(session, error.text);
    else
        session_control_send(session, CONTROL_GO, 0);
    session_reap(session); /* what ended before the handler was there */
    uv_run(&session->loop, UV_RUN_DEFAULT);
    close_loop(session);
    jobs_give_terminal_back(&session->jobs);
    log_release();
    session_mounter_finish(&session->mounter, &session->net, session->code, session->signal);
    session_net_finish(&session->net);
    return session->code;
}

static int confine(const struct jail *jail, struct error *error)
{
    struct notes notes = {0};
    int r =
        isolate_supervisor(jail->policy->host->landlock_abi, seccomp_arch() != NULL, &notes, error);

    log_notes(&notes);
    return r;
}

int session_run(const struct session_options *options)
{
    struct session session = {.options = options, .phase = PHASE_STARTING};
    struct error error = {0};
    struct notes notes = {0};
    int r = start_jail(&session.jail, options->policy, options->launch, &notes, &error);

    log_notes(&notes);
    if (r < 0) {
        log_line(NOTE_FATAL, "%s", error.text);
        return EXIT_OWN_FAILURE;
    }
    r = confine(&session.jail, &error);
    if (r == 0 && options->on_confined)
        options->on_confined(options->arg);
    if (r == 0)
        r = open_loop(&session, &error);
    if (r == 0)
        r = start_wait(&session.jail, &error);
    if (r < 0) {
        log_line(NOTE_FATAL, "%s", error.text);
        session_net_close(&session.net);
        close_loop(&session);
        start_abandon(&session.jail);
        return EXIT_OWN_FAILURE;
    }
    r = supervise(&session);
    audit_set_signal(options->audit, session.signal);
    diagnose_clipboard(session.filter);
    filter_free(session.filter);
    probe_free(&session.probe);
    start_finish(&session.jail);
    return r;
}
