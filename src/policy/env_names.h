// SPDX-License-Identifier: GPL-3.0-only
/*
 * env_names: what happens to an inherited variable, by its name.
 */
#pragma once

#include "base/base.h"

enum env_treatment {
    ENV_UNKNOWN,     /* passed by --inherit-env only */
    ENV_COPY,        /* always */
    ENV_NEVER,       /* not even by --inherit-env; --env may name it */
    ENV_CERTIFICATE, /* file of certificates: copied, and made visible */
    ENV_CERT_DIRS,   /* directories of certificates: visible ones are copied */
    ENV_XDG_HOME,    /* copied if it lies below HOME */
    ENV_XDG_DIRS,    /* list of directories, pruned to visible ones */
    ENV_PROXY,       /* by the network mode, never with user and password */
    ENV_PROXY_LIKE,  /* the same, but passed by --inherit-env only */
    ENV_TOOL_DIR,    /* where a tool is: passed if it is there inside */
    ENV_TOOL_HOME,   /* where a tool keeps what it writes: passed if it can be written inside */
    ENV_TREATMENT_COUNT
};

/* name is len bytes long and need not be terminated. */
enum env_treatment env_treatment_of(const char *name, size_t len);
