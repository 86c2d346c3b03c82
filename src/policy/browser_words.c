// SPDX-License-Identifier: GPL-3.0-only
/*
 * browser_words: the words that a browser is started with.
 *
 * Chromium's own sandbox makes user namespaces, which the jail refuses; without --no-sandbox it does
 * not start. It never asks a proxy for its own loopback, and that of the jail is what it reaches there.
 */
#include "policy/browsers.h"

#include <string.h>

static void push_chromium(struct strv *words, const struct browser *browser,
                          const struct config *config, bool is_headless, bool is_filtered)
{
    static const char *const always[] = {
        "--no-sandbox",
        "--test-type", /* no bar about the line above in every window */
        "--disable-crash-reporter",
        "--disable-breakpad",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-sync",
        "--password-store=basic",
    };
    static const char *const without_gpu[] = {
        "--disable-gpu",
        "--disable-gpu-compositing",
        "--disable-accelerated-video-decode",
        "--disable-accelerated-video-encode",
    };

    for (size_t i = 0; i < ARRAY_SIZE(always); i++)
        strv_push(words, always[i]);
    strv_pushf(words, "--user-data-dir=%s/data", browser->state);
    strv_pushf(words, "--disk-cache-dir=%s/cache", browser->state);
    for (size_t i = 0; !config_flag(config, SET_GPU) && i < ARRAY_SIZE(without_gpu); i++)
        strv_push(words, without_gpu[i]);
    /* It would look for an X server unless a desktop says that it has none. */
    if (config_flag(config, SET_DISPLAY) && !config_flag(config, SET_X11) && !is_headless)
        strv_push(words, "--ozone-platform=wayland");
    if (is_filtered)
        strv_pushf(words, "--proxy-server=http://127.0.0.1:%u", browser->proxy_port);
}

static void push_words(struct strv *words, const struct browser *browser,
                       const struct config *config, bool is_headless, enum network_mode network)
{
    switch (browser->family) {
    case BROWSER_CHROMIUM:
        push_chromium(words, browser, config, is_headless, network == NETWORK_FILTERED);
        break;
    case BROWSER_FIREFOX:
        strv_push(words, "--no-remote");
        strv_push(words, "--profile");
        strv_push(words, browser->state);
        break;
    case BROWSER_UNKNOWN:
        break;
    }
}

/* What the user has to know of this browser, in every start. */
static void note_family(const struct browser *browser, struct notes *notes)
{
    switch (browser->family) {
    case BROWSER_CHROMIUM:
        notes_add(notes, NOTE_SECURITY,
                  "%s runs without its own sandbox (--no-sandbox), which a jail cannot hold: its "
                  "pages are held by the jail, not from one another",
                  browser->name);
        break;
    case BROWSER_FIREFOX:
        notes_add(notes, NOTE_SECURITY,
                  "%s has its own sandbox but for the namespaces, which a jail does not allow: its "
                  "pages are held by the jail, and less than usual from one another",
                  browser->name);
        break;
    case BROWSER_UNKNOWN:
        notes_add(notes, NOTE_INFO,
                  "%s is no browser that ai-jail knows: it must be told itself to keep its profile "
                  "in %s",
                  browser->name, browser->state);
        break;
    }
}

void browser_extend(const struct browser *browser, struct strv *argv, const struct config *config,
                    enum network_mode network, struct notes *notes)
{
    _cleanup_strv_ struct strv words = {0};
    size_t at = 1;

    if (browser->profile == BROWSER_NONE)
        return;
    while (at < argv->n && !str_eq(argv->v[at], "--"))
        at++;
    for (size_t i = 0; i < at; i++)
        strv_push(&words, argv->v[i]);
    push_words(&words, browser, config, browser_is_headless(argv), network);
    for (size_t i = at; i < argv->n; i++)
        strv_push(&words, argv->v[i]);
    strv_free(argv);
    *argv = words;
    words = (struct strv){0};
    note_family(browser, notes);
}

/* One or two dashes in front of one of the names, with or without a value. */
static bool has_option(const struct strv *argv, const char *const *names)
{
    for (size_t i = 1; i < argv->n && !str_eq(argv->v[i], "--"); i++) {
        const char *name = argv->v[i];

        if (*name++ != '-')
            continue;
        name += *name == '-';
        for (const char *const *wanted = names; *wanted; wanted++)
            if (strncmp(name, *wanted, strlen(*wanted)) == 0 && strchr("=", name[strlen(*wanted)]))
                return true;
    }
    return false;
}

bool browser_only_tells(const struct strv *argv)
{
    static const char *const words[] = {"--version",         "-version", "--help", "-help",
                                        "--product-version", "-v",       "-V",     "-h"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strv_find(argv, words[i]) > 0)
            return true;
    return false;
}

bool browser_is_headless(const struct strv *argv)
{
    static const char *const names[] = {"headless", "screenshot", "dump-dom", "print-to-pdf", NULL};

    return has_option(argv, names) || browser_only_tells(argv);
}
