// SPDX-License-Identifier: GPL-3.0-only
/*
 * Running: signals, stopping and continuing, the PTY, orphans, and every way in which it ends.
 * P-LAU-8 to P-LAU-11, P-PTY-13, P-PTY-16, E-SIG-02 to E-SIG-04, E-SIG-07, E-LIF-01.
 */
#include "launcher/common.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define READS_WITHIN_MS 60000

static void start(struct fixture *fixture)
{
    assert_int_equal(jail_start(&fixture->jail, &fixture->options), 0);
    assert_true(jail_runs(&fixture->jail));
}

static void tell(struct fixture *fixture, enum control_type type, int32_t a)
{
    assert_int_equal(control_send(fixture->jail.control, type, a, 0, -1), 0);
}

/* The next message that is not CONTINUED, which the kernel forgets when a stop or an exit follows
 * at once. */
static int expect(struct fixture *fixture, enum control_type type)
{
    struct control_message message;

    do
        assert_int_equal(jail_receive(&fixture->jail, &message), 1);
    while (message.type == CONTROL_CONTINUED);
    assert_int_equal(message.type, type);
    return message.a;
}

static int expect_exit(struct fixture *fixture)
{
    return expect(fixture, CONTROL_EXITED);
}

static void expect_stop(struct fixture *fixture, int number)
{
    assert_int_equal(expect(fixture, CONTROL_STOPPED), number);
}

/* The command on a PTY, in the foreground or not. */
static void use_pty(struct fixture *fixture, unsigned more)
{
    fixture->options.orders.flags = ORDERS_PTY | more;
    for (int i = 0; i < 3; i++)
        fixture->options.stdio[i] = -1;
}

static void say(struct fixture *fixture, const char *text)
{
    assert_int_equal(write(fixture->jail.master, text, strlen(text)), strlen(text));
}

static void test_death_by_signal_is_reported(void **state)
{
    struct fixture *fixture = *state;

    fixture_command(fixture, "sh", "-c", "kill -TERM $$", NULL);
    assert_int_equal(fixture_run(fixture), SIGTERM);
    assert_int_equal(jail_wait(&fixture->jail), (128 + SIGTERM) << 8);
}

/* The shell waits for its child: both are in the group, both get it. */
static void test_signal_reaches_the_whole_group(void **state)
{
    struct fixture *fixture = *state;
    int out[2];

    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    fixture->options.stdio[1] = out[1];
    fixture_command(
        fixture, "sh", "-c",
        /* The traps of both are set when the child says so. */
        "trap 'wait; exit 9' USR1;"
        "sh -c 'trap \"echo child; exit 0\" USR1; echo ready; while :; do sleep 1; done' &"
        "wait; wait; exit 9",
        NULL);
    start(fixture);
    assert_true(jail_read_until(out[0], "ready"));
    tell(fixture, CONTROL_SIGNAL, SIGUSR1);
    assert_true(jail_read_until(out[0], "child"));
    assert_int_equal(expect_exit(fixture), 9 << 8);
    close(out[0]);
    close(out[1]);
}

static void test_signal_before_the_exec_is_not_lost(void **state)
{
    struct fixture *fixture = *state;
    struct jail *jail = &fixture->jail;

    fixture_command(fixture, "sleep", "1000", NULL);
    assert_int_equal(jail_start(jail, &fixture->options), 0);
    assert_true(jail_receives(jail, CONTROL_HELLO, NULL));
    tell(fixture, CONTROL_GO, 0);
    tell(fixture, CONTROL_SIGNAL, SIGTERM);
    assert_true(jail_receives(jail, CONTROL_STARTED, NULL));
    assert_int_equal(expect_exit(fixture), SIGTERM);
}

static void test_stop_and_continue(void **state)
{
    struct fixture *fixture = *state;

    fixture_command(fixture, "sh", "-c", "kill -STOP $$; kill -TSTP $$; exit 3", NULL);
    start(fixture);
    expect_stop(fixture, SIGSTOP);
    tell(fixture, CONTROL_CONTINUE, 0);
    expect_stop(fixture, SIGTSTP);
    tell(fixture, CONTROL_CONTINUE, 0);
    assert_int_equal(expect_exit(fixture), 3 << 8);
}

/* A child of the command that stops is the command's business. */
static void test_only_the_command_is_reported(void **state)
{
    struct fixture *fixture = *state;

    fixture_command(fixture, "sh", "-c",
                    "sh -c 'kill -STOP $$' & p=$!; "
                    "while ! grep -q 'State:.T' /proc/$p/status; do :; done; kill -KILL $p; exit 4",
                    NULL);
    assert_int_equal(fixture_run(fixture), 4 << 8);
}

static void test_pty_belongs_to_the_jail(void **state)
{
    struct fixture *fixture = *state;

    use_pty(fixture, ORDERS_FOREGROUND);
    fixture_command(fixture, "sh", "-c", "tty; stat -c %t:%T /dev/pts/0; echo x > /dev/tty", NULL);
    start(fixture);
    assert_true(fixture->jail.master >= 0);
    assert_true(jail_read_until(fixture->jail.master, "/dev/pts/0\r\n88:0\r\nx\r\n"));
    assert_int_equal(expect_exit(fixture), 0);
}

/* No slave is left open: the master hangs up. */
static void test_pty_hangs_up_at_the_end(void **state)
{
    struct fixture *fixture = *state;
    char byte;

    use_pty(fixture, ORDERS_FOREGROUND);
    fixture_command(fixture, "true", NULL);
    start(fixture);
    assert_int_equal(expect_exit(fixture), 0);
    assert_int_equal(jail_wait(&fixture->jail), 0);
    assert_int_equal(read(fixture->jail.master, &byte, 1), -1);
    assert_int_equal(errno, EIO);
}

/* Nor is a second master: when the only one goes, the command reads an end. */
static void test_pty_hangs_up_without_its_master(void **state)
{
    struct fixture *fixture = *state;

    use_pty(fixture, ORDERS_FOREGROUND);
    fixture_command(fixture, "sh", "-c", "read line || exit 7", NULL);
    start(fixture);
    close(fixture->jail.master);
    fixture->jail.master = -1;
    assert_int_equal(expect_exit(fixture), 7 << 8);
}

static void test_keys_signal_the_foreground(void **state)
{
    struct fixture *fixture = *state;

    use_pty(fixture, ORDERS_FOREGROUND);
    /* Without a child: a shell in the middle of a vfork() would not stop. */
    fixture_command(fixture, "sh", "-c", "echo ready; read line; exit 9", NULL);
    start(fixture);
    assert_true(jail_read_until(fixture->jail.master, "ready"));
    say(fixture, "\032");
    expect_stop(fixture, SIGTSTP);
    tell(fixture, CONTROL_FOREGROUND, 0);
    assert_true(jail_receives(&fixture->jail, CONTROL_CONTINUED, NULL));
    say(fixture, "\003");
    assert_int_equal(expect_exit(fixture), SIGINT);
}

/* Started in the background it stops at its first read; FOREGROUND hands it the terminal. */
static void test_background_reader_is_stopped(void **state)
{
    struct fixture *fixture = *state;

    use_pty(fixture, 0);
    fixture_command(fixture, "sh", "-c", "read line; echo \"got $line\"", NULL);
    start(fixture);
    expect_stop(fixture, SIGTTIN);
    tell(fixture, CONTROL_FOREGROUND, 0);
    assert_true(jail_receives(&fixture->jail, CONTROL_CONTINUED, NULL));
    say(fixture, "hello\n");
    assert_true(jail_read_until(fixture->jail.master, "got hello"));
    assert_int_equal(expect_exit(fixture), 0);
}

/* The keys of a terminal in whose foreground nobody else is go to the launcher: no effect. */
static void test_keys_do_not_hurt_the_launcher(void **state)
{
    struct fixture *fixture = *state;
    struct pollfd control;

    use_pty(fixture, 0);
    fixture_command(fixture, "sh", "-c", "echo ready; kill -STOP $$; exit 6", NULL);
    start(fixture);
    assert_true(jail_read_until(fixture->jail.master, "ready"));
    expect_stop(fixture, SIGSTOP);
    say(fixture, "\003\032\034");
    control = (struct pollfd){.fd = fixture->jail.control, .events = POLLIN};
    assert_int_equal(poll(&control, 1, 100), 0);
    tell(fixture, CONTROL_CONTINUE, 0);
    assert_int_equal(expect_exit(fixture), 6 << 8);
}

/* Only what the orders name is on the PTY. */
static void test_mixed_stdio(void **state)
{
    struct fixture *fixture = *state;

    fixture->options.orders.flags = ORDERS_PTY_STDIN | ORDERS_PTY_STDERR | ORDERS_FOREGROUND;
    fixture_command(fixture, "sh", "-c",
                    "for i in 0 1 2; do test -t $i && echo tty || echo file; done; echo err >&2",
                    NULL);
    start(fixture);
    assert_true(jail_read_until(fixture->jail.master, "err"));
    assert_int_equal(expect_exit(fixture), 0);
    assert_string_equal(fixture_output(fixture), "tty\nfile\ntty\n");
}

static void test_job_control_of_a_shell_works(void **state)
{
    struct fixture *fixture = *state;

    use_pty(fixture, ORDERS_FOREGROUND);
    fixture_command(fixture, "bash", "--norc", "-i", NULL);
    start(fixture);
    /* Printed by the job, not echoed by the terminal: the job has the foreground by then. */
    say(fixture, "sh -c 'echo re\"\"ady; exec sleep 1000'\n");
    assert_true(jail_read_until(fixture->jail.master, "ready"));
    say(fixture, "\032");
    assert_true(jail_read_until(fixture->jail.master, "Stopped"));
    /* Not fg: the job may be gone before it is asked for. */
    say(fixture, "kill %1; kill -CONT %1 2>/dev/null; wait %1; echo status $?; exit 2\n");
    assert_true(jail_read_until(fixture->jail.master, "status 143"));
    assert_int_equal(expect_exit(fixture), 2 << 8);
}

static void test_orphans_are_reaped(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(fixture_probe(fixture, "orphan", NULL, NULL), 0);
}

/* E-SIG-07: neither a session of its own nor ignored signals help. */
static void test_left_processes_are_counted_and_killed(void **state)
{
    struct fixture *fixture = *state;
    struct control_message message;

    fixture_command(fixture, PROBE, "leave", "20", NULL);
    start(fixture);
    assert_true(jail_receives(&fixture->jail, CONTROL_EXITED, &message));
    assert_int_equal(message.a, 0);
    assert_int_equal(message.b, 20);
    assert_int_equal(jail_wait(&fixture->jail), 0);
    assert_true(jail_launcher_ends(&fixture->jail));
}

static void test_nothing_left_is_zero(void **state)
{
    struct fixture *fixture = *state;
    struct control_message message;

    fixture_command(fixture, "sh", "-c", "true | true", NULL);
    start(fixture);
    assert_true(jail_receives(&fixture->jail, CONTROL_EXITED, &message));
    assert_int_equal(message.b, 0);
}

/* E-SIG-02, E-SIG-04: from inside, PID 1 cannot be stopped or killed. */
static void test_launcher_cannot_be_killed_from_inside(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(fixture_probe(fixture, "kill", "1", "9"), 0);
    assert_int_equal(fixture_probe(fixture, "kill", "1", "19"), 0);
    assert_int_equal(fixture_probe(fixture, "kill", "1", "11"), 0);
    fixture_command(fixture, PROBE, "kill", "-1", "9", NULL);
    assert_int_equal(fixture_run(fixture), ESRCH << 8);
}

/* The reader of a pipe sees its end when the command gives it up, not when the jail ends. */
static void test_no_copy_of_stdout_is_kept(void **state)
{
    struct fixture *fixture = *state;
    int out[2];
    struct pollfd reader;
    char byte;

    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    fixture->options.stdio[1] = out[1];
    fixture_command(fixture, PROBE, "close-stdout", NULL);
    start(fixture);
    close(out[1]);
    reader = (struct pollfd){.fd = out[0], .events = POLLIN};
    assert_int_equal(poll(&reader, 1, READS_WITHIN_MS), 1);
    assert_int_equal(read(out[0], &byte, 1), 0);
    tell(fixture, CONTROL_SIGNAL, SIGKILL);
    assert_int_equal(expect_exit(fixture), SIGKILL);
    close(out[0]);
}

static void expect_end(struct fixture *fixture)
{
    assert_true(jail_wait(&fixture->jail) >= 0);
    assert_true(jail_launcher_ends(&fixture->jail));
}

static void hang_up(struct fixture *fixture)
{
    close(fixture->jail.control);
    fixture->jail.control = -1;
    expect_end(fixture);
    fixture_again(fixture);
}

static void test_end_of_the_socket_ends_the_jail(void **state)
{
    struct fixture *fixture = *state;

    fixture_command(fixture, "sleep", "1000", NULL);
    assert_int_equal(jail_start(&fixture->jail, &fixture->options), 0);
    hang_up(fixture);
    assert_int_equal(jail_start(&fixture->jail, &fixture->options), 0);
    assert_true(jail_receives(&fixture->jail, CONTROL_HELLO, NULL));
    hang_up(fixture);
    assert_int_equal(jail_start(&fixture->jail, &fixture->options), 0);
    assert_true(jail_receives(&fixture->jail, CONTROL_HELLO, NULL));
    tell(fixture, CONTROL_GO, 0);
    hang_up(fixture);
    start(fixture);
    hang_up(fixture);
    /* Stopped commands do not linger either. */
    fixture_command(fixture, "sh", "-c", "kill -STOP $$", NULL);
    start(fixture);
    expect_stop(fixture, SIGSTOP);
    hang_up(fixture);
}

/* --die-with-parent, across the launcher's exec. */
static void test_death_of_the_backend_ends_the_jail(void **state)
{
    struct fixture *fixture = *state;
    struct control_message message;

    fixture_command(fixture, "sleep", "1000", NULL);
    start(fixture);
    assert_int_equal(kill(fixture->jail.backend, SIGKILL), 0);
    assert_int_equal(jail_receive(&fixture->jail, &message), 0);
    expect_end(fixture);
}

static void test_death_of_the_launcher_ends_the_jail(void **state)
{
    struct fixture *fixture = *state;
    struct control_message message;

    fixture_command(fixture, "sleep", "1000", NULL);
    start(fixture);
    assert_int_equal(kill(fixture->jail.launcher, SIGKILL), 0);
    assert_int_equal(jail_receive(&fixture->jail, &message), 0);
    expect_end(fixture);
}

/* P-LAU-2, seen from the other side: whatever does not fit ends the jail. */
static void test_wrong_messages_before_go(void **state)
{
    struct fixture *fixture = *state;
    static const enum control_type types[] = {CONTROL_SIGNAL, CONTROL_FOREGROUND, CONTROL_CONTINUE,
                                              CONTROL_HELLO, CONTROL_EXITED};

    fixture_command(fixture, "sleep", "1000", NULL);
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        assert_int_equal(jail_start(&fixture->jail, &fixture->options), 0);
        tell(fixture, types[i], SIGTERM);
        expect_end(fixture);
        fixture_again(fixture);
    }
}

static void test_wrong_messages_while_running(void **state)
{
    struct fixture *fixture = *state;
    static const struct control_message cases[] = {
        {CONTROL_VERSION, CONTROL_GO, 0, 0},           {CONTROL_VERSION, CONTROL_STARTED, 0, 0},
        {CONTROL_VERSION, CONTROL_TYPE_COUNT, 0, 0},   {CONTROL_VERSION, CONTROL_SIGNAL, 0, 0},
        {CONTROL_VERSION, CONTROL_SIGNAL, -9, 0},      {CONTROL_VERSION, CONTROL_SIGNAL, 65, 0},
        {CONTROL_VERSION + 1, CONTROL_CONTINUE, 0, 0},
    };

    fixture_command(fixture, "sleep", "1000", NULL);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        start(fixture);
        assert_int_equal(send(fixture->jail.control, &cases[i], sizeof(cases[i]), 0), 16);
        expect_end(fixture);
        fixture_again(fixture);
    }
}

static void test_wrong_shapes_while_running(void **state)
{
    struct fixture *fixture = *state;
    static const char bytes[64];
    static const size_t sizes[] = {1, 15, 17, 64};

    fixture_command(fixture, "sleep", "1000", NULL);
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        start(fixture);
        assert_int_equal(send(fixture->jail.control, bytes, sizes[i], 0), sizes[i]);
        expect_end(fixture);
        fixture_again(fixture);
    }
    start(fixture);
    assert_int_equal(control_send(fixture->jail.control, CONTROL_CONTINUE, 0, 0, 0), 0);
    expect_end(fixture);
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
        T(test_death_by_signal_is_reported),
        T(test_signal_reaches_the_whole_group),
        T(test_signal_before_the_exec_is_not_lost),
        T(test_stop_and_continue),
        T(test_only_the_command_is_reported),
        T(test_pty_belongs_to_the_jail),
        T(test_pty_hangs_up_at_the_end),
        T(test_pty_hangs_up_without_its_master),
        T(test_keys_signal_the_foreground),
        T(test_background_reader_is_stopped),
        T(test_keys_do_not_hurt_the_launcher),
        T(test_mixed_stdio),
        T(test_job_control_of_a_shell_works),
        T(test_orphans_are_reaped),
        T(test_left_processes_are_counted_and_killed),
        T(test_nothing_left_is_zero),
        T(test_launcher_cannot_be_killed_from_inside),
        T(test_no_copy_of_stdout_is_kept),
        T(test_end_of_the_socket_ends_the_jail),
        T(test_death_of_the_backend_ends_the_jail),
        T(test_death_of_the_launcher_ends_the_jail),
        T(test_wrong_messages_before_go),
        T(test_wrong_messages_while_running),
        T(test_wrong_shapes_while_running),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    return common_main(run);
}
