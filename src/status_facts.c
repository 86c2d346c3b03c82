// SPDX-License-Identifier: GPL-3.0-only
/*
 * status_facts: whether a run has a status row, and what it says.
 *
 * A badge stands for each wall that is missing and each door that is open, whoever opened it: the
 * option, the kernel, or the user id; one more for the strictest mode.
 */
#include "status_facts.h"

#include "base/buf.h"
#include "config/prefs.h"
#include "policy/hosts.h"

#include <stdlib.h>
#include <string.h>

#define COMMAND_MAX 4096 /* bytes of the command's words that are looked at */

/* Programs with a status row of their own. */
static bool is_inside_multiplexer(const struct host *host)
{
    static const char *const names[] = {"TMUX", "STY", "ZELLIJ"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *value = host_getenv(host, names[i]);

        if (value && *value)
            return true;
    }
    return false;
}

static struct prefs_place place_of(const struct host *host)
{
    return (struct prefs_place){
        .home = host->home,
        .environ_state = host_getenv(host, "XDG_STATE_HOME"),
        .project = host->cwd,
        .uid = host->uid,
    };
}

/* True with the style that the row is to have. */
static bool is_wanted(const struct config *config, const struct host *host, struct notes *notes,
                      const char **style)
{
    struct prefs_place place = place_of(host);
    struct prefs_bar bar;
    struct prefs prefs;

    if (config_flag(config, SET_EXEC) || config_flag(config, SET_TERMINAL_PASSTHROUGH) ||
        !host->is_tty[0] || !host->is_tty[1])
        return false;
    prefs_read(&prefs, &place, notes);
    bar = prefs_choose(config, &prefs);
    *style = bar.style;
    return bar.on && (bar.is_asked || !is_inside_multiplexer(host));
}

static char *join_words(const struct strv *words)
{
    struct buf text CLEANUP(buf_free);

    buf_init(&text, 2 * COMMAND_MAX);
    for (size_t i = 0; i < words->n && text.len < COMMAND_MAX; i++) {
        if (i)
            buf_append_byte(&text, ' ');
        buf_append(&text, words->v[i], strnlen(words->v[i], COMMAND_MAX - 1));
    }
    return buf_take_cstr(&text);
}

/* The home directory is written as ~. */
static char *short_directory(const struct policy *policy)
{
    const char *home = policy->host->home;
    size_t len = strlen(home);

    if (strncmp(policy->project, home, len) == 0 && policy->project[len] == '/')
        return xasprintf("~%s", policy->project + len);
    return xstrdup(policy->project);
}

static void add_badges(struct statusline_facts *line, const struct config *config,
                       const struct policy *policy)
{
    const struct {
        bool is_shown;
        const char *badge;
    } badges[] = {
        {policy->lockdown, "LOCKDOWN"},
        {policy->network == NETWORK_FULL, "NETWORK"},
        {config_flag(config, SET_INHERIT_ENV), "INHERITED-ENV"},
        {config_flag(config, SET_DOCKER), "DOCKER"},
        {!str_eq(config_word(config, SET_SSH), settings[SET_SSH].twin_word), "SSH"},
        {!policy->seccomp, "NO-SECCOMP"},
        {!policy->landlock || policy->host->landlock_abi == 0, "NO-LANDLOCK"},
        {!policy->rlimits, "NO-RLIMITS"},
        {policy->allow_debug, "DEBUG"},
        {!policy->private_home, "HOME"},
        {policy->by_root, "ROOT"},
    };
    size_t n = 0;

    static_assert(ARRAY_SIZE(badges) <= STATUSLINE_BADGES_MAX, "each badge has a place");
    for (size_t i = 0; i < ARRAY_SIZE(badges); i++)
        if (badges[i].is_shown)
            line->badges[n++] = badges[i].badge;
}

bool status_facts_build(struct status_facts *facts, const struct config *config,
                        const struct policy *policy, struct notes *notes)
{
    const char *style;

    *facts = (struct status_facts){0};
    /* What a browser shows is not in the terminal. */
    if (policy->browser.profile != BROWSER_NONE || !is_wanted(config, policy->host, notes, &style))
        return false;
    facts->directory = short_directory(policy);
    facts->command = join_words(&policy->argv);
    facts->line = (struct statusline_facts){
        .theme = style,
        .directory = facts->directory,
        .command = facts->command,
        .network = policy->network == NETWORK_FULL ? "host" : hosts_mode_name(policy->network),
    };
    add_badges(&facts->line, config, policy);
    return true;
}

void status_facts_free(struct status_facts *facts)
{
    free(facts->directory);
    free(facts->command);
}

void status_facts_remember(const struct config *config, const struct host *host,
                           struct notes *notes)
{
    struct prefs_place place = place_of(host);
    struct error error = {0};

    if (prefs_remember(config, &place, &error) < 0)
        notes_add(notes, NOTE_WARNING, "%s", error.text);
}
