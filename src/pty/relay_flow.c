// SPDX-License-Identifier: GPL-3.0-only
/*
 * relay_flow: the steps that move bytes between the terminal, the filter and the PTY.
 */
#include "pty/relay_flow.h"

#include <errno.h>
#include <unistd.h>

#define INJECT_MAX (64 * KIB)
#define KEYS_SIZE  (16 * KIB)
/* filter_feed(): the worst growth, and what may come on top of it. */
#define OUT_FACTOR 32
#define OUT_EXTRA  256
#define OUT_MAX    (RELAY_HIGH_MARK + OUT_FACTOR * RELAY_BATCH_SIZE + OUT_EXTRA + 2 * INJECT_MAX)

void relay_flow_init(struct relay *relay)
{
    queue_init(&relay->out, OUT_MAX);
    buf_init(&relay->inject, INJECT_MAX);
    buf_init(&relay->reply, RELAY_INPUT_ANSWERS_MAX);
    relay_input_init(&relay->input);
}

void relay_flow_free(struct relay *relay)
{
    queue_free(&relay->out);
    buf_free(&relay->inject);
    buf_free(&relay->reply);
    relay_input_free(&relay->input);
}

static struct slave_modes query_slave(const struct relay *relay)
{
    /* A PTY without modes has no reader: treat it like one that would echo. */
    struct slave_modes slave = {.echoes = true, .group = -1};
    struct termios modes;

    if (tcgetattr(relay->options.master, &modes) == 0) {
        slave.echoes = modes.c_lflag & ECHO;
        slave.edits_lines = modes.c_lflag & ICANON;
    }
    if (ioctl(relay->options.master, TIOCGPGRP, &slave.group) < 0)
        slave.group = -1;
    return slave;
}

enum relay_push relay_flow_push_input(struct relay *relay)
{
    for (;;) {
        struct slave_modes slave = {0};
        enum relay_input_state state;
        const uint8_t *bytes = NULL;
        size_t len = 0;
        ssize_t n;

        if (relay->input.answers_len)
            slave = query_slave(relay);
        state = relay_input_next(&relay->input, uv_now(relay->options.loop), &slave, &bytes, &len);
        if (state != RELAY_INPUT_READY)
            return state == RELAY_INPUT_HELD ? RELAY_PUSH_HELD : RELAY_PUSH_DONE;
        n = write(relay->options.master, bytes, len);
        if (n > 0)
            relay_input_consume(&relay->input, (size_t)n);
        else if (n == 0 || errno == EAGAIN)
            return RELAY_PUSH_FULL;
        else if (errno != EINTR)
            relay_input_reset(&relay->input); /* EIO: nobody is left who could read it */
    }
}

ssize_t relay_flow_pull_input(struct relay *relay)
{
    size_t room = relay_input_keys_room(&relay->input);
    uint8_t keys[KEYS_SIZE];
    ssize_t n;

    if (room == 0)
        return -EAGAIN;
    n = terminal_read_some(relay->options.terminal, keys,
                           room < sizeof(keys) ? room : sizeof(keys));
    if (n > 0)
        relay_input_add_keys(&relay->input, keys, (size_t)n);
    return n;
}

static void keep_answers(struct relay *relay)
{
    pid_t group = -1;

    if (relay->reply.len == 0 || relay->is_finishing)
        return;
    if (ioctl(relay->options.master, TIOCGPGRP, &group) < 0)
        group = -1;
    relay_input_add_answer(&relay->input, relay->reply.data, relay->reply.len,
                           uv_now(relay->options.loop), group);
}

static void feed(struct relay *relay, size_t len)
{
    struct filter *filter = relay->options.filter;
    struct buf *out = queue_tail(&relay->out);

    if (!filter) {
        buf_append(out, relay->batch, len);
    } else {
        uint64_t generation;

        buf_reset(&relay->reply);
        relay->reply.max = relay_input_answers_room(&relay->input);
        filter_feed(filter, relay->batch, len, out, &relay->reply);
        keep_answers(relay);
        generation = filter_generation(filter);
        if (generation != relay->generation && relay->options.on_restore_changed)
            relay->options.on_restore_changed(relay->options.arg);
        relay->generation = generation;
    }
    assert(!out->overflow);
}

/* Fills the batch from the master; the number of bytes. */
static size_t read_master(struct relay *relay)
{
    size_t len = 0;

    while (len < RELAY_BATCH_SIZE) {
        ssize_t n = read(relay->options.master, relay->batch + len, RELAY_BATCH_SIZE - len);

        if (n > 0) {
            len += (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            break;
        } else if (n == 0 || errno != EINTR) {
            relay->is_master_ended = true;
            break;
        }
    }
    return len;
}

size_t relay_flow_pull_output(struct relay *relay)
{
    size_t len = read_master(relay);

    if (len)
        feed(relay, len);
    return len;
}

/* At the end of the stream what the filter still holds is never emitted, so it is no obstacle. */
void relay_flow_release_injected(struct relay *relay)
{
    const struct filter *filter = relay->options.filter;

    if (relay->inject.len == 0 || queue_len(&relay->out) >= RELAY_HIGH_MARK)
        return;
    if (filter && !relay->is_master_ended && !filter_is_ground(filter))
        return;
    buf_append(queue_tail(&relay->out), relay->inject.data, relay->inject.len);
    buf_reset(&relay->inject);
}

ssize_t relay_flow_push_output(struct relay *relay)
{
    ssize_t n;

    if (queue_len(&relay->out) == 0)
        return 0;
    n = terminal_write_some(relay->options.terminal, queue_data(&relay->out),
                            queue_len(&relay->out));
    if (n > 0)
        queue_consume(&relay->out, (size_t)n);
    return n;
}

void relay_flow_drop_output(struct relay *relay)
{
    if (queue_len(&relay->out) > 0)
        relay->is_cut = true;
    queue_reset(&relay->out);
    buf_reset(&relay->inject);
}
