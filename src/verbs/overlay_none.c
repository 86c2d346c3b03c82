// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_none: --overlay-list and its like on macOS, where there are no overlays.
 */
#include "verbs/verbs.h"

#include <errno.h>

int verb_overlay(const struct verb_call *call, struct error *error)
{
    (void)call;
    return error_set(error, ENOTSUP,
                     "there are no overlays on macOS: --%s shows a directory read-only there",
                     settings[SET_OVERLAY_MAPS].flag);
}
