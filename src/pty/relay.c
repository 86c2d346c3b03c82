// SPDX-License-Identifier: GPL-3.0-only
/*
 * relay: the bytes between the user's terminal and the jail's PTY.
 *
 * Output. A wake-up reads the master until it is empty or 64 KiB are there (one read of a PTY gives
 * at most 4,095 bytes), filters them in one go and tries one write. What the terminal does not take
 * stays at the front of the queue, so a sequence is never interrupted by anything else. Above the
 * high mark the master is not read until the queue has fallen to the low mark: the kernel then
 * stops the agent, and memory stays flat however slow the terminal is.
 *
 * Input. The terminal is only read while the queue for the master has room: a paste that the agent
 * does not read waits in the kernel. Answers join the same queue; relay_input says when one may go.
 * As both directions are queues and no descriptor ever blocks, an agent that writes while a large
 * paste arrives cannot dead-lock.
 *
 * Own lines (relay_inject) wait until the filter is between sequences. The filter emits whole
 * sequences only, so the end of the queue is then a boundary as well.
 *
 * End. relay_finish() starts the only timer that can run without a held answer: 200 ms without a
 * byte from the master, or 2 s without a byte accepted by the terminal, ends the wait that EIO ends
 * otherwise. EIO before that means that the launcher is dying: the master is left alone (it would
 * report its hang-up for ever) until relay_finish().
 *
 * uv_poll on descriptors, not uv_tty: libuv's streams own the O_NONBLOCK flag of the terminal and
 * write in pieces of their own choice. What to do when the terminal is gone: session.
 */
#include "pty/relay.h"

#include "base/fd.h"
#include "pty/relay_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define BATCH_SIZE    (64 * KIB)
#define HIGH_MARK     (1 * MIB)
#define LOW_MARK      (256 * KIB)
#define INJECT_MAX    (64 * KIB)
#define OUT_FACTOR    32 /* filter_feed(): worst growth, and what is added once */
#define OUT_EXTRA     256
#define OUT_MAX       (HIGH_MARK + OUT_FACTOR * BATCH_SIZE + OUT_EXTRA + 2 * INJECT_MAX)
#define KEYS_SIZE     (16 * KIB)
#define HOLD_STEP_MS  5
#define END_IDLE_MS   200
#define END_STALL_MS  2000
#define END_BYTES_MAX (1 * MIB) /* a PTY holds 20,480 bytes; the rest is written by left-overs */

/* What the end timer waits for. */
enum end_wait { END_WAIT_NONE, END_WAIT_MASTER, END_WAIT_TERMINAL };

struct relay {
    struct relay_options options;
    uv_poll_t master_poll;
    uv_poll_t terminal_poll;
    uv_timer_t hold_timer;
    uv_timer_t end_timer;
    int master_events; /* what the polls are started with */
    int terminal_events;
    unsigned int open_handles;

    bool is_input_on;
    bool is_paused;
    bool is_throttled;    /* the queue for the terminal passed the high mark */
    bool is_master_ended; /* EIO or EOF, or given up */
    bool is_gone;         /* the terminal */
    bool is_cut;
    bool is_finishing;
    bool is_ended; /* on_output_end was called */
    bool is_closing;
    enum end_wait end_wait;
    size_t end_bytes; /* read from the master since relay_finish() */
    uint64_t generation;

    struct queue out; /* for the terminal */
    struct buf inject;
    struct buf reply;
    struct relay_input input; /* for the master */
    uint8_t batch[BATCH_SIZE];
};

static void on_end_timer(uv_timer_t *timer);

/* ---- what to wait for ---------------------------------------------------------------------- */

static int wanted_from_terminal(const struct relay *relay)
{
    /* Hang-up and errors are noticed also while nothing is read or written. */
    int events = UV_DISCONNECT;

    if (relay->is_paused || relay->is_gone)
        return 0;
    if (relay->is_input_on && !relay->is_finishing && !relay->is_master_ended &&
        relay_input_keys_room(&relay->input) > 0)
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

static void on_master(uv_poll_t *poll, int status, int events);
static void on_terminal(uv_poll_t *poll, int status, int events);

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

/* ---- towards the master -------------------------------------------------------------------- */

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

static void on_hold_timer(uv_timer_t *timer);

/* Writes what may be written; true if the master is full and has to be waited for. */
static bool push_input(struct relay *relay)
{
    enum relay_input_state state = RELAY_INPUT_EMPTY;
    bool is_full = false;

    while (!relay->is_paused && !is_full) {
        struct slave_modes slave = {0};
        const uint8_t *bytes = NULL;
        size_t len = 0;
        ssize_t n;

        if (relay->input.answers_len)
            slave = query_slave(relay);
        state = relay_input_next(&relay->input, uv_now(relay->options.loop), &slave, &bytes, &len);
        if (state != RELAY_INPUT_READY)
            break;
        n = write(relay->options.master, bytes, len);
        if (n > 0)
            relay_input_consume(&relay->input, (size_t)n);
        else if (n == 0 || errno == EAGAIN)
            is_full = true;
        else if (errno != EINTR)
            relay_input_reset(&relay->input); /* EIO: nobody is left who could read it */
    }
    if (state == RELAY_INPUT_HELD && !uv_is_active((uv_handle_t *)&relay->hold_timer))
        uv_timer_start(&relay->hold_timer, on_hold_timer, HOLD_STEP_MS, HOLD_STEP_MS);
    else if (state != RELAY_INPUT_HELD)
        uv_timer_stop(&relay->hold_timer);
    return is_full;
}

/* At the end of the stream what the filter still holds is never emitted, so it is no obstacle. */
static void release_injected(struct relay *relay)
{
    const struct filter *filter = relay->options.filter;

    if (relay->inject.len == 0 || queue_len(&relay->out) >= HIGH_MARK)
        return;
    if (filter && !relay->is_master_ended && !filter_is_ground(filter))
        return;
    buf_append(queue_tail(&relay->out), relay->inject.data, relay->inject.len);
    buf_reset(&relay->inject);
}

/* Brings the polls up to date; ends every callback and every call. */
static void update(struct relay *relay)
{
    bool is_master_full;
    size_t out_len;

    if (relay->is_closing)
        return;
    is_master_full = push_input(relay);
    release_injected(relay);
    out_len = queue_len(&relay->out);
    if (out_len >= HIGH_MARK)
        relay->is_throttled = true;
    else if (out_len <= LOW_MARK)
        relay->is_throttled = false;
    watch(&relay->terminal_poll, &relay->terminal_events, wanted_from_terminal(relay), on_terminal);
    watch(&relay->master_poll, &relay->master_events, wanted_from_master(relay, is_master_full),
          on_master);
}

static void on_hold_timer(uv_timer_t *timer)
{
    update(timer->data);
}

/* ---- the end ------------------------------------------------------------------------------- */

static void wait_for_end(struct relay *relay, enum end_wait wait)
{
    static const uint64_t wait_ms[] = {
        [END_WAIT_MASTER] = END_IDLE_MS,
        [END_WAIT_TERMINAL] = END_STALL_MS,
    };

    relay->end_wait = wait;
    if (wait == END_WAIT_NONE)
        uv_timer_stop(&relay->end_timer);
    else
        uv_timer_start(&relay->end_timer, on_end_timer, wait_ms[wait], 0);
}

/* Something moved: bytes came from the master, or the terminal took some. */
static void note_progress(struct relay *relay, bool is_terminal_moving)
{
    bool is_waiting_for_terminal = queue_len(&relay->out) > 0;

    if (!relay->is_finishing || relay->is_ended || relay->is_paused)
        return;
    if (!is_waiting_for_terminal)
        wait_for_end(relay, END_WAIT_MASTER);
    else if (is_terminal_moving || relay->end_wait != END_WAIT_TERMINAL)
        wait_for_end(relay, END_WAIT_TERMINAL);
}

static void check_end(struct relay *relay)
{
    if (!relay->is_finishing || relay->is_ended || relay->is_closing || !relay->is_master_ended)
        return;
    release_injected(relay);
    if (queue_len(&relay->out) > 0)
        return;
    relay->is_ended = true;
    wait_for_end(relay, END_WAIT_NONE);
    relay->options.on_output_end(relay->options.arg);
}

/* ---- towards the terminal ------------------------------------------------------------------ */

static void drop_output(struct relay *relay)
{
    if (queue_len(&relay->out) > 0)
        relay->is_cut = true;
    queue_reset(&relay->out);
    buf_reset(&relay->inject);
}

static void lose_terminal(struct relay *relay)
{
    if (relay->is_gone)
        return;
    relay->is_gone = true;
    drop_output(relay);
    if (!relay->is_closing)
        relay->options.on_terminal_gone(relay->options.arg);
}

/* One write; its result, 0 if there is nothing to write. */
static ssize_t write_out(struct relay *relay)
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

static void push_output(struct relay *relay)
{
    ssize_t n;

    if (relay->is_gone)
        drop_output(relay);
    if (relay->is_paused || queue_len(&relay->out) == 0)
        return;
    n = write_out(relay);
    if (n > 0)
        note_progress(relay, true);
    else if (n < 0 && n != -EAGAIN)
        lose_terminal(relay);
}

/* ---- from the master ----------------------------------------------------------------------- */

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

    while (len < BATCH_SIZE) {
        ssize_t n = read(relay->options.master, relay->batch + len, BATCH_SIZE - len);

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

static void pull_output(struct relay *relay)
{
    size_t len = read_master(relay);

    if (len)
        feed(relay, len);
    if (relay->is_closing) /* by on_restore_changed */
        return;
    if (relay->is_finishing) {
        relay->end_bytes += len;
        if (relay->end_bytes >= END_BYTES_MAX)
            relay->is_master_ended = true;
    }
    release_injected(relay);
    push_output(relay);
    if (len)
        note_progress(relay, false);
}

static void on_master(uv_poll_t *poll, int status, int events)
{
    struct relay *relay = poll->data;

    if (status < 0) {
        /* libuv has stopped the handle; the read says what is the matter. */
        relay->master_events = 0;
        events = relay->is_throttled ? 0 : UV_READABLE;
    }
    if (events & UV_READABLE)
        pull_output(relay);
    check_end(relay);
    update(relay);
}

/* ---- from the terminal --------------------------------------------------------------------- */

static void pull_input(struct relay *relay)
{
    size_t room = relay_input_keys_room(&relay->input);
    uint8_t keys[KEYS_SIZE];
    ssize_t n;

    if (room > sizeof(keys))
        room = sizeof(keys);
    if (room == 0)
        return;
    n = terminal_read_some(relay->options.terminal, keys, room);
    if (n > 0)
        relay_input_add_keys(&relay->input, keys, (size_t)n);
    else if (n != -EAGAIN)
        lose_terminal(relay);
}

static void on_terminal(uv_poll_t *poll, int status, int events)
{
    struct relay *relay = poll->data;

    if (status < 0)
        relay->terminal_events = 0;
    if (events & UV_READABLE)
        pull_input(relay);
    if (!relay->is_closing && events & UV_WRITABLE)
        push_output(relay);
    if (!relay->is_closing && (status < 0 || events & UV_DISCONNECT))
        lose_terminal(relay);
    check_end(relay);
    update(relay);
}

/* The wait is over: what it was for will not come. */
static void on_end_timer(uv_timer_t *timer)
{
    struct relay *relay = timer->data;

    if (relay->end_wait == END_WAIT_TERMINAL)
        drop_output(relay);
    relay->is_master_ended = true;
    release_injected(relay);
    push_output(relay);
    note_progress(relay, false);
    check_end(relay);
    update(relay);
}

/* ---- public -------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
    struct relay *relay = handle->data;

    if (--relay->open_handles > 0)
        return;
    queue_free(&relay->out);
    buf_free(&relay->inject);
    buf_free(&relay->reply);
    relay_input_free(&relay->input);
    free(relay);
}

/* Closes what relay_new() has opened so far. */
static void close_handles(struct relay *relay)
{
    uv_handle_t *handles[] = {
        (uv_handle_t *)&relay->hold_timer,
        (uv_handle_t *)&relay->end_timer,
        (uv_handle_t *)&relay->terminal_poll,
        (uv_handle_t *)&relay->master_poll,
    };

    relay->is_closing = true;
    for (size_t i = 0; i < ARRAY_SIZE(handles); i++) {
        if (handles[i]->type != UV_UNKNOWN_HANDLE)
            uv_close(handles[i], on_closed);
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

static int open_handles(struct relay *relay, struct error *error)
{
    uv_loop_t *loop = relay->options.loop;
    int fd = relay->options.terminal->fd;
    int r;

    uv_timer_init(loop, &relay->hold_timer);
    uv_timer_init(loop, &relay->end_timer);
    relay->hold_timer.data = relay;
    relay->end_timer.data = relay;
    relay->open_handles = 2;
    r = fd >= 0 ? open_poll(relay, &relay->terminal_poll, fd) : 0;
    if (r < 0)
        return error_set(error, -r, "cannot watch the terminal");
    r = open_poll(relay, &relay->master_poll, relay->options.master);
    if (r < 0)
        return error_set(error, -r, "cannot watch the pseudo-terminal");
    return 0;
}

struct relay *relay_new(const struct relay_options *options, struct error *error)
{
    struct relay *relay = xcalloc(1, sizeof(*relay));

    relay->options = *options;
    relay->is_input_on = options->read_input;
    relay->is_gone = options->terminal->fd < 0;
    if (options->filter)
        relay->generation = filter_generation(options->filter);
    queue_init(&relay->out, OUT_MAX);
    buf_init(&relay->inject, INJECT_MAX);
    buf_init(&relay->reply, RELAY_INPUT_ANSWERS_MAX);
    relay_input_init(&relay->input);
    if (open_handles(relay, error) < 0) {
        close_handles(relay);
        return NULL;
    }
    update(relay);
    return relay;
}

void relay_set_input(struct relay *relay, bool on)
{
    relay->is_input_on = on;
    update(relay);
}

void relay_pause(struct relay *relay, bool paused)
{
    relay->is_paused = paused;
    if (paused)
        wait_for_end(relay, END_WAIT_NONE);
    else
        note_progress(relay, false);
    update(relay);
}

int relay_flush(struct relay *relay, int timeout_ms)
{
    uint64_t deadline = uv_hrtime() / 1000000 + (uint64_t)timeout_ms;
    int r = 0;

    if (relay->is_gone)
        return -EIO;
    release_injected(relay);
    while (r == 0 && queue_len(&relay->out) > 0) {
        ssize_t n = write_out(relay);
        uint64_t now = uv_hrtime() / 1000000;

        /* An error is left to the loop, which meets it again and reports it. */
        if (n == -EAGAIN && now < deadline)
            r = terminal_wait_writable(relay->options.terminal, (int)(deadline - now));
        else if (n < 0)
            r = n == -EAGAIN ? -ETIMEDOUT : (int)n;
    }
    update(relay);
    return r;
}

void relay_finish(struct relay *relay)
{
    if (relay->is_finishing)
        return;
    relay->is_finishing = true;
    relay_input_reset(&relay->input);
    /* Even with nothing left to wait for the end comes from the loop. */
    note_progress(relay, false);
    if (relay->is_master_ended && queue_len(&relay->out) == 0 && !relay->is_paused)
        uv_timer_start(&relay->end_timer, on_end_timer, 0, 0);
    update(relay);
}

void relay_resize(struct relay *relay, const struct winsize *size)
{
    if (relay->options.filter)
        filter_resize(relay->options.filter, size->ws_row, size->ws_col);
    /* Fails only when the slave is gone, and then nobody asks for the size. */
    (void)ioctl(relay->options.master, TIOCSWINSZ, size);
}

void relay_inject(struct relay *relay, const void *bytes, size_t len)
{
    if (relay->is_gone)
        return;
    buf_append(&relay->inject, bytes, len);
    update(relay);
}

bool relay_was_cut(const struct relay *relay)
{
    return relay->is_cut;
}

void relay_close(struct relay *relay)
{
    if (relay->is_closing)
        return;
    close_handles(relay);
    close(relay->options.master);
}

size_t relay_pending(const struct relay *relay)
{
    return queue_len(&relay->out) + relay->inject.len;
}
