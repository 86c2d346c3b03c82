// SPDX-License-Identifier: GPL-3.0-only
/*
 * answers: what the agent hears instead of the terminal. Every reply is composed from the profile
 * and the state, never from bytes of the query, except hexadecimal digits that were checked.
 */
#pragma once

#include "filter/rules.h"

rules_judge answer_da1;
rules_judge answer_da2;
rules_judge answer_da3;
rules_judge answer_version;
rules_judge answer_dsr;
rules_judge answer_private_dsr;
rules_judge answer_mode;
rules_judge answer_private_mode;
rules_judge answer_kitty;
rules_judge answer_modify_keys;

void answer_identify(struct filter *filter); /* ESC Z */

/* CSI Ps t with a question; false if it is none. */
bool answer_window(struct filter *filter, unsigned what, unsigned second, unsigned count);
/* Mode 2048: the size report. */
void answer_size(struct filter *filter);

/* The name of capability i that XTGETTCAP gets an answer for, NULL behind the last; for the tests. */
const char *answer_capability_name(size_t i);

/* The payload of a device control string. */
void answer_dcs(struct filter *filter, const uint8_t *payload, size_t len);

/* Reply to a colour query; number is "4;1" or "11". */
void answer_colour(struct filter *filter, const char *number, const struct colour *colour,
                   enum encode_end end);

/* What the terminal would report for mode: 1 set, 2 reset, 0 not recognised. */
unsigned answer_mode_value(const struct filter *filter, unsigned number);
