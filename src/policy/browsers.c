// SPDX-License-Identifier: GPL-3.0-only
/*
 * browsers: which commands are browsers, and what kind of profile they get.
 *
 * The words that a browser is started with are in browser_words, its files in browser_files.
 */
#include "policy/browsers.h"

#include "base/path.h"
#include "config/wrapper.h"
#include "net/refusal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HARD_STATE "/tmp/ai-jail-browser-"
#define NAME_BYTES 200 /* with what stands before it, it is still one component */

static const struct known {
    const char *name;
    enum browser_family family;
    bool is_automatic; /* treated as a browser although nobody says so */
} known[] = {
    {"brave", BROWSER_CHROMIUM, true},
    {"brave-browser", BROWSER_CHROMIUM, true},
    {"chrome", BROWSER_CHROMIUM, false},
    {"chromium", BROWSER_CHROMIUM, true},
    {"chromium-browser", BROWSER_CHROMIUM, true},
    {"firefox", BROWSER_FIREFOX, true},
    {"firefox-bin", BROWSER_FIREFOX, false},
    {"firefox-esr", BROWSER_FIREFOX, true}, /* Debian's name */
    {"google-chrome", BROWSER_CHROMIUM, true},
    {"google-chrome-stable", BROWSER_CHROMIUM, true},
    {"librewolf", BROWSER_FIREFOX, true},
    {"microsoft-edge", BROWSER_CHROMIUM, false},
    {"vivaldi", BROWSER_CHROMIUM, false},
};

static const struct known *find_known(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (str_eq(known[i].name, name))
            return &known[i];
    return NULL;
}

void browser_free(struct browser *browser)
{
    free(browser->name);
    free(browser->state);
    free(browser->prefs);
    free(browser->downloads);
    *browser = (struct browser){0};
}

const char *browser_profile_name(enum browser_profile profile)
{
    static const char *const names[] = {
        [BROWSER_NONE] = "off", [BROWSER_HARD] = "hard", [BROWSER_SOFT] = "soft"};

    return names[profile];
}

enum browser_profile browser_asked(const struct config *config, const struct strv *argv)
{
    const char *word = config_word(config, SET_BROWSER_PROFILE);
    const struct known *row = find_known(wrapper_of(argv).name);

    for (enum browser_profile profile = BROWSER_NONE; profile <= BROWSER_SOFT; profile++)
        if (str_eq(word, browser_profile_name(profile)))
            return profile;
    return row && row->is_automatic ? BROWSER_HARD : BROWSER_NONE;
}

/* A directory is called after it. */
static int check_name(const char *name, struct error *error)
{
    if (name[0] == '\0' || str_eq(name, ".") || str_eq(name, "..") || strchr(name, '/'))
        return error_set(
            error, EINVAL,
            "a browser profile cannot be called after the command \"%s\": it is not the "
            "name of a program",
            name);
    if (strlen(name) > NAME_BYTES)
        return error_set(error, EINVAL,
                         "a browser profile cannot be called after a command with more than %d "
                         "bytes in its name",
                         NAME_BYTES);
    return 0;
}

/* A kept profile holds logins: neither the strictest mode nor a program that a stranger chose gets
 * one. */
static void demote(struct browser *browser, const struct config *config, struct notes *notes)
{
    const struct value *said = &config->values[SET_COMMAND];
    bool is_strangers = said->list.n && said->origins[0].is_untrusted;
    _cleanup_free_ char *spelling = config_spelling(config, SET_BROWSER_PROFILE);
    const char *why = config_flag(config, SET_LOCKDOWN) ? "lockdown keeps nothing"
                      : is_strangers ? "a project that is not trusted chose the command"
                                     : NULL;

    if (browser->profile != BROWSER_SOFT || !why)
        return;
    browser->profile = BROWSER_HARD;
    notes_add(notes, NOTE_SECURITY, "%s: the profile of %s is thrown away at the end: %s", spelling,
              browser->name, why);
}

int browser_decide(struct browser *browser, const struct config *config, const struct host *host,
                   const struct strv *argv, struct notes *notes, struct error *error)
{
    const char *name = wrapper_of(argv).name;
    const struct known *row = find_known(name);
    int r;

    *browser = (struct browser){.profile = browser_asked(config, argv)};
    if (browser->profile == BROWSER_NONE) {
        if (!config_text(config, SET_DOWNLOADS))
            return 0;
        return error_set(error, EINVAL,
                         "--%s: %s is not started as a browser; --%s starts it as one, --%s DIR "
                         "shows a directory to any command",
                         settings[SET_DOWNLOADS].flag, name, settings[SET_BROWSER_PROFILE].flag,
                         settings[SET_RW_MAPS].flag);
    }
    r = check_name(name, error);
    if (r < 0)
        return r;
    browser->name = xstrdup(name);
    browser->proxy_port = host->macos.is_on ? host->macos.port : PROXY_PORT;
    browser->family = row ? row->family : BROWSER_UNKNOWN;
    demote(browser, config, notes);
    if (browser->profile == BROWSER_SOFT) {
        _cleanup_free_ char *store = browser_store(host);

        browser->state = path_join(store, name);
    } else if (host->macos.is_on) {
        browser->state = xasprintf("%s/browser-%s", host->macos.tmp, name);
    } else {
        browser->state = xasprintf(HARD_STATE "%s", name);
    }
    return 0;
}
