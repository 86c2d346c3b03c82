// SPDX-License-Identifier: GPL-3.0-only
/*
 * input_rules: the control sequences that a terminal may send to the agent. What has no row is a
 * reply, or a report of a mode that never passes the output filter.
 */
#include "filter/input_rules.h"

/* What must be true for a sequence to pass. */
enum input_rule {
    RULE_KEY,      /* always */
    RULE_BARE_KEY, /* without parameters */
    RULE_F3,       /* CSI R, CSI 1;2-16 R: other forms are cursor reports */
    RULE_FOCUS,
    RULE_MOUSE,
    RULE_OLD_MOUSE, /* three parameters; without them three characters follow */
    RULE_THEME,     /* CSI ? 997;1-2 n */
};

static const struct {
    char leader;
    char final;
    uint8_t rule; /* enum input_rule */
} input_rules[] = {
    {0, '@', RULE_KEY},      {0, 'A', RULE_KEY},       {0, 'B', RULE_KEY},
    {0, 'C', RULE_KEY},      {0, 'D', RULE_KEY},       {0, 'E', RULE_KEY},
    {0, 'F', RULE_KEY},      {0, 'G', RULE_KEY},       {0, 'H', RULE_KEY},
    {0, 'I', RULE_FOCUS},    {0, 'M', RULE_OLD_MOUSE}, {0, 'O', RULE_FOCUS},
    {0, 'P', RULE_KEY},      {0, 'Q', RULE_KEY},       {0, 'R', RULE_F3},
    {0, 'S', RULE_KEY},      {0, 'Z', RULE_KEY},       {0, '^', RULE_KEY},
    {0, 'a', RULE_BARE_KEY}, {0, 'b', RULE_BARE_KEY},  {0, 'c', RULE_BARE_KEY},
    {0, 'd', RULE_BARE_KEY}, {0, 'u', RULE_KEY},       {0, '~', RULE_KEY},
    {'<', 'M', RULE_MOUSE},  {'<', 'm', RULE_MOUSE},   {'?', 'n', RULE_THEME},
};

static bool is_function_key_3(const struct csi *csi)
{
    unsigned modifiers = csi_value(csi, 1);

    return csi->count == 0 ||
           (csi->count == 2 && csi_value(csi, 0) == 1 && modifiers >= 2 && modifiers <= 16);
}

static bool is_theme_report(const struct csi *csi)
{
    unsigned which = csi_value(csi, 1);

    return csi->count == 2 && csi_value(csi, 0) == 997 && (which == 1 || which == 2);
}

bool input_may_pass(const struct csi *csi, const struct filter_keys *keys)
{
    if (csi->is_malformed || csi->inter)
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(input_rules); i++) {
        if (input_rules[i].leader != csi->leader || input_rules[i].final != csi->final)
            continue;
        switch ((enum input_rule)input_rules[i].rule) {
        case RULE_KEY:
            return true;
        case RULE_BARE_KEY:
            return csi->count == 0;
        case RULE_F3:
            return is_function_key_3(csi);
        case RULE_FOCUS:
            return keys->focus && csi->count == 0;
        case RULE_MOUSE:
        case RULE_OLD_MOUSE:
            return keys->mouse && csi->count == 3;
        case RULE_THEME:
            return keys->theme && is_theme_report(csi);
        }
    }
    return false;
}
