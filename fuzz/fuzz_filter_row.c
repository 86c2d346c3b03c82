// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_filter_row: any bytes through the terminal filter with the last row reserved.
 *
 * The first byte of the input chooses how the rest is cut, as in fuzz_filter; the second what happens
 * besides: the row is drawn between the pieces, the agent is stopped and continued, the window gets
 * another height. The other half of the test is a terminal: a filter without a reserved row that reads
 * the output. After each piece its cursor must be in the row in which the first one has it, which is
 * above the reserved one, and its margins must end above that row, too.
 */
#include "../tests/filter/filter_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DRAW = 1, SUSPEND = 2, RESIZE = 4 };
#define ROWS 24 /* of the terminal, as in filter_profile_fixed */
#define COLS 80

static const uint64_t now = 1000;

struct screen {
    struct filter *filter;
    struct filter *terminal;
    struct buf out; /* not yet read by the terminal */
    struct buf seen;
    struct buf reply;
};

static void show(struct screen *screen)
{
    struct buf again CLEANUP(buf_free);
    struct buf reply CLEANUP(buf_free);
    static const uint8_t none[1];

    buf_init(&again, CHECK_OUT_MAX);
    buf_init(&reply, CHECK_OUT_MAX);
    if (screen->out.overflow)
        check_failed("overflow", screen->seen.data, screen->seen.len);
    check_alphabet(screen->out.data ? screen->out.data : none, screen->out.len);
    filter_feed(screen->terminal, screen->out.data ? screen->out.data : none, screen->out.len,
                &again, &reply);
    if (reply.len)
        check_failed("output asks for", reply.data, reply.len);
    buf_append(&screen->seen, screen->out.data, screen->out.len);
    buf_reset(&screen->out);
}

static void check_row(const struct screen *screen)
{
    const struct shadow *model = &screen->filter->shadow;
    const struct shadow *real = &screen->terminal->shadow;

    if (model->row + 1 >= real->rows)
        check_failed("the model is in the reserved row", screen->seen.data, screen->seen.len);
    if (real->row != model->row) {
        fprintf(stderr, "row %u of the terminal, %u of the model\n", real->row, model->row);
        check_failed("another row after", screen->seen.data, screen->seen.len);
    }
    if (real->bottom + 1 >= real->rows)
        check_failed("no margin above the reserved row", screen->seen.data, screen->seen.len);
}

static void draw(struct screen *screen)
{
    static const char text[] = "status row";
    struct filter_line line = {.look = "7", .text = text, .len = strlen(text)};
    struct shadow before = screen->filter->shadow;

    if (!filter_draw_row(screen->filter, &line, &screen->out))
        return;
    if (screen->out.len > FILTER_DRAW_MAX)
        check_failed("drawing takes", screen->out.data, screen->out.len);
    show(screen);
    if (memcmp(&before, &screen->filter->shadow, sizeof(before)) != 0)
        check_failed("drawing moved the model", screen->seen.data, screen->seen.len);
}

/* Stopped and continued: between the two lists the terminal is as it was before the agent. */
static void suspend(struct screen *screen)
{
    filter_restore(screen->filter, &screen->out);
    show(screen);
    if (shadow_has_margins(&screen->terminal->shadow) || screen->terminal->shadow.is_alternate)
        check_failed("not restored after", screen->seen.data, screen->seen.len);
    filter_move_cursor(screen->filter, 0, 0);
    filter_resume(screen->filter, &screen->out);
    show(screen);
}

static void resize(struct screen *screen, unsigned rows)
{
    filter_resize(screen->terminal, rows, COLS);
    filter_reserve(screen->filter, true, rows - 1, COLS, &screen->out);
    show(screen);
}

static void open_screen(struct screen *screen, bool is_table_only)
{
    *screen = (struct screen){.filter = check_filter(&now), .terminal = check_filter(&now)};
    buf_init(&screen->out, CHECK_OUT_MAX);
    buf_init(&screen->seen, CHECK_OUT_MAX);
    buf_init(&screen->reply, CHECK_OUT_MAX);
    screen->filter->is_table_only = is_table_only;
    filter_reserve(screen->filter, true, ROWS - 1, COLS, &screen->out);
    show(screen);
}

static void close_screen(struct screen *screen)
{
    filter_free(screen->filter);
    filter_free(screen->terminal);
    buf_free(&screen->out);
    buf_free(&screen->seen);
    buf_free(&screen->reply);
}

static void play(struct screen *screen, const uint8_t *bytes, size_t len, size_t step)
{
    for (size_t i = 0; i < len; i += step) {
        filter_feed(screen->filter, bytes + i, len - i < step ? len - i : step, &screen->out,
                    &screen->reply);
        show(screen);
        check_row(screen);
    }
}

static void play_disturbed(const uint8_t *bytes, size_t len, size_t step, unsigned what)
{
    struct screen screen;

    open_screen(&screen, false);
    for (size_t i = 0, n = 0; i < len; i += step, n++) {
        play(&screen, bytes + i, len - i < step ? len - i : step, step);
        if (what & DRAW)
            draw(&screen);
        if (what & SUSPEND && n % 4 == 1)
            suspend(&screen);
        if (what & RESIZE && n % 4 == 3)
            resize(&screen, n % 8 == 3 ? ROWS / 2 : ROWS);
        check_row(&screen);
    }
    suspend(&screen);
    close_screen(&screen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct screen whole;
    struct screen cut;
    struct screen plain;
    size_t step;

    if (size < 2)
        return 0;
    step = data[0] ? data[0] : size;
    open_screen(&whole, false);
    open_screen(&cut, false);
    open_screen(&plain, true);
    play(&whole, data + 2, size - 2, size);
    play(&cut, data + 2, size - 2, step);
    play(&plain, data + 2, size - 2, 1);
    check_equal("output of the cut stream", &whole.seen, &cut.seen);
    check_equal("reply to the cut stream", &whole.reply, &cut.reply);
    check_equal("output of the tables", &whole.seen, &plain.seen);
    check_equal("reply of the tables", &whole.reply, &plain.reply);
    if (whole.seen.len > 64 * size + 512)
        check_failed("grew too much", data, size);
    close_screen(&whole);
    close_screen(&cut);
    close_screen(&plain);
    play_disturbed(data + 2, size - 2, step, data[1]);
    return 0;
}
