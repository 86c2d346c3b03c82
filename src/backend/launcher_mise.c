// SPDX-License-Identifier: GPL-3.0-only
/*
 * launcher_mise: asks mise which environment the project wants, and takes it over.
 *
 * It runs when every wall of the command stands, with the command's own environment, so it can do
 * nothing that the command could not do; what it says is data. It has a session of its own, no
 * terminal, and a limited time. A signal that is meant to end the command ends the waiting. Whatever
 * goes wrong is reported, and the command starts with the environment of the orders.
 *
 * MISE_TRUSTED_CONFIG_PATHS lets mise read the project's file without asking; it is set for this one
 * call, so nothing is trusted on the host. MISE_OFFLINE keeps it from waiting for a network.
 */
#include "backend/launcher.h"
#include "backend/mise_env.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROOM_MAX   (6 * MIB)  /* three quarters of _STK_LIM, execve(2) */
#define ROOM_SPARE (64 * KIB) /* the name of the program, a script's interpreter, auxv */

static size_t count_entries(char *const *list)
{
    size_t count = 0;

    while (list && list[count])
        count++;
    return count;
}

static bool has_variable(char *const *env, const char *name)
{
    size_t len = strlen(name);

    for (; env && *env; env++)
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            return true;
    return false;
}

void mise_prepare(struct launcher_child *child)
{
    static char offline[] = "MISE_OFFLINE=1";
    static char no_install[] = "MISE_NOT_FOUND_AUTO_INSTALL=false";
    const struct orders *orders = child->orders;
    struct launcher_mise *mise = &child->mise;
    size_t count = count_entries(orders->env);

    if (!orders->mise || !orders->mise[0])
        return;
    mise->output = xcalloc(MISE_OUTPUT_MAX + 1, 1);
    mise->list = xcalloc(MISE_ENV_MAX, sizeof(*mise->list));
    mise->merged = xcalloc(count + MISE_ENV_MAX + 1, sizeof(*mise->merged));
    mise->env = xcalloc(count + 4, sizeof(*mise->env));
    for (size_t i = 0; i < count; i++)
        mise->env[i] = orders->env[i];
    if (!has_variable(orders->env, "MISE_TRUSTED_CONFIG_PATHS"))
        mise->env[count++] = xasprintf("MISE_TRUSTED_CONFIG_PATHS=%s", orders->cwd);
    if (!has_variable(orders->env, "MISE_NOT_FOUND_AUTO_INSTALL"))
        mise->env[count++] = no_install;
    if (!has_variable(orders->env, "MISE_OFFLINE"))
        mise->env[count++] = offline;
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static _Noreturn void become_mise(const struct launcher_child *child, int out)
{
    static char name[] = "mise";
    static char verb[] = "env";
    static char option[] = "--json";
    char *argv[] = {name, verb, option, NULL};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    setsid();
    if (null >= 0 && dup2(null, 0) == 0 && dup2(out, 1) == 1 && dup2(null, 2) == 2) {
        child_restore_signals(child->orders);
        execve(child->orders->mise, argv, child->mise.env);
    }
    _exit(127);
}

/* The process that answers, and how far it is. */
struct asked {
    pid_t pid;
    int process; /* pidfd: readable when it has ended */
    int out;     /* -1 at its end */
    int signals; /* readable when the command is to end; -1: cannot be told */
    size_t len;
};

static int start_mise(const struct launcher_child *child, struct asked *asked)
{
    int pipe_fds[2];

    if (access(child->orders->mise, X_OK) < 0 || pipe2(pipe_fds, O_CLOEXEC) < 0)
        return -errno;
    asked->pid = fork();
    if (asked->pid == 0)
        become_mise(child, pipe_fds[1]);
    close(pipe_fds[1]);
    asked->out = pipe_fds[0];
    if (asked->pid < 0)
        return -errno;
    asked->process = (int)syscall(SYS_pidfd_open, asked->pid, 0U);
    if (asked->process < 0 || fcntl(asked->out, F_SETFL, O_NONBLOCK) < 0)
        return -errno;
    return 0;
}

/* Of the signals that end a command by default those that a user sends. They stay pending. */
static int watch_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

/* Takes what is there. False: more than may be. */
static bool read_output(struct asked *asked, char *output)
{
    while (asked->out >= 0) {
        ssize_t n = read(asked->out, output + asked->len, MISE_OUTPUT_MAX + 1 - asked->len);

        if (n < 0 && errno == EAGAIN)
            return true;
        if (n <= 0) {
            close(asked->out);
            asked->out = -1;
            return true;
        }
        asked->len += (size_t)n;
        if (asked->len > MISE_OUTPUT_MAX)
            return false;
    }
    return true;
}

#define INTERRUPTED (-1)

/* Reads until it has ended. 0, INTERRUPTED, or what went wrong. */
static int wait_for_answer(struct asked *asked, char *output, int64_t limit_ms)
{
    int64_t deadline = now_ms() + limit_ms;

    for (;;) {
        struct pollfd fds[] = {
            {.fd = asked->out, .events = POLLIN},
            {.fd = asked->process, .events = POLLIN},
            {.fd = asked->signals, .events = POLLIN},
        };
        int64_t left = deadline - now_ms();

        if (left <= 0 || poll(fds, ARRAY_SIZE(fds), (int)left) == 0)
            return MISE_TOO_SLOW;
        if (fds[2].revents)
            return INTERRUPTED;
        if (!read_output(asked, output))
            return MISE_TOO_MUCH;
        if (fds[1].revents)
            return 0;
    }
}

/* Ends it and what it started, and gives its wait status. */
static int end_mise(const struct asked *asked)
{
    const int fds[] = {asked->process, asked->out, asked->signals};
    int status = 0;

    if (asked->pid > 0) {
        kill(asked->pid, SIGKILL); /* may not lead its session yet */
        kill(-asked->pid, SIGKILL);
        while (waitpid(asked->pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return status;
}

/* True if execve(2) will take the environment with the command's words. */
static bool fits(char *const *argv, char *const *env)
{
    char *const *lists[] = {argv, env};
    struct rlimit stack;
    uint64_t room = ROOM_MAX;
    uint64_t used = ROOM_SPARE;

    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur / 4 < room)
        room = stack.rlim_cur / 4;
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        for (size_t j = 0; lists[i] && lists[i][j]; j++) {
            size_t size = strlen(lists[i][j]) + 1;

            if (size > STRING_MAX)
                return false;
            used += size + sizeof(char *);
        }
    return used <= room;
}

static int take_over(struct launcher_child *child, size_t len)
{
    const struct orders *orders = child->orders;
    struct launcher_mise *mise = &child->mise;
    int count = mise_env_parse(mise->output, len, mise->list, MISE_ENV_MAX);

    if (count < 0)
        return count == -E2BIG ? MISE_TOO_MUCH : MISE_NO_ENVIRONMENT;
    mise_env_merge(mise->merged, orders->env, mise->list, (size_t)count, orders->mise_fixed,
                   orders->flags & ORDERS_NETWORK_OFF);
    if (!fits(orders->argv, mise->merged))
        return MISE_TOO_MUCH;
    child->env = mise->merged;
    return 0;
}

void mise_ask(struct launcher_child *child)
{
    struct asked asked = {.pid = -1, .process = -1, .out = -1, .signals = -1};
    int detail = 0;
    int trouble;
    int status;
    int r;

    if (!child->mise.output)
        return;
    asked.signals = watch_signals();
    r = start_mise(child, &asked);
    if (r < 0) {
        end_mise(&asked);
        child_report(child, CONTROL_WARN_MISE, MISE_NOT_STARTED, -r);
        return;
    }
    trouble = wait_for_answer(&asked, child->mise.output, child->orders->mise_ms);
    status = end_mise(&asked);
    if (trouble == 0 && status != 0) {
        trouble = MISE_FAILED;
        detail = status;
    }
    if (trouble == 0)
        trouble = take_over(child, asked.len);
    if (trouble > 0)
        child_report(child, CONTROL_WARN_MISE, trouble, detail);
}
