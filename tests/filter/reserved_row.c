// SPDX-License-Identifier: GPL-3.0-only
/*
 * reserved_row: nothing that an agent writes reaches the row below its screen (P-BAR-1, P-BAR-6).
 *
 * First argument: the number of streams. A text is drawn into the reserved row, made-up streams go
 * through the filter into libvterm, and after each step the row must still say the text. It may be
 * blank only where the filter says that it has to be drawn again; then that is done. The cursor of
 * libvterm must be in the model's row: a difference there is the beginning of damage.
 *
 * The same streams with nothing but a scroll region must damage the row, or they prove nothing.
 */
#include "filter_checks.h"

#include <unistd.h>
#include <vterm.h>

#define ROWS        24 /* of the terminal; the agent has one less */
#define COLS        40
#define STEPS       120
#define SECONDS_MAX 240 /* a hang of libvterm */

static const char row_text[] = "status row";
static const uint64_t now = 1000;
static uint64_t seed = 7;

static unsigned pick(unsigned n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(seed >> 33) % n;
}

static void add_step(struct buf *step)
{
    static const char *const pieces[] = {
        "a",
        "some words ",
        "漢字",
        "\r",
        "\n",
        "\r\n",
        "\b",
        "\t",
        "\v",
        "\f",
        "\033M",
        "\033D",
        "\033E",
        "\0337",
        "\0338",
        "\033[s",
        "\033[u",
        "\033c",
        "\033[!p",
        "\033[?6h",
        "\033[?6l",
        "\033[?7h",
        "\033[?7l",
        "\033[?45h",
        "\033[?69h",
        "\033[5;20s",
        "\033[?1049h",
        "\033[?1049l",
        "\033[?47h",
        "\033[?47l",
        "\033[?1048h",
        "\033[?1048l",
        "\033[?1047h",
        "\033[?1047l",
        "\033#8",
        "\033[8888;1;1;99;99$x",
        "\033[4h",
        "\033[4l",
        "\033[44m",
        "\033[0m",
        "\033(0",
        "\033(B",
        "\033[?6;1049h",
        "\033[?1s\033[?6r",
        "\0336",
        "\0339",
        "\033[r",
        "\033[23;40Hxy",
        "\033[24;40Hxyz",
        "\033[999Bxyz\n\n",
        "─────",
    };
    static const char finals[] = "@ABCDEFGHIJKLMPSTXZ`adefb";

    switch (pick(6)) {
    case 0:
        buf_printf(step, "\033[%u;%u%c", 1 + pick(ROWS + 3), 1 + pick(COLS + 3),
                   pick(2) ? 'H' : 'f');
        break;
    case 1:
        buf_printf(step, "\033[%u;%ur", pick(ROWS), pick(ROWS + 3));
        break;
    case 2:
    case 3:
        buf_printf(step, "x\033[%u%c", pick(30), finals[pick(sizeof(finals) - 1)]);
        break;
    case 4:
        buf_printf(step, "\033[%u;%uHlong text that wraps over the edge",
                   pick(2) ? 22u : 1 + pick(ROWS + 1), 1 + pick(COLS));
        break;
    default:
        buf_append_str(step, pieces[pick(ARRAY_SIZE(pieces))]);
        break;
    }
}

struct bench {
    VTerm *vterm;
    VTermScreen *screen;
    struct filter *filter;
    struct buf out; /* of one step */
    struct buf reply;
    struct buf all; /* of the whole stream, for the message */
    bool is_drawn;
    bool is_behind; /* libvterm 0.1.4 has no REP */
};

static void bench_open(struct bench *bench)
{
    *bench = (struct bench){.vterm = vterm_new(ROWS, COLS)};
    vterm_set_utf8(bench->vterm, 1);
    bench->screen = vterm_obtain_screen(bench->vterm);
    vterm_screen_enable_altscreen(bench->screen, 1);
    vterm_screen_reset(bench->screen, 1);
    buf_init(&bench->out, CHECK_OUT_MAX);
    buf_init(&bench->reply, CHECK_OUT_MAX);
    buf_init(&bench->all, CHECK_OUT_MAX);
    bench->filter = check_filter(&now);
}

static void bench_close(struct bench *bench)
{
    vterm_free(bench->vterm);
    filter_free(bench->filter);
    buf_free(&bench->out);
    buf_free(&bench->reply);
    buf_free(&bench->all);
}

static void show(struct bench *bench)
{
    if (bench->out.len)
        vterm_input_write(bench->vterm, (const char *)bench->out.data, bench->out.len);
    buf_append(&bench->all, bench->out.data, bench->out.len);
    buf_reset(&bench->out);
    buf_reset(&bench->reply);
}

/* The last row of the terminal, without the blanks at its end. */
static void read_row(const struct bench *bench, char text[COLS * 8])
{
    VTermRect rect = {.start_row = ROWS - 1, .end_row = ROWS, .start_col = 0, .end_col = COLS};
    size_t len = vterm_screen_get_text(bench->screen, text, COLS * 8 - 1, rect);

    while (len && (text[len - 1] == ' ' || text[len - 1] == '\0'))
        len--;
    text[len] = '\0';
}

static void check_row(struct bench *bench)
{
    char text[COLS * 8];
    VTermPos pos;

    if (filter_take_damage(bench->filter))
        bench->is_drawn = false;
    read_row(bench, text);
    if (strcmp(text, row_text) != 0 && (bench->is_drawn || text[0])) {
        fprintf(stderr, "the row says: %s\n", text);
        check_failed("after", bench->all.data, bench->all.len);
    }
    vterm_state_get_cursorpos(vterm_obtain_state(bench->vterm), &pos);
    bench->is_behind &= (unsigned)pos.row < bench->filter->shadow.row;
    if ((unsigned)pos.row != bench->filter->shadow.row && !bench->is_behind) {
        fprintf(stderr, "libvterm is in row %d, the model in %u\n", pos.row,
                bench->filter->shadow.row);
        check_failed("after", bench->all.data, bench->all.len);
    }
}

static void draw(struct bench *bench)
{
    struct filter_line line = {.look = "7", .text = row_text, .len = strlen(row_text)};
    struct shadow before = bench->filter->shadow;
    VTermPos a;
    VTermPos b;

    vterm_state_get_cursorpos(vterm_obtain_state(bench->vterm), &a);
    if (!filter_draw_row(bench->filter, &line, &bench->out))
        return;
    if (bench->out.len > FILTER_DRAW_MAX)
        check_failed("drawing takes", bench->out.data, bench->out.len);
    check_alphabet(bench->out.data, bench->out.len);
    show(bench);
    vterm_state_get_cursorpos(vterm_obtain_state(bench->vterm), &b);
    if (a.row != b.row || memcmp(&before, &bench->filter->shadow, sizeof(before)) != 0)
        check_failed("drawing moved something after", bench->all.data, bench->all.len);
    bench->is_drawn = true;
}

/* Another size of the terminal: the row goes where the last row is now. */
static void resize(struct bench *bench)
{
    int rows = ROWS - 1 - (int)pick(6);

    vterm_set_size(bench->vterm, rows, COLS);
    filter_reserve(bench->filter, true, (unsigned)rows - 1, COLS, &bench->out);
    show(bench);
    vterm_set_size(bench->vterm, ROWS, COLS);
    filter_reserve(bench->filter, true, ROWS - 1, COLS, &bench->out);
    show(bench);
    bench->is_drawn = false;
}

static unsigned play(void)
{
    struct bench bench;
    unsigned drawn = 0;

    bench_open(&bench);
    filter_reserve(bench.filter, true, ROWS - 1, COLS, &bench.out);
    show(&bench);
    for (unsigned n = 0; n < STEPS; n++) {
        struct buf step CLEANUP(buf_free);

        buf_init(&step, 256);
        add_step(&step);
        filter_feed(bench.filter, step.data, step.len, &bench.out, &bench.reply);
        show(&bench);
        bench.is_behind |= step.data[step.len - 1] == 'b';
        check_row(&bench);
        if (!bench.is_drawn)
            draw(&bench);
        check_row(&bench);
        drawn += bench.is_drawn;
        if (pick(100) == 0)
            resize(&bench);
    }
    bench_close(&bench);
    return drawn;
}

/* The row below a mere scroll region: true if it was damaged. */
static bool play_unprotected(void)
{
    struct bench bench;
    char text[COLS * 8];
    bool is_damaged = false;

    bench_open(&bench);
    buf_printf(&bench.out, "\033[1;%ur\033[%u;1H%s\033[1;1H", ROWS - 1, ROWS, row_text);
    show(&bench);
    for (unsigned n = 0; n < STEPS && !is_damaged; n++) {
        struct buf step CLEANUP(buf_free);

        buf_init(&step, 256);
        add_step(&step);
        filter_feed(bench.filter, step.data, step.len, &bench.out, &bench.reply);
        show(&bench);
        read_row(&bench, text);
        is_damaged = text[0] && strcmp(text, row_text) != 0;
    }
    bench_close(&bench);
    return is_damaged;
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    unsigned drawn = 0;
    unsigned damaged = 0;

    if (count == 0)
        return 2;
    alarm(SECONDS_MAX);
    for (unsigned i = 0; i < count; i++)
        drawn += play();
    seed = 7;
    for (unsigned i = 0; i < count; i++)
        damaged += play_unprotected();
    printf("%u streams of %u steps, the row was there after %u; unprotected: %u of %u damaged\n",
           count, STEPS, drawn, damaged, count);
    return drawn < count * STEPS / 2 || damaged < count / 2;
}
