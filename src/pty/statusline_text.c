// SPDX-License-Identifier: GPL-3.0-only
/*
 * statusline_text: what the status row says.
 *
 *   ai-jail  NETWORK ENV | 2 messages | 3 refused | new: 1.2.0 | network: host | claude | /home/me/project
 *
 * The names are the user's, or whoever made the directory. They are escaped like everything that is
 * printed, and what remains is measured: characters without a width are left out, so that none can
 * join a neighbour.
 */
#include "pty/statusline_text.h"

#include "base/log.h"
#include "base/utf8.h"
#include "filter/width.h"

#include <stdio.h>
#include <string.h>

#define PART_MAX (16 * KIB) /* of a name, escaped */

static const struct {
    const char *theme;
    const char *look;
} looks[] = {
    {"pastel", "38;5;236;48;5;152"},
    {"dark", "38;5;252;48;5;236"},
    {"light", "38;5;236;48;5;254"},
};

const char *statusline_look(const char *theme)
{
    for (size_t i = 0; i < ARRAY_SIZE(looks); i++)
        if (str_eq(looks[i].theme, theme))
            return looks[i].look;
    return looks[0].look;
}

struct line {
    struct buf *out;
    unsigned left; /* cells */
};

/* Appends what fits of printable text; false once it is full. */
static bool add(struct line *line, const char *text, size_t len)
{
    const uint8_t *p = (const uint8_t *)text;
    const uint8_t *end = p + len;

    while (p < end) {
        uint32_t code;
        int n = utf8_decode(p, (size_t)(end - p), &code);
        enum width_class width = n > 0 ? width_of(code) : WIDTH_SPECIAL;

        if (n <= 0)
            n = 1;
        if (width == WIDTH_ONE || width == WIDTH_TWO) {
            if (width > line->left || line->out->len + UTF8_MAX_LEN > STATUSLINE_TEXT_MAX) {
                line->left = 0;
                return false;
            }
            line->left -= width;
            buf_append(line->out, p, (size_t)n);
        }
        p += n;
    }
    return true;
}

static bool add_name(struct line *line, const char *name)
{
    struct buf escaped CLEANUP(buf_free);

    buf_init(&escaped, PART_MAX);
    /* Each byte becomes at most 10. */
    log_escape(&escaped, name, strnlen(name, PART_MAX / 10));
    return add(line, (const char *)escaped.data, escaped.len);
}

static bool add_word(struct line *line, const char *before, const char *word)
{
    return add(line, before, strlen(before)) && add(line, word, strlen(word));
}

void statusline_text(const struct statusline_facts *facts, const struct statusline_counts *counts,
                     unsigned cols, struct buf *out)
{
    struct line line = {.out = out, .left = cols ? cols - 1 : 0};
    char count[48];

    width_setup();
    add_word(&line, " ", "ai-jail");
    for (size_t i = 0; facts->badges[i]; i++)
        add_word(&line, i ? " " : "  ", facts->badges[i]);
    snprintf(count, sizeof(count), "%u message%s", counts->held, counts->held == 1 ? "" : "s");
    if (counts->held)
        add_word(&line, " | ", count);
    snprintf(count, sizeof(count), "%u refused", counts->refused);
    if (counts->refused)
        add_word(&line, " | ", count);
    if (counts->newer)
        add_word(&line, " | new: ", counts->newer);
    add_word(&line, " | network: ", facts->network);
    if (add(&line, " | ", 3))
        add_name(&line, facts->command);
    if (add(&line, " | ", 3))
        add_name(&line, facts->directory);
}
