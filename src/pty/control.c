// SPDX-License-Identifier: GPL-3.0-only
/*
 * control: sending and receiving the messages of control.h, and what is done for those that are the same
 * for every parent of a command (the launcher, and on macOS the keeper).
 *
 * Two properties of AF_UNIX sockets shape the receiver. A socket that is closed with unread
 * messages leaves ECONNRESET at its peer, and a SOCK_SEQPACKET receiver gets that error *before*
 * the messages that are still queued (af_unix.c: unix_release_sock(), datagram.c:
 * __skb_try_recv_datagram()). Reading the error clears it, so it is read over: otherwise an EXITED
 * would be lost whenever a signal for the command crossed its end. And descriptors are installed
 * before the receiver can look at the message, so everything that came is collected first and
 * judged afterwards.
 */
#include "pty/control.h"

#include "base/os.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* One is allowed. Room for one more shows a surplus; the kernel drops what does not fit and says so
 * by MSG_CTRUNC. */
#define FD_ROOM 2

int control_send(int socket, enum control_type type, int32_t a, int32_t b, int fd)
{
    struct control_message message = {
        .version = CONTROL_VERSION, .type = (uint32_t)type, .a = a, .b = b};
    struct iovec iov = {.iov_base = &message, .iov_len = sizeof(message)};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct msghdr header = {.msg_iov = &iov, .msg_iovlen = 1};
    ssize_t n;

    if (fd >= 0) {
        header.msg_control = control.bytes;
        header.msg_controllen = sizeof(control.bytes);
        control.align = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof(fd)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
    }
    do
        n = sendmsg(socket, &header, MSG_DONTWAIT | os_send_quietly);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : 0;
}

/* recvmsg() over EINTR and one ECONNRESET. */
static ssize_t receive_raw(int socket, struct msghdr *header)
{
    struct msghdr fresh = *header;
    bool was_reset = false;
    ssize_t n;

    for (;;) {
        *header = fresh;
        n = recvmsg(socket, header, MSG_DONTWAIT | os_receive_closed);
        if (n >= 0)
            return n;
        if (errno == ECONNRESET && !was_reset)
            was_reset = true;
        else if (errno != EINTR)
            return -errno;
    }
}

/* Copies the descriptors out and returns how many there are. */
static size_t collect_fds(struct msghdr *header, int fds[FD_ROOM])
{
    size_t count = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
        size_t here = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        assert(count + here <= FD_ROOM);
        memcpy(fds + count, CMSG_DATA(c), here * sizeof(int));
        count += here;
    }
    return count;
}

static bool is_message_valid(const struct control_message *message, ssize_t len, int flags,
                             size_t fd_count)
{
    return len == (ssize_t)sizeof(*message) && !(flags & (MSG_TRUNC | MSG_CTRUNC)) &&
           fd_count <= 1 && message->version == CONTROL_VERSION && message->type > 0 &&
           message->type < CONTROL_TYPE_COUNT;
}

int control_receive(int socket, struct control_message *message, int *fd)
{
    struct iovec iov = {.iov_base = message, .iov_len = sizeof(*message)};
    union {
        char bytes[CMSG_SPACE(FD_ROOM * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct msghdr header = {.msg_iov = &iov,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof(control.bytes)};
    int fds[FD_ROOM] = {-1, -1};
    size_t count;
    ssize_t n;

    *fd = -1;
    *message = (struct control_message){0};
    n = receive_raw(socket, &header);
    if (n < 0)
        return (int)n;
    count = collect_fds(&header, fds);
    if (is_message_valid(message, n, header.msg_flags, count)) {
        *fd = fds[0];
        return 1;
    }
    for (size_t i = 0; i < count; i++)
        close(fds[i]);
    return n == 0 && count == 0 ? 0 : -EBADMSG;
}

/* A group that is gone is no error: its end is on its way to the caller. */
bool control_obey(const struct control_message *message, pid_t command, int terminal)
{
    switch (message->type) {
    case CONTROL_SIGNAL:
        if (message->a < 1 || message->a >= NSIG)
            return false;
        (void)kill(-command, message->a);
        return true;
    case CONTROL_FOREGROUND:
        if (terminal >= 0)
            (void)tcsetpgrp(terminal, command);
        (void)kill(-command, SIGCONT);
        return true;
    case CONTROL_CONTINUE:
        (void)kill(-command, SIGCONT);
        return true;
    default:
        return false;
    }
}
