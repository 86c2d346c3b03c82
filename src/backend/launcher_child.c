// SPDX-License-Identifier: GPL-3.0-only
/*
 * launcher_child: from the fork to the exec.
 *
 * Order matters: descriptors first (the Landlock rules for 0-2 are made from them), then limits,
 * then Landlock, then the proof that the walls stand; the caller's umask, dispositions and mask
 * come last, so that no signal finds the child half made. All signals are blocked until then.
 */
#include "backend/landlock.h"
#include "backend/launcher.h"
#include "base/rlimit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

void child_report(const struct launcher_child *child, enum control_type type, int32_t a, int32_t b)
{
    struct control_message message = {
        .version = CONTROL_VERSION, .type = (uint32_t)type, .a = a, .b = b};

    /* PID 1 reads as long as it lives; when it does not, neither do we. */
    (void)!write(child->report, &message, sizeof(message));
}

_Noreturn void child_fail(const struct launcher_child *child, enum launch_stage stage, int error)
{
    child_report(child, CONTROL_FAILED, (int32_t)stage, error);
    _exit(125);
}

static void enter_group(const struct launcher_child *child)
{
    setpgid(0, 0);
    if ((child->orders->flags & ORDERS_FOREGROUND) && child->slave >= 0 &&
        tcsetpgrp(child->slave, getpid()) < 0)
        child_fail(child, STAGE_PTY, errno);
}

static void place_stdio(const struct launcher_child *child)
{
    for (int i = 0; i < 3; i++) {
        bool is_pty = child->orders->flags & ((unsigned)ORDERS_PTY_STDIN << i);

        if (dup2(is_pty ? child->slave : LAUNCHER_FD_STDIO + i, i) < 0)
            child_fail(child, STAGE_STDIO, errno);
    }
}

static void set_limits(const struct launcher_child *child)
{
    const struct {
        int resource;
        uint64_t wanted;
    } limits[] = {
        {RLIMIT_NPROC, child->orders->nproc},
        {RLIMIT_NOFILE, child->orders->nofile_hard},
        {RLIMIT_CORE, child->orders->core},
        {RLIMIT_FSIZE, child->orders->fsize},
    };

    for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
        int error = rlimit_lower(limits[i].resource, limits[i].wanted);

        if (!error)
            continue;
        child_report(child, CONTROL_WARN_LIMIT, limits[i].resource, error);
        if (child->orders->flags & ORDERS_STRICT)
            child_fail(child, STAGE_LIMITS, error);
    }
}

/* A missing rule makes the jail tighter than planned, not looser. */
static void warn_rule(const struct launcher_child *child, int32_t index, int error)
{
    child_report(child, CONTROL_WARN_RULE, index, error);
    if (child->orders->flags & ORDERS_STRICT)
        child_fail(child, STAGE_LANDLOCK, error);
}

/* What a descriptor was opened for, as rights: without them "> /dev/stderr" fails. */
static uint64_t rights_of_mode(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    uint64_t rights = LL_IOCTL_DEV;

    if (flags < 0 || (flags & O_PATH))
        return 0;
    if ((flags & O_ACCMODE) != O_WRONLY)
        rights |= LL_READ_FILE;
    if ((flags & O_ACCMODE) != O_RDONLY)
        rights |= LL_WRITE_FILE | LL_TRUNCATE;
    return rights;
}

/* Not for directories: one that the caller handed in is usable as it is, and nothing below it. */
static void allow_stdio(const struct launcher_child *child, int ruleset)
{
    const struct orders *orders = child->orders;

    for (int fd = 0; fd < 3; fd++) {
        uint64_t access = rights_of_mode(fd) & orders->fd_access & orders->handled_fs;
        struct stat st;
        int r;

        if (fstat(fd, &st) < 0 || S_ISDIR(st.st_mode) || S_ISSOCK(st.st_mode))
            continue;
        r = landlock_allow_fd(ruleset, fd, access);
        /* EBADFD: pipes and memfds live outside every file system; Landlock lets them pass. */
        if (r < 0 && r != -EBADFD)
            warn_rule(child, -1 - fd, -r);
    }
}

/* What the supervisor serves can be connected to; without these rules nothing can. */
static void allow_ports(const struct launcher_child *child, int ruleset)
{
    const struct orders *orders = child->orders;

    for (uint32_t i = 0; i < orders->listen_count; i++) {
        int r = landlock_allow_port(ruleset, orders->listen[i], LL_NET_CONNECT_TCP);

        if (r < 0)
            child_fail(child, STAGE_LANDLOCK, -r);
    }
}

static void put_up_landlock(const struct launcher_child *child)
{
    const struct orders *orders = child->orders;
    int ruleset = landlock_create(orders->handled_fs, orders->handled_net, orders->scoped);
    int r;

    if (ruleset < 0)
        child_fail(child, STAGE_LANDLOCK, -ruleset);
    /* Without file rights there is nothing that a rule could allow. */
    for (size_t i = 0; orders->handled_fs && i < orders->rule_count; i++) {
        const struct orders_rule *rule = &orders->rules[i];

        r = landlock_allow_path(ruleset, rule->path, rule->access & orders->handled_fs);
        if (r < 0)
            warn_rule(child, (int32_t)i, -r);
    }
    allow_stdio(child, ruleset);
    if (orders->handled_net & LL_NET_CONNECT_TCP)
        allow_ports(child, ruleset);
    r = landlock_enforce(ruleset, landlock_abi());
    if (r < 0)
        child_fail(child, STAGE_LANDLOCK, -r);
    close(ruleset);
}

/* As the caller had them. The C library keeps 32 and 33 to itself; nobody hands those down. */
void child_restore_signals(const struct orders *orders)
{
    sigset_t mask;

    sigemptyset(&mask);
    for (int number = 1; number < NSIG; number++) {
        uint64_t bit = 1ULL << (number - 1);
        struct sigaction action = {.sa_handler = orders->sigignore & bit ? SIG_IGN : SIG_DFL};

        (void)sigaction(number, &action, NULL);
        if (orders->sigmask & bit)
            (void)sigaddset(&mask, number);
    }
    /* A signal sent meanwhile arrives here. */
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

_Noreturn void child_run(struct launcher_child *child)
{
    const struct orders *orders = child->orders;
    struct selftest result;

    enter_group(child);
    place_stdio(child);
    if (orders->flags & ORDERS_RLIMITS)
        set_limits(child);
    if (orders->flags & ORDERS_LANDLOCK)
        put_up_landlock(child);
    if (!selftest_passes(orders, &result))
        child_fail(child, result.stage, result.answer);
    umask((mode_t)orders->umask_bits);
    if (chdir(orders->cwd) < 0)
        child_fail(child, STAGE_CWD, errno);
    if (!(orders->flags & ORDERS_TRIAL))
        mise_ask(child);
    child_restore_signals(orders);
    if (orders->flags & ORDERS_TRIAL)
        trial_run(orders);
    exec_command(child);
}
