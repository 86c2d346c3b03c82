// SPDX-License-Identifier: GPL-3.0-only
/*
 * report_send: the mounter looks at what a run leaves behind, and tells the supervisor.
 */
#include "host.h"
#include "pty/mounter_event.h"
#include "pty/report_parts.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#define SEND_WAIT_MS 1000
#define LOSS_WORTH   (1 * MIB)

static void send_event(void *arg, struct mounter_event *event, const char *path, const char *origin)
{
    const int *socket = arg;
    struct pollfd room = {.fd = *socket, .events = POLLOUT};

    while (!mounter_event_send(*socket, event, path, origin) && errno == EAGAIN)
        if (poll(&room, 1, SEND_WAIT_MS) != 1)
            return;
}

static void say_loss(const char *home, const struct report_sink *sink)
{
    struct mounter_event event = {.type = MOUNTER_EVENT_LOST};
    struct report_loss loss;
    char numbers[64];

    report_count_loss(&loss, home);
    if (loss.bytes > LOSS_WORTH) {
        event.code = (int32_t)loss.files;
        snprintf(numbers, sizeof(numbers), "%llu %llu", (unsigned long long)loss.bytes,
                 (unsigned long long)loss.largest_bytes);
        sink->say(sink->arg, &event, loss.largest, numbers);
    }
    free(loss.largest);
}

void report_look(struct report *report, int socket, bool is_inside)
{
    const struct report_sink sink = {.say = send_event, .arg = &socket};

    if (is_inside)
        say_loss(report_home(report), &sink);
    report_tell(report, &sink);
}
