// SPDX-License-Identifier: GPL-3.0-only
/*
 * hello: the server name in a TLS ClientHello (RFC 8446, 4.1.2; RFC 6066, 3).
 *
 * Records and fragments are put together up to HELLO_MAX. The bytes themselves are passed on by the
 * caller, unchanged, once the verdict is there.
 */
#pragma once

#include "net/target.h"

#define HELLO_MAX (64 * KIB)

enum hello_verdict {
    HELLO_MORE,     /* needs more bytes */
    HELLO_NAME,     /* exactly one host name, in name */
    HELLO_NO_NAME,  /* a ClientHello without a server name */
    HELLO_NOT_TLS,  /* no ClientHello, a broken one, or larger than HELLO_MAX */
    HELLO_BAD_NAME, /* several names, or one that is no host name */
};

/* bytes: everything that the client has sent so far, from the first byte on. name: of the verdict
 * HELLO_NAME, folded; size > TARGET_NAME_MAX. */
enum hello_verdict hello_judge(const uint8_t *bytes, size_t len, char *name, size_t size);
