// SPDX-License-Identifier: GPL-3.0-only
/*
 * door: accepting.
 *
 * When there are no descriptors left, the one held in reserve is given up for a moment to tell one
 * client so; then accepting pauses.
 */
#include "net/door.h"

#include "base/fd.h"
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#define RETRY_MS    100
#define ACCEPTS_MAX 64 /* in a row, before others have their turn */

static int accept_client(const struct door *door)
{
    return os_accept(door->fd);
}

static void turn_away(struct door *door)
{
    int fd;

    if (door->reserve < 0)
        return;
    close(steal_fd(&door->reserve));
    fd = accept_client(door);
    if (fd >= 0)
        door->on_client(door->arg, door, fd, true);
    door->reserve = fcntl(door->fd, F_DUPFD_CLOEXEC, 0);
}

static void on_readable(uv_poll_t *poll, int status, int events);

static void on_retry(uv_timer_t *retry)
{
    struct door *door = retry->data;

    uv_poll_start(&door->poll, UV_READABLE, on_readable);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct door *door = poll->data;

    (void)status;
    (void)events;
    for (int i = 0; i < ACCEPTS_MAX; i++) {
        int fd = accept_client(door);

        if (fd >= 0) {
            door->on_client(door->arg, door, fd, false);
            continue;
        }
        if (errno == EAGAIN)
            return;
        if (errno == EINTR || errno == ECONNABORTED)
            continue;
        if (errno == EMFILE || errno == ENFILE)
            turn_away(door);
        uv_poll_stop(&door->poll);
        uv_timer_start(&door->retry, on_retry, RETRY_MS, 0);
        return;
    }
}

int door_open(struct door *door, uv_loop_t *loop)
{
    int r = uv_poll_init(loop, &door->poll, door->fd); /* makes it non-blocking */

    if (r < 0)
        return r;
    uv_timer_init(loop, &door->retry);
    door->poll.data = door->retry.data = door;
    door->reserve = fcntl(door->fd, F_DUPFD_CLOEXEC, 0);
    return uv_poll_start(&door->poll, UV_READABLE, on_readable);
}

void door_close(struct door *door)
{
    uv_close((uv_handle_t *)&door->poll, NULL);
    uv_close((uv_handle_t *)&door->retry, NULL);
}

void door_free(struct door *door)
{
    close(door->fd);
    if (door->reserve >= 0)
        close(door->reserve);
}
