// SPDX-License-Identifier: GPL-3.0-only
/*
 * start: from a launch to a jail that waits for "go".
 *
 * Runs before any signal handler is installed and before the terminal is touched: a signal in this
 * phase ends the process, and the jail dies with it (--die-with-parent).
 */
#include "pty/start.h"

#include "backend/browser_store.h"
#include "backend/seccomp.h"
#include "base/reap.h"
#include "pty/control.h"
#include "pty/diagnose.h"
#include "pty/mounter.h"
#include "pty/pidlimit.h"
#include "pty/spawn.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define HELLO_TIMEOUT_MS 45000
#define SLOW_MS          2000
#define MOUNTER_END_MS   3000
#define PTMX_MAJOR       5 /* Documentation/admin-guide/devices.txt: 5:2 is /dev/ptmx */
#define PTMX_MINOR       2

struct jail_parts {
    struct spawn spawn;
    struct mounter mounter;
    struct cgroup cgroup;
    struct report_file report; /* of --report */
};

/* Waits for a word of the launcher or the end of bubblewrap, whichever is first: a child that
 * bubblewrap leaves half made would keep the socket open. 1: there is one, 0: timeout. */
static int wait_readable(const struct spawn *spawn, int timeout_ms)
{
    _cleanup_close_ int backend = (int)syscall(SYS_pidfd_open, spawn->pid, 0);
    struct pollfd polls[] = {
        {.fd = spawn->control, .events = POLLIN},
        {.fd = backend, .events = POLLIN}, /* -1 is skipped */
    };
    int r;

    do
        r = poll(polls, ARRAY_SIZE(polls), timeout_ms);
    while (r < 0 && errno == EINTR);
    return r;
}

/* What came with HELLO must be the master side of a pseudo-terminal. */
static bool is_pty_master(int fd)
{
    struct stat st;
    unsigned number;

    return fd >= 0 && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
           major(st.st_rdev) == PTMX_MAJOR && minor(st.st_rdev) == PTMX_MINOR &&
           ioctl(fd, TIOCGPTN, &number) == 0;
}

/* Takes the listeners, which come first; then what is said next. */
static int receive_hello(struct jail *jail, struct control_message *message, int *fd)
{
    for (;;) {
        int r = control_receive(jail->parts->spawn.control, message, fd);

        if (r != 1 || message->type != CONTROL_LISTENER)
            return r;
        r = start_net_take(&jail->net, jail->policy, message, fd);
        if (r < 0) {
            if (*fd >= 0)
                close(steal_fd(fd));
            return r;
        }
        if (wait_readable(&jail->parts->spawn, HELLO_TIMEOUT_MS) <= 0)
            return -ETIMEDOUT;
    }
}

static int wait_hello(struct jail *jail, struct notes *notes, struct error *error)
{
    struct control_message message;
    int fd = -1;
    int r = wait_readable(&jail->parts->spawn, SLOW_MS);

    if (r == 0) {
        notes_add(notes, NOTE_WARNING,
                  "the mounts of the jail take long: is a network file "
                  "system or an automount among them?");
        r = wait_readable(&jail->parts->spawn, HELLO_TIMEOUT_MS);
    }
    if (r <= 0)
        return error_set(error, ETIMEDOUT, "the jail was not ready after %d s",
                         (SLOW_MS + HELLO_TIMEOUT_MS) / 1000);
    r = receive_hello(jail, &message, &fd);
    jail->master = fd;
    if (r == 0 || r == -ECONNRESET || r == -EAGAIN) { /* the last: bubblewrap alone has ended */
        r = spawn_check(&jail->parts->spawn, jail->policy, error);
        if (r < 0)
            return r;
        return diagnose_backend(&jail->parts->spawn, jail->launch, jail->policy, notes, error);
    }
    if (r == 1 && message.type == CONTROL_FAILED) {
        diagnose_failed(&message, jail->policy, error);
        return -error->code;
    }
    if (r != 1 || message.type != CONTROL_HELLO ||
        (start_wants_pty(jail) ? !is_pty_master(fd) : fd != -1))
        return error_set(error, EPROTO, "the launcher said something unexpected");
    return 0;
}

/*
 * Limits of the jail as a whole, beside the ones of its processes: a control group where one can be
 * made. RLIMIT_NPROC does not bind the host's root: then, without a group, the PID namespace has the
 * limit. Returns that limit, or 0.
 */
static uint64_t limit_jail(struct jail *jail, struct notes *notes)
{
    const struct policy *policy = jail->policy;

    if (policy->limits.nproc == UINT64_MAX)
        return 0;
    if (cgroup_make(&jail->parts->cgroup, policy->limits.nproc, policy->host->ram_bytes / 10 * 9) ||
        !policy->by_root)
        return 0;
    if (pidlimit_is_namespaced(policy->host->kernel))
        return policy->limits.nproc;
    notes_add(
        notes, NOTE_SECURITY,
        "started by root: nothing limits the number of processes in the jail (no control group, "
        "and a kernel before Linux 6.14)");
    return 0;
}

static int start_steps(struct jail *jail, struct notes *notes, struct error *error)
{
    struct mounter_options options = {
        .plan = &jail->policy->plan,
        .rules = jail->policy->masks,
        .project = jail->policy->project,
        .in_step = &jail->policy->in_step,
        .protect_git = jail->policy->protect_git,
        .terminal = &jail->terminal,
        .with_seccomp = seccomp_arch() != NULL,
        .host = jail->policy->host,
        .lock = browser_store_lock(),
    };
    int r = report_file_open(&jail->parts->report, jail->policy->report_file, error);

    options.file = jail->parts->report;
    if (r == 0)
        r = start_net_load_tls(&jail->net, jail->policy, error);
    if (r == 0)
        r = start_open_terminal(jail, error);
    if (r == 0)
        r = start_net_publish(&jail->net, jail->policy, notes, error);
    if (r < 0)
        return r;
    r = spawn_prepare(&jail->parts->spawn, jail->launch, jail->policy, &jail->stdio, error);
    if (r < 0)
        return r;
    options.info_fd = jail->parts->spawn.info_read;
    options.marks = jail->parts->spawn.overlays.marks;
    options.pid_limit = limit_jail(jail, notes);
    options.cgroup = &jail->parts->cgroup;
    jail->parts->spawn.cgroup = &jail->parts->cgroup;
    r = mounter_prepare(&jail->parts->mounter, error);
    if (r < 0)
        return r;
    /* First, although everybody waits for bubblewrap: from the moment bubblewrap has a child somebody
     * must be there to end it, should this process be killed (end_half_made_jail()). */
    r = mounter_start(&jail->parts->mounter, &options, error);
    if (jail->parts->report.place.dir >= 0)
        close(steal_fd(&jail->parts->report.place.dir)); /* the mounter's alone */
    if (r < 0)
        return r;
    r = spawn_start(&jail->parts->spawn, jail->policy, &jail->stdio,
                    &jail->parts->mounter.page->group, error);
    spawn_close_child_side(&jail->parts->spawn);
    if (r < 0)
        return r;
    r = wait_hello(jail, notes, error);
    if (r < 0)
        return r;
    return mounter_order(&jail->parts->mounter, error);
}

int start_jail(struct jail *jail, const struct policy *policy, const struct launch *launch,
               struct notes *notes, struct error *error)
{
    int r;

    *jail = (struct jail){
        .policy = policy,
        .launch = launch,
        .terminal.fd = -1,
        .control = -1,
        .master = -1,
        .parts = xcalloc(1, sizeof(*jail->parts)),
    };
    *jail->parts = (struct jail_parts){
        .spawn = SPAWN_NONE,
        .mounter.socket = -1,
        .cgroup = CGROUP_NONE,
        .report = REPORT_FILE_NONE,
    };
    r = start_steps(jail, notes, error);
    if (r < 0) {
        start_abandon(jail);
        return r;
    }
    jail->pid = jail->parts->spawn.pid;
    jail->control = jail->parts->spawn.control;
    jail->mounter = &jail->parts->mounter;
    jail->page = &jail->parts->mounter.page->terminal;
    return 0;
}

int start_wait(struct jail *jail, struct error *error)
{
    return mounter_wait(&jail->parts->mounter, &jail->policy->plan, error);
}

void start_kill(struct jail *jail)
{
    if (jail->pid > 0)
        kill(jail->pid, SIGKILL); /* the kernel kills all that is in the PID namespace */
}

void start_finish(struct jail *jail)
{
    jail->parts->spawn.pid = jail->pid;
    mounter_goodbye(&jail->parts->mounter);
    jail->parts->mounter.pid = 0;
    start_abandon(jail);
}

void start_abandon(struct jail *jail)
{
    /* A child of bubblewrap that is not ready yet does not die with it, but is in its group. */
    if (jail->parts->spawn.pid > 0)
        kill(-jail->parts->spawn.pid, SIGKILL);
    reap_child(&jail->parts->spawn.pid, 0);
    /* The mounter removes the group; only what was made before it existed is left to us. */
    if (jail->parts->mounter.pid <= 0 && jail->parts->mounter.socket < 0)
        cgroup_remove(&jail->parts->cgroup, 0);
    mounter_goodbye(&jail->parts->mounter);
    /* It ends by itself when it has cleaned up. */
    reap_child(&jail->parts->mounter.pid, MOUNTER_END_MS);
    cgroup_close(&jail->parts->cgroup);
    start_net_close(&jail->net);
    report_file_close(&jail->parts->report);
    if (jail->master >= 0)
        close(steal_fd(&jail->master));
    terminal_close(&jail->terminal);
    spawn_free(&jail->parts->spawn);
    free(steal_ptr(&jail->parts));
}
