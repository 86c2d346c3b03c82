// SPDX-License-Identifier: GPL-3.0-only
/*
 * mounter: the helper process beside the supervisor.
 *
 * Life: fork, new session, own seccomp filter; wait for the order; read the jail's pid that
 * bubblewrap wrote; place the covers (cover.c); report one fixed-size result; then sleep until a
 * watched directory changes (watch.c), or the supervisor says goodbye or is gone. In the last case it
 * undoes what the terminal still has on, and its modes, if they are still the ones that we set: the
 * user's shell may be quicker.
 *
 * It inherits the plan and the rules by fork and parses nothing but bubblewrap's "child-pid" and the
 * names in the directories that it watches. When something cannot be covered it ends the jail itself:
 * nobody has to be awake for that.
 */
#include "pty/mounter.h"

#include "base/fd.h"
#include "pty/cover.h"
#include "pty/instep.h"
#include "pty/isolate.h"
#include "pty/report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INFO_MAX         4096
#define PLACE_TIMEOUT_MS 15000
#define SLICE_NS         100000 /* the shortest that there is */
#define JAIL_END_MS      2000   /* the same, after the supervisor is gone */
#define CGROUP_END_MS    2000   /* until the last process of the jail is gone */

/* All orders. */
enum {
    ORDER_PLACE = 'p',
    ORDER_LOOK_AT_END = 'e',
    ORDER_LOOK = 'l',
    ORDER_WRITE = 'w',
    ORDER_GOODBYE = 'g'
};

/* ---- in the helper ---- */

static pid_t read_jail_pid(int info_fd)
{
    static const char key[] = "\"child-pid\":";
    struct buf text CLEANUP(buf_free);
    const char *at;
    long pid;

    buf_init(&text, INFO_MAX + 4096);
    if (fd_read_all(info_fd, &text, INFO_MAX) < 0)
        return -1;
    at = strstr(buf_cstr(&text), key);
    if (!at)
        return -1;
    pid = strtol(at + strlen(key), NULL, 10);
    return pid > 0 && pid <= INT32_MAX ? (pid_t)pid : -1;
}

/*
 * bubblewrap dies with the supervisor, and the jail with bubblewrap. But between its clone() and the
 * moment in which its child asks to die with it, the child waits for an eventfd that nobody is left
 * to write. It is still in bubblewrap's process group then.
 */
static void end_half_made_jail(const struct mounter_page *page)
{
    pid_t group = page->group;

    if (group > 1)
        kill(-group, SIGKILL);
}

static int failed_stage(struct cover_result *result, enum cover_stage stage, int code)
{
    *result = (struct cover_result){.stage = stage, .code = -code, .index = -1};
    return code;
}

struct service {
    const struct mounter_options *options;
    const struct mounter_page *page;
    struct watch_counts *late;
    int socket;
    struct watch *watch;   /* NULL: nothing to be watched */
    struct instep *instep; /* NULL: no file is kept in step */
    int armed;             /* 0 or -errno */
    int jail;              /* pidfd of the jail's process 1, -1: none */
    bool is_entered;
    struct report *report; /* what will be looked at when the run is over */
    bool has_looked;
    bool looks_at_end; /* as soon as the jail has ended */
};

static struct cover_result place(struct service *service)
{
    const struct mounter_options *options = service->options;
    struct watch *watch = service->watch;
    pid_t pid = read_jail_pid(options->info_fd);
    struct cover_set set = COVER_SET_NONE;
    struct cover_result result = {COVER_OPEN_NAMESPACE, ESRCH, -1};
    int r;

    if (pid > 0) {
        service->jail = (int)syscall(SYS_pidfd_open, pid, 0);
        result = cover_enter(pid, options->plan, options->marks, options->pid_limit);
    }
    if (result.stage == COVER_OK && service->instep)
        instep_enter(service->instep);
    if (result.stage == COVER_OK)
        result = cover_place(&set, options->plan);
    if (result.stage != COVER_OK || !watch)
        return result;
    r = watch_enter(watch, &set);
    if (r < 0)
        failed_stage(&result, COVER_PLACE, r);
    return result;
}

static void wait_for_jail(const struct service *service)
{
    struct pollfd jail = {.fd = service->jail, .events = POLLIN};

    poll(&jail, 1, JAIL_END_MS);
}

/* The last copy of what is kept in step, once. Nobody in the jail changes it any more. */
static void finish_state(struct service *service)
{
    struct instep *instep = service->instep;

    service->instep = NULL;
    if (!instep)
        return;
    wait_for_jail(service);
    instep_finish(instep);
    instep_free(instep);
}

static _Noreturn void end(struct service *service, bool is_goodbye)
{
    const struct mounter_options *options = service->options;

    if (!is_goodbye) {
        end_half_made_jail(service->page);
        restore_page_apply(&service->page->terminal,
                           options->terminal ? options->terminal->fd : -1);
    }
    finish_state(service);
    if (!is_goodbye && service->is_entered && !service->has_looked) {
        wait_for_jail(service);
        report_mark(service->report);
    }
    if (!is_goodbye && options->lock >= 0 && service->jail >= 0)
        wait_for_jail(service);
    cgroup_remove(options->cgroup, CGROUP_END_MS);
    _exit(0);
}

static void look(struct service *service)
{
    service->looks_at_end = false;
    if (service->has_looked)
        return;
    finish_state(service);
    service->has_looked = true;
    report_look(service->report, service->socket, service->is_entered);
}

static void obey(struct service *service)
{
    struct cover_result result;
    char order = 0;
    ssize_t n = recv(service->socket, &order, 1, 0);

    if (n < 0 && errno == EINTR)
        return;
    if (n == 1 && order == ORDER_LOOK_AT_END) {
        service->looks_at_end = service->jail >= 0;
        return;
    }
    if (n == 1 && order == ORDER_LOOK) {
        look(service);
        return;
    }
    if (n == 1 && order == ORDER_WRITE) {
        report_file_write(&service->options->file, service->socket);
        return;
    }
    if (n != 1 || order != ORDER_PLACE)
        end(service, n == 1 && order == ORDER_GOODBYE);
    if (service->armed < 0)
        failed_stage(&result, COVER_WATCH, service->armed);
    else
        result = place(service);
    if (send(service->socket, &result, sizeof(result), MSG_NOSIGNAL) != sizeof(result))
        end(service, false);
    service->is_entered = result.stage == COVER_OK;
}

/* Of two timeouts of poll(2). */
static int sooner(int a, int b)
{
    return a < 0 ? b : b < 0 || a < b ? a : b;
}

static _Noreturn void serve(struct service *service)
{
    for (;;) {
        bool watches = service->watch && service->is_entered;
        bool keeps = service->instep && service->is_entered;
        int timeout = watches ? watch_timeout_ms(service->watch) : -1;
        int state_timeout = keeps ? instep_timeout_ms(service->instep) : -1;
        struct pollfd polls[] = {
            {.fd = service->socket, .events = POLLIN},
            {.fd = watches ? watch_fd(service->watch) : -1, .events = POLLIN},
            {.fd = keeps ? instep_fd(service->instep) : -1, .events = POLLIN},
            {.fd = service->looks_at_end ? service->jail : -1, .events = POLLIN},
        };
        int r = poll(polls, ARRAY_SIZE(polls), sooner(timeout, state_timeout));

        if (r < 0 && errno != EINTR)
            end(service, false);
        if (r > 0 && polls[0].revents)
            obey(service);
        if (r > 0 && polls[3].revents)
            look(service);
        if (watches && r >= 0 && watch_step(service->watch) < 0) {
            /* The event that says so is on its way; the jail does not wait for it. */
            end_half_made_jail(service->page);
            service->watch = NULL;
        }
        if (service->instep && service->is_entered)
            instep_step(service->instep);
    }
}

/* Closes everything but the n descriptors that are still needed (-1: none). */
static void close_others(const int *keep, size_t n)
{
    unsigned last = 0;

    for (;;) {
        unsigned next = ~0U;

        for (size_t i = 0; i < n; i++)
            if (keep[i] >= (int)last && (unsigned)keep[i] < next)
                next = (unsigned)keep[i];
        if (next > last)
            close_range(last, next == ~0U ? next : next - 1, 0);
        if (next == ~0U)
            return;
        last = next + 1;
    }
}

/* sched_setattr(2); no header of glibc 2.36 has it. */
struct scheduling {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

/* Little work, but at once: with a short slice the scheduler (Linux 6.12) prefers this process when it
 * wakes up. Others ignore or refuse it, and nothing depends on it. */
static void ask_for_short_slices(void)
{
    struct scheduling attr = {.size = sizeof(attr)};

    if (syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) < 0)
        return;
    attr.flags = 0;
    attr.runtime_ns = SLICE_NS;
    (void)syscall(SYS_sched_setattr, 0, &attr, 0);
}

static void arm(struct service *service)
{
    const struct mounter_options *options = service->options;
    struct watch_options watch = {
        .plan = options->plan,
        .rules = options->rules,
        .project = options->project,
        .protect_git = options->protect_git,
        .socket = service->socket,
        .counts = service->late,
    };

    if (options->rules)
        service->armed = watch_arm(&service->watch, &watch);
}

static _Noreturn void run(int socket, const struct mounter_options *options,
                          struct mounter_page *page)
{
    static const int ignored[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                                  SIGPIPE, SIGTTOU, SIGTTIN, SIGTSTP};
    struct service service = {
        .options = options, .page = page, .late = &page->late, .socket = socket, .jail = -1};
    pid_t supervisor = getppid();
    const int keep[] = {
        socket,
        options->info_fd,
        options->terminal ? options->terminal->fd : -1,
        options->cgroup->parent,
        options->file.text,
        options->file.place.dir,
        options->lock,
    };

    setsid();
    for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
        signal(ignored[i], SIG_IGN);
    close_others(keep, ARRAY_SIZE(keep));
    if (isolate_undumpable() < 0 || isolate_mounter(options->with_seccomp, NULL) < 0)
        _exit(1);
    ask_for_short_slices();
    arm(&service);
    service.instep = instep_open(options->in_step, supervisor, socket);
    report_open(&service.report, &(struct report_options){
                                     .plan = options->plan,
                                     .host = options->host,
                                     .project = options->project,
                                 });
    serve(&service);
}

/* ---- in the supervisor ---- */

int mounter_prepare(struct mounter *mounter, struct error *error)
{
    *mounter = (struct mounter){.socket = -1, .report = -1};
    mounter->page = mmap(NULL, sizeof(*mounter->page), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mounter->page == MAP_FAILED)
        return error_set(error, errno, "shared memory of the mounter: %s", strerror(errno));
    return 0;
}

int mounter_start(struct mounter *mounter, const struct mounter_options *options,
                  struct error *error)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return error_set(error, errno, "socket of the mounter: %s", strerror(errno));
    mounter->report = options->file.text;
    mounter->pid = fork();
    if (mounter->pid == 0)
        run(pair[1], options, mounter->page);
    close(pair[1]);
    mounter->socket = pair[0];
    if (mounter->pid < 0)
        return error_set(error, errno, "fork of the mounter: %s", strerror(errno));
    return 0;
}

static int explain_watch(int code, struct error *error)
{
    switch (code) {
    case E2BIG:
        return error_set(error, code,
                         "the masks need more than %u watched directories: narrow the patterns",
                         WATCH_DIRECTORIES_MAX);
    case ENOSPC:
        return error_set(error, code,
                         "masked files cannot be watched: no inotify watch is left "
                         "(raise fs.inotify.max_user_watches, sysctl(8))");
    case EMFILE:
        return error_set(error, code,
                         "masked files cannot be watched: no inotify instance is left "
                         "(raise fs.inotify.max_user_instances, sysctl(8))");
    default:
        return error_set(error, code > 0 ? code : EIO, "masked files cannot be watched: %s",
                         strerror(code));
    }
}

static int explain(const struct cover_result *result, const struct plan *plan, struct error *error)
{
    static const char *const stages[COVER_STAGE_COUNT] = {
        [COVER_OPEN_NAMESPACE] = "the jail's mount namespace cannot be opened",
        [COVER_JOIN] = "the jail's namespaces cannot be joined",
        [COVER_PRIVATE] = "the jail's mounts cannot be made private",
        [COVER_COMPARE] = "something else is mounted than was examined",
        [COVER_TMPFS] = "the empty file system for masks cannot be mounted",
        [COVER_OPEN] = "it cannot be opened to be covered",
        [COVER_PLACE] = "it cannot be covered",
        [COVER_PID_LIMIT] =
            "the number of processes cannot be limited (--no-rlimits starts without "
            "limits)",
    };
    bool known = result->stage > COVER_OK && result->stage < COVER_STAGE_COUNT;
    bool named = result->index >= 0 && (size_t)result->index < plan->n;
    int code = result->code > 0 ? result->code : EIO;

    if (result->stage == COVER_WATCH)
        return explain_watch(code, error);
    return error_set(error, code, "%s%s%s (%s)", named ? plan->v[result->index].dest : "",
                     named ? ": " : "", known ? stages[result->stage] : "the mounter failed",
                     strerror(code));
}

int mounter_order(struct mounter *mounter, struct error *error)
{
    const char order = ORDER_PLACE;

    if (send(mounter->socket, &order, 1, MSG_NOSIGNAL) != 1)
        return error_set(error, errno, "the mounter is gone");
    return 0;
}

static int give_order(const struct mounter *mounter, char what)
{
    return send(mounter->socket, &what, 1, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

int mounter_look_at_end(struct mounter *mounter)
{
    return give_order(mounter, ORDER_LOOK_AT_END);
}

int mounter_look(struct mounter *mounter)
{
    return give_order(mounter, ORDER_LOOK);
}

int mounter_write_report(struct mounter *mounter, const char *text)
{
    int r = ftruncate(mounter->report, 0) < 0 ? -errno : 0;

    if (r == 0)
        r = fd_write_all(mounter->report, text, strlen(text));
    return r < 0 ? r : give_order(mounter, ORDER_WRITE);
}

int mounter_wait(struct mounter *mounter, const struct plan *plan, struct error *error)
{
    struct pollfd poll_fd = {.fd = mounter->socket, .events = POLLIN};
    struct cover_result result = {0};
    int r;

    do
        r = poll(&poll_fd, 1, PLACE_TIMEOUT_MS);
    while (r < 0 && errno == EINTR);
    if (r <= 0)
        return error_set(error, ETIMEDOUT, "the mounter did not answer within %d s",
                         PLACE_TIMEOUT_MS / 1000);
    if (recv(mounter->socket, &result, sizeof(result), MSG_TRUNC) != sizeof(result))
        return error_set(error, EPIPE, "the mounter is gone");
    return result.stage == COVER_OK ? 0 : explain(&result, plan, error);
}

void mounter_goodbye(struct mounter *mounter)
{
    const char order = ORDER_GOODBYE;

    if (mounter->socket < 0)
        return;
    (void)!send(mounter->socket, &order, 1, MSG_NOSIGNAL);
    close(steal_fd(&mounter->socket));
}
