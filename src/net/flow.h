// SPDX-License-Identifier: GPL-3.0-only
/*
 * flow: one direction of a connection: what arrives at one stream is written to the other.
 *
 * Nothing is read before everything has been written, so a slow receiver stops its sender, and a
 * direction never holds more than one room (room.h). The end of the one side is passed on as the end
 * of the other (half-close).
 *
 * Bytes are copied, with large reads. splice(2) was measured: between sockets it moves page
 * by page, and what it saves in the middle the receiver pays for (bench/proxy.py --control).
 */
#pragma once

#include "base/buf.h"
#include "net/room.h"

#include <uv.h>

/* What is read at once where somebody looks at the bytes. */
#define FLOW_SIZE ROOM_SMALL

struct flow;

/* What a flow tells its owner. */
struct flow_events {
    /* Bytes that have just arrived, before they are written: FLOW_SIZE at most. Returns how many of
     * them may be passed on, the others are dropped; negative: the connection is ended. With
     * flow->instead set, its content is passed on in their place if that is not empty. NULL: all of
     * them, and as many at once as there is room for. */
    ssize_t (*on_bytes)(struct flow *flow, const uint8_t *bytes, size_t len);
    /* The end of from has been passed on to to. */
    void (*on_end)(struct flow *flow);
    /* A read or a write failed: nothing more will come. */
    void (*on_error)(struct flow *flow, int error);
};

struct flow {
    uv_stream_t *from; /* borrowed, both */
    uv_stream_t *to;
    const struct flow_events *events;
    void *owner;
    struct rooms *rooms; /* borrowed */
    struct buf *instead; /* borrowed; NULL: what arrives is passed on */
    uint64_t bytes;      /* passed on so far */
    bool is_reading;
    bool is_ended;
    bool keeps_open;   /* the end of from is not passed on to to */
    bool has_had_turn; /* others come first */
    struct room *kept; /* what write is about; NULL: nothing, or memory of the owner */
    uv_write_t write;
    uv_shutdown_t shutdown;
};

/* Starts; to begins with the first len bytes, which must stay where they are until they are written
 * or the stream is closed. */
void flow_start(struct flow *flow, uint8_t *first, size_t len);
