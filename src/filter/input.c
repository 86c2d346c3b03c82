// SPDX-License-Identifier: GPL-3.0-only
/*
 * input: a state machine for the keyboard side, where the same bytes can be a key or the beginning
 * of a report and only time tells.
 *
 *   ESC            the Escape key if nothing follows for 25 ms
 *   ESC x          Alt and a key
 *   ESC O x        keypad and function keys
 *   ESC [ ...      keys and reports: judged by the table when the final byte is there
 *   ESC P ] ^ _ X  an Alt key if nothing follows for 50 ms, otherwise a string, which is always a
 *                  reply and never passes
 *
 * A bracketed paste is text: controls but HT, LF and CR are removed from it, and so are markers.
 */
#include "filter/input.h"

#include "base/utf8.h"
#include "filter/input_mouse.h"
#include "filter/input_rules.h"

#include <stdlib.h>
#include <string.h>

#define ESC 0x1B
#define BEL 0x07

#define ESC_WAIT_MS    25
#define CSI_WAIT_MS    50
#define STRING_WAIT_MS 1000
#define PASTE_WAIT_MS  2000
#define REPORT_MAX     64 /* bytes of a sequence that can be a key or a report */
#define MARKER_LEN     6

enum input_state {
    IN_GROUND,
    IN_UTF8,   /* inside a character */
    IN_ESC,    /* ESC */
    IN_SS3,    /* ESC O */
    IN_CSI,    /* ESC [ and parameters */
    IN_DOLLAR, /* ESC [ number $: a key of rxvt, or the middle of a mode report */
    IN_IGNORE, /* a control sequence that is too long */
    IN_LINUX,  /* ESC [ [ */
    IN_X10,    /* ESC [ M and up to three characters */
    IN_OPENED, /* ESC and the opener of a string, nothing behind it */
    IN_STRING, /* a string */
    IN_STRING_ESC,
};

struct input {
    enum input_state state;
    bool is_osc;    /* the string is one: BEL ends it */
    bool is_pasted; /* between the markers of a paste */
    size_t len;
    uint8_t held[INPUT_HELD_MAX]; /* what the state is about */
};

struct input *input_new(void)
{
    return xcalloc(1, sizeof(struct input));
}

void input_free(struct input *input)
{
    free(input);
}

static void hold(struct input *input, uint8_t byte)
{
    assert(input->len < sizeof(input->held));
    input->held[input->len++] = byte;
}

static void become(struct input *input, enum input_state state)
{
    input->state = state;
    if (state == IN_GROUND)
        input->len = 0;
}

/* What is held passes. */
static void pass(struct input *input, struct buf *out)
{
    buf_append(out, input->held, input->len);
    become(input, IN_GROUND);
}

static void drop(struct input *input)
{
    become(input, IN_GROUND);
}

static void begin_paste(struct input *input, const struct filter_keys *keys, struct buf *out)
{
    input->is_pasted = true;
    if (keys->paste)
        pass(input, out);
    else
        drop(input);
}

static void replace_mouse(struct input *input, const struct csi *csi,
                          const struct filter_keys *keys, struct buf *out)
{
    input_mouse_from_below(csi, keys, out);
    drop(input);
}

/* The final byte of a control sequence is held. */
static void judge(struct input *input, const struct filter_keys *keys, struct buf *out)
{
    struct csi csi;
    unsigned number;

    if (!csi_parse(&csi, input->held + 2, input->held + input->len)) {
        drop(input);
        return;
    }
    number = csi.count == 1 ? csi_value(&csi, 0) : 0;
    if (csi.final == '~' && !csi.leader && number == 200)
        begin_paste(input, keys, out);
    else if (csi.final == '~' && !csi.leader && number == 201)
        drop(input); /* its start is missing */
    else if (csi.final == 'M' && !csi.leader && csi.count == 0)
        become(input, IN_X10);
    else if (!input_may_pass(&csi, keys))
        drop(input);
    else if (input_mouse_is_below(&csi, keys))
        replace_mouse(input, &csi, keys, out);
    else
        pass(input, out);
}

/* Each of the following takes one byte; false: look at it again in the state that is now. */

static bool take_ground(struct input *input, struct buf *out, uint8_t byte)
{
    if (byte == ESC) {
        hold(input, byte);
        become(input, IN_ESC);
    } else if (byte < 0x80) {
        buf_append_byte(out, byte);
    } else {
        become(input, IN_UTF8);
        return false;
    }
    return true;
}

static bool take_character(struct input *input, struct buf *out, uint8_t byte)
{
    uint32_t code;
    int n;

    hold(input, byte);
    n = utf8_decode(input->held, input->len, &code);
    if (n == 0)
        return true;
    if (n > 0 && code >= 0xA0)
        pass(input, out);
    else if (n < 0 && (size_t)-n < input->len) {
        drop(input);
        return false;
    } else {
        drop(input);
    }
    return true;
}

static bool take_after_esc(struct input *input, struct buf *out, uint8_t byte)
{
    if (byte == ESC || byte >= 0x80) {
        pass(input, out);
        return false;
    }
    hold(input, byte);
    if (byte == '[')
        become(input, IN_CSI);
    else if (byte == 'O')
        become(input, IN_SS3);
    else if (byte && strchr("P]^_X", byte))
        become(input, IN_OPENED);
    else
        pass(input, out);
    input->is_osc = byte == ']';
    return true;
}

static bool take_after_ss3(struct input *input, struct buf *out, uint8_t byte)
{
    if (byte < 0x20 || byte >= 0x7F) {
        pass(input, out);
        return false;
    }
    hold(input, byte);
    pass(input, out);
    return true;
}

/* A byte that cannot belong to the sequence: what is held is a key if it is ESC and one byte. */
static bool give_up(struct input *input, struct buf *out)
{
    if (input->len == 2)
        pass(input, out);
    else
        drop(input);
    return false;
}

static bool take_csi(struct input *input, const struct filter_keys *keys, struct buf *out,
                     uint8_t byte)
{
    bool is_first = input->len == 2;

    if (byte < 0x20 || byte >= 0x7F)
        return give_up(input, out);
    if (byte == '$' && !is_first && input->held[input->len - 1] >= '0' &&
        input->held[input->len - 1] <= '9' && input->held[2] <= '9') {
        hold(input, byte);
        become(input, IN_DOLLAR);
        return true;
    }
    if (input->len >= REPORT_MAX && byte < 0x40) {
        become(input, IN_IGNORE);
        return true;
    }
    hold(input, byte);
    if (byte < 0x40)
        return true;
    if (byte == '[' && is_first)
        become(input, IN_LINUX);
    else
        judge(input, keys, out);
    return true;
}

static bool take_after_dollar(struct input *input, struct buf *out, uint8_t byte)
{
    if (byte == 'y') {
        drop(input);
        return true;
    }
    pass(input, out);
    return false;
}

static bool take_after_linux(struct input *input, struct buf *out, uint8_t byte)
{
    if (byte < 'A' || byte > 'E') {
        drop(input);
        return false;
    }
    hold(input, byte);
    pass(input, out);
    return true;
}

/* Characters of the old mouse report: three bytes, or three of UTF-8 with mode 1005. */
static bool take_x10(struct input *input, const struct filter_keys *keys, struct buf *out,
                     uint8_t byte)
{
    const size_t first = 3;
    unsigned taken = 0;

    if (byte < 0x20) {
        drop(input);
        return false;
    }
    hold(input, byte);
    for (size_t i = first; i < input->len; i++)
        taken += !keys->mouse_utf8 || (input->held[i] & 0xC0) != 0x80;
    if (taken < 3 || (keys->mouse_utf8 && byte >= 0xC2 && input->len < first + 6))
        return true;
    if (keys->mouse)
        input_mouse_old(input->held, input->len, keys, out);
    drop(input);
    return true;
}

static bool take_after_opener(struct input *input, uint8_t byte)
{
    become(input, byte == ESC ? IN_STRING_ESC : IN_STRING);
    return byte == ESC;
}

static bool take_string(struct input *input, struct buf *out, uint8_t byte)
{
    if (byte == ESC) {
        become(input, IN_STRING_ESC);
        input->len = 0;
    } else if (byte == BEL && input->is_osc) {
        drop(input);
    } else if (byte < 0x20) {
        /* No reply has a control: a key after an Alt key, or after a string that does not end. */
        return give_up(input, out);
    } else {
        input->len = 0;
    }
    return true;
}

/* ESC inside a string, or directly behind its opener, which then is still held. */
static bool take_string_esc(struct input *input, struct buf *out, uint8_t byte)
{
    if (byte == '\\') {
        drop(input);
        return true;
    }
    if (input->len == 2)
        pass(input, out);
    else
        drop(input);
    hold(input, ESC);
    become(input, IN_ESC);
    return false;
}

static bool take_byte(struct input *input, const struct filter_keys *keys, struct buf *out,
                      uint8_t byte)
{
    switch (input->state) {
    case IN_GROUND:
        return take_ground(input, out, byte);
    case IN_UTF8:
        return take_character(input, out, byte);
    case IN_ESC:
        return take_after_esc(input, out, byte);
    case IN_SS3:
        return take_after_ss3(input, out, byte);
    case IN_CSI:
        return take_csi(input, keys, out, byte);
    case IN_DOLLAR:
        return take_after_dollar(input, out, byte);
    case IN_IGNORE:
        if (byte >= 0x20 && byte < 0x40)
            return true;
        drop(input);
        return byte >= 0x40 && byte < 0x7F;
    case IN_LINUX:
        return take_after_linux(input, out, byte);
    case IN_X10:
        return take_x10(input, keys, out, byte);
    case IN_OPENED:
        return take_after_opener(input, byte);
    case IN_STRING:
        return take_string(input, out, byte);
    case IN_STRING_ESC:
        return take_string_esc(input, out, byte);
    }
    return true;
}

static const uint8_t paste_start[MARKER_LEN] = {ESC, '[', '2', '0', '0', '~'};
static const uint8_t paste_end[MARKER_LEN] = {ESC, '[', '2', '0', '1', '~'};

/* True if an end marker stands in the chunk and no start marker before it. */
static bool has_later_end(const uint8_t *p, const uint8_t *end)
{
    for (; end - p >= MARKER_LEN; p++) {
        if (memcmp(p, paste_start, MARKER_LEN) == 0)
            return false;
        if (memcmp(p, paste_end, MARKER_LEN) == 0)
            return true;
    }
    return false;
}

static bool is_paste_text(uint8_t byte)
{
    return (byte >= 0x20 && byte != 0x7F) || byte == '\t' || byte == '\n' || byte == '\r';
}

/* What was held as the beginning of a marker is text, without its ESC. */
static void release_marker(struct input *input, struct buf *out)
{
    if (input->len > 1)
        buf_append(out, input->held + 1, input->len - 1);
    become(input, IN_GROUND);
}

static void end_paste(struct input *input, const struct filter_keys *keys, struct buf *out)
{
    become(input, IN_GROUND);
    input->is_pasted = false;
    if (keys->paste)
        buf_append(out, paste_end, MARKER_LEN);
}

/* Inside a marker, or at its ESC. rest: what follows the byte in this chunk. */
static bool take_marker(struct input *input, const struct filter_keys *keys, struct buf *out,
                        uint8_t byte, const uint8_t *rest, const uint8_t *end)
{
    bool is_start;

    hold(input, byte);
    is_start = memcmp(input->held, paste_start, input->len) == 0;
    if (!is_start && memcmp(input->held, paste_end, input->len) != 0) {
        input->len--;
        release_marker(input, out);
        return false;
    }
    if (input->len < MARKER_LEN)
        return true;
    if (is_start || has_later_end(rest, end))
        become(input, IN_GROUND); /* part of the body, and removed from it */
    else
        end_paste(input, keys, out);
    return true;
}

static bool take_pasted(struct input *input, const struct filter_keys *keys, struct buf *out,
                        uint8_t byte, const uint8_t *rest, const uint8_t *end)
{
    if (input->state == IN_UTF8)
        return take_character(input, out, byte);
    if (input->len > 0 || byte == ESC)
        return take_marker(input, keys, out, byte, rest, end);
    if (byte >= 0x80) {
        become(input, IN_UTF8);
        return false;
    }
    if (is_paste_text(byte))
        buf_append_byte(out, byte);
    return true;
}

void input_feed(struct input *input, const struct filter_keys *keys, const uint8_t *bytes,
                size_t len, struct buf *out)
{
    const uint8_t *p = bytes;
    const uint8_t *end = bytes + len;

    while (p < end) {
        bool is_taken = input->is_pasted ? take_pasted(input, keys, out, *p, p + 1, end)
                                         : take_byte(input, keys, out, *p);

        if (is_taken)
            p++;
    }
}

int input_wait_ms(const struct input *input)
{
    if (input->is_pasted)
        return PASTE_WAIT_MS;
    switch (input->state) {
    case IN_GROUND:
        return -1;
    case IN_ESC:
    case IN_SS3:
        return ESC_WAIT_MS;
    case IN_STRING:
    case IN_STRING_ESC:
        return input->len == 2 ? CSI_WAIT_MS : STRING_WAIT_MS;
    default:
        return CSI_WAIT_MS;
    }
}

void input_expire(struct input *input, const struct filter_keys *keys, struct buf *out)
{
    if (input->is_pasted) {
        if (input->state != IN_UTF8)
            release_marker(input, out);
        end_paste(input, keys, out);
        return;
    }
    switch (input->state) {
    case IN_ESC:
    case IN_SS3:
    case IN_DOLLAR:
    case IN_OPENED:
        pass(input, out);
        break;
    case IN_STRING_ESC:
        if (input->len == 2) { /* an Alt key, then Escape */
            hold(input, ESC);
            pass(input, out);
        }
        drop(input);
        break;
    case IN_CSI:
        give_up(input, out);
        break;
    default:
        drop(input);
        break;
    }
}
