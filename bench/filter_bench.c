// SPDX-License-Identifier: GPL-3.0-only
/*
 * filter_bench: how fast the terminal filter is in memory.
 *
 * Streams of SIZE bytes are made up, fed in pieces as a PTY gives them (4095 bytes) and in large
 * ones (64 KiB), and the best of RUNS runs is printed in MB/s. The output goes into a buffer that
 * is emptied after each piece, as the loop does it.
 */
#include "filter/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIZE (32 * MIB)
#define RUNS 5

typedef void make_stream(struct buf *stream);

static uint32_t seed = 1;

static unsigned pick(unsigned n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void add_word(struct buf *stream)
{
    char word[12];
    size_t len = 2 + pick(8);

    for (size_t i = 0; i < len; i++)
        word[i] = (char)('a' + pick(26));
    word[len] = ' ';
    buf_append(stream, word, len + 1);
}

/* Lines of 60 to 100 columns. */
static void make_ascii(struct buf *stream)
{
    while (stream->len < SIZE) {
        size_t end = stream->len + 60 + pick(40);

        while (stream->len < end)
            add_word(stream);
        buf_append_str(stream, "\r\n");
    }
}

/* One colour after the other, as compilers and ls print them. */
static void make_sgr(struct buf *stream)
{
    while (stream->len < SIZE) {
        buf_printf(stream, "\033[%u;%um", pick(2), 30 + pick(8));
        add_word(stream);
        buf_append_str(stream, pick(8) ? "\033[0m" : "\033[0m\r\n");
    }
}

static const char *const words[] = {"漢字仮名", "한글자모", "привет", "größe", "─────", "καλημέρα"};

/* Lines of words, each line in one script. */
static void make_utf8(struct buf *stream)
{
    while (stream->len < SIZE) {
        size_t end = stream->len + 120 + pick(60);
        const char *word = words[pick(ARRAY_SIZE(words))];

        while (stream->len < end) {
            buf_append_str(stream, word);
            buf_append_byte(stream, ' ');
        }
        buf_append_str(stream, "\r\n");
    }
}

/* The worst case for branch prediction: another script with every word. */
static void make_mixed(struct buf *stream)
{
    while (stream->len < SIZE) {
        size_t end = stream->len + 120 + pick(60);

        while (stream->len < end) {
            buf_append_str(stream, words[pick(ARRAY_SIZE(words))]);
            buf_append_byte(stream, ' ');
        }
        buf_append_str(stream, "\r\n");
    }
}

/* Box drawing and CJK without a single ASCII byte but the line ends. */
static void make_wide(struct buf *stream)
{
    while (stream->len < SIZE) {
        for (unsigned i = 0; i < 39; i++)
            buf_append_str(stream, i % 4 ? "漢" : "│");
        buf_append_str(stream, "\r\n");
    }
}

/* Frames of a full screen program: positions, colours, short texts, box drawing. */
static void make_tui(struct buf *stream)
{
    while (stream->len < SIZE) {
        buf_append_str(stream, "\033[?2026h\033[?25l");
        for (unsigned row = 1; row <= 24; row++) {
            buf_printf(stream, "\033[%u;1H\033[38;5;%um│ \033[0m", row, pick(256));
            for (unsigned i = 0; i < 5; i++) {
                buf_printf(stream, "\033[%um", 30 + pick(8));
                add_word(stream);
                add_word(stream);
            }
            buf_append_str(stream, "\033[39m\033[K");
        }
        buf_append_str(stream, "\033[24;1H\033[?25h\033[?2026l");
    }
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double run_once(const struct buf *stream, size_t piece, size_t *written)
{
    struct filter *filter = filter_new(&filter_profile_fixed);
    struct buf out CLEANUP(buf_free);
    struct buf reply CLEANUP(buf_free);
    double start;

    buf_init(&out, 32 * piece + 256);
    buf_init(&reply, 64 * KIB);
    *written = 0;
    start = seconds();
    for (size_t i = 0; i < stream->len; i += piece) {
        size_t len = stream->len - i < piece ? stream->len - i : piece;

        filter_feed(filter, stream->data + i, len, &out, &reply);
        *written += out.len;
        buf_reset(&out);
    }
    start = seconds() - start;
    filter_free(filter);
    return start;
}

static void measure(const char *name, make_stream *make, size_t piece)
{
    struct buf stream CLEANUP(buf_free);
    double best = 1e9;
    size_t written = 0;

    buf_init(&stream, 2 * SIZE);
    seed = 1;
    make(&stream);
    for (int i = 0; i < RUNS; i++) {
        double took = run_once(&stream, piece, &written);

        best = took < best ? took : best;
    }
    printf("%-6s %6zu-byte pieces %8.0f MB/s  (%zu of %zu bytes passed)\n", name, piece,
           (double)stream.len / best / 1e6, written, stream.len);
}

int main(void)
{
    static const struct {
        const char *name;
        make_stream *make;
    } streams[] = {
        {"ascii", make_ascii}, {"utf8", make_utf8}, {"mixed", make_mixed},
        {"wide", make_wide},   {"sgr", make_sgr},   {"tui", make_tui},
    };
    static const size_t pieces[] = {4095, 65536};

    for (size_t i = 0; i < ARRAY_SIZE(streams); i++)
        for (size_t j = 0; j < ARRAY_SIZE(pieces); j++)
            measure(streams[i].name, streams[i].make, pieces[j]);
    return 0;
}
