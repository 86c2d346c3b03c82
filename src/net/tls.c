// SPDX-License-Identifier: GPL-3.0-only
/*
 * tls: the client's side of TLS, by OpenSSL over memory.
 *
 * The library is opened with dlopen(3) and called through a table, so that the program does not
 * depend on it. Only functions that every OpenSSL 3 has; what its headers make macros of is called
 * through the function below them.
 */
#include "net/tls.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_(macro)  #macro
#define TEXT(macro)   TEXT_(macro)
#define SSL_FILE      "libssl.so." TEXT(OPENSSL_SHLIB_VERSION)
#define CRYPTO_FILE   "libcrypto.so." TEXT(OPENSSL_SHLIB_VERSION)
#define PACKAGE       "libssl3" /* Debian 13 calls it libssl3t64, and knows this name, too */
#define CERTS_DIR_MAX 4096      /* files that are looked at in SSL_CERT_DIR */

/* clang-format off */
#define CRYPTO_CALLS(CALL) \
    CALL(BIO_ctrl) CALL(BIO_free) CALL(BIO_new) CALL(BIO_read) CALL(BIO_s_mem) CALL(BIO_write) \
    CALL(ERR_clear_error) CALL(ERR_peek_last_error) CALL(ERR_reason_error_string) \
    CALL(OpenSSL_version) CALL(X509_verify_cert_error_string)
#define SSL_CALLS(CALL) \
    CALL(OPENSSL_init_ssl) CALL(SSL_CTX_ctrl) CALL(SSL_CTX_free) CALL(SSL_CTX_load_verify_file) \
    CALL(SSL_CTX_new) CALL(SSL_CTX_set_alpn_protos) CALL(SSL_CTX_set_default_verify_paths) \
    CALL(SSL_CTX_set_verify) CALL(SSL_ctrl) CALL(SSL_do_handshake) CALL(SSL_free) \
    CALL(SSL_get_error) CALL(SSL_get_verify_result) CALL(SSL_new) CALL(SSL_read) \
    CALL(SSL_set1_host) CALL(SSL_set_bio) CALL(SSL_set_connect_state) CALL(SSL_shutdown) \
    CALL(SSL_write) CALL(TLS_client_method)
/* clang-format on */

#define MEMBER(name) __typeof__(name) *name;
struct tls {
    void *crypto; /* of dlopen() */
    void *ssl;
    SSL_CTX *context;
    CRYPTO_CALLS(MEMBER)
    SSL_CALLS(MEMBER)
};

struct tls_session {
    const struct tls *tls;
    SSL *ssl;
    BIO *in;  /* from the server; the SSL's, both */
    BIO *out; /* for it */
    const char *fault;
};

/* ---- loading ---- */

struct call {
    const char *name;
    size_t at; /* of the pointer, in struct tls */
};

#define CALL_ROW(name) {#name, offsetof(struct tls, name)},
static const struct call crypto_calls[] = {CRYPTO_CALLS(CALL_ROW)};
static const struct call ssl_calls[] = {SSL_CALLS(CALL_ROW)};

static bool find_calls(struct tls *tls, void *library, const struct call *calls, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        void *found = dlsym(library, calls[i].name);

        if (!found)
            return false;
        memcpy((char *)tls + calls[i].at, &found, sizeof(found));
    }
    return true;
}

static int open_library(struct tls *tls, struct error *error)
{
    tls->crypto = dlopen(CRYPTO_FILE, RTLD_NOW | RTLD_LOCAL);
    tls->ssl = tls->crypto ? dlopen(SSL_FILE, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!tls->ssl)
        return error_set(error, ENOENT,
                         "the TLS library cannot be loaded (" SSL_FILE "); install the package "
                         "%s of Debian, or OpenSSL 3 of your distribution",
                         PACKAGE);
    if (!find_calls(tls, tls->crypto, crypto_calls, ARRAY_SIZE(crypto_calls)) ||
        !find_calls(tls, tls->ssl, ssl_calls, ARRAY_SIZE(ssl_calls)))
        return error_set(error, ENOSYS, "the TLS library (" SSL_FILE ") is not OpenSSL 3");
    return 0;
}

static int select_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Now, not when a server asks: later the directory may be out of reach. */
static void load_dir(struct tls *tls, const char *dir)
{
    struct dirent **found = NULL;
    int n = scandir(dir, &found, select_file, NULL);

    for (int i = 0; i < n; i++) {
        _cleanup_free_ char *path = xasprintf("%s/%s", dir, found[i]->d_name);

        if (i < CERTS_DIR_MAX)
            tls->SSL_CTX_load_verify_file(tls->context, path);
        free(found[i]);
    }
    free(found);
    tls->ERR_clear_error();
}

static void load_dirs(struct tls *tls, const char *dirs)
{
    _cleanup_free_ char *copy = xstrdup(dirs);
    char *rest = copy;
    char *dir;

    while ((dir = strsep(&rest, ":")))
        if (dir[0])
            load_dir(tls, dir);
}

static int load_trust(struct tls *tls, const char *cert_file, const char *cert_dir,
                      struct error *error)
{
    if (!tls->SSL_CTX_set_default_verify_paths(tls->context))
        return error_set(error, ENOENT, "the trust store of this machine cannot be read");
    if (cert_file && cert_file[0] && !tls->SSL_CTX_load_verify_file(tls->context, cert_file))
        return error_set(error, EINVAL, "SSL_CERT_FILE %s: no certificates can be read from it",
                         cert_file);
    if (cert_dir)
        load_dirs(tls, cert_dir);
    tls->ERR_clear_error();
    return 0;
}

static int make_context(struct tls *tls, struct error *error)
{
    static const unsigned char http[] = "\x08http/1.1";

    if (!tls->OPENSSL_init_ssl(OPENSSL_INIT_LOAD_SSL_STRINGS | OPENSSL_INIT_LOAD_CRYPTO_STRINGS,
                               NULL))
        return error_set(error, EIO, "the TLS library does not start");
    tls->context = tls->SSL_CTX_new(tls->TLS_client_method());
    if (!tls->context ||
        !tls->SSL_CTX_ctrl(tls->context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL) ||
        tls->SSL_CTX_set_alpn_protos(tls->context, http, sizeof(http) - 1) != 0)
        return error_set(error, EIO, "the TLS library does not start");
    tls->SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, NULL);
    return 0;
}

int tls_load(struct tls **result, const char *cert_file, const char *cert_dir, struct error *error)
{
    struct tls *tls = xcalloc(1, sizeof(*tls));
    int r = open_library(tls, error);

    if (r == 0)
        r = make_context(tls, error);
    if (r == 0)
        r = load_trust(tls, cert_file, cert_dir, error);
    if (r < 0) {
        tls_free(tls);
        return r;
    }
    *result = tls;
    return 0;
}

/* The libraries stay open: they have handlers for the end of the process. */
void tls_free(struct tls *tls)
{
    if (!tls)
        return;
    if (tls->context)
        tls->SSL_CTX_free(tls->context);
    free(tls);
}

const char *tls_version(const struct tls *tls)
{
    return tls->OpenSSL_version(OPENSSL_VERSION);
}

/* ---- one connection ---- */

/* Addresses are no server names (RFC 6066, 3). */
static bool is_address(const char *host)
{
    uint8_t bytes[sizeof(struct in6_addr)];

    return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

struct tls_session *tls_open(struct tls *tls, const char *host)
{
    struct tls_session *session = xcalloc(1, sizeof(*session));

    session->tls = tls;
    session->fault = "";
    session->ssl = tls->SSL_new(tls->context);
    session->in = tls->BIO_new(tls->BIO_s_mem());
    session->out = tls->BIO_new(tls->BIO_s_mem());
    if (session->ssl && session->in && session->out) {
        tls->SSL_set_bio(session->ssl, session->in, session->out);
        tls->SSL_set_connect_state(session->ssl);
        if (tls->SSL_set1_host(session->ssl, host) &&
            (is_address(host) || tls->SSL_ctrl(session->ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME,
                                               TLSEXT_NAMETYPE_host_name, (void *)(uintptr_t)host)))
            return session;
    } else {
        tls->BIO_free(session->in);
        tls->BIO_free(session->out);
    }
    tls_close(session);
    return NULL;
}

void tls_close(struct tls_session *session)
{
    if (!session)
        return;
    session->tls->SSL_free(session->ssl);
    free(session);
}

int tls_feed(struct tls_session *session, const void *bytes, size_t len)
{
    return session->tls->BIO_write(session->in, bytes, (int)len) == (int)len ? 0 : -ENOMEM;
}

int tls_take(struct tls_session *session, struct buf *out)
{
    const struct tls *tls = session->tls;
    size_t len = (size_t)tls->BIO_ctrl(session->out, BIO_CTRL_PENDING, 0, NULL);
    uint8_t *room = buf_reserve(out, len);
    int n;

    if (len == 0)
        return 0;
    if (!room)
        return -ENOSPC;
    n = tls->BIO_read(session->out, room, (int)len);
    buf_commit(out, n > 0 ? (size_t)n : 0);
    return 0;
}

static void note_fault(struct tls_session *session)
{
    const struct tls *tls = session->tls;
    long verified = tls->SSL_get_verify_result(session->ssl);
    const char *reason;

    if (verified != X509_V_OK) {
        session->fault = tls->X509_verify_cert_error_string(verified);
        return;
    }
    reason = tls->ERR_reason_error_string(tls->ERR_peek_last_error());
    session->fault = reason ? reason : "TLS failed";
}

/* What a call that did not succeed means: 0 go on later, -EPIPE, -EPROTO. */
static int judge(struct tls_session *session, int result)
{
    const struct tls *tls = session->tls;
    int code = tls->SSL_get_error(session->ssl, result);

    if (code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE)
        return 0;
    if (code == SSL_ERROR_ZERO_RETURN)
        return -EPIPE;
    note_fault(session);
    return -EPROTO;
}

int tls_handshake(struct tls_session *session)
{
    int r;

    session->tls->ERR_clear_error();
    r = session->tls->SSL_do_handshake(session->ssl);
    if (r == 1)
        return session->tls->SSL_get_verify_result(session->ssl) == X509_V_OK ? 1 : -EPROTO;
    r = judge(session, r);
    return r < 0 ? -EPROTO : 0;
}

int tls_write(struct tls_session *session, const void *bytes, size_t len)
{
    int r;

    if (len == 0)
        return 0;
    session->tls->ERR_clear_error();
    r = session->tls->SSL_write(session->ssl, bytes, (int)len);
    if (r == (int)len)
        return 0;
    judge(session, r);
    return -EPROTO;
}

void tls_end(struct tls_session *session)
{
    session->tls->ERR_clear_error();
    session->tls->SSL_shutdown(session->ssl);
}

ssize_t tls_read(struct tls_session *session, void *bytes, size_t size)
{
    int r;

    session->tls->ERR_clear_error();
    r = session->tls->SSL_read(session->ssl, bytes, (int)size);
    return r > 0 ? r : judge(session, r);
}

const char *tls_fault(const struct tls_session *session)
{
    return session->fault;
}
