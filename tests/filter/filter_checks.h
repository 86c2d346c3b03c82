// SPDX-License-Identifier: GPL-3.0-only
/*
 * filter_checks: what must hold for any output of the filter, whatever the input was. Shared by the
 * case runner, the random tests and the fuzz target; it knows nothing of the filter's own parser.
 */
#pragma once

#include "filter/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_OUT_MAX (64 * MIB)

static inline void check_failed(const char *what, const uint8_t *bytes, size_t len)
{
    fprintf(stderr, "%s:", what);
    for (size_t i = 0; i < len && i < 4096; i++)
        fprintf(stderr, " %02x", bytes[i]);
    fprintf(stderr, "\n");
    abort();
}

static inline size_t check_csi(const uint8_t *p, size_t len)
{
    size_t i = 2;

    while (i < len && p[i] >= 0x30 && p[i] <= 0x3F)
        i++;
    while (i < len && p[i] >= 0x20 && p[i] <= 0x2F)
        i++;
    return i < len && p[i] >= 0x40 && p[i] <= 0x7E ? i + 1 : 0;
}

static inline size_t check_osc(const uint8_t *p, size_t len)
{
    for (size_t i = 2; i < len; i++) {
        if (p[i] == 0x07)
            return i + 1;
        if (p[i] == 0x1B)
            return i + 1 < len && p[i + 1] == '\\' ? i + 2 : 0;
        if (p[i] < 0x20 || p[i] == 0x7F)
            return 0;
    }
    return 0;
}

/* Length of the complete sequence at p, which is an ESC; 0 if there is none. */
static inline size_t check_sequence(const uint8_t *p, size_t len)
{
    if (len < 2)
        return 0;
    if (p[1] == '[')
        return check_csi(p, len);
    if (p[1] == ']')
        return check_osc(p, len);
    if (strchr("#()", p[1]))
        return len >= 3 && p[2] >= 0x30 && p[2] <= 0x7E ? 3 : 0;
    return p[1] && strchr("6789=>DEHM", p[1]) ? 2 : 0;
}

/* A character of the output: 20-7E, or well-formed, from U+00A0 on, no noncharacter. */
static inline int check_character(const uint8_t *p, size_t len)
{
    uint32_t code = 0;
    int n = utf8_decode(p, len, &code);

    if (n <= 0 || code < 0x20 || (code >= 0x7F && code < 0xA0) || utf8_is_noncharacter(code))
        return 0;
    return n;
}

/* The alphabet: 07-0F, characters, and ESC only as the first byte of a complete sequence. */
static inline void check_alphabet(const uint8_t *bytes, size_t len)
{
    size_t i = 0;

    while (i < len) {
        size_t n = 1;

        if (bytes[i] == 0x1B)
            n = check_sequence(bytes + i, len - i);
        else if (bytes[i] < 0x07 || bytes[i] > 0x0F)
            n = (size_t)check_character(bytes + i, len - i);
        if (n == 0)
            check_failed("not in the output alphabet", bytes + i, len - i);
        /* The text of a title is made of characters too. */
        if (bytes[i] == 0x1B && bytes[i + 1] == ']')
            for (size_t j = i + 2; j < i + n && bytes[j] != 0x07 && bytes[j] != 0x1B;) {
                int m = check_character(bytes + j, len - j);

                if (m == 0)
                    check_failed("not a character of a title", bytes + j, len - j);
                j += (size_t)m;
            }
        i += n;
    }
}

static inline uint64_t check_clock(void *ctx)
{
    return *(const uint64_t *)ctx;
}

/* One run of a fresh filter. pieces gives the length of the next piece from what is left. */
struct check_run {
    struct buf out;
    struct buf reply;
};

static inline void check_run_free(struct check_run *run)
{
    buf_free(&run->out);
    buf_free(&run->reply);
}

static inline void check_equal(const char *what, const struct buf *a, const struct buf *b)
{
    size_t least = a->len < b->len ? a->len : b->len;
    size_t same = 0;

    while (same < least && a->data[same] == b->data[same])
        same++;
    if (same == a->len && same == b->len)
        return;
    fprintf(stderr, "%s differs at %zu of %zu and %zu; the other goes on:", what, same, a->len,
            b->len);
    for (size_t i = same; i < b->len && i < same + 32; i++)
        fprintf(stderr, " %02x", b->data[i]);
    fprintf(stderr, "\n");
    check_failed("one goes on", a->data + same, a->len - same);
}

static inline struct filter *check_filter(const uint64_t *now)
{
    struct filter_profile profile = filter_profile_fixed;
    struct filter *filter;

    snprintf(profile.palette[1], sizeof(profile.palette[1]), "rgb:cccc/0000/0000");
    filter = filter_new(&profile);
    filter_set_clock(filter, check_clock, (void *)(uintptr_t)now);
    return filter;
}

static inline void check_whole(struct check_run *run, const uint8_t *bytes, size_t len)
{
    static const uint64_t now = 1000;
    struct filter *filter = check_filter(&now);

    buf_init(&run->out, CHECK_OUT_MAX);
    buf_init(&run->reply, CHECK_OUT_MAX);
    filter_feed(filter, bytes, len, &run->out, &run->reply);
    if (run->out.overflow)
        check_failed("overflow", bytes, len);
    filter_free(filter);
}

/* Everything that holds for a whole stream: alphabet, bounded growth, and that the output passes a
 * fresh filter unchanged and asks it nothing. */
static inline void check_output(const uint8_t *input, size_t input_len, const struct buf *out)
{
    struct check_run again;
    static const uint8_t none[1];
    const uint8_t *bytes = out->data ? out->data : none;

    check_alphabet(bytes, out->len);
    if (out->len > 32 * input_len + 256)
        check_failed("grew too much", input, input_len);
    check_whole(&again, bytes, out->len);
    check_equal("output filtered again", out, &again.out);
    if (again.reply.len)
        check_failed("output asks for", again.reply.data, again.reply.len);
    check_run_free(&again);
}
