// SPDX-License-Identifier: GPL-3.0-only
/*
 * browsers: a browser keeps its profile where the jail decides, not in HOME.
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
    char *name;  /* effective name, also of the directory; NULL with BROWSER_NONE */
    char *state; /* absolute path inside; BROWSER_SOFT: the same on the host */
};

void browser_free(struct browser *browser);

/*
 * Decides from browser_profile, lockdown and the name of the command; a name that is said by an
 * untrusted project can only make it stricter. Creates nothing. 0, or -EINVAL with the reason: a
 * name that cannot be a directory, --downloads without a browser or of something that is no
 * directory.
 */
int browser_decide(struct browser *browser, const struct config *config, const struct host *host,
                   const struct strv *argv, struct notes *notes, struct error *error);
/* Directory of the kept profiles; malloc'ed. */
char *browser_store(const struct host *host);
