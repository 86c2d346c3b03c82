// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_control: any bytes as messages on a socket pair. The first byte of each record says how many
 * descriptors go with it (bits 0-2), the second how many bytes follow. However it is answered, no
 * descriptor may be left over.
 */
#include "pty/control.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FDS_MAX     7
#define RECORDS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool send_record(int socket, const uint8_t *bytes, size_t len, size_t fd_count, int fd)
{
    struct iovec iov = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = len};
    union {
        char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct msghdr header = {.msg_iov = &iov, .msg_iovlen = 1};

    if (fd_count) {
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
        control.align = (struct cmsghdr){.cmsg_len = CMSG_LEN(fd_count * sizeof(int)),
                                         .cmsg_level = SOL_SOCKET,
                                         .cmsg_type = SCM_RIGHTS};
        for (size_t i = 0; i < fd_count; i++)
            memcpy(CMSG_DATA(&control.align) + i * sizeof(fd), &fd, sizeof(fd));
    }
    return sendmsg(socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)len;
}

static void receive_record(int socket, const uint8_t *bytes, size_t len, size_t fd_count)
{
    struct control_message message;
    int fd;
    int r = control_receive(socket, &message, &fd);

    assert(r == 1 || r == 0 || r == -EBADMSG);
    assert(fd < 0 || r == 1);
    if (r == 1) {
        assert(len == sizeof(message) && memcmp(&message, bytes, len) == 0);
        assert(message.type > 0 && message.type < CONTROL_TYPE_COUNT);
        assert((fd >= 0) == (fd_count == 1) && fd_count <= 1);
    }
    if (fd >= 0) {
        assert(fcntl(fd, F_GETFD) == FD_CLOEXEC);
        close(fd);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int ends[2];
    int probe;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return 0;
    probe = fcntl(ends[0], F_DUPFD_CLOEXEC, 0);
    close(probe);
    for (int i = 0; i < RECORDS_MAX && size >= 2; i++) {
        size_t fd_count = data[0] & 7U;
        size_t len = data[1] < size - 2 ? data[1] : size - 2;

        if (send_record(ends[0], data + 2, len, fd_count, ends[0]))
            receive_record(ends[1], data + 2, len, fd_count);
        data += 2 + len;
        size -= 2 + len;
    }
    assert(fcntl(ends[0], F_DUPFD_CLOEXEC, 0) == probe);
    close(probe);
    close(ends[0]);
    close(ends[1]);
    return 0;
}
