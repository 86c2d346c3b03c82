// SPDX-License-Identifier: GPL-3.0-only
/*
 * osc_colour: the palette (OSC 4, 104) and the colours with a number of their own (OSC 10, 11, 12,
 * 17, 19, and 100 more to reset them). What sets a colour passes and is remembered; what asks is
 * answered with what the agent set or, before that, with what the terminal said at the start.
 */
#include "filter/osc_fields.h"

#include "filter/answers.h"
#include "filter/osc.h"

#include <stdio.h>
#include <string.h>

#define PAIRS_MAX 16

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

    for (; osc_next_field(&rest, &rest_len, ';', &field, &len); n++) {
        struct pair *pair = &pairs[n];

        if (n == PAIRS_MAX)
            return -1;
        pair->text = field;
        pair->index = osc_small_number(field, len, 255);
        if (pair->index < 0 || !osc_next_field(&rest, &rest_len, ';', &field, &len))
            return -1;
        pair->len = (size_t)(field + len - pair->text);
        pair->is_query = len == 1 && *field == '?';
        if (!pair->is_query && !colour_parse(field, len, &pair->colour))
            return -1;
    }
    return n ? n : -1;
}

/* OSC 4: the pairs that set a colour pass, those that ask are answered. */
bool osc_take_palette(struct filter *filter, const struct osc *osc)
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
        osc_forward(filter, osc);
    else if (n_kept)
        encode_osc(&filter->enc, kept, len, osc->end);
    return true;
}

bool osc_reset_palette(struct filter *filter, const struct osc *osc)
{
    const char *rest = osc->text_len ? osc->text : NULL;
    size_t rest_len = osc->text_len;
    uint8_t left[sizeof(filter->palette.changed)];
    const char *field;
    size_t len;

    memcpy(left, filter->palette.changed, sizeof(left));
    if (!rest)
        memset(left, 0, sizeof(left));
    for (int n = 0; osc_next_field(&rest, &rest_len, ';', &field, &len); n++) {
        int index = osc_small_number(field, len, 255);

        if (index < 0 || n == 256)
            return false;
        left[index / 8] &= (uint8_t) ~(1u << (index % 8));
    }
    memcpy(filter->palette.changed, left, sizeof(left));
    state_touch(filter);
    osc_forward(filter, osc);
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

/* What it is now. A selection without colours of its own is shown in reverse, and terminals say so. */
static struct colour current_dynamic(const struct filter *filter, enum dynamic which)
{
    static const enum dynamic reversed[DYNAMIC_COUNT] = {
        [DYNAMIC_FOREGROUND] = DYNAMIC_FOREGROUND,
        [DYNAMIC_BACKGROUND] = DYNAMIC_BACKGROUND,
        [DYNAMIC_CURSOR] = DYNAMIC_CURSOR,
        [DYNAMIC_SELECTION] = DYNAMIC_FOREGROUND,
        [DYNAMIC_SELECTED_TEXT] = DYNAMIC_BACKGROUND,
    };
    const char *probed[DYNAMIC_COUNT] = {
        [DYNAMIC_FOREGROUND] = filter->profile.foreground,
        [DYNAMIC_BACKGROUND] = filter->profile.background,
        [DYNAMIC_CURSOR] = filter->profile.cursor,
    };
    struct colour colour = {0};

    if (!filter->dynamic[which].is_changed)
        which = reversed[which];
    if (filter->dynamic[which].is_changed)
        return filter->dynamic[which].colour;
    colour_parse(probed[which], strlen(probed[which]), &colour);
    return colour;
}

static void answer_dynamic(struct filter *filter, enum dynamic which, enum encode_end end)
{
    struct colour colour = current_dynamic(filter, which);
    char number[16];

    snprintf(number, sizeof(number), "%u", osc_dynamic_number(which));
    answer_colour(filter, number, &colour, end);
}

bool osc_take_dynamic(struct filter *filter, const struct osc *osc)
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
    osc_forward(filter, osc);
    return true;
}

bool osc_reset_dynamic(struct filter *filter, const struct osc *osc)
{
    if (osc->text_len)
        return false;
    filter->dynamic[find_dynamic(osc->number - 100)].is_changed = false;
    state_touch(filter);
    osc_forward(filter, osc);
    return true;
}
