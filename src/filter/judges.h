// SPDX-License-Identifier: GPL-3.0-only
/*
 * judges: the rows of the rules table that need more than ranges. Each returns the verdict for one
 * sequence whose parameter count and values are inside the limits of its row.
 */
#pragma once

#include "filter/rules.h"

rules_judge judge_sgr;
rules_judge judge_rep;
rules_judge judge_decstbm;
rules_judge judge_decslrm;
rules_judge judge_save;
rules_judge judge_restore;
rules_judge judge_tbc;
rules_judge judge_ansi_mode;
rules_judge judge_private_mode;
rules_judge judge_mode_save;
rules_judge judge_mode_restore;
rules_judge judge_window;
rules_judge judge_modify_keys;
rules_judge judge_modify_keys_off;
rules_judge judge_kitty_push;
rules_judge judge_kitty_pop;
rules_judge judge_kitty_set;
rules_judge judge_cursor_style;
rules_judge judge_decstr;
rules_judge judge_decsca;
rules_judge judge_decsace;
rules_judge judge_tabs;

/* ESC c: what RIS does, without its side effects in emulators. */
void judge_ris(struct filter *filter);
