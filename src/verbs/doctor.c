// SPDX-License-Identifier: GPL-3.0-only
/*
 * doctor: not there yet.
 */
#include "verbs/verbs.h"

#include <errno.h>

int verb_doctor(const struct args *args, struct error *error)
{
    (void)args;
    return error_set(error, ENOSYS, "not there yet");
}
