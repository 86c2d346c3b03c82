// SPDX-License-Identifier: GPL-3.0-only
/*
 * doctor_jail: starts a real jail, and a second one in lockdown, and tries their walls from inside.
 *
 * They have the built-in configuration and an empty directory as its project, so that nothing a
 * project says can make the answer better or worse. The launcher does the trials (launcher_trial.c)
 * in place of a command, and its lines come back over a pipe.
 */
#include "verbs/doctor.h"

#include "backend/launch.h"
#include "base/fd.h"
#include "base/log.h"
#include "policy/policy.h"
#include "pty/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTPUT_MAX (64 * KIB)

static const struct trial {
    const char *name;
    const char *must_fail; /* NULL: it must work */
    const char *must_work;
} trials[] = {
    {"scratch", NULL, "writing to /tmp inside"},
    {"keys", "reading ~/.ssh", NULL},
    {"system", "writing to /usr", NULL},
    {"network", "connecting out", NULL},
    {"ptrace", "tracing a process", NULL},
    {"unshare", "making a namespace", NULL},
    {"input", "pushing input into a terminal", NULL},
};

struct run {
    struct host *host;
    bool is_lockdown;
    int output; /* of the trials */
    int errors; /* of ai-jail */
};

static int start(struct host *host, bool is_lockdown)
{
    struct config config CLEANUP(config_free);
    struct policy policy = {0};
    struct launch launch = {0};
    struct notes notes = {0};
    struct error error = {0};
    const struct strv bash = {0};
    int code = 125;

    config_builtin(&config);
    config_set_bool(&config, SET_LOCKDOWN, is_lockdown);
    if (policy_build(&policy, &config, host, &bash, &notes, &error) == 0) {
        policy.is_trial = true;
        if (launch_build(&launch, &policy, &error) == 0)
            code = session_run(&(struct session_options){.policy = &policy, .launch = &launch});
    }
    if (error.code)
        log_line(NOTE_FATAL, "%s", error.text);
    launch_free(&launch);
    policy_free(&policy);
    notes_free(&notes);
    return code;
}

static int run_jail(void *arg)
{
    const struct run *run = arg;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null < 0 || dup2(null, 0) < 0 || dup2(run->output, 1) < 0 || dup2(run->errors, 2) < 0)
        return 1;
    for (size_t i = 0; i < ARRAY_SIZE(run->host->is_tty); i++)
        run->host->is_tty[i] = false;
    log_setup((struct log_options){.quiet = true, .utf8 = false});
    return start(run->host, run->is_lockdown);
}

static char *read_back(int fd)
{
    struct buf text CLEANUP(buf_free);

    buf_init(&text, OUTPUT_MAX + 1);
    if (lseek(fd, 0, SEEK_SET) < 0 || fd_read_all(fd, &text, OUTPUT_MAX) < 0)
        buf_reset(&text);
    return buf_take_cstr(&text);
}

/* The errno behind the trial's name; -1 if it is not there. */
static int find_answer(const char *output, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = output; at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
        if (strncmp(at, name, len) == 0 && at[len] == ' ')
            return (int)strtol(at + len, NULL, 10);
    return -1;
}

static void judge(struct doctor *doctor, const char *id, const char *output)
{
    struct buf held CLEANUP(buf_free);

    buf_init(&held, 4 * KIB);
    for (size_t i = 0; i < ARRAY_SIZE(trials); i++) {
        const struct trial *trial = &trials[i];
        int answer = find_answer(output, trial->name);
        const char *what = trial->must_fail ? trial->must_fail : trial->must_work;

        if (answer < 0)
            doctor_add(doctor, id, DOCTOR_MISSING, NULL, "%s: not tried", what);
        else if (trial->must_fail && answer == 0)
            doctor_add(doctor, id, DOCTOR_MISSING,
                       "this is a hole: please report it, with this output", "%s worked inside",
                       what);
        else if (!trial->must_fail && answer != 0)
            doctor_add(doctor, id, DOCTOR_MISSING, NULL, "%s failed: %s", what, strerror(answer));
        else if (trial->must_fail)
            buf_printf(&held, "%s%s", held.len ? ", " : "", what);
    }
    if (held.len)
        doctor_add(doctor, id, DOCTOR_OK, NULL, "refused inside: %s", buf_cstr(&held));
}

/* A directory that is made and removed again, as the project. */
static char *make_project(void)
{
    char *path = xstrdup("/tmp/ai-jail-doctor-XXXXXX");

    if (mkdtemp(path))
        return path;
    free(path);
    return NULL;
}

/* One jail, its trials, and a line that says what came of them. */
static void check_jail(struct doctor *doctor, bool is_lockdown)
{
    const char *id = is_lockdown ? "lockdown" : "jail";
    struct run run = {
        .host = &doctor->host,
        .is_lockdown = is_lockdown,
        .output = memfd_create("trials", MFD_CLOEXEC),
        .errors = memfd_create("errors", MFD_CLOEXEC),
    };
    _cleanup_free_ char *output = NULL;
    _cleanup_free_ char *errors = NULL;
    int r = run.output < 0 || run.errors < 0 ? errno : doctor_in_child(run_jail, &run);

    output = read_back(run.output);
    errors = read_back(run.errors);
    errors[strcspn(errors, "\n")] = '\0';
    if (r == 0)
        judge(doctor, id, output);
    else if (is_lockdown)
        doctor_add(doctor, id, DOCTOR_DEGRADED, "only --lockdown is affected",
                   "it cannot start (%d)%s%s", r, errors[0] ? ": " : "", errors);
    else
        doctor_add(doctor, id, DOCTOR_MISSING, NULL, "no jail could be started (%d)%s%s", r,
                   errors[0] ? ": " : "", errors);
    close(run.output);
    close(run.errors);
}

void doctor_check_jail(struct doctor *doctor)
{
    _cleanup_free_ char *project = NULL;

    if (!doctor->has_host || !doctor->has_bwrap)
        return;
    project = make_project();
    if (!project) {
        doctor_add(doctor, "jail", DOCTOR_MISSING, NULL, "no directory can be made in /tmp: %s",
                   strerror(errno));
        return;
    }
    free(doctor->host.cwd);
    free(doctor->host.cwd_spelling);
    doctor->host.cwd = xstrdup(project);
    doctor->host.cwd_spelling = xstrdup(project);
    check_jail(doctor, false);
    check_jail(doctor, true);
    rmdir(project);
}
