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
#define OUT_EXTRA  FILTER_HELD_MAX
#define TICK_MAX   (2 * KIB)
#define OUT_MAX                                                                                    \
    (RELAY_HIGH_MARK + OUT_FACTOR * RELAY_BATCH_SIZE + OUT_EXTRA + TICK_MAX + 2 * INJECT_MAX)
/* What the input filter holds can come out at any time. */
#define INPUT_RESERVE (2 * INPUT_HELD_MAX)

void relay_flow_init(struct relay *relay)
{
    queue_init(&relay->out, OUT_MAX);
    buf_init(&relay->inject, INJECT_MAX);
    buf_init(&relay->reply, RELAY_INPUT_ANSWERS_MAX);
    relay_input_init(&relay->input);
    buf_init(&relay->typed, RELAY_INPUT_KEYS_MAX);
    relay->keys = relay->options.filter ? input_new() : NULL;
    relay->tick_at_ms = NO_TICK;
}

void relay_flow_free(struct relay *relay)
{
    queue_free(&relay->out);
    buf_free(&relay->inject);
    buf_free(&relay->reply);
    relay_input_free(&relay->input);
    buf_free(&relay->typed);
    input_free(relay->keys);
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

size_t relay_flow_input_room(const struct relay *relay)
{
    size_t room = relay_input_keys_room(&relay->input);

    return room > INPUT_RESERVE ? room - INPUT_RESERVE : 0;
}

/* What the input filter let through becomes keys. */
static void pass_typed(struct relay *relay)
{
    assert(!relay->typed.overflow);
    relay_input_add_keys(&relay->input, relay->typed.data, relay->typed.len);
    buf_reset(&relay->typed);
}

void relay_flow_add_input(struct relay *relay, const uint8_t *bytes, size_t len)
{
    struct filter_keys wanted;

    if (!relay->keys) {
        relay_input_add_keys(&relay->input, bytes, len);
        return;
    }
    wanted = filter_keys(relay->options.filter);
    input_feed(relay->keys, &wanted, bytes, len, &relay->typed);
    pass_typed(relay);
}

void relay_flow_expire_input(struct relay *relay)
{
    struct filter_keys wanted = filter_keys(relay->options.filter);

    input_expire(relay->keys, &wanted, &relay->typed);
    pass_typed(relay);
}

ssize_t relay_flow_pull_input(struct relay *relay)
{
    size_t room = relay_flow_input_room(relay);
    uint8_t keys[KEYS_SIZE];
    ssize_t n;

    if (room == 0)
        return -EAGAIN;
    n = terminal_read_some(relay->options.terminal, keys,
                           room < sizeof(keys) ? room : sizeof(keys));
    if (n > 0)
        relay_flow_add_input(relay, keys, (size_t)n);
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

static void note_generation(struct relay *relay)
{
    uint64_t generation = filter_generation(relay->options.filter);

    if (generation != relay->generation && relay->options.on_restore_changed)
        relay->options.on_restore_changed(relay->options.arg);
    relay->generation = generation;
}

/* Runs the filter over len bytes of the batch, then lets it do what is due. */
static void run_filter(struct relay *relay, size_t len)
{
    struct filter *filter = relay->options.filter;
    struct buf *out = queue_tail(&relay->out);
    int wait_ms;

    buf_reset(&relay->reply);
    relay->reply.max = relay_input_answers_room(&relay->input);
    if (len)
        filter_feed(filter, relay->batch, len, out, &relay->reply);
    wait_ms = filter_tick(filter, out, &relay->reply);
    relay->tick_at_ms = wait_ms < 0 ? NO_TICK : uv_now(relay->options.loop) + (uint64_t)wait_ms;
    keep_answers(relay);
    assert(!out->overflow);
    note_generation(relay);
}

static void feed(struct relay *relay, size_t len)
{
    struct buf *out = queue_tail(&relay->out);

    if (relay->options.filter)
        run_filter(relay, len);
    else
        buf_append(out, relay->batch, len);
    assert(!out->overflow);
}

void relay_flow_tick(struct relay *relay)
{
    run_filter(relay, 0);
}

bool relay_flow_resize(struct relay *relay, const struct winsize *size)
{
    const struct terminal *terminal = relay->options.terminal;
    struct winsize agent = *size;
    struct winsize before = {0};
    bool has_row = relay->options.filter && relay->least_rows &&
                   size->ws_row >= relay->least_rows && terminal->is_raw;

    if (has_row) {
        agent.ws_ypixel = (unsigned short)(agent.ws_ypixel - agent.ws_ypixel / agent.ws_row);
        agent.ws_row--;
    }
    /* Both fail only when the slave is gone, and then nobody asks for the size. */
    (void)ioctl(relay->options.master, TIOCGWINSZ, &before);
    (void)ioctl(relay->options.master, TIOCSWINSZ, &agent);
    if (!relay->options.filter)
        return false;
    filter_reserve(relay->options.filter, has_row, agent.ws_row, agent.ws_col,
                   terminal->is_raw ? queue_tail(&relay->out) : NULL);
    note_generation(relay);
    relay->tick_at_ms = uv_now(relay->options.loop);
    return before.ws_row != agent.ws_row || before.ws_col != agent.ws_col;
}

/* A line that is being edited is no screen: the key would become a part of it. */
static bool reads_keys(const struct relay *relay)
{
    struct slave_modes slave = query_slave(relay);

    return !slave.echoes && !slave.edits_lines;
}

bool relay_flow_type_redraw_key(struct relay *relay)
{
    bool is_reached = relay->is_input_on && !relay->is_paused && !relay->options.hold_input &&
                      !relay->is_finishing && !relay->is_master_ended;

    if (!is_reached || filter_is_alternate(relay->options.filter) || !reads_keys(relay))
        return true;
    if (input_wait_ms(relay->keys) >= 0 || relay_flow_input_room(relay) == 0)
        return false;
    relay_input_add_keys(&relay->input, &relay->options.redraw_key, 1);
    return true;
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
    relay->activity += len;
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
    if (n > 0) {
        queue_consume(&relay->out, (size_t)n);
        relay->activity += (size_t)n;
    }
    return n;
}

int relay_flow_write_all(struct relay *relay, uint64_t deadline_ms)
{
    int r = 0;

    while (r == 0 && queue_len(&relay->out) > 0) {
        ssize_t n = relay_flow_push_output(relay);
        uint64_t now_ms = uv_hrtime() / 1000000;

        if (n == -EAGAIN && now_ms < deadline_ms)
            r = terminal_wait_writable(relay->options.terminal, (int)(deadline_ms - now_ms));
        else if (n < 0)
            r = n == -EAGAIN ? -ETIMEDOUT : (int)n;
    }
    return r;
}

void relay_flow_drop_output(struct relay *relay)
{
    if (queue_len(&relay->out) > 0)
        relay->is_cut = true;
    queue_reset(&relay->out);
    buf_reset(&relay->inject);
}
