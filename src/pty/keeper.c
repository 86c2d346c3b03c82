// SPDX-License-Identifier: GPL-3.0-only
/*
 * keeper: the parent of the command.
 *
 *   1. Descriptors: those that it needs get fixed numbers, CLOEXEC; every other is closed.
 *   2. A session of its own; the slave of the run's pseudo-terminal becomes its controlling terminal.
 *   3. It waits for GO, looks the command up, and forks the child that becomes it (keeper_command.c).
 *   4. It sleeps in poll() until a child changes state, a message comes, or the supervisor is gone.
 *   5. When the command has ended its process group is killed, the traces are removed, and the end is
 *      told. What has left the group lives on, in the same sandbox: there is nothing like a PID namespace.
 *
 * Every signal but SIGCHLD is blocked for life, so it may move the foreground group from the background.
 * It reads nothing that the command can write.
 */
#include "pty/keeper.h"

#include "base/fd.h"
#include "base/os.h"
#include "base/path.h"
#include "host_sandbox_exec.h"
#include "pty/keeper_parts.h"
#include "pty/traces.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_BROKEN  125
#define SANDBOX_EXEC "sandbox-exec"
#define FD_ROOM      32 /* first number for descriptors that are on their way to another one */

struct keeper {
    const struct keeper_options *options;
    pid_t command;
    bool is_namesake; /* the command has the name of sandbox-exec */
    int wake;         /* read end of the pipe that SIGCHLD writes to */
    int report;       /* read end of the child's pipe, -1 once the command runs */
};

static int wake_write = -1;

static void on_child(int sig)
{
    int code = errno;

    (void)sig;
    (void)!write(wake_write, "", 1);
    errno = code;
}

static _Noreturn void end(const struct keeper *keeper, int code)
{
    traces_remove(keeper->options->policy->host->macos.tmp);
    _exit(code);
}

/* The supervisor is gone: nobody reads, and nobody but us can put the terminal back. */
static _Noreturn void end_alone(const struct keeper *keeper)
{
    if (keeper->command > 0)
        (void)kill(-keeper->command, SIGKILL);
    restore_page_apply(&keeper->options->page->terminal,
                       keeper->options->terminal < 0 ? -1 : KEEPER_FD_TERMINAL);
    end(keeper, EXIT_BROKEN);
}

/* Waits for room: a message is never dropped. Datagram sockets of BSD say ENOBUFS where there is none. */
static void send_message(const struct keeper *keeper, enum control_type type, int32_t a, int32_t b)
{
    for (;;) {
        struct pollfd fds[] = {
            {.fd = KEEPER_FD_CONTROL, .events = POLLOUT},
            {.fd = KEEPER_FD_LIFELINE, .events = POLLIN},
        };
        int r = control_send(KEEPER_FD_CONTROL, type, a, b, -1);

        if (r == 0)
            return;
        if (r != -EAGAIN && r != -ENOBUFS)
            end_alone(keeper);
        (void)poll(fds, ARRAY_SIZE(fds), r == -EAGAIN ? -1 : 10);
        if (fds[1].revents)
            end_alone(keeper);
    }
}

static _Noreturn void fail(const struct keeper *keeper, enum launch_stage stage, int error)
{
    traces_remove(keeper->options->policy->host->macos.tmp);
    send_message(keeper, CONTROL_FAILED, (int32_t)stage, error);
    _exit(EXIT_BROKEN);
}

static _Noreturn void finish(const struct keeper *keeper, int status, bool never_ran)
{
    (void)kill(-keeper->command, SIGKILL);
    traces_remove(keeper->options->policy->host->macos.tmp);
    keeper->options->page->command = 0;
    send_message(keeper, CONTROL_EXITED, status, never_ran ? CONTROL_NEVER_RAN : 0);
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

/* ---- the start ---- */

static void set_signals(struct keeper *keeper)
{
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART};
    int fds[2];
    sigset_t set;

    if (os_pipe(fds) < 0)
        fail(keeper, STAGE_FORK, EMFILE);
    fd_set_nonblocking(fds[0], true);
    fd_set_nonblocking(fds[1], true);
    keeper->wake = fds[0];
    wake_write = fds[1];
    sigaction(SIGCHLD, &action, NULL);
    sigfillset(&set);
    sigdelset(&set, SIGCHLD);
    sigprocmask(SIG_SETMASK, &set, NULL);
}

/* The keeper's own 0, 1, 2 lead nowhere: whoever reads behind the command must see its end. */
static bool sort_descriptors(const struct keeper_options *options)
{
    const int from[] = {
        options->control, options->lifeline, options->slave, options->terminal, 0, 1, 2};
    int lifted[ARRAY_SIZE(from)];
    int null;

    for (size_t i = 0; i < ARRAY_SIZE(from); i++) {
        lifted[i] = from[i] < 0 ? -1 : fcntl(from[i], F_DUPFD_CLOEXEC, FD_ROOM);
        if (from[i] >= 0 && lifted[i] < 0)
            return false;
    }
    for (size_t i = 0; i < ARRAY_SIZE(from); i++) {
        int fd = KEEPER_FD_CONTROL + (int)i;

        close(fd);
        if (lifted[i] >= 0 && (dup2(lifted[i], fd) < 0 || fd_set_cloexec(fd, true) < 0))
            return false;
    }
    os_close_from(KEEPER_FD_END);
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd <= 2; fd++)
        if (null < 0 || dup2(null, fd) < 0)
            return false;
    return true;
}

static void enter_session(const struct keeper *keeper)
{
    setsid();
    if (keeper->options->slave >= 0 && ioctl(KEEPER_FD_SLAVE, TIOCSCTTY, 0) < 0)
        fail(keeper, STAGE_PTY, errno);
}

static bool receive_message(const struct keeper *keeper, struct control_message *message)
{
    int fd;
    int r = control_receive(KEEPER_FD_CONTROL, message, &fd);

    if (r == -EAGAIN)
        return false;
    if (r <= 0 || fd >= 0)
        end_alone(keeper);
    return true;
}

static void wait_for_go(const struct keeper *keeper)
{
    struct control_message message;

    do {
        struct pollfd fds[] = {
            {.fd = KEEPER_FD_CONTROL, .events = POLLIN},
            {.fd = KEEPER_FD_LIFELINE, .events = POLLIN},
        };

        (void)poll(fds, ARRAY_SIZE(fds), -1);
        if (fds[1].revents)
            end_alone(keeper);
    } while (!receive_message(keeper, &message));
    if (message.type != CONTROL_GO)
        end_alone(keeper);
}

/* sandbox-exec -f FILE -- COMMAND WORD... */
static char **words_of(const struct keeper_options *options, char *command)
{
    const struct strv *argv = &options->policy->argv;
    char **words = xcalloc(argv->n + 5, sizeof(*words));

    words[0] = xstrdup(SANDBOX_EXEC);
    words[1] = xstrdup("-f");
    words[2] = xstrdup(options->profile);
    words[3] = xstrdup("--");
    words[4] = command;
    for (size_t i = 1; i < argv->n; i++)
        words[4 + i] = argv->v[i];
    return words;
}

static void start_command(struct keeper *keeper)
{
    const struct policy *policy = keeper->options->policy;
    struct keeper_child child = {.options = keeper->options, .env = policy->env.v};
    char *command;
    int fds[2];
    int r = keeper_find_command(policy, &command);

    if (r == -ENOENT || r == -ENOTDIR)
        fail(keeper, STAGE_NOT_FOUND, ENOENT);
    if (r < 0)
        fail(keeper, STAGE_EXEC, -r);
    child.argv = words_of(keeper->options, command);
    r = os_pipe(fds);
    if (r < 0)
        fail(keeper, STAGE_FORK, -r);
    fd_set_nonblocking(fds[0], true);
    child.report = fds[1];
    keeper->is_namesake = str_eq(path_base(command), SANDBOX_EXEC);
    keeper->command = fork();
    if (keeper->command < 0)
        fail(keeper, STAGE_FORK, errno);
    if (keeper->command == 0)
        keeper_child_run(&child);
    /* Both sides do it, so that neither can be too early. */
    setpgid(keeper->command, keeper->command);
    close(fds[1]);
    keeper->report = fds[0];
    for (int fd = KEEPER_FD_STDIO; fd < KEEPER_FD_END; fd++)
        close(fd);
}

/* ---- the run ---- */

/* Passes on what the child has to say. The end of its pipe is the exec. */
static void relay_reports(struct keeper *keeper)
{
    while (keeper->report >= 0) {
        struct control_message message;
        ssize_t n = read(keeper->report, &message, sizeof(message));

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (n != (ssize_t)sizeof(message)) {
            close(steal_fd(&keeper->report));
            send_message(keeper, CONTROL_STARTED, 0, 0);
            return;
        }
        if (message.type == CONTROL_FAILED)
            fail(keeper, (enum launch_stage)message.a, message.b);
        send_message(keeper, (enum control_type)message.type, message.a, message.b);
    }
}

/*
 * Codes of sandbox-exec, which refuses a profile with 65 and cannot execute with 71, are codes of the command
 * as well; a process that has become the command has the command's name, though, and keeps it when it has
 * ended. One that a signal ended may have been meant by it.
 */
static bool has_never_run(const struct keeper *keeper)
{
    siginfo_t info = {0};

    return !keeper->is_namesake &&
           waitid(P_PID, (id_t)keeper->command, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == keeper->command && info.si_code == CLD_EXITED &&
           macos_is_called(keeper->command, SANDBOX_EXEC);
}

static void reap_children(struct keeper *keeper)
{
    bool never_ran;
    char bytes[64];
    int status;
    pid_t pid;

    /* Emptied first: a child that changes from here on makes it readable again. */
    while (read(keeper->wake, bytes, sizeof(bytes)) > 0)
        ;
    /* The exec came before any change of state that is seen now, and is to be told before it. */
    relay_reports(keeper);
    never_ran = has_never_run(keeper);
    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0) {
        if (pid != keeper->command)
            continue;
        if (WIFSTOPPED(status))
            send_message(keeper, CONTROL_STOPPED, WSTOPSIG(status), 0);
        else if (WIFCONTINUED(status))
            send_message(keeper, CONTROL_CONTINUED, 0, 0);
        else
            finish(keeper, status, never_ran);
    }
}

static void obey_message(const struct keeper *keeper)
{
    struct control_message message;
    int terminal = keeper->options->slave >= 0 ? KEEPER_FD_SLAVE : -1;

    if (receive_message(keeper, &message) && !control_obey(&message, keeper->command, terminal))
        end_alone(keeper);
}

static _Noreturn void supervise(struct keeper *keeper)
{
    for (;;) {
        struct pollfd fds[] = {
            {.fd = KEEPER_FD_CONTROL, .events = POLLIN},
            {.fd = keeper->wake, .events = POLLIN},
            {.fd = keeper->report, .events = POLLIN}, /* -1 is skipped */
            {.fd = KEEPER_FD_LIFELINE, .events = POLLIN},
        };

        if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
            continue;
        if (fds[3].revents)
            end_alone(keeper);
        if (fds[2].revents)
            relay_reports(keeper);
        if (fds[1].revents)
            reap_children(keeper);
        if (fds[0].revents)
            obey_message(keeper);
    }
}

static _Noreturn void run(const struct keeper_options *options)
{
    struct keeper keeper = {.options = options, .wake = -1, .report = -1};

    if (!sort_descriptors(options))
        _exit(EXIT_BROKEN);
    set_signals(&keeper);
    enter_session(&keeper);
    wait_for_go(&keeper);
    start_command(&keeper);
    supervise(&keeper);
}

pid_t keeper_start(const struct keeper_options *options)
{
    pid_t pid = fork();

    if (pid == 0)
        run(options);
    return pid < 0 ? -errno : pid;
}
