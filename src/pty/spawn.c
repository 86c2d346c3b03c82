// SPDX-License-Identifier: GPL-3.0-only
/*
 * spawn: from the description of a launch to a running bubblewrap.
 *
 * Every descriptor is made with a number above those that the launcher expects (enum launcher_fd),
 * CLOEXEC. Their numbers are written into the option list, which is sealed. The child then clears
 * CLOEXEC of exactly the listed ones and puts the launcher's in place. A failure between fork and
 * exec travels as {stage, errno} over a CLOEXEC pipe.
 */
#include "pty/spawn.h"

#include "backend/seccomp.h"
#include "base/fd.h"
#include "base/memfd.h"
#include "pty/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* First number for descriptors of ours; the launcher's are below it. */
#define FD_FIRST     16
#define WORDS_MAX    (8 * MIB)
#define OOM_SCORE    500
#define LAUNCHER_ARG "/proc/self/fd/5"

extern const uint8_t launcher_image[];
extern const uint8_t launcher_image_end[];

/* Moves a fresh descriptor above the launcher's numbers; passes -errno through. */
static int lift(int fd)
{
    int lifted;

    if (fd < 0 || fd >= FD_FIRST)
        return fd;
    lifted = fcntl(fd, F_DUPFD_CLOEXEC, FD_FIRST);
    if (lifted < 0)
        lifted = -errno;
    close(fd);
    return lifted;
}

static int open_bind(const struct plan_entry *entry, struct error *error)
{
    int fd = open(entry->source, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return error_set(error, errno, "%s (%s): %s", entry->source, entry->origin,
                         strerror(errno));
    if (st.st_dev != entry->st.dev || st.st_ino != entry->st.ino) {
        close(fd);
        return error_set(error, ESTALE,
                         "%s (%s) was replaced while the jail was being planned; "
                         "try again",
                         entry->source, entry->origin);
    }
    return fd;
}

static int make_fd(struct spawn *spawn, const struct launch *launch, const struct launch_fd *wanted,
                   struct error *error)
{
    const void *program;
    size_t len;

    switch (wanted->kind) {
    case LAUNCH_FD_BIND:
        return open_bind(wanted->entry, error);
    case LAUNCH_FD_DATA:
        len = wanted->entry->data_len ? wanted->entry->data_len : strlen(wanted->entry->data);
        return fd_sealed_memfd(wanted->entry->label, wanted->entry->data, len, false);
    case LAUNCH_FD_SECCOMP:
        program = seccomp_program((enum seccomp_program)launch->seccomp_program, &len);
        return program ? fd_sealed_memfd("seccomp", program, len, false) : -ENOTSUP;
    default:
        return steal_fd(&spawn->info_write);
    }
}

/* The descriptor of an overlay's bind is the lower directory until the overlay is mounted. */
static void join_overlays(struct spawn *spawn, const struct launch *launch)
{
    for (size_t i = 0; i < launch->fd_count; i++) {
        const struct plan_entry *entry = launch->fds[i].entry;

        if (launch->fds[i].kind != LAUNCH_FD_BIND || entry->kind != PLAN_OVERLAY)
            continue;
        for (size_t j = 0; j < spawn->overlays.n; j++)
            if (str_eq(spawn->overlays.v[j].overlay->path, entry->dest))
                spawn->overlays.v[j].bind_fd = &spawn->fds[i];
    }
}

static int make_fds(struct spawn *spawn, const struct launch *launch, struct error *error)
{
    int info[2];

    if (pipe2(info, O_CLOEXEC) < 0)
        return error_set(error, errno, "pipe: %s", strerror(errno));
    spawn->info_read = lift(info[0]);
    spawn->info_write = lift(info[1]);
    spawn->fds = xcalloc(launch->fd_count, sizeof(*spawn->fds));
    spawn->numbers = xcalloc(launch->fd_count, sizeof(*spawn->numbers));
    for (size_t i = 0; i < launch->fd_count; i++) {
        int fd = lift(make_fd(spawn, launch, &launch->fds[i], error));

        if (fd < 0)
            return error && error->code
                       ? fd
                       : error_set(error, -fd, "descriptor for bubblewrap: %s", strerror(-fd));
        spawn->numbers[spawn->fd_count] = fd;
        spawn->fds[spawn->fd_count++] = fd;
    }
    join_overlays(spawn, launch);
    return 0;
}

/* The option list with real descriptor numbers, NUL-separated. */
static int make_args(struct spawn *spawn, const struct launch *launch)
{
    struct buf words CLEANUP(buf_free);
    size_t next_fd = 0;

    buf_init(&words, WORDS_MAX);
    for (size_t i = 0; i < launch->words.n; i++) {
        const char *word = launch->words.v[i];

        if (launch_is_fd_word(launch, i) && next_fd < spawn->fd_count)
            buf_printf(&words, "%d", spawn->fds[next_fd++]);
        else
            buf_append_str(&words, word);
        buf_append_byte(&words, '\0');
    }
    if (words.overflow || next_fd != spawn->fd_count)
        return -E2BIG;
    return fd_sealed_memfd("bwrap-options", words.data, words.len, false);
}

static int make_orders(const struct launch *launch, const struct host *host,
                       const struct spawn_stdio *stdio)
{
    struct orders orders = launch->orders;
    struct buf bytes CLEANUP(buf_free);
    mode_t mask = umask(0);
    int r;

    umask(mask);
    orders.umask_bits = mask;
    orders.sigignore = host->sigignore;
    orders.sigmask = host->sigmask;
    for (int fd = 0; fd <= 2; fd++)
        if (stdio->is_pty[fd])
            orders.flags |= (uint32_t)ORDERS_PTY_STDIN << fd;
    if (stdio->foreground)
        orders.flags |= ORDERS_FOREGROUND;
    buf_init(&bytes, 64 * MIB);
    r = orders_encode(&orders, &bytes);
    return r < 0 ? r : fd_sealed_memfd("orders", bytes.data, bytes.len, false);
}

static int make_control(struct spawn *spawn)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    spawn->control = lift(pair[0]);
    spawn->control_jail = lift(pair[1]);
    return spawn->control < 0 || spawn->control_jail < 0 ? -EMFILE : 0;
}

int spawn_prepare(struct spawn *spawn, const struct launch *launch, const struct policy *policy,
                  const struct spawn_stdio *stdio, struct error *error)
{
    int r;

    *spawn = SPAWN_NONE;
    r = overlay_prepare(&spawn->overlays, &policy->plan, &policy->overlays, error);
    if (r == 0)
        r = make_fds(spawn, launch, error);
    if (r < 0)
        return r;
    spawn->args = lift(make_args(spawn, launch));
    spawn->orders = lift(make_orders(launch, policy->host, stdio));
    spawn->launcher = lift(fd_sealed_memfd("launcher", launcher_image,
                                           (size_t)(launcher_image_end - launcher_image), true));
    spawn->errors = lift(memfd_create("bwrap-errors", MFD_CLOEXEC));
    r = make_control(spawn);
    if (r == 0 && spawn->args < 0)
        r = spawn->args;
    if (r == 0 && spawn->orders < 0)
        r = spawn->orders;
    if (r == 0 && spawn->launcher < 0)
        r = spawn->launcher;
    if (r == 0 && spawn->errors < 0)
        r = -EMFILE;
    return r < 0 ? error_set(error, -r, "descriptors of the launch: %s", strerror(-r)) : 0;
}

/* ---- between fork and exec ---- */

struct child_failure {
    int32_t stage;
    int32_t code;
    int32_t detail; /* CHILD_OVERLAY: enum overlay_stage */
    int32_t index;  /* CHILD_OVERLAY: of the overlay, -1: none */
};

enum child_stage { CHILD_PARENT, CHILD_GROUP, CHILD_STDIO, CHILD_FDS, CHILD_OVERLAY, CHILD_EXEC };

static const char *const child_stages[] = {
    [CHILD_PARENT] = "the parent is gone",
    [CHILD_GROUP] = "process group",
    [CHILD_STDIO] = "standard descriptors",
    [CHILD_FDS] = "descriptors",
    [CHILD_OVERLAY] = "overlay",
    [CHILD_EXEC] = "execution",
};

static _Noreturn void child_fail(int report, enum child_stage stage)
{
    struct child_failure failure = {.stage = (int32_t)stage, .code = errno};

    (void)!write(report, &failure, sizeof(failure));
    _exit(125);
}

/* Without the overlay there is no jail: what was meant to stay as it is would be written. */
static void mount_overlays(const struct spawn *spawn, const struct host *host, int report)
{
    struct child_failure failure = {.stage = CHILD_OVERLAY};
    int index;

    failure.detail = (int32_t)overlay_mount_all(&spawn->overlays, host->uid, host->gid, &index);
    if (failure.detail == OVERLAY_OK)
        return;
    failure.code = errno;
    failure.index = index;
    (void)!write(report, &failure, sizeof(failure));
    _exit(125);
}

/* The jail shall be the OOM killer's first choice; a caller's higher value stays. Files in /proc of a
 * process that is not dumpable belong to root, and an ordinary user's child cannot open them. */
static void raise_oom_score(void)
{
    int was_dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
    _cleanup_close_ int fd = -1;
    char text[16] = "";

    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
    prctl(PR_SET_DUMPABLE, was_dumpable == 1, 0, 0, 0);
    if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 || strtol(text, NULL, 10) >= OOM_SCORE)
        return;
    (void)!pwrite(fd, "500", 3, 0);
}

/* Handlers end with the exec; what is ignored would go on being ignored. */
static void default_signals(const struct host *host)
{
    sigset_t none;

    for (int number = 1; number <= 64; number++)
        if (host->sigignore & (1ULL << (number - 1)))
            signal(number, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL); /* ignored by host_read() */
    signal(SIGPIPE, SIG_DFL); /* ignored by an earlier session of this process */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool place_stdio(const struct spawn *spawn, const struct spawn_stdio *stdio, int null)
{
    for (int fd = 0; fd <= 2; fd++)
        if (dup2(stdio->is_pty[fd] ? null : fd, LAUNCHER_FD_STDIO + fd) < 0)
            return false;
    return dup2(null, 0) == 0 && dup2(null, 1) == 1 && dup2(spawn->errors, 2) == 2;
}

static bool place_fds(const struct spawn *spawn)
{
    if (dup2(spawn->control_jail, LAUNCHER_FD_CONTROL) < 0 ||
        dup2(spawn->orders, LAUNCHER_FD_ORDERS) < 0 || dup2(spawn->launcher, LAUNCHER_FD_SELF) < 0)
        return false;
    for (size_t i = 0; i < spawn->fd_count; i++)
        if (fcntl(spawn->fds[i], F_SETFD, 0) < 0)
            return false;
    return fcntl(spawn->args, F_SETFD, 0) == 0;
}

static _Noreturn void child(const struct spawn *spawn, const struct host *host, int program,
                            const struct spawn_stdio *stdio, const char *args_fd, int report,
                            pid_t parent, volatile pid_t *group)
{
    char *const argv[] = {(char[]){"bwrap"}, (char[]){"--args"},     (char *)(uintptr_t)args_fd,
                          (char[]){"--"},    (char[]){LAUNCHER_ARG}, NULL};
    char *const env[] = {NULL};
    int null;

    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != parent)
        child_fail(report, CHILD_PARENT);
    if (setpgid(0, 0) < 0)
        child_fail(report, CHILD_GROUP);
    *group = getpid();
    raise_oom_score();
    if (spawn->cgroup)
        cgroup_enter(spawn->cgroup);
    default_signals(host);
    mount_overlays(spawn, host, report); /* its descriptors may have the launcher's numbers */
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    null = null < 0 ? null : fcntl(null, F_DUPFD_CLOEXEC, FD_FIRST);
    if (null < 0 || !place_stdio(spawn, stdio, null))
        child_fail(report, CHILD_STDIO);
    if (!place_fds(spawn))
        child_fail(report, CHILD_FDS);
    fexecve(program, argv, env);
    child_fail(report, CHILD_EXEC);
}

int spawn_start(struct spawn *spawn, const struct policy *policy, const struct spawn_stdio *stdio,
                volatile pid_t *group, struct error *error)
{
    _cleanup_close_ int program = fcntl(policy->host->bwrap.fd, F_DUPFD_CLOEXEC, FD_FIRST);
    char args_fd[16];
    pid_t parent = getpid();
    int report[2];

    snprintf(args_fd, sizeof(args_fd), "%d", spawn->args);
    if (pipe2(report, O_CLOEXEC) < 0)
        return error_set(error, errno, "pipe: %s", strerror(errno));
    spawn->report = report[0];
    report[1] = lift(report[1]);
    /* Until its exec the child has this memory on loan, while we wait: a copy costs a start as much as
     * many mounts where page faults are dear. The child writes nothing but *group and what stands
     * below this frame. Overlays want a user namespace first, which unshare(2) refuses to whoever
     * shares memory. */
    spawn->pid = program < 0 || report[1] < 0 ? -1 : spawn->overlays.n > 0 ? fork() : vfork();
    if (spawn->pid == 0)
        child(spawn, policy->host, program, stdio, args_fd, report[1], parent, group);
    /* What raise_oom_score() changes is a property of the memory: ours, if it was killed in between. */
    (void)isolate_undumpable();
    close(report[1]);
    if (spawn->pid < 0)
        return error_set(error, errno, "fork: %s", strerror(errno));
    return 0;
}

static int explain_overlay(const struct spawn *spawn, const struct child_failure *failure,
                           struct error *error)
{
    bool named = failure->index >= 0 && (size_t)failure->index < spawn->overlays.n;
    int code = failure->code > 0 ? failure->code : EIO;

    return error_set(error, code, "%s: %s (%s)",
                     named ? spawn->overlays.v[failure->index].overlay->origin : "overlays",
                     overlay_stage_text((enum overlay_stage)failure->detail), strerror(code));
}

int spawn_check(struct spawn *spawn, const struct policy *policy, struct error *error)
{
    const char *program = policy->host->bwrap.path;
    struct child_failure failure;
    ssize_t n;

    do
        n = read(spawn->report, &failure, sizeof(failure));
    while (n < 0 && errno == EINTR);
    if (n == 0)
        return 0;
    if (n == sizeof(failure) && failure.stage == CHILD_OVERLAY)
        return explain_overlay(spawn, &failure, error);
    if (n != sizeof(failure) || failure.stage < 0 || failure.stage > CHILD_EXEC)
        return error_set(error, EIO, "%s cannot be started", program);
    return error_set(error, failure.code > 0 ? failure.code : EIO, "%s cannot be started: %s: %s",
                     program, child_stages[failure.stage], strerror(failure.code));
}

static void close_slot(int *fd)
{
    if (*fd >= 0)
        close(steal_fd(fd));
}

void spawn_close_child_side(struct spawn *spawn)
{
    for (size_t i = 0; i < spawn->fd_count; i++)
        close_slot(&spawn->fds[i]);
    close_slot(&spawn->args);
    close_slot(&spawn->orders);
    close_slot(&spawn->launcher);
    close_slot(&spawn->info_write);
    close_slot(&spawn->control_jail);
}

void spawn_free(struct spawn *spawn)
{
    spawn_close_child_side(spawn);
    close_slot(&spawn->info_read);
    close_slot(&spawn->report);
    close_slot(&spawn->errors);
    close_slot(&spawn->control);
    free(spawn->fds);
    free(spawn->numbers);
    overlay_mounts_free(&spawn->overlays);
    *spawn = SPAWN_NONE;
}
