// SPDX-License-Identifier: GPL-3.0-only
/*
 * input_mouse: mouse reports from a row that is not the agent's.
 */
#include "filter/input_mouse.h"

#include "base/utf8.h"

#define BUTTON_OFFSET 32 /* what the old encodings add to every number */

/* The last row of the agent's screen, in the units of a report. */
static unsigned last_row(const struct csi *csi, const struct filter_keys *keys)
{
    return keys->rows * (csi->leader == '<' ? keys->row_height_px : 1);
}

/* What a button of the old encodings means: 3 is a release, 32 is added for a move. */
static bool is_press(unsigned button)
{
    return !(button & 32) && (button & 3) != 3;
}

bool input_mouse_is_below(const struct csi *csi, const struct filter_keys *keys)
{
    return (csi->final == 'M' || csi->final == 'm') && csi->count == 3 && keys->rows &&
           csi_value(csi, 2) > last_row(csi, keys) && last_row(csi, keys) > 0;
}

void input_mouse_from_below(const struct csi *csi, const struct filter_keys *keys, struct buf *out)
{
    unsigned button = csi_value(csi, 0);
    bool is_sgr = csi->leader == '<';

    if (is_sgr ? csi->final == 'M' && !(button & 32) : is_press(button - BUTTON_OFFSET))
        return;
    buf_printf(out, "\033[%s%u;%u;%u%c", is_sgr ? "<" : "", button, csi_value(csi, 1),
               last_row(csi, keys), csi->final);
}

void input_mouse_old(const uint8_t *report, size_t len, const struct filter_keys *keys,
                     struct buf *out)
{
    size_t at = len - 1; /* of the row, the last of the three characters */
    uint32_t row = report[at];
    uint8_t last[UTF8_MAX_LEN] = {(uint8_t)(keys->rows + BUTTON_OFFSET)};
    size_t last_len = 1;

    if (keys->mouse_utf8) {
        while (at > 3 && (report[at] & 0xC0) == 0x80)
            at--;
        if (utf8_decode(report + at, len - at, &row) <= 0)
            row = 0;
        last_len = utf8_write(keys->rows + BUTTON_OFFSET, last);
    }
    if (!keys->rows || row <= keys->rows + BUTTON_OFFSET) {
        buf_append(out, report, len);
    } else if (!is_press(report[3] - (unsigned)BUTTON_OFFSET)) {
        buf_append(out, report, at);
        buf_append(out, last, last_len);
    }
}
