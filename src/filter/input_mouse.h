// SPDX-License-Identifier: GPL-3.0-only
/*
 * input_mouse: mouse reports from a row that is not the agent's.
 *
 * A press and the wheel there are not for the agent. A release or a move ends what began in its
 * screen: it passes, as if from the agent's last row.
 */
#pragma once

#include "filter/csi.h"
#include "filter/input.h"

/* True for a mouse report (SGR or urxvt) from below keys->rows. */
bool input_mouse_is_below(const struct csi *csi, const struct filter_keys *keys);
/* Appends what the agent gets of such a report, which may be nothing. */
void input_mouse_from_below(const struct csi *csi, const struct filter_keys *keys, struct buf *out);
/* The same for a whole report of the old form: ESC [ M, then button, column and row, characters of
 * one byte each or with keys->mouse_utf8 of UTF-8. One that is not from below passes. */
void input_mouse_old(const uint8_t *report, size_t len, const struct filter_keys *keys,
                     struct buf *out);
