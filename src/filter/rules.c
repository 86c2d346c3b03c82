// SPDX-License-Identifier: GPL-3.0-only
/*
 * rules: the table, its index, and the common part of every verdict.
 *
 * A row is found by the exact leader, intermediate and final byte; a sequence with another
 * combination has no row, also where some emulator would take it for a known one. Then the limits
 * of the row are checked: number of parameters, their values, no colon outside SGR. Only then the
 * judge of the row sees it.
 */
#include "filter/rules.h"

#include "filter/answers.h"
#include "filter/judges.h"
#include "filter/reserve.h"

#include <string.h>

#define ANY        CSI_VALUE_MAX
#define PARAMS_MAX PARAMS_KEPT_MAX

static const struct limit bell_limit = {5, 5};

/* name, leader, intermediate, final, parameters, highest value, clamped, judge, effect */
static const struct csi_rule rules[] = {
    {"ICH", 0, 0, '@', 1, ANY, true, NULL, NULL},
    {"CUU", 0, 0, 'A', 1, ANY, true, NULL, shadow_cuu},
    {"CUD", 0, 0, 'B', 1, ANY, true, NULL, shadow_cud},
    {"CUF", 0, 0, 'C', 1, ANY, true, NULL, shadow_cuf},
    {"CUB", 0, 0, 'D', 1, ANY, true, NULL, shadow_cub},
    {"CNL", 0, 0, 'E', 1, ANY, true, NULL, shadow_cnl},
    {"CPL", 0, 0, 'F', 1, ANY, true, NULL, shadow_cpl},
    {"CHA", 0, 0, 'G', 1, ANY, true, NULL, shadow_cha},
    {"CUP", 0, 0, 'H', 2, ANY, true, NULL, shadow_cup},
    {"CHT", 0, 0, 'I', 1, ANY, true, NULL, shadow_cht},
    {"ED", 0, 0, 'J', 1, 3, false, NULL, shadow_ed},
    {"EL", 0, 0, 'K', 1, 2, false, NULL, NULL},
    {"IL", 0, 0, 'L', 1, ANY, true, NULL, shadow_il},
    {"DL", 0, 0, 'M', 1, ANY, true, NULL, shadow_il},
    {"DCH", 0, 0, 'P', 1, ANY, true, NULL, NULL},
    {"SU", 0, 0, 'S', 1, ANY, true, NULL, NULL},
    {"SD", 0, 0, 'T', 1, ANY, true, NULL, NULL},
    {"ECH", 0, 0, 'X', 1, ANY, true, NULL, NULL},
    {"CBT", 0, 0, 'Z', 1, ANY, true, NULL, shadow_cbt},
    {"HPA", 0, 0, '`', 1, ANY, true, NULL, shadow_cha},
    {"HPR", 0, 0, 'a', 1, ANY, true, NULL, shadow_hpr},
    {"REP", 0, 0, 'b', 1, ANY, true, judge_rep, shadow_rep},
    {"DA1", 0, 0, 'c', 1, 0, false, answer_da1, NULL},
    {"VPA", 0, 0, 'd', 1, ANY, true, NULL, shadow_vpa},
    {"VPR", 0, 0, 'e', 1, ANY, true, NULL, shadow_vpr},
    {"HVP", 0, 0, 'f', 2, ANY, true, NULL, shadow_cup},
    {"TBC", 0, 0, 'g', 1, 3, false, judge_tbc, shadow_tbc},
    {"SM", 0, 0, 'h', PARAMS_MAX, ANY, false, judge_ansi_mode, NULL},
    {"RM", 0, 0, 'l', PARAMS_MAX, ANY, false, judge_ansi_mode, NULL},
    {"SGR", 0, 0, 'm', CSI_PARTS_MAX, ANY, false, judge_sgr, shadow_sgr},
    {"DSR", 0, 0, 'n', 1, ANY, false, answer_dsr, NULL},
    {"DECSTBM", 0, 0, 'r', 2, ANY, true, judge_decstbm, shadow_decstbm},
    {"SCOSC or DECSLRM", 0, 0, 's', 2, ANY, false, judge_decslrm, NULL},
    {"XTWINOPS", 0, 0, 't', 3, ANY, false, judge_window, NULL},
    {"SCORC", 0, 0, 'u', 0, 0, false, judge_restore, shadow_decrc},

    {"DECSET", '?', 0, 'h', PARAMS_MAX, ANY, false, judge_private_mode, NULL},
    {"DECRST", '?', 0, 'l', PARAMS_MAX, ANY, false, judge_private_mode, NULL},
    {"XTSAVE", '?', 0, 's', PARAMS_MAX, ANY, false, judge_mode_save, NULL},
    {"XTRESTORE", '?', 0, 'r', PARAMS_MAX, ANY, false, judge_mode_restore, NULL},
    {"DECSED", '?', 0, 'J', 1, 3, false, NULL, NULL},
    {"DECSEL", '?', 0, 'K', 1, 2, false, NULL, NULL},
    {"DECST8C", '?', 0, 'W', 1, 5, false, judge_tabs, shadow_decst8c},
    {"private DSR", '?', 0, 'n', 1, ANY, false, answer_private_dsr, NULL},
    {"kitty query", '?', 0, 'u', 0, 0, false, answer_kitty, NULL},
    {"XTQMODKEYS", '?', 0, 'm', 1, 4, false, answer_modify_keys, NULL},

    {"DA2", '>', 0, 'c', 1, 0, false, answer_da2, NULL},
    {"DA3", '=', 0, 'c', 1, 0, false, answer_da3, NULL},
    {"XTVERSION", '>', 0, 'q', 1, 0, false, answer_version, NULL},
    {"XTMODKEYS", '>', 0, 'm', 2, 4, false, judge_modify_keys, NULL},
    {"XTMODKEYS off", '>', 0, 'n', 1, 4, false, judge_modify_keys_off, NULL},
    {"kitty push", '>', 0, 'u', 1, KITTY_FLAGS_MAX, false, judge_kitty_push, NULL},
    {"kitty pop", '<', 0, 'u', 1, ANY, true, judge_kitty_pop, NULL},
    {"kitty set", '=', 0, 'u', 2, KITTY_FLAGS_MAX, false, judge_kitty_set, NULL},

    {"DECSCUSR", 0, ' ', 'q', 1, 6, false, judge_cursor_style, NULL},
    {"DECSTR", 0, '!', 'p', 0, 0, false, judge_decstr, shadow_decstr},
    {"DECSCA", 0, '"', 'q', 1, 2, false, judge_decsca, NULL},
    {"DECSACE", 0, '*', 'x', 1, 2, false, judge_decsace, NULL},
    {"DECIC", 0, '\'', '}', 1, ANY, true, NULL, NULL},
    {"DECDC", 0, '\'', '~', 1, ANY, true, NULL, NULL},
    {"DECRQM", 0, '$', 'p', 1, ANY, false, answer_mode, NULL},
    {"private DECRQM", '?', '$', 'p', 1, ANY, false, answer_private_mode, NULL},
    {"DECCARA", 0, '$', 'r', PARAMS_MAX, ANY, false, NULL, NULL},
    {"DECRARA", 0, '$', 't', PARAMS_MAX, ANY, false, NULL, NULL},
    {"DECCRA", 0, '$', 'v', 8, ANY, false, NULL, NULL},
    {"DECFRA", 0, '$', 'x', 5, ANY, false, NULL, NULL},
    {"DECERA", 0, '$', 'z', 4, ANY, false, NULL, NULL},
    {"DECSERA", 0, '$', '{', 4, ANY, false, NULL, NULL},
};

/* Rows without intermediate, by leader (0 or '<' - '?') and final byte; 0: none, otherwise the
 * row's index + 1. The few with an intermediate are searched. */
static uint8_t by_final[5][64];

static_assert(ARRAY_SIZE(rules) < 255, "the index of a row is kept in a byte");

static unsigned leader_index(uint8_t leader)
{
    return leader ? leader - '<' + 1u : 0;
}

void rules_setup(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
        if (!rules[i].inter)
            by_final[leader_index((uint8_t)rules[i].leader)][rules[i].final - 0x40] =
                (uint8_t)(i + 1);
}

const struct csi_rule *rules_find(const struct csi *csi)
{
    if (!csi->inter) {
        unsigned index = by_final[leader_index(csi->leader)][csi->final - 0x40];

        return index ? &rules[index - 1] : NULL;
    }
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
        if (rules[i].inter == csi->inter && rules[i].final == csi->final &&
            rules[i].leader == csi->leader)
            return &rules[i];
    return NULL;
}

const struct csi_rule *rules_all(size_t *count)
{
    *count = ARRAY_SIZE(rules);
    return rules;
}

static bool is_within_limits(const struct csi_rule *rule, struct csi *csi)
{
    if (csi->is_malformed || csi->is_oversized || csi->count > rule->max_params)
        return false;
    if (csi->has_colon && rule->judge != judge_sgr)
        return false;
    for (unsigned i = 0; i < csi->count; i++) {
        if (csi->part[i].value <= rule->max_value)
            continue;
        if (!rule->is_clamped)
            return false;
        csi->part[i].value = rule->max_value;
        csi->is_rewritten = true;
    }
    return true;
}

static enum verdict judge(struct filter *filter, const struct csi_rule *rule, struct csi *csi)
{
    rules_judge *own = filter->reserve.is_on ? reserve_judge(csi) : NULL;

    if (!own)
        own = rule->judge;
    return own ? own(filter, csi) : VERDICT_FORWARD;
}

void rules_csi(struct filter *filter, struct csi *csi)
{
    const struct csi_rule *rule = rules_find(csi);
    enum verdict verdict = VERDICT_DROP;

    if (rule && is_within_limits(rule, csi))
        verdict = judge(filter, rule, csi);
    if (verdict == VERDICT_DROP)
        state_drop(filter, FILTER_DROP_CSI);
    if (verdict == VERDICT_FORWARD && rule->judge != judge_sgr)
        encode_csi(&filter->enc, csi);
    if (verdict == VERDICT_FORWARD && rule->effect)
        rule->effect(&filter->shadow, csi);
    reserve_pay(filter);
}

struct esc_rule {
    char inter;
    char final;
    const char *name;
};

static const struct esc_rule esc_rules[] = {
    {0, '6', "DECBI"},    {0, '7', "DECSC"},    {0, '8', "DECRC"},    {0, '9', "DECFI"},
    {0, '=', "DECKPAM"},  {0, '>', "DECKPNM"},  {0, 'D', "IND"},      {0, 'E', "NEL"},
    {0, 'H', "HTS"},      {0, 'M', "RI"},       {'#', '3', "DECDHL"}, {'#', '4', "DECDHL"},
    {'#', '5', "DECSWL"}, {'#', '6', "DECDWL"}, {'#', '8', "DECALN"}, {'(', '0', "G0"},
    {'(', 'A', "G0"},     {'(', 'B', "G0"},     {')', '0', "G1"},     {')', 'A', "G1"},
    {')', 'B', "G1"},
};

/* With a row reserved, some are not forwarded: true for those. */
static bool is_held_back(struct filter *filter, uint8_t inter, uint8_t final)
{
    if (!filter->reserve.is_on)
        return false;
    if (inter == '#') {
        state_drop(filter, FILTER_DROP_ESC);
        return true;
    }
    if (inter || (final != 'D' && final != 'E') || !reserve_is_edge(filter))
        return false;
    if (final == 'E')
        rules_c0(filter, '\r');
    else
        reserve_hold_line(filter);
    return true;
}

void rules_esc(struct filter *filter, uint8_t inter, uint8_t final)
{
    bool is_known = false;

    if (inter == 0 && final == 'c') {
        judge_ris(filter);
        return;
    }
    if (inter == 0 && final == 'Z') {
        answer_identify(filter);
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(esc_rules); i++)
        is_known |= esc_rules[i].inter == inter && esc_rules[i].final == final;
    if (!is_known) {
        state_drop(filter, FILTER_DROP_ESC);
        return;
    }
    if (is_held_back(filter, inter, final))
        return;
    if (!inter && strchr("DM", final))
        reserve_end_wrap(filter);
    encode_esc(&filter->enc, inter, final);
    shadow_esc(&filter->shadow, inter, final);
    if (!inter && strchr("689", final)) /* few know DECBI and DECFI */
        reserve_owe(filter, RESERVE_CURSOR);
    if (inter == 0 && (final == '=' || final == '>'))
        filter->is_keypad = final == '=';
    if (filter->shadow.is_origin) /* DECRC may have brought it back */
        filter->modes.on |= MODE_BIT(MODE_ORIGIN);
    if (!strchr("679DEM", final) || inter)
        state_touch(filter);
    reserve_pay(filter);
}

void rules_c0(struct filter *filter, uint8_t byte)
{
    if (byte == 0x07 && !limiter_take(&filter->bell, &bell_limit, state_now(filter))) {
        state_drop(filter, FILTER_DROP_LIMITED);
        return;
    }
    if (byte >= 0x0A && byte <= 0x0C && reserve_is_edge(filter)) {
        reserve_hold_line(filter);
        return;
    }
    if (byte >= 0x08 && byte <= 0x0C)
        reserve_end_wrap(filter);
    encode_c0(&filter->enc, byte);
    shadow_c0(&filter->shadow, byte);
    if (byte == 0x0E || byte == 0x0F)
        state_touch(filter);
    reserve_pay(filter);
}
