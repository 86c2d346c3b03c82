// SPDX-License-Identifier: GPL-3.0-only
/*
 * host_gh: the token for --github.
 *
 * `gh auth token --hostname github.com` is run outside the jail, so everything it could be led by is
 * kept away: no shell, the directory "/", an environment of three names, no terminal, no descriptor of
 * ours, and a program that no jail can have written. Its answer is bytes from outside: one line of
 * printable ASCII, or nothing. The token is never part of a message.
 */
#include "host_gh.h"

#include "base/fd.h"
#include "base/os.h"
#include "host_run.h"
#include "policy/capabilities.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT_MS 5000
#define TOKEN_MAX  4096
#define STEP_MS    5

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* 0, -ETIMEDOUT, -EFBIG or -errno. */
static int read_answer(int fd, struct buf *answer, int64_t deadline)
{
    for (;;) {
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        int64_t left = deadline - now_ms();
        uint8_t *room = buf_reserve(answer, 512);
        ssize_t n;

        if (left <= 0)
            return -ETIMEDOUT;
        if (!room)
            return -EFBIG;
        if (poll(&poll_fd, 1, (int)left) <= 0)
            continue;
        n = read(fd, room, 512);
        if (n == 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return -errno;
        buf_commit(answer, n > 0 ? (size_t)n : 0);
    }
}

/* The exit status of a program that has closed its output, or -ETIMEDOUT. */
static int wait_for_end(pid_t pid, int64_t deadline, bool *has_ended)
{
    int status;

    for (;;) {
        pid_t ended = waitpid(pid, &status, WNOHANG);

        if (ended == pid) {
            *has_ended = true;
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        if (ended < 0 && errno != EINTR)
            return -errno;
        if (now_ms() >= deadline)
            return -ETIMEDOUT;
        poll(NULL, 0, STEP_MS);
    }
}

/* Runs it to its end or to the deadline: its exit status or -errno. */
static int ask_gh(const char *program, char *const *env, struct buf *answer)
{
    char *const argv[] = {(char[]){"gh"},         (char[]){"auth"},       (char[]){"token"},
                          (char[]){"--hostname"}, (char[]){"github.com"}, NULL};
    int64_t deadline = now_ms() + TIMEOUT_MS;
    bool has_ended = false;
    int fds[2];
    pid_t pid;
    int r;

    if (os_pipe(fds) < 0)
        return -errno;
    pid = host_run_start(program, argv, env, fds[1]);
    r = pid < 0 ? pid : 0;
    close(fds[1]);
    if (r == 0)
        r = read_answer(fds[0], answer, deadline);
    if (r == 0)
        r = wait_for_end(pid, deadline, &has_ended);
    close(fds[0]);
    if (pid > 0 && !has_ended)
        host_run_end(pid);
    return r;
}

/* The answer without its line end as a token; malloc'ed, NULL if it is none. */
static char *token_of(struct buf *answer)
{
    size_t len = answer->len;

    while (len && (answer->data[len - 1] == '\n' || answer->data[len - 1] == '\r'))
        len--;
    if (!len || len > TOKEN_MAX)
        return NULL;
    for (size_t i = 0; i < len; i++)
        if (answer->data[i] <= 0x20 || answer->data[i] >= 0x7F)
            return NULL;
    return xstrndup((const char *)answer->data, len);
}

/* What gh needs to find its settings; no address of a bus, no PATH. */
static void build_env(struct strv *env, const struct host *host)
{
    static const char *const names[] = {"XDG_CONFIG_HOME", "GH_CONFIG_DIR"};

    strv_pushf(env, "HOME=%s", host->home_spelling);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (host_getenv(host, names[i]))
            strv_pushf(env, "%s=%s", names[i], host_getenv(host, names[i]));
}

/* The token, or NULL with the reason in *why. */
static char *fetch(const struct policy *policy, struct notes *notes, const char *origin)
{
    _cleanup_free_ char *program = capabilities_find_gh(policy->host, &policy->plan);
    _cleanup_strv_ struct strv env = {0};
    struct buf answer CLEANUP(buf_free);
    char *token;
    int r;

    buf_init(&answer, 2 * TOKEN_MAX);
    if (!program) {
        notes_add(
            notes, NOTE_WARNING,
            "%s: GH_TOKEN is not set: no gh was found on PATH that a jail cannot have written",
            origin);
        return NULL;
    }
    build_env(&env, policy->host);
    r = ask_gh(program, env.v, &answer);
    token = r == 0 ? token_of(&answer) : NULL;
    if (answer.data)
        os_wipe(answer.data, answer.cap);
    if (r == -ETIMEDOUT)
        notes_add(notes, NOTE_WARNING, "%s: GH_TOKEN is not set: %s did not answer within %d s",
                  origin, program, TIMEOUT_MS / 1000);
    else if (r < 0)
        notes_add(notes, NOTE_WARNING, "%s: GH_TOKEN is not set: %s: %s", origin, program,
                  strerror(-r));
    else if (r > 0)
        notes_add(notes, NOTE_WARNING,
                  "%s: GH_TOKEN is not set: %s auth token ended with %d; gh auth login logs in",
                  origin, program, r);
    else if (!token)
        notes_add(notes, NOTE_WARNING, "%s: GH_TOKEN is not set: the answer of %s is no token",
                  origin, program);
    return token;
}

void host_gh_token(struct policy *policy, struct notes *notes)
{
    ptrdiff_t place = strv_find(&policy->env, CAPABILITIES_TOKEN);
    _cleanup_free_ char *origin = NULL;
    _cleanup_free_ char *token = NULL;

    if (place < 0 || !capabilities_want_token(policy->config, policy->host))
        return;
    origin = config_spelling(policy->config, SET_GITHUB);
    token = fetch(policy, notes, origin);
    if (!token) {
        strv_remove(&policy->env, (size_t)place);
        return;
    }
    free(policy->env.v[place]);
    policy->env.v[place] = xasprintf(CAPABILITIES_TOKEN "%s", token);
    os_wipe(token, strlen(token));
}
