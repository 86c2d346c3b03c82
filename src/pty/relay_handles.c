// SPDX-License-Identifier: GPL-3.0-only
/*
 * relay_handles: the libuv handles of a relay.
 */
#include "pty/relay_handles.h"

#include <fcntl.h>
#include <stdlib.h>

static int wanted_from_terminal(const struct relay *relay)
{
    /* Hang-up and errors are noticed also while nothing is read or written. */
    int events = UV_DISCONNECT;

    if (relay->is_paused || relay->is_gone)
        return 0;
    if (relay->is_input_on && !relay->is_finishing && !relay->is_master_ended &&
        relay_flow_input_room(relay) > 0)
        events |= UV_READABLE;
    if (queue_len(&relay->out) > 0)
        events |= UV_WRITABLE;
    return events;
}

static int wanted_from_master(const struct relay *relay, bool is_master_full)
{
    int events = 0;

    if (relay->is_paused || relay->is_master_ended)
        return 0;
    if (!relay->is_throttled)
        events |= UV_READABLE;
    if (is_master_full)
        events |= UV_WRITABLE;
    return events;
}

static void watch(uv_poll_t *poll, int *current, int wanted, uv_poll_cb callback)
{
    if (wanted == *current)
        return;
    *current = wanted;
    if (wanted)
        uv_poll_start(poll, wanted, callback);
    else
        uv_poll_stop(poll);
}

void relay_handles_watch(struct relay *relay, bool is_master_full, uv_poll_cb on_terminal,
                         uv_poll_cb on_master)
{
    watch(&relay->terminal_poll, &relay->terminal_events, wanted_from_terminal(relay), on_terminal);
    watch(&relay->master_poll, &relay->master_events, wanted_from_master(relay, is_master_full),
          on_master);
}

static void on_closed(uv_handle_t *handle)
{
    struct relay *relay = handle->data;

    if (--relay->open_handles > 0)
        return;
    relay_flow_free(relay);
    free(relay);
}

void relay_handles_close(struct relay *relay)
{
    uv_handle_t *polls[] = {
        (uv_handle_t *)&relay->terminal_poll,
        (uv_handle_t *)&relay->master_poll,
    };

    relay->is_closing = true;
    for (size_t i = 0; i < ARRAY_SIZE(relay->timers); i++)
        uv_close((uv_handle_t *)&relay->timers[i], on_closed);
    for (size_t i = 0; i < ARRAY_SIZE(polls); i++) {
        if (polls[i]->type != UV_UNKNOWN_HANDLE)
            uv_close(polls[i], on_closed);
    }
}

static int open_poll(struct relay *relay, uv_poll_t *poll, int fd)
{
    int flags = fcntl(fd, F_GETFL);
    int r = uv_poll_init(relay->options.loop, poll, fd);

    if (r < 0)
        return r;
    poll->data = relay;
    relay->open_handles++;
    /* libuv has set O_NONBLOCK, which does not belong on a shared description. */
    if (poll == &relay->terminal_poll && relay->options.terminal->is_shared && flags >= 0)
        fcntl(fd, F_SETFL, flags);
    return 0;
}

int relay_handles_open(struct relay *relay, struct error *error)
{
    int fd = relay->options.terminal->fd;
    int r;

    for (size_t i = 0; i < ARRAY_SIZE(relay->timers); i++) {
        uv_timer_init(relay->options.loop, &relay->timers[i]);
        relay->timers[i].data = relay;
        relay->open_handles++;
    }
    r = fd >= 0 ? open_poll(relay, &relay->terminal_poll, fd) : 0;
    if (r < 0)
        return error_set(error, -r, "cannot watch the terminal");
    r = open_poll(relay, &relay->master_poll, relay->options.master);
    if (r < 0)
        return error_set(error, -r, "cannot watch the pseudo-terminal");
    return 0;
}
