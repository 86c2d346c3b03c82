// SPDX-License-Identifier: GPL-3.0-only
/*
 * launcher: PID 1 of the jail, parent of the command, the supervisor's hand inside.
 *
 * bubblewrap starts it from a sealed memfd, with an empty environment, no capabilities,
 * no_new_privs and the system call filter in force. It does, in this order:
 *
 *   1. It becomes non-dumpable: the command has the same uid and could otherwise open its memory.
 *   2. It closes every descriptor that it was not promised and makes the rest CLOEXEC.
 *   3. It decodes its orders.
 *   4. It opens the listening sockets that are ordered, in the jail's network namespace, and hands
 *      them out: the supervisor accepts on them from outside. If a PTY is ordered it opens one of the jail's own devpts, takes it as controlling terminal
 *      (bubblewrap made it a session leader) and hands the master out with HELLO.
 *   5. It waits for GO: the covers are in place and the supervisor has confined itself.
 *   6. It forks the child that becomes the command (launcher_child.c). The child reports over a
 *      CLOEXEC pipe; its end without a failure is the exec.
 *   7. It sleeps in poll() until a child changes state, a message comes, or the socket ends.
 *   8. When the command has ended it says so and exits; the kernel kills what is left in the PID
 *      namespace.
 *
 * Invariants: every signal is blocked here for life (SIGCHLD is read from a signalfd), so nothing
 * interrupts, stops or races it, and it may move the foreground group from the background. It never
 * reads anything that the command can write. Whatever goes wrong ends it, and with it the jail.
 *
 * The walls of the command (limits, Landlock) are put up in the child only: PID 1 must stay able to
 * signal it, and Landlock's signal scope keeps the command from signalling PID 1.
 */
#include "backend/launcher.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define EXIT_BROKEN 125

struct launcher {
    struct orders orders;
    pid_t command;
    int slave;   /* PTY, -1: none */
    int signals; /* signalfd for SIGCHLD */
    int report;  /* read end of the child's pipe, -1 once the command runs */
};

/* Waits for room: a message is never dropped. A supervisor that is gone ends the jail. */
static void send_message(enum control_type type, int32_t a, int32_t b, int fd)
{
    for (;;) {
        struct pollfd room = {.fd = LAUNCHER_FD_CONTROL, .events = POLLOUT};
        int r = control_send(LAUNCHER_FD_CONTROL, type, a, b, fd);

        if (r == 0)
            return;
        if (r != -EAGAIN)
            _exit(EXIT_BROKEN);
        poll(&room, 1, -1);
    }
}

static _Noreturn void fail(enum launch_stage stage, int error)
{
    send_message(CONTROL_FAILED, stage, error, -1);
    _exit(EXIT_BROKEN);
}

static void harden_process(void)
{
    sigset_t all;

    if (prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) < 0)
        fail(STAGE_ORDERS, errno);
    /* bubblewrap asked for it, too; it survives the exec, but a second time costs nothing. */
    if (prctl(PR_SET_PDEATHSIG, (long)SIGKILL, 0L, 0L, 0L) < 0)
        fail(STAGE_ORDERS, errno);
    sigfillset(&all);
    if (sigprocmask(SIG_SETMASK, &all, NULL) < 0)
        fail(STAGE_ORDERS, errno);
    /* Ignored by the caller's caller, it would make the kernel reap our children unseen. */
    if (signal(SIGCHLD, SIG_DFL) == SIG_ERR)
        fail(STAGE_ORDERS, errno);
}

/* Leaves 0-8 without the launcher's own image, all but 0-2 CLOEXEC. */
static void sort_descriptors(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            fail(STAGE_STDIO, errno);
    /* By number: not every C library for small programs has close_range(2). */
    if (syscall(SYS_close_range, LAUNCHER_FD_STDIO + 3, ~0U, 0) < 0)
        fail(STAGE_STDIO, errno);
    close(LAUNCHER_FD_SELF);
    for (int fd = LAUNCHER_FD_CONTROL; fd < LAUNCHER_FD_STDIO + 3; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Private and writable: the child shortens PATH where it lies. */
static void read_orders(struct orders *orders)
{
    struct stat st;
    void *bytes;

    if (fstat(LAUNCHER_FD_ORDERS, &st) < 0)
        fail(STAGE_ORDERS, errno);
    if (st.st_size <= 0 || (uint64_t)st.st_size > ORDERS_MAX)
        fail(STAGE_ORDERS, EBADMSG);
    bytes =
        mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, LAUNCHER_FD_ORDERS, 0);
    if (bytes == MAP_FAILED)
        fail(STAGE_ORDERS, errno);
    close(LAUNCHER_FD_ORDERS);
    if (orders_decode(orders, bytes, (size_t)st.st_size) < 0)
        fail(STAGE_ORDERS, EBADMSG);
}

/* By a directory that was opened outside the command would be outside, with fchdir(2). The same
 * directory as the jail shows it is as good, and ends at the jail's root. */
static void reopen_directory(int fd)
{
    char link[] = "/proc/self/fd/0";
    char path[PATH_MAX];
    struct stat given;
    struct stat shown;
    ssize_t n;
    int inside;

    if (fstat(fd, &given) < 0 || !S_ISDIR(given.st_mode))
        return;
    link[sizeof(link) - 2] = (char)('0' + fd); /* below 10 */
    n = readlink(link, path, sizeof(path) - 1);
    if (n <= 0)
        fail(STAGE_DIRECTORY, ENOENT);
    path[n] = '\0';
    inside = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (inside < 0 || fstat(inside, &shown) < 0 || shown.st_dev != given.st_dev ||
        shown.st_ino != given.st_ino)
        fail(STAGE_DIRECTORY, ENOENT);
    if (dup3(inside, fd, O_CLOEXEC) < 0)
        fail(STAGE_STDIO, errno);
    close(inside);
}

/* A descriptor that is missing now could be mistaken later for one that we opened ourselves. */
static void check_stdio(const struct orders *orders)
{
    for (int i = 0; i < 3; i++) {
        int fd = LAUNCHER_FD_STDIO + i;

        if (orders->flags & ((unsigned)ORDERS_PTY_STDIN << i))
            close(fd);
        else if (fcntl(fd, F_GETFD) < 0)
            fail(STAGE_STDIO, errno);
        else
            reopen_directory(fd);
    }
}

/* Opens the jail's first PTY and makes it our controlling terminal. Returns the master. */
static int open_pty(int *slave)
{
    int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
    int locked = 0;

    if (master < 0 || ioctl(master, TIOCSPTLCK, &locked) < 0)
        fail(STAGE_PTY, errno);
    *slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*slave < 0 || ioctl(*slave, TIOCSCTTY, 0) < 0)
        fail(STAGE_PTY, errno);
    return master;
}

/* A kernel without IPv6 has one loopback address less. */
static void hand_out_listener(uint16_t port, bool is_v6)
{
    int fd = net_listen(port, is_v6);

    if (is_v6 && (fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL))
        return;
    if (fd < 0)
        fail(STAGE_NETWORK, -fd);
    send_message(CONTROL_LISTENER, port, is_v6, fd);
    close(fd);
}

/* Before the command exists: no port can be taken yet. */
static void hand_out_listeners(const struct orders *orders)
{
    for (uint32_t i = 0; i < orders->listen_count; i++) {
        hand_out_listener(orders->listen[i], false);
        if (orders->listen[i] != ORDERS_PROXY_PORT)
            hand_out_listener(orders->listen[i], true);
    }
}

static void say_hello(struct launcher *launcher)
{
    int master;

    if (!(launcher->orders.flags & ORDERS_PTY)) {
        send_message(CONTROL_HELLO, 0, 0, -1);
        return;
    }
    master = open_pty(&launcher->slave);
    send_message(CONTROL_HELLO, 0, 0, master);
    /* A master in here would keep the PTY from hanging up. */
    close(master);
}

/* One message from outside. False if there was none; whatever is no message ends the jail. */
static bool receive_message(struct control_message *message)
{
    int fd;
    int r = control_receive(LAUNCHER_FD_CONTROL, message, &fd);

    if (r == -EAGAIN)
        return false;
    /* Nothing that comes in carries a descriptor. */
    if (r <= 0 || fd >= 0)
        _exit(EXIT_BROKEN);
    return true;
}

static void wait_for_go(void)
{
    struct control_message message;

    do {
        struct pollfd control = {.fd = LAUNCHER_FD_CONTROL, .events = POLLIN};

        poll(&control, 1, -1);
    } while (!receive_message(&message));
    if (message.type != CONTROL_GO)
        _exit(EXIT_BROKEN);
}

static void open_signals(struct launcher *launcher)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    launcher->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (launcher->signals < 0)
        fail(STAGE_FORK, errno);
}

static void start_command(struct launcher *launcher)
{
    struct launcher_child child = {.orders = &launcher->orders, .slave = launcher->slave};
    int pipe_fds[2];

    if (pipe2(pipe_fds, O_CLOEXEC) < 0 || fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK) < 0)
        fail(STAGE_FORK, errno);
    child.report = pipe_fds[1];
    mise_prepare(&child);
    exec_prepare(&child);
    /* No vfork(): one that is stopped before its exec has to be heard of. */
    launcher->command = fork();
    if (launcher->command < 0)
        fail(STAGE_FORK, errno);
    if (launcher->command == 0)
        child_run(&child);
    /* Both sides do it, so that neither can be too early. */
    setpgid(launcher->command, launcher->command);
    close(pipe_fds[1]);
    launcher->report = pipe_fds[0];
    /* The reader behind the command's output must see its end, not ours. */
    for (int i = 0; i < 3; i++)
        if (!(launcher->orders.flags & ((unsigned)ORDERS_PTY_STDIN << i)))
            close(LAUNCHER_FD_STDIO + i);
}

/* Passes on what the child has to say. The end of its pipe is the exec. */
static void relay_reports(struct launcher *launcher)
{
    while (launcher->report >= 0) {
        struct control_message message;
        ssize_t n = read(launcher->report, &message, sizeof(message));

        if (n < 0 && errno == EAGAIN)
            return;
        if (n == 0) {
            close(launcher->report);
            launcher->report = -1;
            send_message(CONTROL_STARTED, 0, 0, -1);
            return;
        }
        /* Records are shorter than PIPE_BUF: they come whole. */
        assert(n == (ssize_t)sizeof(message));
        send_message((enum control_type)message.type, message.a, message.b, -1);
        if (message.type == CONTROL_FAILED)
            _exit(EXIT_BROKEN);
    }
}

/* Processes in our PID namespace other than ourselves. */
static int32_t count_left(void)
{
    const struct dirent *entry;
    int32_t count = 0;
    DIR *dir;

    if (kill(-1, 0) < 0 && errno == ESRCH)
        return 0;
    dir = opendir("/proc");
    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && !str_eq(entry->d_name, "1"))
            count++;
    /* The descriptor ends with us. One at least is there, whatever /proc shows. */
    return count ? count : 1;
}

static _Noreturn void finish(int status)
{
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    send_message(CONTROL_EXITED, status, count_left(), -1);
    /* bubblewrap repeats our code. */
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

static void note_change(const struct launcher *launcher, pid_t pid, int status)
{
    /* An orphan that became ours: reaped, and that is all. */
    if (pid != launcher->command)
        return;
    if (WIFSTOPPED(status))
        send_message(CONTROL_STOPPED, WSTOPSIG(status), 0, -1);
    else if (WIFCONTINUED(status))
        send_message(CONTROL_CONTINUED, 0, 0, -1);
    else
        finish(status);
}

static void reap_children(struct launcher *launcher)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;

    /* Emptied first: a child that changes from here on makes it readable again. */
    while (read(launcher->signals, &info, sizeof(info)) > 0)
        ;
    /* The exec came before any change of state that is seen now, and is to be told before it. */
    relay_reports(launcher);
    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0)
        note_change(launcher, pid, status);
}

static void connect_inside(const struct control_message *message)
{
    int fd;

    if (message->b < 1 || message->b > UINT16_MAX)
        _exit(EXIT_BROKEN);
    fd = net_connect((uint16_t)message->b);
    send_message(CONTROL_CONNECTED, message->a, fd < 0 ? -fd : 0, fd < 0 ? -1 : fd);
    if (fd >= 0)
        close(fd);
}

static void obey_message(const struct launcher *launcher)
{
    struct control_message message;

    if (!receive_message(&message))
        return;
    if (message.type == CONTROL_CONNECT)
        connect_inside(&message);
    else if (!control_obey(&message, launcher->command, launcher->slave))
        _exit(EXIT_BROKEN);
}

static _Noreturn void supervise(struct launcher *launcher)
{
    for (;;) {
        struct pollfd fds[] = {
            {.fd = LAUNCHER_FD_CONTROL, .events = POLLIN},
            {.fd = launcher->signals, .events = POLLIN},
            {.fd = launcher->report, .events = POLLIN}, /* -1 is skipped */
        };

        if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
            continue;
        if (fds[2].revents)
            relay_reports(launcher);
        if (fds[1].revents)
            reap_children(launcher);
        if (fds[0].revents)
            obey_message(launcher);
    }
}

int main(void)
{
    struct launcher launcher = {.slave = -1, .signals = -1, .report = -1};

    harden_process();
    sort_descriptors();
    read_orders(&launcher.orders);
    check_stdio(&launcher.orders);
    hand_out_listeners(&launcher.orders);
    say_hello(&launcher);
    wait_for_go();
    open_signals(&launcher);
    start_command(&launcher);
    supervise(&launcher);
}
