// SPDX-License-Identifier: GPL-3.0-only
/*
 * queue: bytes in at the end, out at the front.
 */
#include "pty/queue.h"

void queue_init(struct queue *queue, size_t max)
{
    /* Waste in front is less than the content, see queue_tail(). */
    buf_init(&queue->buf, 2 * max);
    queue->head = 0;
}

void queue_free(struct queue *queue)
{
    buf_free(&queue->buf);
    queue->head = 0;
}

void queue_reset(struct queue *queue)
{
    buf_reset(&queue->buf);
    queue->head = 0;
}

size_t queue_len(const struct queue *queue)
{
    return queue->buf.len - queue->head;
}

const uint8_t *queue_data(const struct queue *queue)
{
    return queue->buf.data ? queue->buf.data + queue->head : NULL;
}

void queue_consume(struct queue *queue, size_t len)
{
    assert(len <= queue_len(queue));
    queue->head += len;
    if (queue->head == queue->buf.len)
        queue_reset(queue);
}

struct buf *queue_tail(struct queue *queue)
{
    if (queue->head >= queue_len(queue)) {
        buf_consume(&queue->buf, queue->head);
        queue->head = 0;
    }
    return &queue->buf;
}
