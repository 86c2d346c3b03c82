// SPDX-License-Identifier: GPL-3.0-only
/*
 * flow: one direction of a connection: what arrives at one stream is written to the other.
 *
 * One buffer: nothing is read before it has been written, so a slow receiver stops its sender, and a
 * direction never holds more than FLOW_SIZE bytes. The end of the one side is passed on as the end
 * of the other (half-close).
 */
#pragma once

#include "base/buf.h"

#include <uv.h>

#define FLOW_SIZE (64 * KIB)

struct flow;

/* What a flow tells its owner. */
struct flow_events {
    /* Bytes that have just arrived, before they are written. Returns how many of them may be passed
     * on, the others are dropped; negative: the connection is ended. With flow->instead set, its
     * content is passed on in their place if that is not empty. NULL: all of them. */
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
    struct buf *instead; /* borrowed; NULL: what arrives is passed on */
    uint64_t bytes;      /* passed on so far */
    bool is_reading;
    bool is_ended;
    bool keeps_open; /* the end of from is not passed on to to */
    uv_write_t write;
    uv_shutdown_t shutdown;
    uint8_t buffer[FLOW_SIZE];
};

/* Starts; to begins with the first len bytes already in buffer. */
void flow_start(struct flow *flow, size_t len);
