// SPDX-License-Identifier: GPL-3.0-only
/*
 * browsers: a browser keeps its profile where the jail decides, not in HOME.
 *
 * What the mode drops of a configuration is in the table of tighten; here is what it adds.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/environment.h"
#include "policy/plan.h"

enum browser_profile {
    BROWSER_NONE, /* the command is no browser, or is not treated as one */
    BROWSER_HARD, /* thrown away at the end */
    BROWSER_SOFT, /* kept, apart from the real one */
};

enum browser_family { BROWSER_UNKNOWN, BROWSER_CHROMIUM, BROWSER_FIREFOX };

struct browser {
    enum browser_profile profile;
    enum browser_family family;
    char *name;          /* effective name, also of the directory; NULL with BROWSER_NONE */
    char *state;         /* absolute path inside; BROWSER_SOFT: the same on the host */
    char *prefs;         /* BROWSER_FIREFOX: text of user.js in state */
    char *downloads;     /* canonical; NULL: none */
    unsigned proxy_port; /* where the network is filtered */
};

void browser_free(struct browser *browser);

/* "hard", "soft" or "off": static text. */
const char *browser_profile_name(enum browser_profile profile);
/* What browser_profile and the name of the command ask for; lockdown and trust are not looked at. */
enum browser_profile browser_asked(const struct config *config, const struct strv *argv);

/*
 * Decides from browser_profile, lockdown and the name of the command; a name that is said by an
 * untrusted project can only make it stricter. Creates nothing. 0, or -EINVAL with the reason: a
 * name that cannot be a directory, --downloads without a browser.
 */
int browser_decide(struct browser *browser, const struct config *config, const struct host *host,
                   const struct strv *argv, struct notes *notes, struct error *error);

/* Puts the words in that make the browser use the state and the network that it has (before the first
 * "--" of the user's own), and says what they give up. No browser: nothing. */
void browser_extend(const struct browser *browser, struct strv *argv, const struct config *config,
                    enum network_mode network, struct notes *notes);

/* Adds state, preferences and --downloads. 0, or -errno with the reason. No browser: nothing. */
int browser_add(struct browser *browser, struct plan *plan, const struct config *config,
                const struct host *host, const char *project, enum network_mode network,
                struct error *error);
/* Of ai-jail's own directories a jail shows nothing, but this state: own (canonical, on the host) is
 * emptied around it where a bind shows it. Call behind everything that binds. */
void browser_uncover(const struct browser *browser, struct plan *plan, const char *own);

/* Directory of the kept profiles, canonical as far as it exists; malloc'ed. Locks and what is being
 * removed lie beside it. */
char *browser_store(const struct host *host);

/* True if the words ask a browser for something that needs no display. */
bool browser_is_headless(const struct strv *argv);
/* The same: that needs nothing at all, such as --version. */
bool browser_only_tells(const struct strv *argv);
