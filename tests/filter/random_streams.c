// SPDX-License-Identifier: GPL-3.0-only
/*
 * random_streams: made-up streams through the filter.
 *
 * First argument: the number of streams. Kinds:
 *   bytes    any bytes, with many controls;
 *   pieces   whole and broken sequences, cut, glued and mutated;
 *   text     long lines in several scripts with a broken byte here and there;
 *   moves    only what libvterm and the cursor model understand in the same way.
 *
 * Every stream must keep the properties of filter_checks.h, give the same result however it is cut
 * and through the tables alone. The output of each is read by libvterm, which ends or hangs on
 * what should not have been let through, and must never send anything back, as a terminal does that
 * was asked; for `moves` its cursor must be the model's after each step. The generator is seeded
 * with a constant, so a failure can be repeated.
 */
#include "filter_checks.h"

#include <unistd.h>
#include <vterm.h>

#define ROWS        24
#define COLS        80
#define STREAM_MAX  600
#define MOVES       60
#define SECONDS_MAX 240 /* a hang of libvterm */

static uint64_t seed = 42;
static const uint64_t now = 1000;

static unsigned pick(unsigned n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(seed >> 33) % n;
}

static void make_bytes(struct buf *stream)
{
    static const uint8_t odd[] = {0x1B, 0x1B, 0x1B, '[',  ']',  'P',  ';',  '?', '1', '\\', 0x07,
                                  0x18, 0x80, 0x9B, 0xC2, 0xE2, 0xF0, 0x9F, 'm', 'h', 0x0A};

    for (unsigned n = pick(STREAM_MAX); n > 0; n--)
        buf_append_byte(stream, pick(3) ? odd[pick(ARRAY_SIZE(odd))] : (uint8_t)pick(256));
}

static void add_csi(struct buf *stream)
{
    static const char *const leaders[] = {"", "", "", "?", ">", "<", "="};
    static const char *const inters[] = {"", "", "", "", " ", "$", "!", "\"", "*", "'", "#"};

    buf_printf(stream, "\033[%s", leaders[pick(ARRAY_SIZE(leaders))]);
    for (unsigned n = pick(4); n > 0; n--) {
        static const unsigned numbers[] = {0,  1,  2,    3,    4,    5,     6,     7,    25,   38,
                                           48, 69, 1000, 1006, 1047, 1048,  1049,  2004, 2026, 2048,
                                           22, 23, 14,   18,   99,   65535, 65536, 70000};

        if (pick(4))
            buf_printf(stream, "%u", numbers[pick(ARRAY_SIZE(numbers))]);
        if (pick(3))
            buf_append_byte(stream, pick(10) ? ';' : ':');
    }
    buf_append_str(stream, inters[pick(ARRAY_SIZE(inters))]);
    buf_append_byte(stream, (uint8_t)(0x40 + pick(63)));
}

static void add_piece(struct buf *stream)
{
    static const char *const pieces[] = {
        "\033]2;title #(x)\007",
        "\033]8;;https://example.org/\033\\",
        "\033]8;;\007",
        "\033]4;1;rgb:1/2/3\007",
        "\033]4;1;?;2;#fff\033\\",
        "\033]11;?\007",
        "\033P$qm\033\\",
        "\033P+q544e\033\\",
        "\033_Gi=1;x\033\\",
        "\033ktitle\033\\",
        "\033c",
        "\0337",
        "\0338",
        "\033(0",
        "\033)0",
        "\016",
        "\017",
        "\033Z",
        "\033#8",
        "漢字",
        "e\xcc\x81",
        "\xf0\x9f\x98\x80",
        "\xef\xbf\xbe",
        "\xc2\x9b",
        "\xe2\x82",
        "plain text",
        "\r\n",
        "\033[!p",
        "\033[>5u",
        "\033[<9u",
        "a\033[5b",
        "\033[?1049h",
        "\033[?6h\033[2;20r",
        "\033[3g",
        "\033[1;2;3;4;5;6;7;8;9;38;2;1;2;3;48;5;7;4:3m",
    };

    if (pick(2))
        add_csi(stream);
    else
        buf_append_str(stream, pieces[pick(ARRAY_SIZE(pieces))]);
}

static void make_pieces(struct buf *stream)
{
    while (stream->len < STREAM_MAX && pick(60)) {
        size_t before = stream->len;

        add_piece(stream);
        if (pick(8) == 0 && stream->len > before)
            stream->len = before + pick((unsigned)(stream->len - before));
        if (pick(8) == 0 && stream->len > 0)
            stream->data[pick((unsigned)stream->len)] = (uint8_t)pick(256);
    }
}

static void make_text(struct buf *stream)
{
    static const char *const words[] = {"plain words and more of them ",
                                        "漢字かな",
                                        "привет мир ",
                                        "───┼───",
                                        "größe ",
                                        "\xf0\x9f\x98\x80",
                                        "\r\n",
                                        "x",
                                        "ह\xe0\xa4\xbf",
                                        "\t"};

    while (stream->len < STREAM_MAX) {
        buf_append_str(stream, words[pick(ARRAY_SIZE(words))]);
        if (pick(12) == 0)
            stream->data[pick((unsigned)stream->len)] = (uint8_t)pick(256);
    }
}

/* The cursor and the attributes are asked for at the end: so they are compared, too. */
static void add_questions(struct buf *stream)
{
    buf_append_str(stream, "\x18\033[6n\033[?6n\033P$qm\033\\\033P$qr\033\\\033[?u");
}

static void take_cut(const struct buf *stream, size_t step, bool is_table_only, bool is_reserved,
                     struct check_run *run)
{
    struct filter *filter = check_filter(&now);

    buf_init(&run->out, CHECK_OUT_MAX);
    buf_init(&run->reply, CHECK_OUT_MAX);
    filter->is_table_only = is_table_only;
    if (is_reserved)
        filter_reserve(filter, true, ROWS - 1, COLS, NULL);
    for (size_t i = 0; i < stream->len; i += step) {
        size_t len = stream->len - i < step ? stream->len - i : step;

        filter_feed(filter, stream->data + i, len, &run->out, &run->reply);
    }
    filter_free(filter);
}

/* The same with a row of ours below the agent's screen. */
static void check_reserved(const struct buf *stream)
{
    static const size_t steps[] = {1, 3, 16};
    struct check_run whole;

    take_cut(stream, STREAM_MAX * 64, false, true, &whole);
    check_alphabet(whole.out.data, whole.out.len);
    if (whole.out.len > 32 * stream->len + 256)
        check_failed("grew too much", stream->data, stream->len);
    for (size_t i = 0; i < 2 * ARRAY_SIZE(steps); i++) {
        struct check_run cut;

        take_cut(stream, steps[i / 2], i % 2, true, &cut);
        check_equal("output", &whole.out, &cut.out);
        check_equal("reply", &whole.reply, &cut.reply);
        check_run_free(&cut);
    }
    check_run_free(&whole);
}

static void count_reply(const char *bytes, size_t len, void *ctx)
{
    size_t *replied = ctx;

    (void)bytes;
    *replied += len;
}

/* What it sends back is counted in replied. */
static VTerm *new_vterm(size_t *replied)
{
    VTerm *vterm = vterm_new(ROWS, COLS);

    vterm_set_utf8(vterm, 1);
    vterm_output_set_callback(vterm, count_reply, replied);
    vterm_state_reset(vterm_obtain_state(vterm), 1);
    return vterm;
}

/* Unfiltered it does send something back; else its silence would mean nothing. */
static void check_counter(void)
{
    static const char question[] = "\033[6n";
    size_t replied = 0;
    VTerm *vterm = new_vterm(&replied);

    vterm_input_write(vterm, question, sizeof(question) - 1);
    vterm_free(vterm);
    if (replied == 0)
        check_failed("no reply to", (const uint8_t *)question, sizeof(question) - 1);
}

static void check_stream(const struct buf *stream)
{
    static const size_t steps[] = {1, 2, 3, 7, 16, 61};
    static const uint8_t none[1];
    const uint8_t *bytes = stream->data ? stream->data : none;
    struct check_run whole;
    size_t replied = 0;
    VTerm *vterm = new_vterm(&replied);

    check_whole(&whole, bytes, stream->len);
    check_output(bytes, stream->len, &whole.out);
    for (size_t i = 0; i < 2 * ARRAY_SIZE(steps); i++) {
        struct check_run cut;

        take_cut(stream, steps[i / 2], i % 2, false, &cut);
        check_equal("output", &whole.out, &cut.out);
        check_equal("reply", &whole.reply, &cut.reply);
        check_run_free(&cut);
    }
    if (whole.out.len)
        vterm_input_write(vterm, (const char *)whole.out.data, whole.out.len);
    vterm_free(vterm);
    if (replied)
        check_failed("a reply to", whole.out.data, whole.out.len);
    check_run_free(&whole);
}

/*
 * One step that libvterm does as the model does. With a region it does not stop relative moves at
 * the margins, so those are only made without one.
 */
static void add_move(struct buf *step, bool has_region)
{
    static const char *const plain[] = {"a",     "some words ", "漢字",  "\r",        "\n",
                                        "\r\n",  "\b",          "\t",    "e\xcc\x81", "é",
                                        "\033M", "\033D",       "\033E", "─────"};
    static const char finals[] = "ABCDEFGdae`IZ";

    switch (pick(has_region ? 3 : 4)) {
    case 0:
        buf_printf(step, "\033[%u;%u%c", pick(ROWS + 4), pick(COLS + 4), pick(2) ? 'H' : 'f');
        break;
    case 1:
    case 2:
        buf_append_str(step, plain[pick(ARRAY_SIZE(plain))]);
        break;
    default:
        buf_printf(step, "\033[%u%c", pick(30), finals[pick(sizeof(finals) - 1)]);
        break;
    }
}

static void check_cursor(const struct filter *filter, VTerm *vterm, const struct buf *all)
{
    VTermPos pos;

    vterm_state_get_cursorpos(vterm_obtain_state(vterm), &pos);
    if ((unsigned)pos.row == filter->shadow.row &&
        (unsigned)pos.col == shadow_column(&filter->shadow))
        return;
    fprintf(stderr, "libvterm is at %d;%d, the model at %u;%u\n", pos.row, pos.col,
            filter->shadow.row, shadow_column(&filter->shadow));
    check_failed("after", all->data, all->len);
}

/*
 * A pending wrap is left to a glyph or to CR: whether a line feed keeps it differs, and libvterm
 * stands on the left half of a wide glyph in the last columns.
 */
static void settle_wrap(struct filter *filter, struct buf *all, struct buf *reply)
{
    bool is_wide = filter->enc.glyph_width == 2;

    if (filter->shadow.col == COLS)
        filter_feed(filter, (const uint8_t *)(is_wide || pick(2) ? "\r" : "x"), 1, all, reply);
}

static void check_moves(void)
{
    struct filter *filter = check_filter(&now);
    size_t replied = 0;
    VTerm *vterm = new_vterm(&replied);
    struct buf all CLEANUP(buf_free);
    struct buf reply CLEANUP(buf_free);
    bool has_region = pick(2);

    buf_init(&all, CHECK_OUT_MAX);
    buf_init(&reply, CHECK_OUT_MAX);
    for (unsigned n = 0; n < MOVES; n++) {
        struct buf step CLEANUP(buf_free);
        size_t before = all.len;

        buf_init(&step, 256);
        if (n == 0 && has_region)
            buf_printf(&step, "\033[%u;%ur", 1 + pick(8), 12 + pick(12));
        else
            add_move(&step, has_region);
        filter_feed(filter, step.data, step.len, &all, &reply);
        settle_wrap(filter, &all, &reply);
        vterm_input_write(vterm, (const char *)all.data + before, all.len - before);
        check_cursor(filter, vterm, &all);
    }
    if (replied)
        check_failed("a reply to", all.data, all.len);
    vterm_free(vterm);
    filter_free(filter);
}

int main(int argc, char **argv)
{
    static void (*const makers[])(struct buf *) = {make_bytes, make_pieces, make_text};
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 0;

    if (count == 0)
        return 2;
    alarm(SECONDS_MAX);
    check_counter();
    for (unsigned i = 0; i < count; i++) {
        struct buf stream CLEANUP(buf_free);

        buf_init(&stream, 64 * KIB);
        makers[i % ARRAY_SIZE(makers)](&stream);
        add_questions(&stream);
        check_stream(&stream);
        check_reserved(&stream);
        check_moves();
    }
    printf("%u streams, %u moves\n", count, count * MOVES);
    return 0;
}
