// SPDX-License-Identifier: GPL-3.0-only
/*
 * browser_hint: the command line that a browser would have needed.
 *
 * A browser needs two things that no jail has by itself, and its own messages about them are hard to
 * read. The line is for the user at the terminal and no part of the audit log: it repeats what was
 * typed, but for the values of variables.
 */
#include "browser_hint.h"

#include "base/shell_word.h"

#include <string.h>

#define LINE_MAX_BYTES (64 * KIB)

/* An option of ours that gives a variable a value: what is printed in its place, or NULL. malloc'ed. */
static char *without_value(const char *word, const char *before)
{
    _cleanup_free_ char *option = xasprintf("--%s", settings[SET_ENV_PASS].flag);
    size_t len = strlen(option);
    const char *entry = str_eq(before, option)                                ? word
                        : strncmp(word, option, len) == 0 && word[len] == '=' ? word + len + 1
                                                                              : NULL;
    const char *value = entry ? strchr(entry, '=') : NULL;

    return value ? xasprintf("%.*s=...", (int)(value - word), word) : NULL;
}

static void add_words(struct buf *line, char *const *argv, int argc)
{
    for (int i = 1; i < argc; i++) {
        _cleanup_free_ char *shown = without_value(argv[i], i > 1 ? argv[i - 1] : "");

        buf_append_byte(line, ' ');
        shell_word_append(line, shown ? shown : argv[i]);
    }
}

/* The flag of the display that this desktop has; NULL: none. */
static const char *display_flag(const struct host *host)
{
    const char *wayland = host_getenv(host, "WAYLAND_DISPLAY");
    const char *x11 = host_getenv(host, "DISPLAY");

    return wayland && *wayland ? settings[SET_DISPLAY].flag
           : x11 && *x11       ? settings[SET_X11].flag
                               : NULL;
}

/* Off, and nobody said so: the origin of what the browser's profile says is that of the profile. */
static bool lacks_network(const struct policy *policy, const struct config *said)
{
    return policy->network == NETWORK_OFF && !config_is_set(said, SET_NETWORK);
}

void browser_hint(const struct policy *policy, const struct config *said, char *const *argv,
                  int argc, struct notes *notes)
{
    const struct config *config = policy->config;
    const char *flag = display_flag(policy->host);
    bool wants_network = lacks_network(policy, said) && !browser_only_tells(&policy->argv);
    bool wants_display = !config_flag(config, SET_DISPLAY) && !config_flag(config, SET_X11) &&
                         !browser_is_headless(&policy->argv);
    struct buf line CLEANUP(buf_free);

    if (policy->browser.profile == BROWSER_NONE || policy->lockdown ||
        (!wants_network && !wants_display))
        return;
    buf_init(&line, LINE_MAX_BYTES);
    buf_printf(&line, "%s has no %s%s%s: ai-jail", policy->browser.name,
               wants_network ? "network" : "", wants_network && wants_display ? " and no " : "",
               wants_display ? "display" : "");
    if (wants_network)
        buf_printf(&line, " --%s", settings[SET_NETWORK].flag);
    if (wants_display)
        buf_printf(&line, " --%s", flag ? flag : settings[SET_X11].flag);
    add_words(&line, argv, argc);
    buf_printf(&line, " would give it %s%s", wants_network && wants_display ? "both" : "one",
               wants_display && !flag ? ", from a desktop" : "");
    if (wants_network)
        buf_printf(&line, " (instead of --%s, --%s HOST opens single hosts)",
                   settings[SET_NETWORK].flag, settings[SET_ALLOW_HOSTS].flag);
    notes_add(notes, NOTE_INFO, "%s", buf_cstr(&line));
}
