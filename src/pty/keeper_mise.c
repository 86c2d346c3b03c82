// SPDX-License-Identifier: GPL-3.0-only
/*
 * keeper_mise: `mise env --json`, run once in the command's own sandbox, before the command.
 *
 * Its answer is data: read as hostile, merged by the rules of backend/mise_env.h. Whatever goes wrong is
 * reported, and the command starts without. This runs in the child that becomes the command: what it
 * allocates is gone with the exec.
 */
#include "pty/keeper_parts.h"

#include "backend/mise_env.h"
#include "base/fd.h"
#include "base/os.h"
#include "base/reap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_MS 5000
#define SLICE_MS 20 /* nothing wakes us up when it ends */

static const struct variable {
    const char *name;
    const char *value; /* NULL: the project */
} additions[] = {
    {"MISE_TRUSTED_CONFIG_PATHS", NULL},
    {"MISE_NOT_FOUND_AUTO_INSTALL", "false"},
    {"MISE_OFFLINE", "1"},
};

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool has_variable(const struct strv *env, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < env->n; i++)
        if (strncmp(env->v[i], name, len) == 0 && env->v[i][len] == '=')
            return true;
    return false;
}

static char **environment_of_mise(const struct policy *policy)
{
    char **env = xcalloc(policy->env.n + ARRAY_SIZE(additions) + 1, sizeof(*env));
    size_t n = 0;

    for (; n < policy->env.n; n++)
        env[n] = policy->env.v[n];
    for (size_t i = 0; i < ARRAY_SIZE(additions); i++) {
        const struct variable *row = &additions[i];

        if (!has_variable(&policy->env, row->name))
            env[n++] = xasprintf("%s=%s", row->name, row->value ? row->value : policy->project);
    }
    return env;
}

static _Noreturn void become_mise(const struct keeper_child *child, int out)
{
    const struct keeper_options *options = child->options;
    char *argv[] = {child->argv[0],
                    child->argv[1],
                    child->argv[2],
                    child->argv[3],
                    options->policy->mise.program,
                    xstrdup("env"),
                    xstrdup("--json"),
                    NULL};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    setsid();
    if (null >= 0 && dup2(null, 0) == 0 && dup2(out, 1) == 1 && dup2(null, 2) == 2) {
        keeper_restore_signals(options->policy->host);
        execve(options->program, argv, environment_of_mise(options->policy));
    }
    _exit(127);
}

/* What a user sends to end a command; blocked here, so it waits. */
static bool is_interrupted(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t pending;

    if (sigpending(&pending) < 0)
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
        if (sigismember(&pending, ends[i]) == 1)
            return true;
    return false;
}

#define INTERRUPTED (-1)

/* Reads until it has ended. 0, INTERRUPTED, or what went wrong. */
static int wait_for_answer(pid_t *pid, int out, struct buf *answer, int *status)
{
    int64_t deadline = now_ms() + LIMIT_MS;

    while (now_ms() < deadline) {
        struct pollfd fd = {.fd = out, .events = POLLIN};
        bool has_ended = waitpid(*pid, status, WNOHANG) == *pid;
        int r;

        if (is_interrupted())
            return INTERRUPTED;
        if (!has_ended)
            (void)poll(&fd, 1, SLICE_MS);
        r = fd_read_all(out, answer, MISE_OUTPUT_MAX);
        if (r == -EFBIG)
            return MISE_TOO_MUCH;
        if (has_ended) {
            *pid = 0;
            return *status == 0 ? 0 : MISE_FAILED;
        }
        if (r == 0) /* its output is closed, it is not at its end: nothing would wake poll() */
            (void)poll(NULL, 0, SLICE_MS);
    }
    return MISE_TOO_SLOW;
}

static void end_mise(pid_t group, pid_t pid)
{
    (void)kill(-group, SIGKILL);
    reap_child(&pid, 0); /* may not lead its session yet */
}

static int take_over(struct keeper_child *child, struct buf *answer)
{
    const struct policy *policy = child->options->policy;
    char **list = xcalloc(MISE_ENV_MAX, sizeof(*list));
    char **merged = xcalloc(policy->env.n + MISE_ENV_MAX + 1, sizeof(*merged));
    size_t len = answer->len;
    char *bytes = xcalloc(len + 1, 1);
    int count;

    if (len)
        memcpy(bytes, answer->data, len);
    count = mise_env_parse(bytes, len, list, MISE_ENV_MAX);
    if (count < 0)
        return count == -E2BIG ? MISE_TOO_MUCH : MISE_NO_ENVIRONMENT;
    mise_env_merge(merged, policy->env.v, list, (size_t)count, policy->mise.fixed.v,
                   policy->network != NETWORK_FULL);
    child->env = merged;
    return 0;
}

void keeper_ask_mise(struct keeper_child *child)
{
    struct buf answer CLEANUP(buf_free);
    int trouble;
    int status = 0;
    int fds[2];
    pid_t pid, group;

    buf_init(&answer, 2 * MISE_OUTPUT_MAX);
    if (!child->options->policy->mise.program)
        return;
    if (os_pipe(fds) < 0 || (pid = fork()) < 0) {
        keeper_report(child, CONTROL_WARN_MISE, MISE_NOT_STARTED, errno);
        return;
    }
    if (pid == 0)
        become_mise(child, fds[1]);
    group = pid;
    close(fds[1]);
    fd_set_nonblocking(fds[0], true);
    trouble = wait_for_answer(&pid, fds[0], &answer, &status);
    end_mise(group, pid);
    close(fds[0]);
    if (trouble == 0)
        trouble = take_over(child, &answer);
    if (trouble > 0)
        keeper_report(child, CONTROL_WARN_MISE, trouble, trouble == MISE_FAILED ? status : 0);
}
