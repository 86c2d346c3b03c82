// SPDX-License-Identifier: GPL-3.0-only
/*
 * relay_input: what waits for the PTY master.
 *
 * The bytes lie in one queue; a ring of parts says whose they are. Neighbours of the same kind
 * share a part. One part is always kept free for keys, so only answers can meet a full ring.
 */
#include "pty/relay_input.h"

enum verdict { VERDICT_WRITE, VERDICT_HOLD, VERDICT_DROP };

void relay_input_init(struct relay_input *input)
{
    *input = (struct relay_input){0};
    queue_init(&input->bytes, RELAY_INPUT_KEYS_MAX + RELAY_INPUT_ANSWERS_MAX);
}

void relay_input_free(struct relay_input *input)
{
    queue_free(&input->bytes);
}

static struct relay_part *part_at(struct relay_input *input, size_t index)
{
    return &input->parts[(input->first + index) % RELAY_INPUT_PARTS];
}

static struct relay_part *last_part(struct relay_input *input)
{
    return input->count ? part_at(input, input->count - 1) : NULL;
}

static void add_part(struct relay_input *input, struct relay_part part)
{
    assert(input->count < RELAY_INPUT_PARTS);
    input->count++;
    *last_part(input) = part;
}

size_t relay_input_keys_room(const struct relay_input *input)
{
    size_t keys_len = queue_len(&input->bytes) - input->answers_len;

    return keys_len < RELAY_INPUT_KEYS_MAX ? RELAY_INPUT_KEYS_MAX - keys_len : 0;
}

void relay_input_add_keys(struct relay_input *input, const void *bytes, size_t len)
{
    struct relay_part *last = last_part(input);

    assert(len <= relay_input_keys_room(input));
    if (len == 0)
        return;
    buf_append(queue_tail(&input->bytes), bytes, len);
    if (last && !last->is_answer)
        last->len += len;
    else
        add_part(input, (struct relay_part){.len = len});
}

size_t relay_input_answers_room(const struct relay_input *input)
{
    return RELAY_INPUT_ANSWERS_MAX - input->answers_len;
}

void relay_input_add_answer(struct relay_input *input, const void *bytes, size_t len,
                            uint64_t now_ms, pid_t group)
{
    struct relay_part *last = last_part(input);
    bool joins = last && last->is_answer && !last->is_started && last->asked_ms == now_ms &&
                 last->asked_by == group;

    if (len == 0 || len > relay_input_answers_room(input))
        return;
    if (!joins && input->count + 1 >= RELAY_INPUT_PARTS)
        return;
    buf_append(queue_tail(&input->bytes), bytes, len);
    input->answers_len += len;
    if (joins)
        last->len += len;
    else
        add_part(input, (struct relay_part){
                            .len = len, .is_answer = true, .asked_ms = now_ms, .asked_by = group});
}

void relay_input_reset(struct relay_input *input)
{
    queue_reset(&input->bytes);
    input->count = 0;
    input->answers_len = 0;
}

static enum verdict judge(const struct relay_part *part, uint64_t now_ms,
                          const struct slave_modes *slave)
{
    if (!part->is_answer || part->is_started)
        return VERDICT_WRITE;
    if (part->asked_by > 0 && slave->group > 0 && part->asked_by != slave->group)
        return VERDICT_DROP;
    if (!slave->echoes && !slave->edits_lines)
        return VERDICT_WRITE;
    if (now_ms < part->asked_ms + RELAY_INPUT_HOLD_MS)
        return VERDICT_HOLD;
    return slave->echoes ? VERDICT_DROP : VERDICT_WRITE;
}

static void remove_first(struct relay_input *input)
{
    input->first = (input->first + 1) % RELAY_INPUT_PARTS;
    input->count--;
}

enum relay_input_state relay_input_next(struct relay_input *input, uint64_t now_ms,
                                        const struct slave_modes *slave, const uint8_t **bytes,
                                        size_t *len)
{
    enum verdict verdict = VERDICT_WRITE;

    *len = 0;
    while (input->count) {
        const struct relay_part *first = part_at(input, 0);

        verdict = judge(first, now_ms, slave);
        if (verdict != VERDICT_DROP)
            break;
        queue_consume(&input->bytes, first->len);
        input->answers_len -= first->len;
        remove_first(input);
    }
    if (input->count == 0)
        return RELAY_INPUT_EMPTY;
    if (verdict == VERDICT_HOLD)
        return RELAY_INPUT_HELD;
    for (size_t i = 0; i < input->count; i++) {
        const struct relay_part *part = part_at(input, i);

        if (judge(part, now_ms, slave) != VERDICT_WRITE)
            break;
        *len += part->len;
    }
    *bytes = queue_data(&input->bytes);
    return RELAY_INPUT_READY;
}

void relay_input_consume(struct relay_input *input, size_t len)
{
    queue_consume(&input->bytes, len);
    while (len) {
        struct relay_part *first = part_at(input, 0);
        size_t n = len < first->len ? len : first->len;

        first->len -= n;
        first->is_started = true;
        if (first->is_answer)
            input->answers_len -= n;
        len -= n;
        if (first->len == 0)
            remove_first(input);
    }
}
