// SPDX-License-Identifier: GPL-3.0-only
/*
 * tls: the client's side of TLS: for the hosts that credentials are sent to, and for proxies of the
 * host that want it.
 *
 * Bytes in, bytes out: no socket. What arrives from the server goes into tls_feed(), what is to be
 * sent to it comes out of tls_take(); in between are the handshake and the two directions of text.
 * The certificate and the name of the server are verified against the trust store of this machine;
 * SSL_CERT_FILE and SSL_CERT_DIR add to it, as for every program that uses OpenSSL.
 *
 * The library is OpenSSL 3, opened only where it is wanted: any other run never maps it.
 * The only user of its headers.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"

#include <sys/types.h>

struct tls;         /* the library and the trust store */
struct tls_session; /* one connection */

/*
 * Loads library and trust store: before the supervisor confines itself. cert_file, cert_dir: what
 * SSL_CERT_FILE and SSL_CERT_DIR say; NULL or "": unset. 0, or -errno with one line that names the
 * package, or the file.
 */
int tls_load(struct tls **tls, const char *cert_file, const char *cert_dir, struct error *error);
void tls_free(struct tls *tls);
/* "OpenSSL 3.0.19 ..."; borrowed. */
const char *tls_version(const struct tls *tls);

/* To the server of that name or address, HTTP/1.1; NULL if there is no memory. */
struct tls_session *tls_open(struct tls *tls, const char *host);
void tls_close(struct tls_session *session);

/* Bytes from the server. 0 or -ENOMEM. */
int tls_feed(struct tls_session *session, const void *bytes, size_t len);
/* Appends what the server is to get. 0, or -ENOSPC where out is full: the rest comes next time. */
int tls_take(struct tls_session *session, struct buf *out);
/* 1: done and the server is who it should be; 0: needs more bytes; -EPROTO: tls_fault() tells why.
 * Either way tls_take() may have bytes for the server. */
int tls_handshake(struct tls_session *session);
/* Text for the server. 0 or -EPROTO. */
int tls_write(struct tls_session *session, const void *bytes, size_t len);
/* Nothing more is written: tls_take() has what the server is to hear of that. */
void tls_end(struct tls_session *session);
/* Text of the server: bytes, 0 if there is none now, -EPIPE at its end, -EPROTO. */
ssize_t tls_read(struct tls_session *session, void *bytes, size_t size);
/* Why it failed; static text, "" if it did not. */
const char *tls_fault(const struct tls_session *session);
