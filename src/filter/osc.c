// SPDX-License-Identifier: GPL-3.0-only
/*
 * osc: one row per number; no row, no output.
 *
 * A number is 1 to 5 digits. Except for titles, which are cleaned, the payload must match the
 * grammar of its row as it is: none of the grammars admits a control or a byte beyond ASCII, so
 * nothing that terminals end a string with can stand in a forwarded one.
 */
#include "filter/osc.h"

#include "filter/answers.h"
#include "filter/title.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NUMBER_DIGITS_MAX 5
#define PAIRS_MAX         16
#define URI_MAX           2083
#define LINK_ID_MAX       200
#define AID_MAX           64
#define POINTER_MAX       32

static const struct limit title_limit = {20, 20};

/* One command; payload is everything between ESC ] and the terminator. */
struct osc {
    const char *payload;
    size_t len;
    unsigned number;
    const char *text; /* after the number and its ';' */
    size_t text_len;
    bool has_text; /* there was a ';' */
    enum encode_end end;
};

typedef bool osc_handler(struct filter *filter, const struct osc *osc);

static void forward(struct filter *filter, const struct osc *osc)
{
    encode_osc(&filter->enc, osc->payload, osc->len, osc->end);
}

/* Cuts *text at the next separator; false when nothing is left. */
static bool next_field(const char **text, size_t *len, char separator, const char **field,
                       size_t *field_len)
{
    const char *stop;

    if (!*text)
        return false;
    *field = *text;
    stop = memchr(*text, separator, *len);
    *field_len = stop ? (size_t)(stop - *text) : *len;
    *len = stop ? *len - *field_len - 1 : 0;
    *text = stop ? stop + 1 : NULL;
    return true;
}

/* A decimal number of 1 to 3 digits up to max, or -1. */
static int small_number(const char *text, size_t len, int max)
{
    int value = 0;

    if (len < 1 || len > 3)
        return -1;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value <= max ? value : -1;
}

static bool consists_of(const char *text, size_t len, const char *others)
{
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        bool is_alnum = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');

        if (!is_alnum && (c == '\0' || !strchr(others, c)))
            return false;
    }
    return true;
}

static void send_title(struct filter *filter, const uint8_t *payload, size_t len,
                       enum encode_end end)
{
    memcpy(filter->last_title, payload, len);
    filter->last_title_len = len;
    filter->held.is_held = false;
    encode_osc(&filter->enc, payload, len, end);
}

bool osc_flush_title(struct filter *filter)
{
    struct held_title *held = &filter->held;

    if (!held->is_held)
        return true;
    if (!limiter_take(&filter->title, &title_limit, state_now(filter)))
        return false;
    send_title(filter, held->payload, held->len, (enum encode_end)held->end);
    return true;
}

/* Sends a title or, when they come too fast, holds it: the last one wins. */
static void offer_title(struct filter *filter, const char *prefix, size_t prefix_len,
                        const uint8_t *text, size_t len, enum encode_end end)
{
    struct held_title *held = &filter->held;

    if (filter->profile.is_linux_console)
        return;
    assert(prefix_len + TITLE_CHARS_MAX * UTF8_MAX_LEN <= sizeof(held->payload));
    memcpy(held->payload, prefix, prefix_len);
    held->len = prefix_len + title_clean(text, len, held->payload + prefix_len, TITLE_CHARS_MAX);
    held->end = (uint8_t)end;
    held->is_held = true;
    if (!osc_flush_title(filter))
        state_drop(filter, FILTER_DROP_LIMITED);
}

static bool take_title(struct filter *filter, const struct osc *osc)
{
    if (!osc->has_text)
        return false;
    offer_title(filter, osc->payload, (size_t)(osc->text - osc->payload),
                (const uint8_t *)osc->text, osc->text_len, osc->end);
    return true;
}

void osc_screen_title(struct filter *filter, const uint8_t *text, size_t len)
{
    offer_title(filter, "2;", 2, text, len, ENCODE_BEL);
}

static void note_palette(struct filter *filter, int index, const struct colour *colour)
{
    filter->palette.changed[index / 8] |= (uint8_t)(1u << (index % 8));
    filter->palette.colour[index] = *colour;
    state_touch(filter);
}

static void answer_palette(struct filter *filter, int index, enum encode_end end)
{
    bool is_changed = filter->palette.changed[index / 8] >> (index % 8) & 1;
    struct colour colour = {0};
    char number[16];

    if (is_changed)
        colour = filter->palette.colour[index];
    else if (index < (int)ARRAY_SIZE(filter->profile.palette))
        colour_parse(filter->profile.palette[index], strlen(filter->profile.palette[index]),
                     &colour);
    snprintf(number, sizeof(number), "4;%d", index);
    answer_colour(filter, number, &colour, end);
}

struct pair {
    int index;
    bool is_query;
    const char *text; /* "index;spec" */
    size_t len;
    struct colour colour;
};

/* Number of pairs, -1 if one of them is not valid. */
static int parse_pairs(const struct osc *osc, struct pair pairs[PAIRS_MAX])
{
    const char *rest = osc->has_text ? osc->text : NULL;
    size_t rest_len = osc->text_len;
    const char *field;
    size_t len;
    int n = 0;

    for (; next_field(&rest, &rest_len, ';', &field, &len); n++) {
        struct pair *pair = &pairs[n];

        if (n == PAIRS_MAX)
            return -1;
        pair->text = field;
        pair->index = small_number(field, len, 255);
        if (pair->index < 0 || !next_field(&rest, &rest_len, ';', &field, &len))
            return -1;
        pair->len = (size_t)(field + len - pair->text);
        pair->is_query = len == 1 && *field == '?';
        if (!pair->is_query && !colour_parse(field, len, &pair->colour))
            return -1;
    }
    return n ? n : -1;
}

/* OSC 4: the pairs that set a colour pass, those that ask are answered. */
static bool take_palette(struct filter *filter, const struct osc *osc)
{
    struct pair pairs[PAIRS_MAX];
    int n = parse_pairs(osc, pairs);
    char kept[PAIRS_MAX * (COLOUR_SPEC_MAX + 8) + 8] = "4";
    size_t len = 1;
    int n_kept = 0;

    if (n < 0)
        return false;
    for (int i = 0; i < n; i++) {
        if (pairs[i].is_query) {
            answer_palette(filter, pairs[i].index, osc->end);
            continue;
        }
        note_palette(filter, pairs[i].index, &pairs[i].colour);
        kept[len++] = ';';
        memcpy(kept + len, pairs[i].text, pairs[i].len);
        len += pairs[i].len;
        n_kept++;
    }
    if (n_kept == n)
        forward(filter, osc);
    else if (n_kept)
        encode_osc(&filter->enc, kept, len, osc->end);
    return true;
}

static bool reset_palette(struct filter *filter, const struct osc *osc)
{
    const char *rest = osc->text_len ? osc->text : NULL;
    size_t rest_len = osc->text_len;
    uint8_t left[sizeof(filter->palette.changed)];
    const char *field;
    size_t len;

    memcpy(left, filter->palette.changed, sizeof(left));
    if (!rest)
        memset(left, 0, sizeof(left));
    for (int n = 0; next_field(&rest, &rest_len, ';', &field, &len); n++) {
        int index = small_number(field, len, 255);

        if (index < 0 || n == 256)
            return false;
        left[index / 8] &= (uint8_t) ~(1u << (index % 8));
    }
    memcpy(filter->palette.changed, left, sizeof(left));
    state_touch(filter);
    forward(filter, osc);
    return true;
}

static const uint8_t dynamic_numbers[DYNAMIC_COUNT] = {10, 11, 12, 17, 19};

unsigned osc_dynamic_number(enum dynamic which)
{
    return dynamic_numbers[which];
}

static enum dynamic find_dynamic(unsigned number)
{
    enum dynamic which = 0;

    while (which < DYNAMIC_COUNT && dynamic_numbers[which] != number)
        which++;
    return which;
}

static void answer_dynamic(struct filter *filter, enum dynamic which, enum encode_end end)
{
    const struct dynamic_colour *set = &filter->dynamic[which];
    const char *probed[DYNAMIC_COUNT] = {
        [DYNAMIC_FOREGROUND] = filter->profile.foreground,
        [DYNAMIC_BACKGROUND] = filter->profile.background,
        [DYNAMIC_CURSOR] = filter->profile.cursor,
    };
    struct colour colour = {0};
    char number[16];

    if (set->is_changed)
        colour = set->colour;
    else if (probed[which])
        colour_parse(probed[which], strlen(probed[which]), &colour);
    snprintf(number, sizeof(number), "%u", osc_dynamic_number(which));
    answer_colour(filter, number, &colour, end);
}

static bool take_dynamic(struct filter *filter, const struct osc *osc)
{
    enum dynamic which = find_dynamic(osc->number);
    struct dynamic_colour *set = &filter->dynamic[which];
    struct colour colour;

    if (osc->text_len == 1 && *osc->text == '?') {
        answer_dynamic(filter, which, osc->end);
        return true;
    }
    if (!colour_parse(osc->text, osc->text_len, &colour))
        return false;
    set->is_changed = true;
    set->colour = colour;
    memcpy(set->spec, osc->text, osc->text_len);
    set->spec[osc->text_len] = '\0';
    state_touch(filter);
    forward(filter, osc);
    return true;
}

static bool reset_dynamic(struct filter *filter, const struct osc *osc)
{
    if (osc->text_len)
        return false;
    filter->dynamic[find_dynamic(osc->number - 100)].is_changed = false;
    state_touch(filter);
    forward(filter, osc);
    return true;
}

static bool is_printable(const char *text, size_t len, char lowest)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] < lowest || text[i] > 0x7E)
            return false;
    return true;
}

static bool is_valid_link(const char *params, size_t params_len, const char *uri, size_t uri_len)
{
    static const char *const schemes[] = {"http:", "https:", "mailto:"};
    bool is_known = uri_len == 0;

    if (params_len &&
        (params_len < 3 || params_len > 3 + LINK_ID_MAX || memcmp(params, "id=", 3) != 0 ||
         !consists_of(params + 3, params_len - 3, "._:/+-")))
        return false;
    if (uri_len > URI_MAX || !is_printable(uri, uri_len, 0x21))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
        is_known |=
            uri_len > strlen(schemes[i]) && strncasecmp(uri, schemes[i], strlen(schemes[i])) == 0;
    return is_known;
}

/* What is no text at all (controls, invalid UTF-8) voids the command; what is only not allowed
 * closes the link, so that the text behind it stays plain. */
static bool is_clean_text(const char *text, size_t len)
{
    const uint8_t *p = (const uint8_t *)text;
    const uint8_t *end = p + len;

    while (p < end) {
        uint32_t code;
        int n = utf8_decode(p, (size_t)(end - p), &code);

        if (n <= 0 || code < 0x20 || (code >= 0x7F && code <= 0x9F) || utf8_is_bidi_or_break(code))
            return false;
        p += n;
    }
    return true;
}

static bool take_link(struct filter *filter, const struct osc *osc)
{
    const char *uri = osc->has_text ? memchr(osc->text, ';', osc->text_len) : NULL;
    size_t params_len;
    size_t uri_len;

    if (!uri || !is_clean_text(osc->text, osc->text_len))
        return false;
    params_len = (size_t)(uri - osc->text);
    uri++;
    uri_len = osc->text_len - params_len - 1;
    if (is_valid_link(osc->text, params_len, uri, uri_len)) {
        filter->link_open = uri_len > 0;
        forward(filter, osc);
    } else {
        filter->link_open = false;
        encode_osc(&filter->enc, "8;;", 3, osc->end);
    }
    state_touch(filter);
    return true;
}

/* OSC 9;4;state;percent. Other kinds of OSC 9 show messages, run programs, change directories. */
static bool take_progress(struct filter *filter, const struct osc *osc)
{
    const char *rest = osc->has_text ? osc->text : NULL;
    size_t rest_len = osc->text_len;
    const char *field;
    size_t len;
    int state;

    if (!next_field(&rest, &rest_len, ';', &field, &len) || len != 1 || *field != '4' ||
        !next_field(&rest, &rest_len, ';', &field, &len))
        return false;
    state = small_number(field, len, 4);
    if (state < 0)
        return false;
    if (next_field(&rest, &rest_len, ';', &field, &len) && len && small_number(field, len, 100) < 0)
        return false;
    if (rest)
        return false;
    filter->progress_shown = state != 0;
    state_touch(filter);
    forward(filter, osc);
    return true;
}

static bool take_pointer(struct filter *filter, const struct osc *osc)
{
    if (!osc->has_text || osc->text_len > POINTER_MAX)
        return false;
    for (size_t i = 0; i < osc->text_len; i++) {
        char c = osc->text[i];

        if (!(c >= 'a' && c <= 'z') && c != '_' && c != '-')
            return false;
    }
    filter->pointer_changed = osc->text_len > 0;
    state_touch(filter);
    forward(filter, osc);
    return true;
}

static bool is_mark_option(const char *text, size_t len)
{
    if (len > 4 && len <= 4 + AID_MAX && memcmp(text, "aid=", 4) == 0)
        return consists_of(text + 4, len - 4, "._-");
    if (len == 3 && memcmp(text, "k=", 2) == 0)
        return consists_of(text + 2, 1, "");
    if (len > 7 && len <= 12 && memcmp(text, "redraw=", 7) == 0)
        return consists_of(text + 7, len - 7, "");
    return false;
}

/* OSC 133: with other options terminals type keys on a click. */
static bool take_shell_mark(struct filter *filter, const struct osc *osc)
{
    const char *rest = osc->has_text ? osc->text : NULL;
    size_t rest_len = osc->text_len;
    const char *field;
    size_t len;
    char kind;

    if (!next_field(&rest, &rest_len, ';', &field, &len) || len != 1 || *field == '\0' ||
        !strchr("ABCDP", *field))
        return false;
    kind = *field;
    for (int n = 0; next_field(&rest, &rest_len, ';', &field, &len); n++) {
        bool is_exit_code = kind == 'D' && n == 0 && small_number(field, len, 999) >= 0;

        if (n == 8 || (!is_exit_code && !is_mark_option(field, len)))
            return false;
    }
    forward(filter, osc);
    return true;
}

struct osc_rule {
    unsigned number;
    osc_handler *take; /* false: drop */
};

static const struct osc_rule osc_rules[] = {
    {0, take_title},      {1, take_title},      {2, take_title},        {4, take_palette},
    {8, take_link},       {9, take_progress},   {10, take_dynamic},     {11, take_dynamic},
    {12, take_dynamic},   {17, take_dynamic},   {19, take_dynamic},     {22, take_pointer},
    {104, reset_palette}, {110, reset_dynamic}, {111, reset_dynamic},   {112, reset_dynamic},
    {117, reset_dynamic}, {119, reset_dynamic}, {133, take_shell_mark},
};

static const struct osc_rule *find_rule(unsigned number)
{
    for (size_t i = 0; i < ARRAY_SIZE(osc_rules); i++)
        if (osc_rules[i].number == number)
            return &osc_rules[i];
    return NULL;
}

static bool split_number(struct osc *osc)
{
    size_t digits = 0;

    while (digits < osc->len && osc->payload[digits] >= '0' && osc->payload[digits] <= '9') {
        if (digits < NUMBER_DIGITS_MAX)
            osc->number = osc->number * 10 + (unsigned)(osc->payload[digits] - '0');
        digits++;
    }
    if (digits < 1 || digits > NUMBER_DIGITS_MAX)
        return false;
    osc->has_text = digits < osc->len;
    osc->text = osc->payload + digits + (osc->has_text ? 1 : 0);
    osc->text_len = osc->len - (size_t)(osc->text - osc->payload);
    return !osc->has_text || osc->payload[digits] == ';';
}

void osc_dispatch(struct filter *filter, const uint8_t *payload, size_t len, bool is_overlong,
                  enum encode_end end)
{
    struct osc osc = {.payload = (const char *)payload, .len = len, .end = end};
    const struct osc_rule *rule = split_number(&osc) ? find_rule(osc.number) : NULL;

    if (!rule || filter->profile.is_linux_console || (is_overlong && rule->take != take_title) ||
        !rule->take(filter, &osc))
        state_drop(filter, FILTER_DROP_OSC);
}
