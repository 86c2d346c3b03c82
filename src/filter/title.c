// SPDX-License-Identifier: GPL-3.0-only
/*
 * title: two passes. The first decides about each character; the second looks at pairs, because a
 * character that the first removed may have stood between them.
 */
#include "filter/title.h"

#include "base/utf8.h"

#include <string.h>

static bool is_removed(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code <= 0x9F) || utf8_is_bidi_or_break(code);
}

/* tmux reads #( #[ #{ in a pane title as a command, a style, a format. */
static void defuse_formats(uint8_t *text, size_t len)
{
    for (size_t i = 0; i + 1 < len; i++)
        if (text[i] == '#' && (text[i + 1] == '(' || text[i + 1] == '[' || text[i + 1] == '{'))
            text[i] = '_';
}

size_t title_clean(const uint8_t *text, size_t len, uint8_t *out, size_t max_chars)
{
    const uint8_t *end = text + len;
    size_t written = 0;

    for (size_t chars = 0; text < end && chars < max_chars;) {
        uint32_t code;
        int n = utf8_decode(text, (size_t)(end - text), &code);

        if (n <= 0) {
            code = UTF8_REPLACEMENT;
            n = n ? -n : (int)(end - text);
        }
        text += n;
        if (is_removed(code))
            continue;
        if (utf8_is_noncharacter(code))
            code = UTF8_REPLACEMENT;
        written += utf8_write(code, out + written);
        chars++;
    }
    defuse_formats(out, written);
    return written;
}
