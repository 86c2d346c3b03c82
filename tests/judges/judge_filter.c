// SPDX-License-Identifier: GPL-3.0-only
/*
 * judge_filter: what a terminal gets of a hostile stream.
 *
 * Each line of stdin is one stream in hexadecimal; the same line of stdout is what the filter makes
 * of it, with all that a session writes besides: what is due later (the last title of a burst), the
 * restore list of the end, and between them the lists of a suspend. So a terminal that reads one
 * line after the other is as it was after each, and all producers of output are judged. The answers
 * to the agent are dropped.
 *
 * judge_filter row: the same with the last row of the terminal reserved and drawn.
 */
#include "base/fd.h"
#include "base/strv.h"
#include "filter/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES_MAX (16 * MIB)
#define LATER_MS  5000 /* longer than all waiting times of the filter */

static uint64_t read_clock(void *ctx)
{
    return *(const uint64_t *)ctx;
}

static unsigned parse_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, c) : NULL;

    if (!found) {
        fprintf(stderr, "judge_filter: not a digit: %c\n", c);
        exit(2);
    }
    return (unsigned)(found - digits);
}

static void parse_hex(const char *text, struct buf *bytes)
{
    for (; text[0]; text += 2)
        buf_append_byte(bytes, (uint8_t)(parse_digit(text[0]) << 4 | parse_digit(text[1])));
}

static bool has_row;

static void draw(struct filter *filter, struct buf *out)
{
    static const char text[] = "status row";
    struct filter_line line = {.look = "7", .text = text, .len = strlen(text)};

    if (has_row)
        filter_draw_row(filter, &line, out);
}

static void take_stream(const struct buf *stream, struct buf *out)
{
    uint64_t now_ms = 1000;
    struct filter *filter = filter_new(&filter_profile_fixed);
    _cleanup_buf_ struct buf reply;

    buf_init(&reply, MIB);
    filter_set_clock(filter, read_clock, &now_ms);
    if (has_row)
        filter_reserve(filter, true, filter_profile_fixed.rows - 1, filter_profile_fixed.cols, out);
    draw(filter, out);
    filter_feed(filter, stream->data, stream->len, out, &reply);
    draw(filter, out);
    now_ms += LATER_MS;
    filter_tick(filter, out, &reply);
    filter_restore(filter, out);
    filter_move_cursor(filter, 0, 0);
    filter_resume(filter, out);
    draw(filter, out);
    filter_restore(filter, out);
    filter_free(filter);
}

static void take_line(const char *line)
{
    _cleanup_buf_ struct buf stream;
    _cleanup_buf_ struct buf out;

    buf_init(&stream, LINES_MAX);
    buf_init(&out, 32 * LINES_MAX);
    parse_hex(line, &stream);
    take_stream(&stream, &out);
    for (size_t i = 0; i < out.len; i++)
        printf("%02x", out.data[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    _cleanup_buf_ struct buf text;
    _cleanup_strv_ struct strv lines = {0};

    has_row = argc > 1 && strcmp(argv[1], "row") == 0;
    buf_init(&text, LINES_MAX);
    if (fd_read_all(STDIN_FILENO, &text, LINES_MAX) < 0) {
        fprintf(stderr, "judge_filter: cannot read the streams\n");
        return 2;
    }
    strv_split(&lines, buf_cstr(&text), '\n');
    for (size_t i = 0; i < lines.n; i++)
        if (lines.v[i][0])
            take_line(lines.v[i]);
    return 0;
}
