// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_mounter: the supervisor's side of a run's mounter: its life, and what it tells.
 *
 * The mounter is ours and trusted. Still its events are checked for their bounds, and what they name
 * was chosen by others: it is escaped on its way out.
 *
 * There is no heartbeat: that it ends or is stopped comes as SIGCHLD, and whatever it says, it says
 * without being asked.
 */
#include "pty/session_mounter.h"

#include "base/log.h"
#include "base/path.h"
#include "pty/mounter_event.h"
#include "pty/session_state.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define POLICY_FILE ".ai-jail"
#define END_MS      3000 /* for each of the things that the mounter does at the end */

static void lose(struct session_mounter *side, const char *why)
{
    side->on_lost(side->arg, why);
}

static const char *verb(int32_t kind)
{
    switch (kind) {
    case PLAN_COVER_DENY:
        return "denied";
    case PLAN_COVER_RO:
        return "protected";
    default:
        return "masked";
    }
}

static void say_covered(struct session_mounter *side, const struct mounter_event *event,
                        const char *path, const char *origin)
{
    audit_mask(side->audit, path, verb(event->kind), origin);
    if (str_eq(path, side->policy_file) && side->policy_stat.st_nlink == 0) {
        if (!side->has_named_policy)
            log_line(NOTE_SECURITY,
                     "%s was created during the run; it is %s, read it before the "
                     "next run",
                     path, verb(event->kind));
        side->has_named_policy = true;
        return;
    }
    audit_skip_line(side->audit);
    log_line(NOTE_SECURITY, "late mask applied: %s is %s (%s)", path, verb(event->kind), origin);
}

static void say_failed(struct session_mounter *side, const struct mounter_event *event,
                       const char *path)
{
    _cleanup_free_ char *why = xasprintf("%s cannot be covered (%s)",
                                         *path ? path : "what is masked", strerror(event->code));

    lose(side, why);
}

static void on_event(struct session_mounter *side, const struct mounter_event *event,
                     const char *path, const char *origin)
{
    session_report_take(&side->report, event, path, origin);
    session_state_take(event, path, origin);
    switch ((enum mounter_event_type)event->type) {
    case MOUNTER_EVENT_COVERED:
        say_covered(side, event, path, origin);
        break;
    case MOUNTER_EVENT_LINK:
        log_line(NOTE_SECURITY,
                 "%s is a symbolic link that appeared during the run: what it leads to is not %s "
                 "because of it (%s)",
                 path, verb(event->kind), origin);
        break;
    case MOUNTER_EVENT_MOVED:
        if (*origin)
            log_line(NOTE_SECURITY,
                     "%s was moved to %s during the run: what is masked in it stays "
                     "masked in this run, not in the next",
                     path, origin);
        else
            log_line(NOTE_SECURITY,
                     "%s was moved out of the watched directories during the run: "
                     "what is masked in it stays masked until it is replaced there",
                     path);
        break;
    case MOUNTER_EVENT_REPOSITORY:
        log_line(NOTE_SECURITY, "%s is a new repository: its hooks and configuration are protected",
                 path);
        break;
    case MOUNTER_EVENT_NO_WATCH:
        log_line(NOTE_SECURITY,
                 "%s cannot be watched (%s): masks are looked after every second there; "
                 "fs.inotify.max_user_watches may be too small",
                 path, strerror(event->code));
        break;
    case MOUNTER_EVENT_OVERFLOW:
        log_line(NOTE_SECURITY, "too many changes at once in the watched directories: all of them "
                                "were looked through again for what is masked");
        break;
    case MOUNTER_EVENT_FAILED:
        say_failed(side, event, path);
        break;
    case MOUNTER_EVENT_GIT_CONFIG: /* the others are told at the end */
    case MOUNTER_EVENT_CHANGED:
    case MOUNTER_EVENT_LOST:
    case MOUNTER_EVENT_LOOKED:
    case MOUNTER_EVENT_WRITTEN:
    case MOUNTER_EVENT_STATE_BESIDE:
    case MOUNTER_EVENT_STATE_REFUSED:
    case MOUNTER_EVENT_STATE_FAILED:
    case MOUNTER_EVENT_STATE_OFF:
    case MOUNTER_EVENT_COUNT:
        break;
    }
}

/* Takes every event that is there. */
static void read_events(struct session_mounter *side)
{
    struct mounter_event event;
    const char *path, *origin;
    int r;

    while (side->mounter->socket >= 0) {
        r = mounter_event_receive(side->mounter->socket, &event, &path, &origin);
        if (r == 1) {
            on_event(side, &event, path, origin);
            continue;
        }
        if (r == -EBADMSG)
            lose(side, "the mounter said something unexpected");
        /* At its end SIGCHLD is on the way. */
        if (r != -EAGAIN && r != -EINTR && side->is_open)
            uv_poll_stop(&side->poll);
        return;
    }
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    read_events(poll->data);
}

static void look_at_policy(const struct session_mounter *side, struct stat *st)
{
    if (lstat(side->policy_file, st) < 0)
        *st = (struct stat){0};
}

void session_mounter_open(struct session_mounter *side, uv_loop_t *loop, struct jail *jail)
{
    side->mounter = jail->mounter;
    side->policy = jail->policy;
    side->policy_file = path_join(jail->policy->project, POLICY_FILE);
    look_at_policy(side, &side->policy_stat);
    uv_poll_init(loop, &side->poll, side->mounter->socket);
    side->poll.data = side;
    uv_poll_start(&side->poll, UV_READABLE, on_poll);
    side->is_open = true;
}

void session_mounter_on_child(struct session_mounter *side)
{
    pid_t *pid = &side->mounter->pid;
    int status;

    if (*pid <= 0 || waitpid(*pid, &status, WNOHANG | WUNTRACED) != *pid)
        return;
    read_events(side);
    if (WIFSTOPPED(status)) {
        kill(*pid, SIGKILL);
        while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    *pid = 0;
    lose(side, WIFSTOPPED(status) ? "the mounter was stopped" : "the mounter is gone");
}

void session_mounter_close(struct session_mounter *side)
{
    if (!side->is_open)
        return;
    side->is_open = false;
    uv_close((uv_handle_t *)&side->poll, NULL);
}

void session_mounter_ending(struct session_mounter *side)
{
    if (side->mounter && !side->policy->is_trial)
        (void)mounter_look_at_end(side->mounter);
}

static void say_changed_policy(const struct session_mounter *side)
{
    const struct stat *was = &side->policy_stat;
    struct stat is;

    look_at_policy(side, &is);
    if (is.st_dev == was->st_dev && is.st_ino == was->st_ino && is.st_size == was->st_size &&
        is.st_mtim.tv_sec == was->st_mtim.tv_sec && is.st_mtim.tv_nsec == was->st_mtim.tv_nsec &&
        is.st_ctim.tv_sec == was->st_ctim.tv_sec && is.st_ctim.tv_nsec == was->st_ctim.tv_nsec)
        return;
    if (was->st_nlink > 0)
        log_line(NOTE_SECURITY, "%s was %s during the run", side->policy_file,
                 is.st_nlink > 0 ? "changed" : "removed");
    else if (!side->has_named_policy)
        log_line(NOTE_SECURITY, "%s was created during the run", side->policy_file);
}

/* Takes events until *flag is set. The mounter is trusted, but a file system may hang. */
static void wait_for(struct session_mounter *side, const bool *flag)
{
    struct pollfd poll_fd = {.fd = side->mounter->socket, .events = POLLIN};

    while (!*flag && poll(&poll_fd, 1, END_MS) == 1 && !(poll_fd.revents & POLLNVAL)) {
        read_events(side);
        if (!*flag && (poll_fd.revents & POLLHUP))
            return;
    }
}

static void write_report(struct session_mounter *side, const struct session_net *net, int code,
                         int signal)
{
    struct run_refused refused[SESSION_NET_REFUSED_MAX];
    size_t n = session_net_refused(net, refused);
    _cleanup_free_ char *text =
        session_report_text(&side->report, &side->policy->argv, code, signal, refused, n);
    int r = mounter_write_report(side->mounter, text);

    if (r == 0)
        wait_for(side, &side->report.has_written);
    if (r < 0 || !side->report.has_written)
        log_line(NOTE_WARNING, "--report: the file could not be written: %s",
                 r < 0 ? strerror(-r) : "the mounter is gone");
}

void session_mounter_finish(struct session_mounter *side, const struct session_net *net, int code,
                            int signal)
{
    if (!side->mounter)
        return;
    read_events(side);
    if (!side->policy->is_trial && !side->report.has_looked && mounter_look(side->mounter) == 0)
        wait_for(side, &side->report.has_looked);
    if (side->mounter->page->late.unsaid > 0)
        log_line(NOTE_SECURITY, "%u more events of late masks are not listed (%u covers in all)",
                 side->mounter->page->late.unsaid, side->mounter->page->late.covered);
    say_changed_policy(side);
    for (size_t i = 0; i < side->report.changed_n; i++)
        audit_add_changed(side->audit, side->report.changed[i].path, side->report.changed[i].class,
                          side->report.changed[i].is_new ? "new" : "changed");
    session_report_say(&side->report, side->policy);
    if (side->mounter->report >= 0)
        write_report(side, net, code, signal);
    session_report_free(&side->report);
    free(side->policy_file);
    side->policy_file = NULL;
    side->mounter = NULL;
}
