// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay: not there yet.
 */
#include "verbs/verbs.h"

#include <errno.h>

int verb_overlay(const struct verb_call *call, struct error *error)
{
    (void)call;
    return error_set(error, ENOSYS, "not there yet");
}
