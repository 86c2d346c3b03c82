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

#include "filter/reserve.h"
#include "filter/width.h"

#include <string.h>

#define RUN_MAX   (16 * 1024) /* input bytes for which room is reserved at once */
#define OVERSHOOT 16

#define EACH(byte) (0x0101010101010101ULL * (byte))

static const uint8_t replacement[] = {0xEF, 0xBF, 0xBD};

static void emit(struct filter *filter, const uint8_t *bytes, size_t len, enum width_class width)
{
    if (width == WIDTH_ZERO) {
        /* libvterm wraps before a mark behind the last column. */
        bool is_risky = reserve_is_edge(filter) && filter->shadow.col >= filter->shadow.cols;

        if (filter->marks >= MARKS_MAX || is_risky) {
            state_drop(filter, FILTER_DROP_TEXT);
            return;
        }
        filter->marks++;
    } else {
        filter->marks = 0;
        if (reserve_is_tight(filter))
            reserve_make_room(filter, width);
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

/* A character is complete as far as it will ever be: a control or ESC follows. */
static void flush(struct filter *filter)
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

/* Copies the ASCII that begins the 8 bytes at p, 0 to 8 bytes; returns how many. */
static inline unsigned copy_word(const uint8_t *p, uint8_t *out)
{
    uint64_t word;
    uint64_t odd;

    memcpy(&word, p, 8);
    memcpy(out, &word, 8);
    odd = find_odd(word);
    return odd ? first_byte(odd) : 8;
}

/* Copies ASCII from p to enc->p; returns the first other byte. Room is there. */
static const uint8_t *copy_ascii(struct filter *filter, const uint8_t *p, const uint8_t *end)
{
    const uint8_t *start = p;
    uint8_t *out = filter->enc.p;

    while (end - p >= 8) {
        unsigned len = copy_word(p, out);

        p += len;
        out += len;
        if (len < 8)
            break;
    }
    while (p < end && is_plain(*p))
        *out++ = *p++;
    filter->enc.p += p - start;
    filter->enc.glyph_width = 1;
    filter->marks = 0;
    shadow_print_narrow(&filter->shadow, (unsigned)(p - start));
    return p;
}

/* By the first four bytes as a little-endian word. */
#define IS_THREE(w) (((w)&0xC0C0F0) == 0x8080E0)
#define IS_TWO(w)   (((w)&0xC0E0) == 0x80C0)

/* The class of one character in a block of several. */
static enum width_class measure_mixed(uint32_t word, unsigned len)
{
    uint32_t second = word >> 8 & 0x3F;
    uint32_t code = len == 3 ? (word & 0x0F) << 12 | second << 6 | (word >> 16 & 0x3F)
                             : (word & 0x1F) << 6 | second;

    if (code < (len == 3 ? 0x800 : 0x80))
        return WIDTH_SPECIAL; /* overlong */
    return width_of(code);
}

/*
 * Class and length of the character of two or three bytes that begins with word; WIDTH_SPECIAL if
 * it is not for the fast path. The length comes from a branch on purpose: a predicted length lets
 * the next character begin before this one is measured.
 */
static inline enum width_class measure(uint32_t word, unsigned *len)
{
    uint8_t class;

    if (IS_THREE(word)) {
        *len = 3;
        class = width_blocks[(word & 0x0F) << 6 | (word >> 8 & 0x3F)];
    } else if (IS_TWO(word)) {
        *len = 2;
        class = width_short_blocks[word & 0x1F];
    } else {
        return WIDTH_SPECIAL;
    }
    return class != WIDTH_MIXED ? (enum width_class) class : measure_mixed(word, *len);
}

/* The same as copy_ascii() for a text of several scripts: characters of two and three bytes and
 * short pieces of ASCII between them. */
static const uint8_t *copy_mixed(struct filter *filter, const uint8_t *p, const uint8_t *end)
{
    struct shadow *shadow = &filter->shadow;
    uint8_t *out = filter->enc.p;
    unsigned col = shadow->col;
    unsigned limit = shadow->is_simple ? shadow->cols : 0;
    enum width_class class = WIDTH_ZERO;

    while (end - p >= 8) {
        enum width_class next = WIDTH_ONE;
        uint32_t word;
        unsigned len = 0;
        unsigned cells;

        memcpy(&word, p, 4);
        if (p[0] < 0x80) {
            len = copy_word(p, out);
            if (len == 0 || len == 8)
                break; /* a control, or a longer run for copy_ascii() */
            cells = len;
        } else {
            next = measure(word, &len);
            if (next == WIDTH_SPECIAL || next == WIDTH_ZERO)
                break;
            memcpy(out, &word, 4);
            cells = next;
        }
        class = next;
        p += len;
        out += len;
        if (col + cells <= limit) {
            col += cells;
        } else {
            shadow->col = col;
            shadow_print(shadow, class, cells / class);
            col = shadow->col;
        }
    }
    if (class != WIDTH_ZERO) {
        shadow->col = col;
        shadow_print(shadow, WIDTH_ONE, 0);
        filter->enc.p = out;
        filter->enc.glyph_width = (uint8_t) class;
        filter->marks = 0;
    }
    return p;
}

/* The fast path knows nothing of a row that must not be left. */
static bool is_slow(const struct filter *filter)
{
    return filter->is_table_only ||
           (filter->reserve.is_on && (reserve_is_open(filter) || !filter->shadow.is_autowrap ||
                                      filter->shadow.col >= filter->shadow.cols));
}

static bool take_line_end(struct filter *filter, uint8_t byte)
{
    if (is_slow(filter))
        return false;
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
            p = copy_mixed(filter, p, end);
        else if (take_line_end(filter, *p))
            p++;
        if (p == before)
            break;
    }
    return p;
}

/* A character that is not for the fast path. Returns the bytes taken, 0 if the first byte ended a
 * truncated character and is to be looked at again. */
static size_t take_character(struct filter *filter, const uint8_t *p, const uint8_t *end)
{
    uint32_t code;
    int n = 0;

    if (!is_slow(filter) && filter->partial_len == 0)
        n = utf8_decode(p, (size_t)(end - p), &code);
    if (n > 0) {
        emit_character(filter, p, (size_t)n, code);
        return (size_t)n;
    }
    if (n < 0) {
        emit_replacement(filter);
        return (size_t)-n;
    }
    return text_byte(filter, *p);
}

const uint8_t *text_run(struct filter *filter, const uint8_t *p, const uint8_t *end)
{
    while (p < end) {
        const uint8_t *stop = end - p > RUN_MAX ? p + RUN_MAX : end;

        if (!is_slow(filter) && filter->partial_len == 0)
            p = run_piece(filter, p, stop);
        if (p == stop)
            continue;
        if (is_plain(*p) || *p >= 0x80) {
            p += take_character(filter, p, end);
            continue;
        }
        flush(filter);
        if (is_slow(filter) || !(*p == '\r' || *p == '\n'))
            return p;
    }
    return p;
}
