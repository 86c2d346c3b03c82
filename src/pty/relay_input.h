// SPDX-License-Identifier: GPL-3.0-only
/*
 * relay_input: what waits for the PTY master: the user's keys and the filter's answers, in the
 * order in which they came.
 *
 * Keys are never lost: the relay stops reading the terminal when there is no room. Answers are what
 * the agent can make us produce, so they are bounded, they go first when memory is short, and they
 * are only written while they cannot show up on the screen or reach another program:
 *
 *   slave has ECHO or ICANON on    hold it, for at most 100 ms after the question; then write it if
 *                                  ECHO is off, else drop it (the kernel would echo it)
 *   another foreground group       drop it: the program that asked is not the one that would read
 *   command gone                   drop it
 *
 * An answer of which a byte has been written is completed in any case. Keys behind a held answer
 * wait with it, so both stay in order. Nothing here makes a system call.
 */
#pragma once

#include "pty/queue.h"

#include <sys/types.h>

#define RELAY_INPUT_KEYS_MAX    (64 * KIB) /* enough to keep the PTY (20,480 bytes) full */
#define RELAY_INPUT_ANSWERS_MAX (64 * KIB)
#define RELAY_INPUT_PARTS       256
#define RELAY_INPUT_HOLD_MS     100

/* State of the PTY's slave side. */
struct slave_modes {
    bool echoes;
    bool edits_lines; /* ICANON */
    pid_t group;      /* foreground process group; 0 or less: unknown */
};

/* A run of bytes of one kind. */
struct relay_part {
    size_t len;
    bool is_answer;
    bool is_started; /* bytes of it have been written */
    uint64_t asked_ms;
    pid_t asked_by; /* foreground group then */
};

struct relay_input {
    struct queue bytes;
    struct relay_part parts[RELAY_INPUT_PARTS]; /* ring */
    size_t first;
    size_t count;
    size_t answers_len;
};

enum relay_input_state {
    RELAY_INPUT_EMPTY,
    RELAY_INPUT_READY, /* bytes to write */
    RELAY_INPUT_HELD,  /* an answer waits at the front: ask again in 5 ms */
};

void relay_input_init(struct relay_input *input);
void relay_input_free(struct relay_input *input);

/* How many bytes of keys may be appended now; relay_input_add_keys() must not be given more. */
size_t relay_input_keys_room(const struct relay_input *input);
void relay_input_add_keys(struct relay_input *input, const void *bytes, size_t len);

/* How many bytes of answers may be appended now; more than that is not taken at all. */
size_t relay_input_answers_room(const struct relay_input *input);
void relay_input_add_answer(struct relay_input *input, const void *bytes, size_t len,
                            uint64_t now_ms, pid_t group);
/* Empties it: the command is gone. */
void relay_input_reset(struct relay_input *input);

/* What to write next, after dropping the answers whose time is over. */
enum relay_input_state relay_input_next(struct relay_input *input, uint64_t now_ms,
                                        const struct slave_modes *slave, const uint8_t **bytes,
                                        size_t *len);
/* len bytes of what relay_input_next() gave have been written. */
void relay_input_consume(struct relay_input *input, size_t len);
