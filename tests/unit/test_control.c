// SPDX-License-Identifier: GPL-3.0-only
/*
 * control: messages arrive whole or not at all, and no descriptor is ever left over.
 */
#include "pty/control.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct pair {
    int ends[2];
    int next_fd; /* the lowest free number once the pair is open: nothing leaked if it stays */
};

static int lowest_free_fd(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    close(fd);
    return fd;
}

static int setup(void **state)
{
    static struct pair pair;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.ends) < 0)
        return -1;
    pair.next_fd = lowest_free_fd();
    *state = &pair;
    return 0;
}

static int teardown(void **state)
{
    struct pair *pair = *state;
    bool leaked = lowest_free_fd() != pair->next_fd;

    close(pair->ends[0]);
    close(pair->ends[1]);
    return leaked ? -1 : 0;
}

/* Sends raw bytes with count copies of descriptor 0. */
static void send_raw(int socket, const void *bytes, size_t len, size_t count)
{
    struct iovec iov = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = len};
    union {
        char bytes[CMSG_SPACE(8 * sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct msghdr header = {.msg_iov = &iov, .msg_iovlen = 1};

    if (count) {
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(count * sizeof(int));
        control.align = (struct cmsghdr){.cmsg_len = CMSG_LEN(count * sizeof(int)),
                                         .cmsg_level = SOL_SOCKET,
                                         .cmsg_type = SCM_RIGHTS};
        /* Zeroes: descriptor 0, count times. */
    }
    assert_int_equal(sendmsg(socket, &header, 0), len);
}

static const struct control_message good = {CONTROL_VERSION, CONTROL_EXITED, 7, 3};

static int receive(const struct pair *pair, struct control_message *message, int *fd)
{
    return control_receive(pair->ends[1], message, fd);
}

static void expect_refused(const struct pair *pair)
{
    struct control_message message;
    int fd;

    assert_int_equal(receive(pair, &message, &fd), -EBADMSG);
    assert_int_equal(fd, -1);
    assert_int_equal(lowest_free_fd(), pair->next_fd);
}

static void test_message_arrives(void **state)
{
    struct pair *pair = *state;
    struct control_message message;
    int fd;

    assert_int_equal(control_send(pair->ends[0], CONTROL_EXITED, -7, 3, -1), 0);
    assert_int_equal(receive(pair, &message, &fd), 1);
    assert_int_equal(message.version, CONTROL_VERSION);
    assert_int_equal(message.type, CONTROL_EXITED);
    assert_int_equal(message.a, -7);
    assert_int_equal(message.b, 3);
    assert_int_equal(fd, -1);
    assert_int_equal(receive(pair, &message, &fd), -EAGAIN);
}

static void test_descriptor_arrives_cloexec(void **state)
{
    struct pair *pair = *state;
    struct control_message message;
    int fd;

    assert_int_equal(control_send(pair->ends[0], CONTROL_HELLO, 0, 0, pair->ends[0]), 0);
    assert_int_equal(receive(pair, &message, &fd), 1);
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    close(fd);
}

static void test_wrong_sizes_are_refused(void **state)
{
    struct pair *pair = *state;
    char bytes[64] = {0};

    memcpy(bytes, &good, sizeof(good));
    for (size_t len = 1; len <= sizeof(bytes); len++) {
        if (len == sizeof(good))
            continue;
        send_raw(pair->ends[0], bytes, len, len % 3);
        expect_refused(pair);
    }
}

static void test_wrong_heads_are_refused(void **state)
{
    struct pair *pair = *state;
    static const struct control_message cases[] = {
        {CONTROL_VERSION + 1, CONTROL_EXITED, 0, 0},
        {0, CONTROL_EXITED, 0, 0},
        {CONTROL_VERSION, 0, 0, 0},
        {CONTROL_VERSION, CONTROL_TYPE_COUNT, 0, 0},
        {CONTROL_VERSION, UINT32_MAX, 0, 0},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        for (size_t fds = 0; fds < 2; fds++) {
            send_raw(pair->ends[0], &cases[i], sizeof(cases[i]), fds);
            expect_refused(pair);
        }
}

/* Two fit the receiver's room, more are cut by the kernel: all are closed. */
static void test_surplus_descriptors_are_refused(void **state)
{
    struct pair *pair = *state;

    for (size_t fds = 2; fds <= 8; fds++) {
        send_raw(pair->ends[0], &good, sizeof(good), fds);
        expect_refused(pair);
    }
}

static void test_empty_message_counts_as_end(void **state)
{
    struct pair *pair = *state;
    struct control_message message;
    int fd;

    send_raw(pair->ends[0], "", 0, 0);
    assert_int_equal(receive(pair, &message, &fd), 0);
    send_raw(pair->ends[0], "", 0, 1);
    expect_refused(pair);
}

/* The peer goes away with a message of ours unread: the kernel reports ECONNRESET before it gives
 * out what the peer had said last. */
static void test_last_words_survive_a_reset(void **state)
{
    struct pair *pair = *state;
    struct control_message message;
    int fd;
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(control_send(ends[0], CONTROL_STOPPED, 20, 0, -1), 0);
    assert_int_equal(control_send(ends[0], CONTROL_EXITED, 7, 3, -1), 0);
    assert_int_equal(control_send(ends[1], CONTROL_SIGNAL, 15, 0, -1), 0);
    close(ends[0]);
    assert_int_equal(control_receive(ends[1], &message, &fd), 1);
    assert_int_equal(message.type, CONTROL_STOPPED);
    assert_int_equal(control_receive(ends[1], &message, &fd), 1);
    assert_int_equal(message.type, CONTROL_EXITED);
    assert_int_equal(control_receive(ends[1], &message, &fd), 0);
    assert_int_equal(control_send(ends[1], CONTROL_SIGNAL, 15, 0, -1), -EPIPE);
    close(ends[1]);
    (void)pair;
}

static void test_full_socket_does_not_block(void **state)
{
    struct pair *pair = *state;
    struct control_message message;
    int sent = 0;
    int received = 0;
    int fd;
    int r;

    while ((r = control_send(pair->ends[0], CONTROL_STOPPED, sent, 0, -1)) == 0 && sent < 1000000)
        sent++;
    assert_int_equal(r, -EAGAIN);
    while (receive(pair, &message, &fd) == 1) {
        assert_int_equal(message.a, received);
        received++;
    }
    assert_int_equal(received, sent);
}

/* A process in a group of its own that waits to be ended. */
static pid_t start_group(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        setpgid(0, 0);
        for (;;)
            pause();
    }
    assert_true(pid > 0);
    setpgid(pid, pid);
    return pid;
}

static void test_orders_about_the_group_are_obeyed(void **state)
{
    static const struct control_message refused[] = {
        {CONTROL_VERSION, CONTROL_SIGNAL, 0, 0},    {CONTROL_VERSION, CONTROL_SIGNAL, -SIGTERM, 0},
        {CONTROL_VERSION, CONTROL_SIGNAL, NSIG, 0}, {CONTROL_VERSION, CONTROL_CONNECT, 1, 80},
        {CONTROL_VERSION, CONTROL_GO, 0, 0},        {CONTROL_VERSION, CONTROL_EXITED, 0, 0},
    };
    const struct control_message stop = {CONTROL_VERSION, CONTROL_SIGNAL, SIGSTOP, 0};
    const struct control_message resume = {CONTROL_VERSION, CONTROL_CONTINUE, 0, 0};
    const struct control_message front = {CONTROL_VERSION, CONTROL_FOREGROUND, 0, 0};
    const struct control_message end = {CONTROL_VERSION, CONTROL_SIGNAL, SIGTERM, 0};
    pid_t pid = start_group();
    int status;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
        assert_false(control_obey(&refused[i], pid, -1));
    for (int i = 0; i < 2; i++) {
        assert_true(control_obey(&stop, pid, -1));
        assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
        assert_true(WIFSTOPPED(status));
        assert_true(control_obey(i ? &front : &resume, pid, -1));
        assert_int_equal(waitpid(pid, &status, WCONTINUED), pid);
        assert_true(WIFCONTINUED(status));
    }
    assert_true(control_obey(&end, pid, -1));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
    assert_true(control_obey(&end, pid, -1)); /* nobody is there any more */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(test_message_arrives),
        T(test_descriptor_arrives_cloexec),
        T(test_wrong_sizes_are_refused),
        T(test_wrong_heads_are_refused),
        T(test_surplus_descriptors_are_refused),
        T(test_empty_message_counts_as_end),
        T(test_last_words_survive_a_reset),
        T(test_full_socket_does_not_block),
        T(test_orders_about_the_group_are_obeyed),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
