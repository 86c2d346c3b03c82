// SPDX-License-Identifier: GPL-3.0-only
/*
 * keeper_command: from the fork to the exec of sandbox-exec, which becomes the command.
 *
 * Once it runs nobody can tell sandbox-exec from the command. So the command is looked for here, where 127
 * and 126 can be told from each other and from a sandbox-exec that cannot be started.
 */
#include "pty/keeper_parts.h"

#include "base/path.h"
#include "base/rlimit.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* As in confstr(_CS_PATH), for an environment without a PATH. */
#define DEFAULT_PATH "/usr/bin:/bin:/usr/sbin:/sbin"

void keeper_report(const struct keeper_child *child, enum control_type type, int32_t a, int32_t b)
{
    struct control_message message = {
        .version = CONTROL_VERSION, .type = (uint32_t)type, .a = a, .b = b};

    (void)!write(child->report, &message, sizeof(message));
}

static _Noreturn void fail(const struct keeper_child *child, enum launch_stage stage, int error)
{
    keeper_report(child, CONTROL_FAILED, (int32_t)stage, error);
    _exit(125);
}

static const char *path_of(char *const *env)
{
    for (; env && *env; env++)
        if (str_starts(*env, "PATH="))
            return *env + strlen("PATH=");
    return DEFAULT_PATH;
}

/* 0, or why it cannot be executed. */
static int examine(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return -errno;
    if (S_ISDIR(st.st_mode) || access(path, X_OK) < 0)
        return -EACCES;
    return 0;
}

int keeper_find_command(const struct policy *policy, char **path)
{
    const char *name = policy->argv.v[0];
    const char *list = path_of(policy->env.v);
    int found = -ENOENT;

    *path = NULL;
    if (strchr(name, '/') || !name[0]) {
        *path = name[0] ? path_join(policy->project, name) : NULL;
        return *path ? examine(*path) : -ENOENT;
    }
    for (;;) {
        size_t len = strcspn(list, ":");
        _cleanup_free_ char *entry = xstrndup(list, len);
        _cleanup_free_ char *dir = path_join(policy->project, len ? entry : ".");
        _cleanup_free_ char *candidate = path_join(dir, name);
        int r = examine(candidate);

        if (r == 0) {
            *path = steal_ptr(&candidate);
            return 0;
        }
        if (r != -ENOENT && r != -ENOTDIR)
            found = r;
        if (!list[len])
            return found;
        list += len + 1;
    }
}

static void enter_group(const struct keeper_child *child)
{
    const struct keeper_options *options = child->options;

    setpgid(0, 0);
    options->page->command = getpid();
    if (options->stdio->foreground && options->slave >= 0 &&
        tcsetpgrp(KEEPER_FD_SLAVE, getpid()) < 0)
        fail(child, STAGE_PTY, errno);
}

static void place_stdio(const struct keeper_child *child)
{
    for (int fd = 0; fd <= 2; fd++) {
        bool is_pty = child->options->stdio->is_pty[fd];

        if (dup2(is_pty ? KEEPER_FD_SLAVE : KEEPER_FD_STDIO + fd, fd) < 0)
            fail(child, STAGE_STDIO, errno);
    }
}

/* No limit of processes: it would count all of the user's. */
static void set_limits(const struct keeper_child *child)
{
    const struct policy *policy = child->options->policy;
    uint64_t most = child->options->descriptors_max;
    uint64_t nofile = policy->limits.nofile_hard < most ? policy->limits.nofile_hard : most;
    const struct {
        int resource;
        uint64_t wanted;
    } limits[] = {
        {RLIMIT_NOFILE, nofile},
        {RLIMIT_CORE, policy->limits.core},
        {RLIMIT_FSIZE, policy->limits.fsize},
    };

    for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
        int error = rlimit_lower(limits[i].resource, limits[i].wanted);

        if (!error)
            continue;
        keeper_report(child, CONTROL_WARN_LIMIT, limits[i].resource, error);
        if (policy->lockdown)
            fail(child, STAGE_LIMITS, error);
    }
}

void keeper_restore_signals(const struct host *host)
{
    sigset_t mask;

    sigemptyset(&mask);
    for (int number = 1; number < NSIG && number <= 64; number++) {
        uint64_t bit = 1ULL << (number - 1);
        struct sigaction action = {.sa_handler = host->sigignore & bit ? SIG_IGN : SIG_DFL};

        (void)sigaction(number, &action, NULL);
        if (host->sigmask & bit)
            (void)sigaddset(&mask, number);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

_Noreturn void keeper_child_run(struct keeper_child *child)
{
    const struct keeper_options *options = child->options;
    const struct policy *policy = options->policy;

    enter_group(child);
    place_stdio(child);
    if (policy->rlimits)
        set_limits(child);
    if (chdir(policy->project) < 0)
        fail(child, STAGE_CWD, errno);
    keeper_ask_mise(child);
    keeper_restore_signals(policy->host);
    execve(options->program, child->argv, child->env);
    fail(child, STAGE_SANDBOX, errno);
}
