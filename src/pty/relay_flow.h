// SPDX-License-Identifier: GPL-3.0-only
/*
 * relay_flow: the steps that move bytes, without a thought of when. Private to relay.c, which
 * decides by the loop's events and its timers.
 */
#pragma once

#include "pty/queue.h"
#include "pty/relay.h"
#include "pty/relay_input.h"

#define RELAY_BATCH_SIZE (64 * KIB)
#define RELAY_HIGH_MARK  (1 * MIB)
#define RELAY_LOW_MARK   (256 * KIB)

#define NO_TICK UINT64_MAX

enum relay_timer {
    RELAY_TIMER_HOLD,   /* an answer waits for the command */
    RELAY_TIMER_END,    /* see enum end_wait */
    RELAY_TIMER_INPUT,  /* the input filter holds something */
    RELAY_TIMER_TICK,   /* the output filter does */
    RELAY_TIMER_RESIZE, /* until the next size may be set */
    RELAY_TIMER_REDRAW, /* the size has changed, and the command has a key for that */
    RELAY_TIMER_COUNT
};

/* What the end timer waits for. */
enum end_wait { END_WAIT_NONE, END_WAIT_MASTER, END_WAIT_TERMINAL };

struct relay {
    struct relay_options options;
    uv_poll_t master_poll;
    uv_poll_t terminal_poll;
    uv_timer_t timers[RELAY_TIMER_COUNT];
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
    uint64_t tick_at_ms;      /* filter_tick() is due; NO_TICK: not before more output */
    bool is_resized;          /* the size below waits for its timer */
    struct winsize size;      /* the last that we were told */
    struct winsize seen_size; /* of the terminal, when it was last read */
    unsigned least_rows;      /* of a terminal whose last row is ours; 0: none is */
    uint64_t activity;

    struct input *keys; /* the input filter; NULL without a filter */
    struct buf typed;   /* what it has just let through */
    struct queue out;   /* for the terminal */
    struct buf inject;
    struct buf reply;
    struct relay_input input; /* for the master */
    uint8_t batch[RELAY_BATCH_SIZE];
};

/* Memory of the queues. */
void relay_flow_init(struct relay *relay);
void relay_flow_free(struct relay *relay);

enum relay_push {
    RELAY_PUSH_DONE,
    RELAY_PUSH_FULL, /* the master takes no more */
    RELAY_PUSH_HELD, /* an answer waits for the command: try again soon */
};

/* Writes to the master what may be written now. */
enum relay_push relay_flow_push_input(struct relay *relay);
/* How many bytes of the terminal may be read now. */
size_t relay_flow_input_room(const struct relay *relay);
/* Bytes of the terminal, at most relay_flow_input_room(), through the input filter into the queue
 * for the master. */
void relay_flow_add_input(struct relay *relay, const uint8_t *bytes, size_t len);
/* One read of the terminal. What terminal_read_some() gave, -EAGAIN without room. */
ssize_t relay_flow_pull_input(struct relay *relay);
/* The input filter has waited long enough. */
void relay_flow_expire_input(struct relay *relay);

/* One batch: reads the master, filters, appends to the queue for the terminal. The number of bytes
 * read. Sets is_master_ended. Must not be called above the high mark. */
size_t relay_flow_pull_output(struct relay *relay);
/* What the filter does without more output; sets tick_at_ms. Must not be called above the high
 * mark, nor without a filter. */
void relay_flow_tick(struct relay *relay);
/* Sets a new size; the filter may have to report it: a tick is due. True if it is another one. */
bool relay_flow_resize(struct relay *relay, const struct winsize *size);
/* Types the redraw key if it may be typed at all. False: try again later, because the user is in the
 * middle of something. */
bool relay_flow_type_redraw_key(struct relay *relay);
/* Moves bytes of ours into the queue for the terminal if they may come now. */
void relay_flow_release_injected(struct relay *relay);
/* One write to the terminal: what terminal_write_some() gave, 0 if there was nothing to write. */
ssize_t relay_flow_push_output(struct relay *relay);
/* Writes the whole queue to the terminal until the deadline (uv_hrtime() in ms); may wait. 0,
 * -ETIMEDOUT, -errno. */
int relay_flow_write_all(struct relay *relay, uint64_t deadline_ms);
/* Forgets what is queued for the terminal. */
void relay_flow_drop_output(struct relay *relay);
