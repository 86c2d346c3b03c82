// SPDX-License-Identifier: GPL-3.0-only
/*
 * credential: values that the jail has placeholders of.
 *
 * The command sees AIJAIL-PHANTOM- and 32 random digits; the proxy puts the value in where a request
 * goes to a host that the key is bound to. Here is what is done with bytes: finding placeholders and
 * replacing them in the values of a head. Pure: no socket.
 */
#pragma once

#include "base/buf.h"
#include "base/strv.h"

#define PLACEHOLDER_PREFIX     "AIJAIL-PHANTOM-"
#define PLACEHOLDER_RANDOM     16 /* bytes, two digits each */
#define PLACEHOLDER_LEN        (sizeof(PLACEHOLDER_PREFIX) - 1 + 2 * (size_t)PLACEHOLDER_RANDOM)
#define CREDENTIAL_VALUE_MIN   8
#define CREDENTIAL_VALUE_MAX   4096
#define CREDENTIALS_MAX        32
#define CREDENTIAL_BODY_MAX    (64 * KIB) /* of a body, that is looked at */
#define CREDENTIAL_REQUEST_MAX (64 * KIB) /* of a head with values in it */

struct credential {
    char *key;   /* name of the variable */
    char *value; /* of vault.h */
    char placeholder[PLACEHOLDER_LEN + 1];
    struct strv hosts; /* folded names */
};

struct credentials {
    struct credential v[CREDENTIALS_MAX];
    size_t n;
};

void credentials_free(struct credentials *list);
/* Fills credential->placeholder from PLACEHOLDER_RANDOM bytes. */
void credential_set_placeholder(struct credential *credential, const uint8_t *random);

/* True if some key is bound to exactly this host (folded). */
bool credentials_have_host(const struct credentials *list, const char *host);

/* The first placeholder in bytes whose key is not bound to host, or NULL. host NULL: to no host. */
const struct credential *credentials_stray(const struct credentials *list, const char *host,
                                           const void *bytes, size_t len);

/* The same for bytes that come in pieces, whichever way they are cut. */
struct credential_scan {
    uint8_t tail[PLACEHOLDER_LEN - 1]; /* of what was seen: a placeholder may begin there */
    size_t tail_len;
    uint64_t seen;
};
const struct credential *credential_scan(const struct credentials *list,
                                         struct credential_scan *scan, const char *host,
                                         const uint8_t *bytes, size_t len);

/*
 * Appends the head of a request (whole, its lines ended by CRLF) to out, with the values for host in
 * place of their placeholders: in the values of headers, where a placeholder stands as a whole token.
 * Bit i of *used is set where the key list->v[i] was put in. 0 or -ENOSPC.
 */
int credentials_insert(const struct credentials *list, const char *host, const char *head,
                       size_t len, struct buf *out, uint32_t *used);
