// SPDX-License-Identifier: GPL-3.0-only
/*
 * hello: the server name in a TLS ClientHello (RFC 8446, 4.1.2; RFC 6066, 3).
 *
 * Records and fragments are put together up to HELLO_MAX. The bytes themselves are passed on by the
 * caller, unchanged, once the verdict is there.
 */
#pragma once

#include "net/target.h"

#define HELLO_MAX            (64 * KIB)
#define HELLO_MESSAGE_HEADER 4 /* of a handshake message: type, length */

enum hello_verdict {
    HELLO_MORE,     /* needs more bytes */
    HELLO_NAME,     /* exactly one host name, in name */
    HELLO_NO_NAME,  /* a ClientHello without a server name */
    HELLO_NOT_TLS,  /* no ClientHello, a broken one, or larger than HELLO_MAX */
    HELLO_BAD_NAME, /* several names, or one that is no host name */
};

/* How far the records have been read; starts zeroed. */
struct hello {
    size_t at;      /* bytes behind which it goes on */
    size_t left;    /* of the record there; 0: a record begins */
    size_t carried; /* bytes of the message in the records so far */
    size_t whole;   /* of the message; 0: not known yet */
    uint8_t header[HELLO_MESSAGE_HEADER];
};

/* bytes: everything that the client has sent so far, from the first byte on; hello is kept from call
 * to call until the verdict is another than HELLO_MORE. name: of the verdict HELLO_NAME, folded;
 * size > TARGET_NAME_MAX. */
enum hello_verdict hello_judge(struct hello *hello, const uint8_t *bytes, size_t len, char *name,
                               size_t size);
