// SPDX-License-Identifier: GPL-3.0-only
/*
 * bootstrap: --bootstrap.
 */
#include "verbs/verbs.h"

#include <errno.h>

int verb_bootstrap(const struct verb_call *call, struct error *error)
{
    (void)call;
    return error_set(error, ENOTSUP, "--bootstrap cannot be done by this version");
}
