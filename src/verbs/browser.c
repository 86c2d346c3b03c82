// SPDX-License-Identifier: GPL-3.0-only
/*
 * browser: --browser-list and --browser-forget, over the kept profiles.
 */
#include "verbs/verbs.h"

#include <errno.h>

int verb_browser(const struct verb_call *call, struct error *error)
{
    (void)call;
    return error_set(error, ENOTSUP, "browser profiles cannot be listed yet");
}
