// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_mounter_none: a run without a mounter. On a Mac denies hold for names that appear later, too,
 * so nobody has to watch; and the supervisor keeps its rights, so it looks itself at what is left
 * behind, and writes the file of --report.
 */
#include "pty/session_mounter.h"

#include "base/fd.h"
#include "base/log.h"
#include "base/path.h"
#include "pty/mounter_event.h"
#include "pty/report.h"

#include <stdlib.h>
#include <string.h>

#define POLICY_FILE ".ai-jail"

static void look_at_policy(const struct session_mounter *side, struct stat *st)
{
    if (lstat(side->policy_file, st) < 0)
        *st = (struct stat){0};
}

void session_mounter_open(struct session_mounter *side, uv_loop_t *loop, struct jail *jail)
{
    struct error error = {0};

    (void)loop;
    side->policy = jail->policy;
    side->policy_file = path_join(jail->policy->project, POLICY_FILE);
    look_at_policy(side, &side->policy_stat);
    if (report_place_open(&side->place, jail->policy->report_file, &error) < 0)
        log_line(NOTE_WARNING, "%s", error.text); /* a moment ago it could be (start_macos.c) */
    if (!jail->policy->is_trial)
        report_open(&side->look, &(struct report_options){
                                     .plan = &jail->policy->plan,
                                     .host = jail->policy->host,
                                     .project = jail->policy->project,
                                 });
}

void session_mounter_on_child(struct session_mounter *side)
{
    (void)side;
}

void session_mounter_ending(struct session_mounter *side)
{
    (void)side;
}

void session_mounter_close(struct session_mounter *side)
{
    (void)side;
}

static void say_policy(const struct session_mounter *side)
{
    const struct stat *was = &side->policy_stat;
    struct stat is;

    look_at_policy(side, &is);
    if (is.st_dev != was->st_dev || is.st_ino != was->st_ino || is.st_size != was->st_size ||
        is.st_mtime != was->st_mtime || is.st_ctime != was->st_ctime)
        log_line(NOTE_SECURITY, "%s was %s during the run; read it before the next",
                 side->policy_file,
                 was->st_nlink == 0 ? "created"
                 : is.st_nlink > 0  ? "changed"
                                    : "removed");
}

static void take(void *arg, struct mounter_event *event, const char *path, const char *origin)
{
    struct session_mounter *side = arg;

    session_report_take(&side->report, event, path, origin);
}

static void say_left(struct session_mounter *side)
{
    const struct session_report *report = &side->report;

    report_tell(side->look, &(struct report_sink){.say = take, .arg = side});
    for (size_t i = 0; i < report->changed_n; i++)
        audit_add_changed(side->audit, report->changed[i].path, report->changed[i].class,
                          report->changed[i].is_new ? "new" : "changed");
    session_report_say(report, side->policy);
}

static int fill(void *arg, int fd)
{
    const char *text = arg;

    return fd_write_all(fd, text, strlen(text));
}

static void write_report(const struct session_mounter *side, const struct session_net *net,
                         int code, int signal)
{
    struct run_refused refused[SESSION_NET_REFUSED_MAX];
    size_t n = session_net_refused(net, refused);
    _cleanup_free_ char *text =
        session_report_text(&side->report, &side->policy->argv, code, signal, refused, n);
    int r = report_place_put(&side->place, fill, text);

    if (r < 0)
        log_line(NOTE_WARNING, "--report: the file could not be written: %s", strerror(-r));
}

void session_mounter_finish(struct session_mounter *side, const struct session_net *net, int code,
                            int signal)
{
    if (!side->policy_file)
        return;
    say_policy(side);
    if (side->look)
        say_left(side);
    if (side->place.dir >= 0 && side->place.name)
        write_report(side, net, code, signal);
    report_free(side->look);
    report_place_close(&side->place);
    session_report_free(&side->report);
    side->look = NULL;
    free(side->policy_file);
    side->policy_file = NULL;
}
