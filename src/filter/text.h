// SPDX-License-Identifier: GPL-3.0-only
/*
 * text: the ground state. Printable runs are found with wide loads and copied; everything that is
 * not ASCII is validated and measured on the way.
 */
#pragma once

#include "filter/state.h"

/* Takes text, CR and LF from p on; returns the first byte that is something else, or end. */
const uint8_t *text_run(struct filter *filter, const uint8_t *p, const uint8_t *end);

/* The same for one byte of text (20-7E, 80-FF): the plain way, to which text_run() must be equal.
 * False if the byte ended a truncated character and is to be looked at again. */
bool text_byte(struct filter *filter, uint8_t byte);
