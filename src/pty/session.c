// SPDX-License-Identifier: GPL-3.0-only
/*
 * session: supervises one run.
 *
 *   start_jail()          the jail waits, the terminal is untouched           (start.c)
 *   isolate_supervisor()  nothing can be written, opened or executed any more (isolate.c)
 *   start_wait()          the covers are in place                             (start.c)
 *   GO                    the command starts
 *   uv_run()              control messages, terminal bytes (relay.c), signals, the end of children
 *   restore               the terminal is as it was; held lines are printed
 *
 * The loop is made after the confinement, so that it never gets anything that would be refused then.
 * All state of a run is in struct session; its phase says which messages are valid.
 * The run has ended when bubblewrap has been reaped and all output is written. Who has the terminal
 * meanwhile is jobs.c.
 */
#include "pty/session.h"

#include "backend/seccomp.h"
#include "base/log.h"
#include "filter/filter.h"
#include "pty/control.h"
#include "pty/diagnose.h"
#include "pty/isolate.h"
#include "pty/jobs.h"
#include "pty/relay.h"
#include "pty/session_mounter.h"
#include "pty/session_net.h"
#include "pty/session_say.h"
#include "pty/start.h"
#include "pty/statusline.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#define EXIT_OWN_FAILURE 125
#define GRACE_MS         5000 /* from the first signal to SIGKILL */
#define END_MS           2000 /* from the command's end to the end of the jail */
#define BACKGROUND_MS    250  /* how often a background job looks whether it still is one */

enum phase {
    PHASE_STARTING, /* GO was sent */
    PHASE_RUNNING,
    PHASE_STOPPED, /* the command is stopped */
    PHASE_ENDING,  /* the exit code is known */
};

static const int forwarded_signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};

enum signal_slot { SLOT_HUP = 1, SLOT_WINCH = 4, SLOT_CONT, SLOT_TSTP, SLOT_CHLD, SLOT_COUNT };

struct session {
    const struct session_options *options; /* borrowed */
    struct jail jail;
    enum phase phase;
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
    uv_signal_t signals[SLOT_COUNT];
    unsigned signal_counts[ARRAY_SIZE(forwarded_signals)];
    bool output_done;
    bool backend_gone;
    bool killed; /* by us */
    bool closing;
};

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
    uv_close((uv_handle_t *)&session->control, NULL);
    uv_close((uv_handle_t *)&session->timer, NULL);
    uv_close((uv_handle_t *)&session->background, NULL);
    for (size_t i = 0; i < SLOT_COUNT; i++)
        uv_close((uv_handle_t *)&session->signals[i], NULL);
    if (session->relay) {
        session->jobs.was_cut = relay_was_cut(session->relay);
        relay_close(session->relay);
    }
    session->relay = NULL;
    session->jobs.relay = NULL;
}

static void kill_jail(struct session *session)
{
    session->killed = true;
    start_kill(&session->jail);
}

static void on_timer(uv_timer_t *timer)
{
    kill_jail(timer->data);
}

static void end_run(struct session *session, int code)
{
    if (session->phase == PHASE_ENDING)
        return;
    session->phase = PHASE_ENDING;
    session->code = code;
    uv_poll_stop(&session->control);
    uv_timer_start(&session->timer, on_timer, END_MS, 0);
    if (session->relay)
        relay_finish(session->relay);
    else
        session->output_done = true;
    finish_if_done(session);
}

/* The jail cannot be trusted or supervised any longer. */
static void abort_run(struct session *session, const char *why)
{
    if (session->phase != PHASE_ENDING)
        log_line(NOTE_FATAL, "%s; the jail is ended", why);
    kill_jail(session);
    end_run(session, EXIT_OWN_FAILURE);
}

static void on_mounter_lost(void *arg, const char *why)
{
    abort_run(arg, why);
}

static void send_control(struct session *session, enum control_type type, int a)
{
    int r = control_send(session->jail.control, type, a, 0, -1);

    if (r < 0 && r != -EPIPE && r != -ECONNRESET)
        abort_run(session, "the launcher does not take orders");
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
static void watch_foreground(struct session *session)
{
    if (jobs_is_waiting(&session->jobs))
        uv_timer_start(&session->background, on_background, BACKGROUND_MS, BACKGROUND_MS);
}

static void resume(struct session *session)
{
    bool foreground;

    if (session->phase != PHASE_STOPPED)
        return;
    session->phase = PHASE_RUNNING;
    foreground = jobs_resume(&session->jobs);
    send_control(session, foreground ? CONTROL_FOREGROUND : CONTROL_CONTINUE, 0);
    watch_foreground(session);
}

/* A command in a pipeline such as `ai-jail make | less` asks for the terminal by reading it. */
static void on_stopped(struct session *session, int sig)
{
    bool asks = sig == SIGTTIN || sig == SIGTTOU;

    session->phase = PHASE_STOPPED;
    if (!asks || !session->relay || session->jobs.owns_terminal) {
        jobs_stop(&session->jobs);
        resume(session);
        return;
    }
    jobs_wait_foreground(&session->jobs);
    session->phase = PHASE_RUNNING;
    send_control(session, CONTROL_FOREGROUND, 0);
}

/* ---- messages of the launcher ---- */

static void on_exited(struct session *session, const struct control_message *message)
{
    int status = message->a;

    /* A browser ends before its helpers, always. */
    if (message->b > 0 && session->options->policy->browser.profile == BROWSER_NONE)
        log_line(NOTE_INFO, "%d process%s left behind by the command ended with the jail",
                 message->b, message->b == 1 ? "" : "es");
    if (WIFEXITED(status))
        end_run(session, WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        end_run(session, 128 + (session->signal = WTERMSIG(status)));
    else
        abort_run(session, "the launcher reported an impossible exit status");
}

static void on_failed(struct session *session, const struct control_message *message)
{
    struct error error = {0};
    int code = diagnose_failed(message, session->jail.policy, &error);

    log_line(NOTE_FATAL, "%s", error.text);
    end_run(session, code);
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
        abort_run(session, "the launcher said something unexpected");
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
        end_run(session, 128 + SIGKILL);
        return;
    }
    abort_run(session, "the jail ended without reporting how the command did");
}

/* Takes every message that is there. */
static void read_control(struct session *session)
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
            abort_run(session, "the launcher said something unexpected");
    }
}

static void on_control(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    read_control(poll->data);
}

/* ---- signals ---- */

static void forward_signal(struct session *session, size_t slot)
{
    int sig = forwarded_signals[slot];

    /* A closed window brings HUP up to three times: from the kernel, the shell, the shell's end. */
    if (sig == SIGHUP && session->signal_counts[slot] > 0 && jobs_terminal_is_gone(&session->jobs))
        return;
    if (session->phase == PHASE_ENDING || session->signal_counts[slot]++ > 0) {
        kill_jail(session);
        return;
    }
    send_control(session, CONTROL_SIGNAL, sig);
    /* A stopped command takes the signal only when it is continued. */
    if (session->phase == PHASE_STOPPED)
        send_control(session, CONTROL_CONTINUE, 0);
    if (session->phase != PHASE_ENDING && !uv_is_active((uv_handle_t *)&session->timer))
        uv_timer_start(&session->timer, on_timer, GRACE_MS, 0);
}

static void on_child(struct session *session)
{
    struct jail *jail = &session->jail;
    int status;

    session_mounter_on_child(&session->mounter);
    if (jail->pid > 0 && waitpid(jail->pid, &status, WNOHANG) == jail->pid) {
        jail->pid = 0;
        session->backend_gone = true;
        read_control(session);
        lost_backend(session);
    }
    finish_if_done(session);
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
        on_child(session);
        break;
    case SIGWINCH:
        on_resize(session);
        break;
    case SIGTSTP:
        if (session->phase != PHASE_ENDING)
            send_control(session, CONTROL_SIGNAL, SIGTSTP);
        break;
    case SIGCONT:
        if (session->phase != PHASE_RUNNING || !jobs_retake(&session->jobs))
            resume(session);
        break;
    default:
        forward_signal(session, (size_t)(handle - session->signals));
        break;
    }
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
        forward_signal(session, SLOT_HUP);
}

/* Learns what the terminal is, which makes it raw, and keeps what was typed meanwhile. */
static struct filter *make_filter(struct session *session)
{
    struct jail *jail = &session->jail;
    const struct host *host = jail->policy->host;
    struct filter_profile profile;

    probe_assume(&jail->terminal, host, jail->policy->env.v, &profile);
    if (probe_is_wanted(&jail->terminal, host) && terminal_set_raw(&jail->terminal) == 0) {
        jobs_keep_restore(&session->jobs);
        probe_ask(&session->probe, &jail->terminal, host, &profile);
    }
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
    watch_foreground(session);
    return 0;
}

/* A signal that the caller ignores (nohup, a shell's `&`) is none for us either. What the caller
 * blocks is let in: the loop lives on it. */
static void start_signals(struct session *session)
{
    static const int others[] = {SIGWINCH, SIGCONT, SIGTSTP, SIGCHLD};
    uint64_t ignored = session->jail.policy->host->sigignore;
    sigset_t none;

    for (size_t i = 0; i < SLOT_COUNT; i++) {
        bool is_other = i >= SLOT_WINCH;
        int sig = is_other ? others[i - SLOT_WINCH] : forwarded_signals[i];

        uv_signal_init(&session->loop, &session->signals[i]);
        session->signals[i].data = session;
        if (!(ignored & 1ULL << (sig - 1)) || (is_other && sig != SIGTSTP))
            uv_signal_start(&session->signals[i], on_signal, sig);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static int start_handles(struct session *session, struct error *error)
{
    uv_poll_init(&session->loop, &session->control, session->jail.control);
    session->control.data = session;
    uv_poll_start(&session->control, UV_READABLE | UV_DISCONNECT, on_control);
    uv_timer_init(&session->loop, &session->timer);
    uv_timer_init(&session->loop, &session->background);
    session->timer.data = session;
    session->background.data = session;
    session->mounter = (struct session_mounter){
        .on_lost = on_mounter_lost, .arg = session, .audit = session->options->audit};
    session->net.audit = session->options->audit;
    session_mounter_open(&session->mounter, &session->loop, &session->jail);
    start_signals(session);
    return session_net_open(&session->net, &session->loop, &session->jail, error);
}

static int supervise(struct session *session)
{
    struct error error = {0};
    int r;

    signal(SIGPIPE, SIG_IGN);
    session->jobs = (struct jobs){
        .terminal = &session->jail.terminal,
        .page = session->jail.page,
        .probe = &session->probe,
    };
    session->statusline.facts = session->options->status;
    session->statusline.refused = &session->net.refused;
    session->statusline.update = session->options->update;
    if (uv_loop_init(&session->loop) < 0) {
        log_line(NOTE_FATAL, "the event loop cannot be made");
        return EXIT_OWN_FAILURE;
    }
    r = start_handles(session, &error);
    /* Lines of ours would land in the command's screen. */
    if (terminal_is_behind(&session->jail.terminal, STDERR_FILENO))
        log_hold();
    if (r < 0 || open_relay(session, &error) < 0)
        abort_run(session, error.text);
    else
        send_control(session, CONTROL_GO, 0);
    on_child(session); /* what ended before the handler was there */
    uv_run(&session->loop, UV_RUN_DEFAULT);
    uv_walk(&session->loop, close_handle, NULL);
    uv_run(&session->loop, UV_RUN_DEFAULT);
    uv_loop_close(&session->loop);
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
    /* The mounter has been at work meanwhile. */
    if (r == 0)
        r = start_wait(&session.jail, &error);
    if (r < 0) {
        log_line(NOTE_FATAL, "%s", error.text);
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
