// SPDX-License-Identifier: GPL-3.0-only
/*
 * statusline: when the status row is drawn.
 *
 * Everything that can change the row happens in some callback of the loop, so it is enough to look
 * at the end of each turn. If the row is due, a timer waits until the command has been silent. If
 * the row cannot be drawn then (inside a sequence or a synchronised update, a pending wrap, a
 * terminal that takes no bytes), it waits for the next byte in either direction, not for a time.
 */
#include "pty/statusline.h"

#include "base/log.h"

#define QUIET_MS 16
#define EACH_MS  250

static struct statusline_counts count(const struct statusline *line)
{
    const struct statusline_update *update = line->update;

    return (struct statusline_counts){
        .held = log_held(),
        .refused = *line->refused,
        .newer = update && update->version[0] ? update->version : NULL,
    };
}

static bool draw(struct statusline *line)
{
    struct buf text CLEANUP(buf_free);
    struct buf bytes CLEANUP(buf_free);
    struct filter_line row = {.look = statusline_look(line->facts->theme)};
    struct winsize size;
    struct statusline_counts counts = count(line);

    /* The cursor is put back as the model has it now, so nothing may come between. */
    if (!line->terminal->is_raw || relay_pending(line->relay) > 0)
        return false;
    terminal_size(line->terminal, &size);
    buf_init(&text, STATUSLINE_TEXT_MAX);
    buf_init(&bytes, FILTER_DRAW_MAX);
    statusline_text(line->facts, &counts, size.ws_col, &text);
    row.text = (const char *)text.data;
    row.len = text.len;
    if (!filter_draw_row(line->filter, &row, &bytes))
        return false;
    relay_inject(line->relay, bytes.data, bytes.len);
    line->counts = counts;
    return true;
}

static void on_timer(uv_timer_t *timer);

static void wait_for_silence(struct statusline *line)
{
    uint64_t now_ms = uv_now(line->loop);
    uint64_t next_ms = line->drawn_at_ms ? line->drawn_at_ms + EACH_MS : 0;
    uint64_t wait_ms = next_ms > now_ms + QUIET_MS ? next_ms - now_ms : QUIET_MS;

    line->activity = relay_activity(line->relay);
    line->is_blocked = false;
    uv_timer_start(&line->timer, on_timer, wait_ms, 0);
}

static void on_timer(uv_timer_t *timer)
{
    struct statusline *line = timer->data;

    if (relay_activity(line->relay) != line->activity) {
        wait_for_silence(line);
        return;
    }
    line->is_blocked = !draw(line);
    if (line->is_blocked)
        return;
    line->is_due = false;
    line->drawn_at_ms = uv_now(line->loop);
}

static void on_prepare(uv_prepare_t *prepare)
{
    struct statusline *line = prepare->data;

    struct statusline_counts now = count(line);

    if (filter_take_damage(line->filter) || line->counts.held != now.held ||
        line->counts.refused != now.refused || line->counts.newer != now.newer)
        line->is_due = true;
    if (!line->is_due || uv_is_active((uv_handle_t *)&line->timer))
        return;
    if (line->is_blocked && relay_activity(line->relay) == line->activity)
        return;
    wait_for_silence(line);
}

void statusline_open(struct statusline *line, struct relay *relay,
                     const struct relay_options *options)
{
    if (!line->facts || !options->filter)
        return;
    line->relay = relay;
    line->filter = options->filter;
    line->terminal = options->terminal;
    line->loop = options->loop;
    uv_prepare_init(line->loop, &line->prepare);
    uv_timer_init(line->loop, &line->timer);
    line->prepare.data = line;
    line->timer.data = line;
    uv_prepare_start(&line->prepare, on_prepare);
    relay_reserve_row(line->relay, STATUSLINE_ROWS_MIN);
    if (line->update)
        statusline_update_open(line->update, line->loop);
    line->is_open = true;
}

void statusline_close(struct statusline *line)
{
    if (!line->is_open)
        return;
    line->is_open = false;
    uv_close((uv_handle_t *)&line->prepare, NULL);
    uv_close((uv_handle_t *)&line->timer, NULL);
    if (line->update)
        statusline_update_close(line->update);
}
