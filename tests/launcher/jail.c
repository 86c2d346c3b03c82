// SPDX-License-Identifier: GPL-3.0-only
/*
 * jail: starting the launcher under bubblewrap, and talking to it.
 */
#include "launcher/jail.h"

#include "base/fd.h"
#include "base/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT_MS 60000 /* of what takes a moment on a machine with nothing else to do */

/* Numbers in bubblewrap, above those of enum launcher_fd. */
enum backend_fd {
    FD_ARGS = 10,
    FD_FILTER,
    FD_INFO,
    FD_FILES,
    FD_END = FD_FILES + JAIL_FILES_MAX,
    FD_PARKED = 64, /* where everything waits before it is put in its place */
};

extern const char launcher_image[];
extern const char launcher_image_end[];

/* Descriptors on their way into the child, by their number there. */
struct handed {
    int fd[FD_END];
};

static const char *const base_options[] = {
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-net",
    "--cap-drop",
    "ALL",
    "--as-pid-1",
    "--new-session",
    "--die-with-parent",
    "--clearenv",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
};

static char *const default_env[] = {(char *)(uintptr_t) "PATH=/usr/bin:/bin", NULL};

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int make_filter(unsigned rows)
{
    const struct sock_filter load_nr =
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    const struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct {
        unsigned row;
        uint32_t nr;
        uint32_t arg; /* of the call, compared for equality */
        uint32_t value;
        uint32_t errnum;
    } table[] = {
        {JAIL_FILTER_UNSHARE, SYS_unshare, 0, CLONE_NEWUSER, EPERM},
        {JAIL_FILTER_NETLINK, SYS_socket, 2, NETLINK_USERSOCK, EPROTONOSUPPORT},
        {JAIL_FILTER_VSOCK, SYS_socket, 0, AF_VSOCK, EAFNOSUPPORT},
    };
    struct sock_filter program[32];
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        const struct sock_filter row[] = {
            load_nr,
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, table[i].nr, 0, 3),
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                     (uint32_t)offsetof(struct seccomp_data, args) + 8 * table[i].arg),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, table[i].value, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | table[i].errnum),
        };

        if (!(rows & table[i].row))
            continue;
        memcpy(program + n, row, sizeof(row));
        n += ARRAY_SIZE(row);
    }
    program[n++] = allow;
    return fd_sealed_memfd("filter", program, n * sizeof(program[0]), false);
}

static void add_word(struct buf *args, const char *word)
{
    buf_append(args, word, strlen(word) + 1);
}

static void add_number(struct buf *args, int number)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", number);
    add_word(args, text);
}

static void add_files(struct buf *args, const struct jail_options *options, struct handed *handed)
{
    for (int i = 0; i < JAIL_FILES_MAX && options->files[i].path; i++) {
        const struct jail_file *file = &options->files[i];

        handed->fd[FD_FILES + i] = fd_sealed_memfd("file", file->bytes, file->len, false);
        add_word(args, "--perms");
        add_word(args, file->perms);
        add_word(args, "--ro-bind-data");
        add_number(args, FD_FILES + i);
        add_word(args, file->path);
    }
}

static void make_args(const struct jail_options *options, struct handed *handed)
{
    struct buf args CLEANUP(buf_free);

    buf_init(&args, 64 * KIB);
    for (size_t i = 0; i < ARRAY_SIZE(base_options); i++)
        add_word(&args, base_options[i]);
    for (size_t i = 0; options->options && options->options[i]; i++)
        add_word(&args, options->options[i]);
    add_files(&args, options, handed);
    if (options->filter || options->program) {
        handed->fd[FD_FILTER] = options->program ? fd_sealed_memfd("filter", options->program,
                                                                   options->program_len, false)
                                                 : make_filter(options->filter);
        add_word(&args, "--seccomp");
        add_number(&args, FD_FILTER);
    }
    add_word(&args, "--info-fd");
    add_number(&args, FD_INFO);
    handed->fd[FD_ARGS] = fd_sealed_memfd("args", args.data, args.len, false);
}

static void make_orders(const struct jail_options *options, struct handed *handed)
{
    struct orders orders = options->orders;
    char root[] = "/";
    struct buf block CLEANUP(buf_free);

    buf_init(&block, ORDERS_MAX);
    if (!orders.cwd)
        orders.cwd = root;
    if (!orders.env)
        orders.env = (char **)(uintptr_t)default_env;
    if (options->raw_orders)
        buf_append(&block, options->raw_orders, options->raw_len);
    else if (orders_encode(&orders, &block) < 0)
        return;
    handed->fd[LAUNCHER_FD_ORDERS] = fd_sealed_memfd("orders", block.data, block.len, false);
}

static void make_stdio(const struct jail_options *options, struct handed *handed)
{
    for (int i = 0; i < 3; i++) {
        int fd = options->stdio[i];

        if (fd >= 0)
            handed->fd[LAUNCHER_FD_STDIO + i] =
                fd ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : open("/dev/null", O_RDWR | O_CLOEXEC);
    }
}

/* In the forked child. Descriptors that are not ours stay open on purpose: the launcher has to cut
 * them. */
static _Noreturn void become_backend(const struct handed *handed)
{
    char *const argv[] = {(char *)(uintptr_t) "bwrap",
                          (char *)(uintptr_t) "--args",
                          (char *)(uintptr_t) "10",
                          (char *)(uintptr_t) "--",
                          (char *)(uintptr_t) "/proc/self/fd/5",
                          NULL};
    _Static_assert(FD_ARGS == 10 && LAUNCHER_FD_SELF == 5, "the words above name them");
    char *const env[] = {NULL};
    int parked[FD_END];

    for (int i = 0; i < FD_END; i++)
        parked[i] = handed->fd[i] < 0 ? -1 : fcntl(handed->fd[i], F_DUPFD_CLOEXEC, FD_PARKED);
    for (int i = LAUNCHER_FD_CONTROL; i < FD_END; i++) {
        close(i);
        if (parked[i] >= 0)
            dup2(parked[i], i);
    }
    execve("/usr/bin/bwrap", argv, env);
    execve("/bin/bwrap", argv, env);
    _exit(99);
}

/* Reads "child-pid": N from what bubblewrap writes. */
static pid_t read_launcher_pid(int fd)
{
    struct buf text CLEANUP(buf_free);
    const char *at;

    buf_init(&text, 64 * KIB);
    if (fd_read_all(fd, &text, 16 * KIB) < 0)
        return -1;
    at = strstr(buf_cstr(&text), "\"child-pid\":");
    return at ? (pid_t)strtol(at + strlen("\"child-pid\":"), NULL, 10) : -1;
}

static void close_handed(struct handed *handed)
{
    for (int i = 0; i < FD_END; i++)
        if (handed->fd[i] >= 0)
            close(handed->fd[i]);
}

/* It is a child of bubblewrap's, and its number may be another process' as soon as it has ended. */
static int open_launcher(pid_t pid)
{
    return pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
}

int jail_start(struct jail *jail, const struct jail_options *options)
{
    struct handed handed;
    int sockets[2];
    int info[2];

    *jail = (struct jail){.launcher_end = -1, .control = -1, .master = -1};
    for (int i = 0; i < FD_END; i++)
        handed.fd[i] = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
        return -errno;
    if (pipe2(info, O_CLOEXEC) < 0)
        return -errno;
    handed.fd[LAUNCHER_FD_CONTROL] = sockets[1];
    handed.fd[LAUNCHER_FD_SELF] = fd_sealed_memfd(
        "launcher", launcher_image, (size_t)(launcher_image_end - launcher_image), true);
    handed.fd[FD_INFO] = info[1];
    make_args(options, &handed);
    make_orders(options, &handed);
    make_stdio(options, &handed);
    jail->control = sockets[0];
    jail->backend = fork();
    if (jail->backend == 0)
        become_backend(&handed);
    close_handed(&handed);
    jail->launcher = read_launcher_pid(info[0]);
    jail->launcher_end = open_launcher(jail->launcher);
    close(info[0]);
    return jail->launcher > 0 ? 0 : -ESRCH;
}

int jail_receive(struct jail *jail, struct control_message *message)
{
    struct pollfd pollfd = {.fd = jail->control, .events = POLLIN};
    int fd = -1;
    int r;

    *message = (struct control_message){0};
    if (poll(&pollfd, 1, TIMEOUT_MS) <= 0)
        return -ETIMEDOUT;
    r = control_receive(jail->control, message, &fd);
    if (fd < 0)
        return r;
    if (message->type == CONTROL_HELLO && jail->master < 0) {
        jail->master = fd;
        return r;
    }
    close(fd);
    return -EBADMSG;
}

bool jail_receives(struct jail *jail, enum control_type type, struct control_message *message)
{
    struct control_message scratch = {0};
    struct control_message *into = message ? message : &scratch;
    int r = jail_receive(jail, into);

    if (r == 1 && into->type == type)
        return true;
    fprintf(stderr, "expected message %d; result %d, type %u, a %d, b %d\n", (int)type, r,
            into->type, into->a, into->b);
    return false;
}

bool jail_runs(struct jail *jail)
{
    return jail_receives(jail, CONTROL_HELLO, NULL) &&
           control_send(jail->control, CONTROL_GO, 0, 0, -1) == 0 &&
           jail_receives(jail, CONTROL_STARTED, NULL);
}

/* Between two looks. */
static void nap(void)
{
    const struct timespec pause = {.tv_nsec = 2000000};

    nanosleep(&pause, NULL);
}

int jail_wait(struct jail *jail)
{
    int64_t deadline = now_ms() + TIMEOUT_MS;
    int status;

    do {
        if (waitpid(jail->backend, &status, WNOHANG) == jail->backend) {
            jail->backend = 0;
            return status;
        }
        nap();
    } while (now_ms() < deadline);
    return -ETIMEDOUT;
}

void jail_free(struct jail *jail)
{
    if (jail->control >= 0)
        close(jail->control);
    if (jail->master >= 0)
        close(jail->master);
    if (jail->launcher_end >= 0)
        close(jail->launcher_end);
    if (jail->backend > 0) {
        kill(jail->backend, SIGKILL);
        waitpid(jail->backend, NULL, 0);
    }
    *jail = (struct jail){.launcher_end = -1, .control = -1, .master = -1};
}

bool jail_read_until(int fd, const char *wanted)
{
    int64_t deadline = now_ms() + TIMEOUT_MS;
    struct buf seen CLEANUP(buf_free);

    buf_init(&seen, 64 * KIB);
    while (!strstr(buf_cstr(&seen), wanted)) {
        struct pollfd pollfd = {.fd = fd, .events = POLLIN};
        char bytes[512];
        ssize_t n;

        if (now_ms() > deadline || poll(&pollfd, 1, TIMEOUT_MS) <= 0)
            return false;
        n = read(fd, bytes, sizeof(bytes));
        if (n <= 0 || buf_append(&seen, bytes, (size_t)n) < 0) {
            fprintf(stderr, "wanted \"%s\", got \"%s\"\n", wanted, buf_cstr(&seen));
            return false;
        }
    }
    return true;
}

bool jail_launcher_ends(const struct jail *jail)
{
    struct pollfd pollfd = {.fd = jail->launcher_end, .events = POLLIN};

    return jail->launcher_end >= 0 && poll(&pollfd, 1, TIMEOUT_MS) == 1;
}

const char *jail_unavailable(void)
{
    struct jail_options options = {0};
    char *argv[] = {(char *)(uintptr_t) "/bin/true", NULL};
    struct control_message message;
    struct jail jail;
    bool works;

    options.orders.argv = argv;
    works = jail_start(&jail, &options) == 0 && jail_receive(&jail, &message) == 1;
    jail_free(&jail);
    return works ? NULL : "bubblewrap cannot make a user namespace here";
}
