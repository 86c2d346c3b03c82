// SPDX-License-Identifier: GPL-3.0-only
/*
 * osc: one row per number; no row, no output.
 *
 * A number is 1 to 5 digits. Except for titles, which are cleaned, the payload must match the
 * grammar of its row as it is: none of the grammars admits a control or a byte beyond ASCII, so
 * nothing that terminals end a string with can stand in a forwarded one.
 */
#include "filter/osc.h"

#include "filter/osc_fields.h"
#include "filter/title.h"

#include <string.h>
#include <strings.h>

#define NUMBER_DIGITS_MAX 5
#define AID_MAX           64
#define POINTER_MAX       32

static const struct limit title_limit = {20, 20};

void osc_forward(struct filter *filter, const struct osc *osc)
{
    encode_osc(&filter->enc, osc->payload, osc->len, osc->end);
}

bool osc_next_field(const char **text, size_t *len, char separator, const char **field,
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

int osc_small_number(const char *text, size_t len, int max)
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

/* To open it again after a line of ours. */
static void keep_link(struct filter *filter, const struct osc *osc)
{
    assert(osc->len <= sizeof(filter->link));
    memcpy(filter->link, osc->payload, osc->len);
    filter->link_len = osc->len;
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
        keep_link(filter, osc);
        osc_forward(filter, osc);
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

    if (!osc_next_field(&rest, &rest_len, ';', &field, &len) || len != 1 || *field != '4' ||
        !osc_next_field(&rest, &rest_len, ';', &field, &len))
        return false;
    state = osc_small_number(field, len, 4);
    if (state < 0)
        return false;
    if (osc_next_field(&rest, &rest_len, ';', &field, &len) && len &&
        osc_small_number(field, len, 100) < 0)
        return false;
    if (rest)
        return false;
    filter->progress_shown = state != 0;
    state_touch(filter);
    osc_forward(filter, osc);
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
    osc_forward(filter, osc);
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

    if (!osc_next_field(&rest, &rest_len, ';', &field, &len) || len != 1 || *field == '\0' ||
        !strchr("ABCDP", *field))
        return false;
    kind = *field;
    for (int n = 0; osc_next_field(&rest, &rest_len, ';', &field, &len); n++) {
        bool is_exit_code = kind == 'D' && n == 0 && osc_small_number(field, len, 999) >= 0;

        if (n == 8 || (!is_exit_code && !is_mark_option(field, len)))
            return false;
    }
    osc_forward(filter, osc);
    return true;
}

struct osc_rule {
    unsigned number;
    osc_handler *take; /* false: drop */
};

static const struct osc_rule osc_rules[] = {
    {0, take_title},          {1, take_title},          {2, take_title},
    {4, osc_take_palette},    {8, take_link},           {9, take_progress},
    {10, osc_take_dynamic},   {11, osc_take_dynamic},   {12, osc_take_dynamic},
    {17, osc_take_dynamic},   {19, osc_take_dynamic},   {22, take_pointer},
    {52, osc_take_clipboard}, {104, osc_reset_palette}, {110, osc_reset_dynamic},
    {111, osc_reset_dynamic}, {112, osc_reset_dynamic}, {117, osc_reset_dynamic},
    {119, osc_reset_dynamic}, {133, take_shell_mark},
};

static const struct osc_rule *find_rule(unsigned number)
{
    for (size_t i = 0; i < ARRAY_SIZE(osc_rules); i++)
        if (osc_rules[i].number == number)
            return &osc_rules[i];
    return NULL;
}

bool osc_is_known(unsigned number)
{
    return find_rule(number);
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
    struct osc osc = {
        .payload = (const char *)payload, .len = len, .is_overlong = is_overlong, .end = end};
    const struct osc_rule *rule = split_number(&osc) ? find_rule(osc.number) : NULL;

    if (!rule || filter->profile.is_linux_console ||
        (is_overlong && rule->take != take_title && rule->take != osc_take_clipboard) ||
        !rule->take(filter, &osc))
        state_drop(filter, FILTER_DROP_OSC);
}
