// SPDX-License-Identifier: GPL-3.0-only
/*
 * clipboard: OSC 52, if the user lets the agent write the clipboard.
 *
 * What passes is text that can be pasted without a surprise for the terminal: strict base64
 * (RFC 4648 with padding, unused bits zero) of at most FILTER_CLIPBOARD_MAX bytes of well-formed
 * UTF-8 without controls; of these only HT and LF. It always goes to the one clipboard that every
 * terminal has (selection c). A question, which would bring the clipboard to the agent, never
 * passes. More than one a second does not either: the clipboard belongs to the user, too.
 */
#include "filter/osc_fields.h"

#include <string.h>

#define BASE64_LEN(len) (((len) + 2) / 3 * 4)

static_assert(SCAN_LARGE_MAX >= sizeof("52;c;") + BASE64_LEN(FILTER_CLIPBOARD_MAX),
              "the largest text can be collected");
static_assert(FILTER_HELD_MAX >= SCAN_LARGE_MAX + 256, "and written");

static const struct limit clipboard_limit = {1, 1};

static int digit_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes four digits, the last of them perhaps padding, to up to three bytes; 0 if they are none. */
static unsigned decode_group(const char digits[4], uint8_t out[3])
{
    unsigned padding = digits[3] != '=' ? 0 : digits[2] != '=' ? 1 : 2;
    uint32_t bits = 0;

    for (unsigned i = 0; i < 4; i++) {
        int value = i >= 4 - padding ? 0 : digit_value(digits[i]);

        if (value < 0)
            return 0;
        bits = bits << 6 | (uint32_t)value;
    }
    if (bits & ((1u << 8 * padding) - 1))
        return 0;
    out[0] = (uint8_t)(bits >> 16);
    out[1] = (uint8_t)(bits >> 8);
    out[2] = (uint8_t)bits;
    return 3 - padding;
}

static bool is_pasteable(uint32_t code)
{
    return code == '\t' || code == '\n' || (code >= 0x20 && (code < 0x7F || code > 0x9F));
}

/* The text is checked while it is decoded; nothing of it is kept but the bytes of one character. */
struct check {
    uint8_t held[UTF8_MAX_LEN + 3];
    size_t len;
};

/* Takes the complete characters at the front of held; false if something is no text. */
static bool take_characters(struct check *check)
{
    size_t at = 0;

    while (at < check->len) {
        uint32_t code;
        int n = utf8_decode(check->held + at, check->len - at, &code);

        if (n < 0 || (n > 0 && !is_pasteable(code)))
            return false;
        if (n == 0)
            break;
        at += (size_t)n;
    }
    check->len -= at;
    memmove(check->held, check->held + at, check->len);
    return true;
}

static bool is_clipboard_text(const char *payload, size_t len)
{
    struct check check = {.len = 0};
    size_t total = 0;

    if (len % 4 != 0)
        return false;
    for (size_t i = 0; i < len; i += 4) {
        unsigned n = decode_group(payload + i, check.held + check.len);

        /* Padding ends the payload. */
        if (n == 0 || (n < 3 && i + 4 < len))
            return false;
        total += n;
        check.len += n;
        if (total > FILTER_CLIPBOARD_MAX || !take_characters(&check))
            return false;
    }
    return check.len == 0;
}

/* OSC 52;selection;payload, with one selection of c, p, s or none. */
static const char *find_payload(const struct osc *osc, size_t *len)
{
    const char *text = osc->text;
    size_t skip;

    if (!osc->has_text || osc->text_len < 1)
        return NULL;
    skip = text[0] == ';' ? 1 : 2;
    if (osc->text_len < skip || text[skip - 1] != ';' ||
        (skip == 2 && text[0] != 'c' && text[0] != 'p' && text[0] != 's'))
        return NULL;
    *len = osc->text_len - skip;
    return text + skip;
}

bool osc_take_clipboard(struct filter *filter, const struct osc *osc)
{
    size_t len = 0;
    const char *payload = find_payload(osc, &len);
    bool is_question = payload && len == 1 && payload[0] == '?';

    if (!filter->profile.may_write_clipboard || !payload || is_question)
        return false;
    if (osc->is_overlong || !is_clipboard_text(payload, len) ||
        !limiter_take(&filter->clipboard, &clipboard_limit, state_now(filter))) {
        filter->clipboard_count.refused++;
        return false;
    }
    filter->clipboard_count.written++;
    encode_osc_prefixed(&filter->enc, "52;c;", payload, len, osc->end);
    return true;
}

struct filter_clipboard filter_clipboard(const struct filter *filter)
{
    return filter->clipboard_count;
}
