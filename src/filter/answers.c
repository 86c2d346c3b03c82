// SPDX-License-Identifier: GPL-3.0-only
/*
 * answers: replies, in the order of the questions.
 *
 * A reply is appended as a whole or not at all. More than ANSWERS_PER_SECOND are not given: an
 * agent that asks faster than that is not asking.
 */
#include "filter/answers.h"

#include "base/hex.h"

#include <stdio.h>
#include <string.h>

#define ANSWERS_PER_SECOND 2000
#define REPLY_MAX          512
#define CAPABILITIES_MAX   64 /* names in one XTGETTCAP */

static const struct limit answer_limit = {ANSWERS_PER_SECOND, ANSWERS_PER_SECOND};

static void reply(struct filter *filter, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void reply(struct filter *filter, const char *fmt, ...)
{
    char text[REPLY_MAX];
    va_list args;
    int len;

    if (!limiter_take(&filter->answers, &answer_limit, state_now(filter))) {
        state_drop(filter, FILTER_DROP_LIMITED);
        return;
    }
    va_start(args, fmt);
    len = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    assert(len > 0 && (size_t)len < sizeof(text));
    if (buf_append(filter->reply, text, (size_t)len) < 0)
        state_drop(filter, FILTER_DROP_LIMITED);
}

void answer_identify(struct filter *filter)
{
    reply(filter, "\033[?62;22%sc", filter->profile.may_write_clipboard ? ";52" : "");
}

enum verdict answer_da1(struct filter *filter, struct csi *csi)
{
    (void)csi;
    answer_identify(filter);
    return VERDICT_DONE;
}

enum verdict answer_da2(struct filter *filter, struct csi *csi)
{
    (void)csi;
    reply(filter, "\033[>%sc", filter->profile.da2[0] ? filter->profile.da2 : "41;400;0");
    return VERDICT_DONE;
}

enum verdict answer_da3(struct filter *filter, struct csi *csi)
{
    (void)csi;
    reply(filter, "\033P!|00000000\033\\");
    return VERDICT_DONE;
}

enum verdict answer_version(struct filter *filter, struct csi *csi)
{
    (void)csi;
    if (filter->profile.version[0])
        reply(filter, "\033P>|%s\033\\", filter->profile.version);
    return VERDICT_DONE;
}

enum verdict answer_dsr(struct filter *filter, struct csi *csi)
{
    unsigned row;
    unsigned col;

    switch (csi_value(csi, 0)) {
    case 5:
        reply(filter, "\033[0n");
        return VERDICT_DONE;
    case 6:
        shadow_position(&filter->shadow, &row, &col);
        reply(filter, "\033[%u;%uR", row, col);
        return VERDICT_DONE;
    default:
        return VERDICT_DROP;
    }
}

enum verdict answer_private_dsr(struct filter *filter, struct csi *csi)
{
    unsigned row;
    unsigned col;

    switch (csi_value(csi, 0)) {
    case 6:
        shadow_position(&filter->shadow, &row, &col);
        reply(filter, "\033[?%u;%uR", row, col);
        return VERDICT_DONE;
    case 996:
        reply(filter, "\033[?997;%un", filter->profile.is_dark ? 1 : 2);
        return VERDICT_DONE;
    default:
        return VERDICT_DROP;
    }
}

enum verdict answer_mode(struct filter *filter, struct csi *csi)
{
    unsigned number = csi_value(csi, 0);
    unsigned value = number != 4 ? 0 : filter->is_insert ? 1 : 2;

    reply(filter, "\033[%u;%u$y", number, value);
    return VERDICT_DONE;
}

unsigned answer_mode_value(const struct filter *filter, unsigned number)
{
    enum mode mode = mode_find(number);
    bool is_on;

    if (mode == MODE_COUNT || (mode == MODE_SIDE_MARGINS && filter->reserve.is_on))
        return 0;
    is_on = modes_is_on(&filter->modes, mode);
    switch ((enum mode_kind)mode_rows[mode].kind) {
    case MODE_IF_SYNC:
        return !filter->profile.has_sync ? 0 : is_on ? 1 : 2;
    case MODE_IF_THEME:
        return !filter->profile.has_theme_report ? 0 : is_on ? 1 : 2;
    case MODE_IS_SCREEN:
        return filter->shadow.is_alternate ? 1 : 2;
    default:
        break;
    }
    if (mode == MODE_ORIGIN)
        is_on = filter->shadow.is_origin;
    return is_on ? 1 : 2;
}

enum verdict answer_private_mode(struct filter *filter, struct csi *csi)
{
    unsigned number = csi_value(csi, 0);

    reply(filter, "\033[?%u;%u$y", number, answer_mode_value(filter, number));
    return VERDICT_DONE;
}

/* Silence is the documented "no" of a terminal without the protocol. */
enum verdict answer_kitty(struct filter *filter, struct csi *csi)
{
    const struct kitty *kitty = state_kitty(filter);

    (void)csi;
    if (filter->profile.has_kitty_keys)
        reply(filter, "\033[?%uu", kitty->flags[kitty->depth]);
    return VERDICT_DONE;
}

enum verdict answer_modify_keys(struct filter *filter, struct csi *csi)
{
    if (csi_value(csi, 0) != 4)
        return VERDICT_DROP;
    reply(filter, "\033[>4;%um", filter->modify_keys);
    return VERDICT_DONE;
}

void answer_size(struct filter *filter)
{
    const struct shadow *shadow = &filter->shadow;

    filter->size_report_owed = false;
    reply(filter, "\033[48;%u;%u;%u;%ut", shadow->rows, shadow->cols,
          shadow->rows * filter->profile.cell_height_px,
          shadow->cols * filter->profile.cell_width_px);
}

bool answer_window(struct filter *filter, unsigned what, unsigned second, unsigned count)
{
    const struct filter_profile *profile = &filter->profile;
    unsigned rows = filter->shadow.rows;
    unsigned cols = filter->shadow.cols;

    if (count != 1 && !(what == 14 && count == 2 && second == 2))
        return false;
    switch (what) {
    case 11:
        reply(filter, "\033[1t");
        return true;
    case 13:
        reply(filter, "\033[3;0;0t");
        return true;
    case 14:
    case 15:
        reply(filter, "\033[%u;%u;%ut", what - 10, rows * profile->cell_height_px,
              cols * profile->cell_width_px);
        return true;
    case 16:
        reply(filter, "\033[6;%u;%ut", profile->cell_height_px, profile->cell_width_px);
        return true;
    case 18:
    case 19:
        reply(filter, "\033[%u;%u;%ut", what - 10, rows, cols);
        return true;
    case 20:
        reply(filter, "\033]L\033\\");
        return true;
    case 21:
        reply(filter, "\033]l\033\\");
        return true;
    default:
        return false;
    }
}

void answer_colour(struct filter *filter, const char *number, const struct colour *colour,
                   enum encode_end end)
{
    if (colour->is_known)
        reply(filter, "\033]%s;rgb:%04x/%04x/%04x%s", number, colour->r, colour->g, colour->b,
              end == ENCODE_BEL ? "\007" : "\033\\");
}

static void answer_status_string(struct filter *filter, const char *what)
{
    char pen[SGR_TEXT_MAX];

    if (str_eq(what, "m")) {
        sgr_format(&filter->shadow.pen, pen);
        reply(filter, "\033P1$r%sm\033\\", pen);
    } else if (str_eq(what, "r")) {
        reply(filter, "\033P1$r%u;%ur\033\\", filter->shadow.top + 1, filter->shadow.bottom + 1);
    } else if (str_eq(what, " q")) {
        reply(filter, "\033P1$r%u q\033\\", filter->cursor_style);
    } else {
        reply(filter, "\033P0$r\033\\");
    }
}

struct capability {
    const char *name;
    const char *value;
    bool is_clipboard; /* only if the agent may write it */
};

static const struct capability capabilities[] = {
    {"Co", "256", false},     {"Ms", "\033]52;%p1%s;%p2%s\007", true},
    {"RGB", "8/8/8", false},  {"TN", NULL, false},
    {"colors", "256", false}, {"name", NULL, false},
};

const char *answer_capability_name(size_t i)
{
    return i < ARRAY_SIZE(capabilities) ? capabilities[i].name : NULL;
}

/* Decodes 1 to 32 pairs of digits into name. False if the text is anything else. */
static bool decode_name(const char *hex, size_t len, char name[33])
{
    if (len < 2 || len > 64 || len % 2)
        return false;
    for (size_t i = 0; i < len; i += 2) {
        int high = hex_digit(hex[i]);
        int low = hex_digit(hex[i + 1]);

        if (high < 0 || low < 0)
            return false;
        name[i / 2] = (char)(high << 4 | low);
    }
    name[len / 2] = '\0';
    return true;
}

static void answer_capability(struct filter *filter, const char *hex, size_t len)
{
    const char *term = filter->profile.term[0] ? filter->profile.term : "xterm-256color";
    const char *value = NULL;
    char name[33];
    char text[sizeof(filter->profile.term) * 2 + 1] = "";

    if (!decode_name(hex, len, name))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(capabilities); i++)
        if (str_eq(capabilities[i].name, name) && strlen(name) == len / 2 &&
            (!capabilities[i].is_clipboard || filter->profile.may_write_clipboard))
            value = capabilities[i].value ? capabilities[i].value : term;
    for (size_t i = 0; value && value[i]; i++)
        snprintf(text + 2 * i, 3, "%02X", (unsigned char)value[i]);
    if (value)
        reply(filter, "\033P1+r%.*s=%s\033\\", (int)len, hex, text);
    else
        reply(filter, "\033P0+r%.*s\033\\", (int)len, hex);
}

static void answer_capabilities(struct filter *filter, const char *names, size_t len)
{
    const char *end = names + len;

    for (unsigned n = 0; n < CAPABILITIES_MAX && names <= end; n++) {
        const char *stop = memchr(names, ';', (size_t)(end - names));

        if (!stop)
            stop = end;
        answer_capability(filter, names, (size_t)(stop - names));
        names = stop + 1;
    }
}

void answer_dcs(struct filter *filter, const uint8_t *payload, size_t len)
{
    if (len >= 2 && memcmp(payload, "$q", 2) == 0) {
        char what[4] = "?";

        if (len - 2 < sizeof(what) && !memchr(payload, '\0', len)) {
            memcpy(what, payload + 2, len - 2);
            what[len - 2] = '\0';
        }
        answer_status_string(filter, what);
    } else if (len >= 2 && memcmp(payload, "+q", 2) == 0) {
        answer_capabilities(filter, (const char *)payload + 2, len - 2);
    } else {
        state_drop(filter, FILTER_DROP_DCS);
    }
}
