// SPDX-License-Identifier: GPL-3.0-only
/*
 * osc: operating system commands (XTerm control sequences; OSC 8: hyperlinks; OSC 9;4: progress;
 * OSC 133: FinalTerm marks) and the title of GNU screen.
 */
#pragma once

#include "filter/state.h"

/* A complete OSC: what stood between ESC ] and its terminator. */
void osc_dispatch(struct filter *filter, const uint8_t *payload, size_t len, bool is_overlong,
                  enum encode_end end);
/* ESC k text ESC \ becomes OSC 2. */
void osc_screen_title(struct filter *filter, const uint8_t *text, size_t len);
/* Sends the held title if it may be sent by now; false if it has to wait. */
bool osc_flush_title(struct filter *filter);

/* True if there is a row for the number; for the tests. */
bool osc_is_known(unsigned number);

/* The number of a dynamic colour (enum dynamic): 10, 11, 12, 17, 19. */
unsigned osc_dynamic_number(enum dynamic which);
