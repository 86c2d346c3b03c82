// SPDX-License-Identifier: GPL-3.0-only
/*
 * init: not there yet.
 */
#include "verbs/verbs.h"

#include <errno.h>

int verb_init(const struct verb_call *call, struct notes *notes, struct error *error)
{
    (void)call;
    (void)notes;
    return error_set(error, ENOSYS, "not there yet");
}

void verb_init_auto_save(const struct gathered *gathered, const struct args *args,
                         const struct host *host, struct notes *notes)
{
    (void)gathered;
    (void)args;
    (void)host;
    (void)notes;
}
