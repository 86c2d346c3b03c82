// SPDX-License-Identifier: GPL-3.0-only
/*
 * redraw_key: which key tells a command to draw its screen again.
 *
 * On the primary screen a terminal that becomes narrower breaks the lines anew, and a command that
 * draws only what has changed leaves the pieces there. Some draw everything when a key is pressed;
 * the relay presses it for them (pty/relay_flow.c). A key is a control character: LETTER & 0x1f.
 * Shift makes no difference to that byte and may be written for those who know the key by it.
 */
#include "config/redraw_key.h"

#include <string.h>
#include <strings.h>

#define SAID_MAX 32 /* bytes of a wrong text that a warning repeats */

static const struct {
    const char *command;
    unsigned char byte;
} presets[] = {
    {"codex", 'l' & 0x1f}, /* ctrl-shift-l */
};

static unsigned char preset_of(const char *command)
{
    for (size_t i = 0; i < ARRAY_SIZE(presets); i++)
        if (str_eq(presets[i].command, command))
            return presets[i].byte;
    return 0;
}

/* "ctrl-LETTER", "ctrl-shift-LETTER", in any case; 0 for everything else. */
static unsigned char parse_key(const char *text)
{
    static const char *const prefixes[] = {"ctrl-shift-", "ctrl-"};

    for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
        size_t len = strlen(prefixes[i]);
        char letter;

        if (strncasecmp(text, prefixes[i], len) != 0)
            continue;
        letter = text[len];
        if (letter && !text[len + 1] &&
            ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')))
            return (unsigned char)letter & 0x1f;
    }
    return 0;
}

unsigned char redraw_key_choose(const struct config *config, const char *command,
                                struct notes *notes)
{
    const char *text = config_text(config, SET_RESIZE_REDRAW_KEY);
    _cleanup_free_ char *spelling = NULL;
    unsigned char byte;

    if (!text)
        return preset_of(command);
    if (strcasecmp(text, "none") == 0)
        return 0;
    byte = parse_key(text);
    if (byte)
        return byte;
    spelling = config_spelling(config, SET_RESIZE_REDRAW_KEY);
    notes_add(notes, NOTE_WARNING,
              "%s is %.*s%s: that is neither none nor a key such as ctrl-l; no key is sent after a "
              "resize",
              spelling, SAID_MAX, text, strlen(text) > SAID_MAX ? "..." : "");
    return 0;
}
