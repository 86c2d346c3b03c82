// SPDX-License-Identifier: GPL-3.0-only
/*
 * run_cases: plays the regression corpus (cases.tsv) through the filter.
 *
 * Columns: name, direction, input, expected kind, expected output, expected reply (all bytes in
 * hexadecimal), note. A note "pre=feed:HEX;" is fed first and its result discarded. Each row is
 * played whole, byte by byte, split at every point, and through the tables alone; the results must
 * be the expected bytes, and the output must keep what filter_checks.h demands.
 *
 * Rows of the input direction go through the input filter, with the modes that the note names, and
 * time passes at their end. "pre=bar" reserves the last row.
 */
#include "filter_checks.h"

#include "base/fd.h"
#include "base/strv.h"

#include <fcntl.h>
#include <unistd.h>

enum column { NAME, DIRECTION, INPUT, KIND, OUTPUT, REPLY, NOTE, COLUMN_COUNT };

struct bytes {
    uint8_t *p;
    size_t len;
};

struct row {
    const char *name;
    struct bytes before;
    struct bytes input;
    struct bytes output;
    struct bytes reply;
    const char *kind;
    bool has_bar;
};

struct counts {
    unsigned played;
    unsigned failed;
};

static const uint64_t now = 1000;

static unsigned digit(char c)
{
    const char *digits = "0123456789abcdef";
    const char *found = c ? strchr(digits, c) : NULL;

    if (!found) {
        fprintf(stderr, "bad digit in the corpus: %c\n", c);
        exit(2);
    }
    return (unsigned)(found - digits);
}

static struct bytes parse_hex(const char *text, size_t len)
{
    struct bytes bytes = {xcalloc(1, len / 2 + 1), len / 2};

    for (size_t i = 0; i < bytes.len; i++)
        bytes.p[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    return bytes;
}

static struct bytes parse_before(const char *note)
{
    const char *feed = strstr(note, "feed:");

    if (!str_starts(note, "pre=") || !feed)
        return parse_hex("", 0);
    feed += strlen("feed:");
    return parse_hex(feed, strcspn(feed, ";,"));
}

static bool equals(const struct buf *got, const struct bytes *want)
{
    return got->len == want->len && (want->len == 0 || memcmp(got->data, want->p, want->len) == 0);
}

static void show(const char *what, const uint8_t *p, size_t len)
{
    fprintf(stderr, "  %s:", what);
    for (size_t i = 0; i < len && i < 200; i++)
        fprintf(stderr, " %02x", p[i]);
    fprintf(stderr, "\n");
}

/* Feeds the input cut after first bytes, and then in pieces of step bytes. */
static bool play(const struct row *row, size_t first, size_t step, bool is_table_only)
{
    struct filter *filter = check_filter(&now);
    struct buf out CLEANUP(buf_free);
    struct buf reply CLEANUP(buf_free);
    bool is_right;

    buf_init(&out, CHECK_OUT_MAX);
    buf_init(&reply, CHECK_OUT_MAX);
    filter->is_table_only = is_table_only;
    if (row->has_bar)
        filter_reserve(filter, true, filter->shadow.rows - 1, filter->shadow.cols, NULL);
    filter_feed(filter, row->before.p, row->before.len, &out, &reply);
    buf_reset(&out);
    buf_reset(&reply);
    filter_feed(filter, row->input.p, first, &out, &reply);
    for (size_t i = first; i < row->input.len; i += step) {
        size_t len = row->input.len - i < step ? row->input.len - i : step;

        filter_feed(filter, row->input.p + i, len, &out, &reply);
    }
    filter_free(filter);
    is_right = equals(&out, &row->output) && equals(&reply, &row->reply);
    if (!is_right) {
        fprintf(stderr, "%s: cut at %zu, then every %zu%s\n", row->name, first, step,
                is_table_only ? ", tables only" : "");
        show("want", row->output.p, row->output.len);
        show("got ", out.data, out.len);
        show("want reply", row->reply.p, row->reply.len);
        show("got reply ", reply.data, reply.len);
    }
    return is_right;
}

/* The kind is derived from the other columns; a wrong one is a mistake in the corpus. */
static bool has_right_kind(const struct row *row)
{
    bool is_same = row->input.len == row->output.len &&
                   memcmp(row->input.p, row->output.p, row->input.len) == 0;
    const char *kind = row->reply.len     ? "answer"
                       : is_same          ? "forward"
                       : !row->output.len ? "drop"
                                          : "canonical";

    return str_eq(kind, row->kind);
}

static bool play_all(const struct row *row)
{
    size_t len = row->input.len;
    size_t step = len > 600 ? 97 : 1; /* between the cuts of the few long rows */

    if (!has_right_kind(row)) {
        fprintf(stderr, "%s: the kind is not %s\n", row->name, row->kind);
        return false;
    }
    if (!play(row, len, 1, false) || !play(row, len, 1, true) || !play(row, 0, 1, false) ||
        !play(row, 0, 1, true))
        return false;
    for (size_t cut = 1; cut < len; cut += step)
        if (!play(row, cut, len, false))
            return false;
    if (row->before.len == 0) {
        struct buf out = {.data = row->output.p, .len = row->output.len};

        check_output(row->input.p, len, &out);
    }
    return true;
}

/* The same for the other direction. Held keys are decided about at the end. */
static bool play_input(const struct row *row, const struct filter_keys *keys, size_t cut,
                       size_t step)
{
    struct input *input = input_new();
    struct buf out CLEANUP(buf_free);
    bool is_right;

    buf_init(&out, CHECK_OUT_MAX);
    input_feed(input, keys, row->input.p, cut, &out);
    for (size_t i = cut; i < row->input.len; i += step) {
        size_t len = row->input.len - i < step ? row->input.len - i : step;

        input_feed(input, keys, row->input.p + i, len, &out);
    }
    if (input_wait_ms(input) >= 0)
        input_expire(input, keys, &out);
    input_free(input);
    is_right = equals(&out, &row->output);
    if (!is_right) {
        fprintf(stderr, "%s: cut at %zu, then every %zu\n", row->name, cut, step);
        show("want", row->output.p, row->output.len);
        show("got ", out.data, out.len);
    }
    return is_right;
}

static bool play_input_all(const struct row *row, const char *note)
{
    struct filter_keys keys = {0};
    const char *end = str_starts(note, "pre=") ? strchr(note, ';') : NULL;

    if (end) {
        _cleanup_free_ char *modes = xstrndup(note, (size_t)(end - note));

        keys.mouse = strstr(modes, "mouse");
        keys.focus = strstr(modes, "focus");
        keys.paste = strstr(modes, "paste");
        keys.theme = strstr(modes, "theme");
        keys.rows = row->has_bar ? filter_profile_fixed.rows - 1 : 0;
        keys.row_height_px = 1;
    }
    for (size_t cut = 0; cut <= row->input.len; cut++)
        if (!play_input(row, &keys, cut, row->input.len))
            return false;
    return play_input(row, &keys, 0, 1) && has_right_kind(row);
}

static bool has_bar(const char *note)
{
    const char *found = strstr(note, "bar");

    return found && str_starts(note, "pre=") && strcspn(note, ";") > (size_t)(found - note);
}

static void take_line(const char *line, struct counts *counts)
{
    struct strv columns CLEANUP(strv_free) = {0};
    struct row row;

    strv_split(&columns, line, '\t');
    if (columns.n != COLUMN_COUNT) {
        fprintf(stderr, "%zu columns: %s\n", columns.n, line);
        exit(2);
    }
    row = (struct row){
        .name = columns.v[NAME],
        .kind = columns.v[KIND],
        .has_bar = has_bar(columns.v[NOTE]),
        .before = parse_before(columns.v[NOTE]),
        .input = parse_hex(columns.v[INPUT], strlen(columns.v[INPUT])),
        .output = parse_hex(columns.v[OUTPUT], strlen(columns.v[OUTPUT])),
        .reply = parse_hex(columns.v[REPLY], strlen(columns.v[REPLY])),
    };
    counts->played++;
    if (str_eq(columns.v[DIRECTION], "in"))
        counts->failed += !play_input_all(&row, columns.v[NOTE]);
    else
        counts->failed += !play_all(&row);
    free(row.before.p);
    free(row.input.p);
    free(row.output.p);
    free(row.reply.p);
}

int main(int argc, char **argv)
{
    struct buf text CLEANUP(buf_free);
    struct strv lines CLEANUP(strv_free) = {0};
    struct counts counts = {0};
    _cleanup_close_ int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

    buf_init(&text, 4 * MIB);
    if (fd < 0 || fd_read_all(fd, &text, 4 * MIB) < 0) {
        fprintf(stderr, "usage: run_cases CASES.tsv\n");
        return 2;
    }
    strv_split(&lines, buf_cstr(&text), '\n');
    for (size_t i = 1; i < lines.n; i++)
        if (lines.v[i][0])
            take_line(lines.v[i], &counts);
    printf("%u rows played, %u failed\n", counts.played, counts.failed);
    return counts.failed || counts.played < 320;
}
