// SPDX-License-Identifier: GPL-3.0-only
/*
 * queue: bytes in at the end, out at the front, with a maximum. Taking a few bytes from a long
 * queue costs nothing: the front is an index, and the rest moves only when half of the memory is
 * waste.
 */
#pragma once

#include "base/buf.h"

struct queue {
    struct buf buf; /* head taken bytes, then the content */
    size_t head;
};

/* An empty queue for up to max bytes; it may use twice that much memory. */
void queue_init(struct queue *queue, size_t max);
void queue_free(struct queue *queue);
/* Empties it. */
void queue_reset(struct queue *queue);

size_t queue_len(const struct queue *queue);
/* The content; valid until the next change. */
const uint8_t *queue_data(const struct queue *queue);
/* Removes the first len bytes. */
void queue_consume(struct queue *queue, size_t len);
/* The buffer to append to. The caller keeps to the maximum of queue_init(). */
struct buf *queue_tail(struct queue *queue);
