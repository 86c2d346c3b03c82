// SPDX-License-Identifier: GPL-3.0-only
/*
 * own_peer: connections that have met themselves.
 */
#include "base/own_peer.h"

#include <string.h>
#include <sys/socket.h>

bool socket_is_own_peer(int fd)
{
    struct sockaddr_storage near = {0};
    struct sockaddr_storage far = {0};
    socklen_t near_len = sizeof(near);
    socklen_t far_len = sizeof(far);

    return getsockname(fd, (struct sockaddr *)&near, &near_len) == 0 &&
           getpeername(fd, (struct sockaddr *)&far, &far_len) == 0 && near_len == far_len &&
           memcmp(&near, &far, near_len) == 0;
}
