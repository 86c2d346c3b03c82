// SPDX-License-Identifier: GPL-3.0-only
/*
 * browsers: see browsers.h.
 */
#include "policy/browsers.h"

#include "base/path.h"

#include <stdlib.h>

void browser_free(struct browser *browser)
{
    free(browser->name);
    free(browser->state);
    *browser = (struct browser){0};
}

int browser_decide(struct browser *browser, const struct config *config, const struct host *host,
                   const struct strv *argv, struct notes *notes, struct error *error)
{
    (void)config, (void)host, (void)argv, (void)notes, (void)error;
    *browser = (struct browser){.profile = BROWSER_NONE};
    return 0;
}

char *browser_store(const struct host *host)
{
    return path_join(host->home, ".local/share/ai-jail/browsers");
}
