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
 * Both filters may hold something back that time decides about: an Escape that could begin a
 * sequence, a paste without an end, a synchronised update without an end, the last title of a
 * burst. Each has a timer that runs only then.
 *
 * Own lines (relay_inject) wait until the filter is between sequences. The filter emits whole
 * sequences only, so the end of the queue is then a boundary as well.
 *
 * End. relay_finish() starts a timer: 200 ms without a
 * byte from the master, or 2 s without a byte accepted by the terminal, ends the wait that EIO ends
 * otherwise. EIO before that means that the launcher is dying: the master is left alone (it would
 * report its hang-up for ever) until relay_finish().
 *
 * uv_poll on descriptors, not uv_tty: libuv's streams own the O_NONBLOCK flag of the terminal and
 * write in pieces of their own choice. What to do when the terminal is gone: session.
 */
#include "pty/relay.h"

#include "pty/relay_flow.h"
#include "pty/relay_handles.h"

#include <errno.h>
#include <unistd.h>

#define HOLD_STEP_MS    5
#define RESIZE_STEP_MS  16
#define REDRAW_MS       75 /* of one size: a window is not being dragged any more */
#define END_IDLE_MS     200
#define END_STALL_MS    2000
#define END_BYTES_MAX   (1 * MIB) /* a PTY holds 20,480 bytes; the rest is written by left-overs */
#define FLUSH_BYTES_MAX (1 * MIB)

static void on_end_timer(uv_timer_t *timer);

/* ---- what to wait for ---------------------------------------------------------------------- */

static void on_master(uv_poll_t *poll, int status, int events);
static void on_terminal(uv_poll_t *poll, int status, int events);

static void on_hold_timer(uv_timer_t *timer);
static void on_tick_timer(uv_timer_t *timer);
static void on_input_timer(uv_timer_t *timer);
static void on_resize_timer(uv_timer_t *timer);

static void watch_held(struct relay *relay, bool is_held)
{
    if (!is_held)
        uv_timer_stop(&relay->timers[RELAY_TIMER_HOLD]);
    else if (!uv_is_active((uv_handle_t *)&relay->timers[RELAY_TIMER_HOLD]))
        uv_timer_start(&relay->timers[RELAY_TIMER_HOLD], on_hold_timer, HOLD_STEP_MS, HOLD_STEP_MS);
}

static void watch_tick(struct relay *relay)
{
    uint64_t now = uv_now(relay->options.loop);
    uint64_t at = relay->tick_at_ms;

    if (at == NO_TICK || relay->is_throttled || relay->is_paused || relay->is_finishing)
        uv_timer_stop(&relay->timers[RELAY_TIMER_TICK]);
    else
        uv_timer_start(&relay->timers[RELAY_TIMER_TICK], on_tick_timer, at > now ? at - now : 0, 0);
}

/* Silence means something only while the terminal is being read: behind a full queue, the end of
 * what is held may have come long ago. */
static void watch_silence(struct relay *relay)
{
    int wait_ms = relay->keys ? input_wait_ms(relay->keys) : -1;

    if (wait_ms < 0 || !(relay->terminal_events & UV_READABLE))
        uv_timer_stop(&relay->timers[RELAY_TIMER_INPUT]);
    else if (!uv_is_active((uv_handle_t *)&relay->timers[RELAY_TIMER_INPUT]))
        uv_timer_start(&relay->timers[RELAY_TIMER_INPUT], on_input_timer, (uint64_t)wait_ms, 0);
}

/* A size that waited for the queue to become shorter. */
static void watch_size(struct relay *relay)
{
    uv_timer_t *timer = &relay->timers[RELAY_TIMER_RESIZE];

    if (relay->is_resized && !relay->is_throttled && !uv_is_active((uv_handle_t *)timer))
        uv_timer_start(timer, on_resize_timer, 0, 0);
}

/* Brings polls and timers up to date; ends every callback and every call. */
static void update(struct relay *relay)
{
    enum relay_push push = RELAY_PUSH_DONE;
    size_t out_len;

    if (relay->is_closing)
        return;
    if (!relay->is_paused && !relay->options.hold_input)
        push = relay_flow_push_input(relay);
    relay_flow_release_injected(relay);
    out_len = queue_len(&relay->out);
    if (out_len >= RELAY_HIGH_MARK)
        relay->is_throttled = true;
    else if (out_len <= RELAY_LOW_MARK)
        relay->is_throttled = false;
    watch_size(relay);
    watch_held(relay, push == RELAY_PUSH_HELD);
    watch_tick(relay);
    relay_handles_watch(relay, push == RELAY_PUSH_FULL, on_terminal, on_master);
    watch_silence(relay);
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
        uv_timer_stop(&relay->timers[RELAY_TIMER_END]);
    else
        uv_timer_start(&relay->timers[RELAY_TIMER_END], on_end_timer, wait_ms[wait], 0);
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
    relay_flow_release_injected(relay);
    if (queue_len(&relay->out) > 0)
        return;
    relay->is_ended = true;
    wait_for_end(relay, END_WAIT_NONE);
    relay->options.on_output_end(relay->options.arg);
}

/* ---- towards the terminal ------------------------------------------------------------------ */

static void lose_terminal(struct relay *relay)
{
    if (relay->is_gone)
        return;
    relay->is_gone = true;
    relay_flow_drop_output(relay);
    if (!relay->is_closing)
        relay->options.on_terminal_gone(relay->options.arg);
}

static void push_output(struct relay *relay)
{
    ssize_t n;

    if (relay->is_gone)
        relay_flow_drop_output(relay);
    if (relay->is_paused || queue_len(&relay->out) == 0)
        return;
    n = relay_flow_push_output(relay);
    if (n > 0)
        note_progress(relay, true);
    else if (n < 0 && n != -EAGAIN)
        lose_terminal(relay);
}

static void pull_output(struct relay *relay)
{
    size_t len = relay_flow_pull_output(relay);

    if (relay->is_closing) /* by on_restore_changed */
        return;
    if (relay->is_finishing) {
        relay->end_bytes += len;
        if (relay->end_bytes >= END_BYTES_MAX)
            relay->is_master_ended = true;
    }
    relay_flow_release_injected(relay);
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

/* ---- the size ------------------------------------------------------------------------------ */

static void on_redraw_timer(uv_timer_t *timer)
{
    struct relay *relay = timer->data;

    if (!relay_flow_type_redraw_key(relay))
        uv_timer_start(timer, on_redraw_timer, REDRAW_MS, 0);
    update(relay);
}

static void set_size(struct relay *relay, const struct winsize *size)
{
    bool is_other = relay_flow_resize(relay, size);

    if (is_other && relay->options.redraw_key)
        uv_timer_start(&relay->timers[RELAY_TIMER_REDRAW], on_redraw_timer, REDRAW_MS, 0);
    relay->size = *size;
    relay->is_resized = false;
    uv_timer_start(&relay->timers[RELAY_TIMER_RESIZE], on_resize_timer, RESIZE_STEP_MS, 0);
}

static bool is_same_size(const struct winsize *a, const struct winsize *b)
{
    return a->ws_row == b->ws_row && a->ws_col == b->ws_col && a->ws_xpixel == b->ws_xpixel &&
           a->ws_ypixel == b->ws_ypixel;
}

/* What is typed after a change of the size is read after it, as without us: the signal that tells of
 * the change may come later than the key. */
static void follow_size(struct relay *relay)
{
    struct winsize now;

    if (relay->is_throttled)
        return;
    terminal_size(relay->options.terminal, &now);
    if (is_same_size(&now, &relay->seen_size))
        return;
    relay->seen_size = now;
    if (relay->is_resized || !is_same_size(&now, &relay->size))
        set_size(relay, &now);
}

/* ---- from the terminal --------------------------------------------------------------------- */

/* is_silent: if nothing is there, what the input filter holds is decided. */
static void pull_input(struct relay *relay, bool is_silent)
{
    ssize_t n = relay_flow_pull_input(relay);

    if (n > 0)
        uv_timer_stop(&relay->timers[RELAY_TIMER_INPUT]); /* the silence begins anew */
    else if (n != -EAGAIN)
        lose_terminal(relay);
    else if (is_silent && relay->keys)
        relay_flow_expire_input(relay);
}

static void on_terminal(uv_poll_t *poll, int status, int events)
{
    struct relay *relay = poll->data;

    if (status < 0)
        relay->terminal_events = 0;
    if (events & UV_READABLE) {
        follow_size(relay);
        pull_input(relay, false);
    }
    if (!relay->is_closing && events & UV_WRITABLE)
        push_output(relay);
    if (!relay->is_closing && (status < 0 || events & UV_DISCONNECT))
        lose_terminal(relay);
    check_end(relay);
    update(relay);
}

static void on_input_timer(uv_timer_t *timer)
{
    struct relay *relay = timer->data;

    /* A process that was late may find in the terminal what it waits for. */
    pull_input(relay, true);
    update(relay);
}

/* ---- later ---------------------------------------------------------------------------------- */

static void on_tick_timer(uv_timer_t *timer)
{
    struct relay *relay = timer->data;

    relay_flow_tick(relay);
    if (!relay->is_closing)
        push_output(relay);
    check_end(relay);
    update(relay);
}

static void on_resize_timer(uv_timer_t *timer)
{
    struct relay *relay = timer->data;

    if (relay->is_resized && !relay->is_throttled)
        set_size(relay, &relay->size);
    update(relay);
}

/* What the wait was for will not come. */
static void give_up(struct relay *relay)
{
    if (relay->end_wait == END_WAIT_TERMINAL)
        relay_flow_drop_output(relay);
    relay->is_master_ended = true;
    relay_flow_release_injected(relay);
    push_output(relay);
    note_progress(relay, false);
}

/* The wait is over. But timers come before descriptors: a process that was late may find what it has
 * waited for, and then the wait begins anew. */
static void on_end_timer(uv_timer_t *timer)
{
    struct relay *relay = timer->data;

    if (relay->end_wait == END_WAIT_TERMINAL)
        push_output(relay);
    else if (!relay->is_master_ended)
        pull_output(relay);
    if (relay->is_closing)
        return;
    if (!uv_is_active((uv_handle_t *)timer))
        give_up(relay);
    check_end(relay);
    update(relay);
}

/* ---- public -------------------------------------------------------------------------------- */

struct relay *relay_new(const struct relay_options *options, struct error *error)
{
    struct relay *relay = xcalloc(1, sizeof(*relay));

    relay->options = *options;
    relay->is_input_on = options->read_input;
    relay->is_gone = options->terminal->fd < 0;
    terminal_size(options->terminal, &relay->seen_size);
    if (options->filter)
        relay->generation = filter_generation(options->filter);
    relay_flow_init(relay);
    if (relay_handles_open(relay, error) < 0) {
        relay_handles_close(relay);
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

void relay_type_ahead(struct relay *relay, const void *bytes, size_t len)
{
    assert(len <= RELAY_TYPED_MAX && RELAY_TYPED_MAX <= relay_flow_input_room(relay));
    if (len)
        relay_flow_add_input(relay, bytes, len);
    update(relay);
}

void relay_type_late(struct relay *relay, const void *bytes, size_t len)
{
    if (len && len <= relay_flow_input_room(relay))
        relay_flow_add_input(relay, bytes, len);
}

void relay_release_input(struct relay *relay)
{
    relay->options.hold_input = false;
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
    uint64_t deadline_ms = uv_hrtime() / 1000000 + (uint64_t)timeout_ms;
    bool may_read = !relay->is_paused && !relay->is_throttled;
    size_t total = 0;
    size_t len;
    int r;

    if (relay->is_gone)
        return -EIO;
    do {
        len = may_read && !relay->is_master_ended ? relay_flow_pull_output(relay) : 0;
        total += len;
        relay_flow_release_injected(relay);
        /* An error is met again by the loop, which reports it. */
        r = relay_flow_write_all(relay, deadline_ms);
    } while (r == 0 && len > 0 && total < FLUSH_BYTES_MAX);
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
        uv_timer_start(&relay->timers[RELAY_TIMER_END], on_end_timer, 0, 0);
    update(relay);
}

void relay_resize(struct relay *relay, const struct winsize *size)
{
    const uv_handle_t *step = (const uv_handle_t *)&relay->timers[RELAY_TIMER_RESIZE];

    /* A stopped command has the size when it goes on. */
    if (relay->is_paused || (!relay->is_throttled && !uv_is_active(step))) {
        set_size(relay, size);
    } else {
        relay->size = *size;
        relay->is_resized = true;
    }
    update(relay);
}

void relay_reserve_row(struct relay *relay, unsigned least_rows)
{
    relay->least_rows = least_rows;
}

uint64_t relay_activity(const struct relay *relay)
{
    return relay->activity;
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
    relay_handles_close(relay);
    close(relay->options.master);
}

size_t relay_pending(const struct relay *relay)
{
    return queue_len(&relay->out) + relay->inject.len;
}
