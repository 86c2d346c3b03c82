// SPDX-License-Identifier: GPL-3.0-only
/*
 * door: a listening socket whose clients are accepted one after the other, whatever goes wrong.
 *
 * libuv's own listening streams would open a file for their reserve, which the supervisor may not do
 * any more, and spin without one.
 */
#pragma once

#include "base/base.h"

#include <uv.h>

enum door_kind {
    DOOR_PROXY,   /* in the jail: clients of the proxy */
    DOOR_FORWARD, /* in the jail: what connects is connected with a port of the host */
    DOOR_PUBLISH, /* on the host: what connects is connected with a port of the jail */
};

struct door;

/* A client; fd is the receiver's. is_last: no descriptors are left, it is to be turned away. */
typedef void door_client_fn(void *arg, const struct door *door, int fd, bool is_last);

struct door {
    enum door_kind kind;
    uint16_t port;  /* DOOR_FORWARD: of the host; DOOR_PUBLISH: of the jail */
    bool is_warned; /* for the owner: that nothing answers there has been said */
    int fd;
    int reserve;
    door_client_fn *on_client;
    void *arg;
    uv_poll_t poll;
    uv_timer_t retry;
};

/* kind, port, fd (listening; the door's from now on), on_client and arg are set, the rest is zero.
 * 0 or -errno; door_close() is wanted only after success. The struct must not move. */
int door_open(struct door *door, uv_loop_t *loop);
/* The loop has to run until the handles are closed; then door_free(). */
void door_close(struct door *door);
void door_free(struct door *door);
