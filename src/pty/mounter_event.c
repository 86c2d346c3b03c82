// SPDX-License-Identifier: GPL-3.0-only
/*
 * mounter_event: what the mounter tells the supervisor during a run.
 */
#include "pty/mounter_event.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define HEAD offsetof(struct mounter_event, text)
/* Each string has its NUL in the text. */
#define PART_MAX (MOUNTER_EVENT_TEXT_MAX / 2 - 1)

static uint32_t put(char *at, const char *text)
{
    size_t len = text ? strnlen(text, PART_MAX) : 0;

    if (len)
        memcpy(at, text, len);
    at[len] = '\0';
    return (uint32_t)len;
}

bool mounter_event_send(int socket, struct mounter_event *event, const char *path,
                        const char *origin)
{
    size_t size;

    event->path_len = put(event->text, path);
    event->origin_len = put(event->text + event->path_len + 1, origin);
    size = HEAD + event->path_len + event->origin_len + 2;
    return send(socket, event, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size;
}

int mounter_event_receive(int socket, struct mounter_event *event, const char **path,
                          const char **origin)
{
    ssize_t n = recv(socket, event, sizeof(*event), MSG_DONTWAIT | MSG_TRUNC);

    if (n < 0)
        return -errno;
    if (n == 0)
        return 0;
    if ((size_t)n < HEAD || (size_t)n > sizeof(*event) || event->type == 0 ||
        event->type >= MOUNTER_EVENT_COUNT || event->path_len > PART_MAX ||
        event->origin_len > PART_MAX || HEAD + event->path_len + event->origin_len + 2 != (size_t)n)
        return -EBADMSG;
    *path = event->text;
    *origin = event->text + event->path_len + 1;
    if (event->text[event->path_len] || (*origin)[event->origin_len])
        return -EBADMSG;
    return 1;
}
