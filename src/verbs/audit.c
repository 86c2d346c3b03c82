// SPDX-License-Identifier: GPL-3.0-only
/*
 * audit: --audit-show, --audit-verify.
 */
#include "verbs/verbs.h"

#include <errno.h>

int verb_audit(const struct args *args, struct error *error)
{
    (void)args;
    return error_set(error, ENOTSUP, "the audit log cannot be read by this version");
}
