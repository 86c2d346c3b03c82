// SPDX-License-Identifier: GPL-3.0-only
/*
 * text: fast path and slow path of the ground state.
 *
 * The slow path, text_byte(), collects one character and decides about it. The fast path takes
 * ASCII eight bytes at a time and characters of two and three bytes whose block has one width or
 * whose class is a plain one; whatever is special in any way (marks, C1, noncharacters, four bytes,
 * errors, the end of the input) is left to the slow path.
 *
 * The room for a run is reserved before it, so the inner loops may store whole words: at most 8
 * bytes more than the run.
 */
#include "filter/text.h"

#include "filter/width.h"

#include <string.h>

#define RUN_MAX   (16 * 1024) /* input bytes for which room is reserved at once */
#define OVERSHOOT 16

#define EACH(byte) (0x0101010101010101ULL * (byte))

static const uint8_t replacement[] = {0xEF, 0xBF, 0xBD};

static void emit(struct filter *filter, const uint8_t *bytes, size_t len, enum width_class width)
{
    if (width == WIDTH_ZERO) {
        if (filter->marks >= MARKS_MAX) {
            state_drop(filter, FILTER_DROP_TEXT);
            return;
        }
        filter->marks++;
    } else {
        filter->marks = 0;
        shadow_print(&filter->shadow, width, 1);
    }
    filter->enc.glyph_width = (uint8_t)width;
    encode_text(&filter->enc, bytes, len);
}

static void emit_replacement(struct filter *filter)
{
    emit(filter, replacement, sizeof(replacement), WIDTH_ONE);
}

static void emit_character(struct filter *filter, const uint8_t *bytes, size_t len, uint32_t code)
{
    enum width_class width = width_of(code);

    if (width != WIDTH_SPECIAL)
        emit(filter, bytes, len, width);
    else if (utf8_is_noncharacter(code))
        emit_replacement(filter);
    else
        state_drop(filter, FILTER_DROP_TEXT);
}

bool text_byte(struct filter *filter, uint8_t byte)
{
    uint32_t code;
    int n;

    filter->partial[filter->partial_len++] = byte;
    n = utf8_decode(filter->partial, filter->partial_len, &code);
    if (n == 0)
        return true;
    if (n > 0) {
        emit_character(filter, filter->partial, (size_t)n, code);
        filter->partial_len = 0;
        return true;
    }
    n = filter->partial_len + n; /* bytes behind the ill-formed part: the new one or none */
    filter->partial_len = 0;
    emit_replacement(filter);
    return n == 0;
}

void text_flush(struct filter *filter)
{
    if (filter->partial_len == 0)
        return;
    filter->partial_len = 0;
    emit_replacement(filter);
}

/* High bit of the first byte that is not 20-7E; what is above it means nothing. */
static inline uint64_t find_odd(uint64_t word)
{
    return (((word - EACH(0x20)) & ~word) | word | (word + EACH(0x01))) & EACH(0x80);
}

static inline unsigned first_byte(uint64_t mask)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (unsigned)__builtin_ctzll(mask) / 8;
#else
#error "the word loop reads the first byte as the least significant one"
#endif
}

static inline bool is_plain(uint8_t byte)
{
    return (uint8_t)(byte - 0x20) < 0x5F;
}

/* Copies ASCII from p to enc->p; returns the first other byte. Room is there. */
static const uint8_t *copy_ascii(struct filter *filter, const uint8_t *p, const uint8_t *end)
{
    const uint8_t *start = p;
    uint8_t *out = filter->enc.p;

    while (end - p >= 8) {
        uint64_t word;
        uint64_t odd;

        memcpy(&word, p, 8);
        memcpy(out, &word, 8);
        odd = find_odd(word);
        if (odd) {
            p += first_byte(odd);
            goto done;
        }
        p += 8;
        out += 8;
    }
    while (p < end && is_plain(*p))
        *out++ = *p++;
done:
    filter->enc.p += p - start;
    filter->enc.glyph_width = 1;
    filter->marks = 0;
    shadow_print_narrow(&filter->shadow, (unsigned)(p - start));
    return p;
}

/* Class of the character of two or three bytes at p, WIDTH_SPECIAL if it is not well-formed or not
 * for the fast path; its length in *len. Four bytes may be read. */
static inline enum width_class measure(const uint8_t *p, unsigned *len)
{
    unsigned block;
    uint8_t class;

    if (p[0] >= 0xE0) {
        if (p[0] >= 0xF0 || (p[1] & 0xC0) != 0x80 || (p[2] & 0xC0) != 0x80)
            return WIDTH_SPECIAL;
        *len = 3;
        block = (p[0] & 0x0Fu) << 6 | (p[1] & 0x3Fu);
        class = width_blocks[block];
        if (class != WIDTH_MIXED)
            return (enum width_class)class;
        if (block < 0x20)
            return WIDTH_SPECIAL; /* overlong */
        return width_of(block << 6 | (p[2] & 0x3Fu));
    }
    if (p[0] < 0xC2 || (p[1] & 0xC0) != 0x80)
        return WIDTH_SPECIAL;
    *len = 2;
    class = width_blocks[p[0] & 0x1F];
    return class != WIDTH_MIXED ? (enum width_class)class
                                : width_of((p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu));
}

/* The same as copy_ascii() for characters of two and three bytes. */
static const uint8_t *copy_wide(struct filter *filter, const uint8_t *p, const uint8_t *end)
{
    struct shadow *shadow = &filter->shadow;
    uint8_t *out = filter->enc.p;
    enum width_class class = WIDTH_ZERO;

    while (end - p >= 4 && p[0] >= 0x80) {
        unsigned len = 0;
        enum width_class next = measure(p, &len);

        if (next == WIDTH_SPECIAL || next == WIDTH_ZERO)
            break;
        class = next;
        memcpy(out, p, 4);
        p += len;
        out += len;
        if (shadow->is_simple && shadow->col + class <= shadow->cols)
            shadow->col += class;
        else
            shadow_print(shadow, class, 1);
    }
    if (class != WIDTH_ZERO) {
        filter->enc.p = out;
        filter->enc.glyph_width = (uint8_t)class;
        filter->marks = 0;
        shadow_print(shadow, class, 0);
    }
    return p;
}

static bool take_line_end(struct filter *filter, uint8_t byte)
{
    if (byte == '\n')
        shadow_line_feed(&filter->shadow);
    else if (byte == '\r')
        shadow_c0(&filter->shadow, byte);
    else
        return false;
    filter->enc.glyph_width = 0;
    *filter->enc.p++ = byte;
    return true;
}

/* One stretch with room reserved. */
static const uint8_t *run_piece(struct filter *filter, const uint8_t *p, const uint8_t *end)
{
    if (!encode_room(&filter->enc, (size_t)(end - p) + OVERSHOOT)) {
        filter->enc.out->overflow = true;
        return end;
    }
    while (p < end) {
        const uint8_t *before = p;

        if (is_plain(*p))
            p = copy_ascii(filter, p, end);
        else if (*p >= 0x80)
            p = copy_wide(filter, p, end);
        else if (take_line_end(filter, *p))
            p++;
        if (p == before)
            break;
    }
    return p;
}

const uint8_t *text_run(struct filter *filter, const uint8_t *p, const uint8_t *end)
{
    while (p < end) {
        const uint8_t *stop = end - p > RUN_MAX ? p + RUN_MAX : end;

        if (!filter->is_table_only && filter->partial_len == 0)
            p = run_piece(filter, p, stop);
        if (p == stop)
            continue;
        if (is_plain(*p) || *p >= 0x80) {
            if (text_byte(filter, *p))
                p++;
            continue;
        }
        text_flush(filter);
        if (filter->is_table_only || !(*p == '\r' || *p == '\n'))
            return p;
    }
    return p;
}
