// SPDX-License-Identifier: GPL-3.0-only
/*
 * doctor_tls: the library that --secret and proxies of https:// need, with the trust store that it would
 * use, and the handshake with such a proxy.
 */
#include "base/os.h"
#include "net/tls.h"
#include "verbs/doctor.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>

/* More than the longest chain of certificates that a proxy sends. */
#define HANDSHAKE_MAX (256 * KIB)

static int load(struct tls **tls, const struct doctor *doctor, struct error *why)
{
    const char *file = doctor->has_host ? host_getenv(&doctor->host, "SSL_CERT_FILE") : NULL;
    const char *dir = doctor->has_host ? host_getenv(&doctor->host, "SSL_CERT_DIR") : NULL;

    return tls_load(tls, file, dir, why);
}

void doctor_check_tls(struct doctor *doctor)
{
    struct error why = {0};
    struct tls *tls = NULL;

    if (load(&tls, doctor, &why) < 0)
        doctor_add(doctor, "tls", DOCTOR_DEGRADED,
                   "only --secret and proxies of https:// need it; on Debian: apt install libssl3",
                   "%s", why.text);
    else
        doctor_add(doctor, "tls", DOCTOR_OK, NULL, "%s", tls_version(tls));
    tls_free(tls);
}

static bool send_all(int fd, struct buf *out)
{
    while (out->len) {
        ssize_t n = send(fd, out->data, out->len, os_send_quietly);

        if (n < 0 && errno != EINTR)
            return false;
        buf_consume(out, n > 0 ? (size_t)n : 0);
    }
    return true;
}

/* One turn: what is to be said, what is answered. 1: done, 0: go on, -EPROTO. */
static int take_turn(struct tls_session *session, int fd, struct buf *out, struct error *why)
{
    uint8_t bytes[4096];
    int r = tls_handshake(session);
    ssize_t n;

    if (tls_take(session, out) < 0 || !send_all(fd, out))
        return r < 0 ? error_set(why, EPROTO, "%s", tls_fault(session))
                     : error_set(why, EPROTO, "it ended the handshake");
    if (r != 0)
        return r > 0 ? 1 : error_set(why, EPROTO, "%s", tls_fault(session));
    do
        n = recv(fd, bytes, sizeof(bytes), 0);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return error_set(why, EPROTO, "it ended the handshake");
    return tls_feed(session, bytes, (size_t)n) < 0 ? error_set(why, EPROTO, "out of memory") : 0;
}

/* The end as TLS wants it, so that the proxy has nothing to complain of. */
static void take_leave(struct tls_session *session, int fd, struct buf *out)
{
    const struct timeval patience = {.tv_usec = 500000};
    uint8_t bytes[4096];

    tls_end(session);
    if (tls_take(session, out) < 0 || !send_all(fd, out) || shutdown(fd, SHUT_WR) < 0)
        return;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    for (size_t i = 0; i < 16 && recv(fd, bytes, sizeof(bytes), 0) > 0; i++)
        ;
}

int doctor_shake_hands(const struct doctor *doctor, int fd, const char *host, struct error *why)
{
    struct tls *tls = NULL;
    struct tls_session *session;
    struct buf out CLEANUP(buf_free);
    int r = load(&tls, doctor, why);

    if (r < 0)
        return r;
    buf_init(&out, HANDSHAKE_MAX);
    session = tls_open(tls, host);
    r = session ? 0 : error_set(why, ENOMEM, "out of memory");
    for (size_t turn = 0; r == 0 && turn < HANDSHAKE_MAX; turn++) /* each reads a byte at least */
        r = take_turn(session, fd, &out, why);
    if (r > 0)
        take_leave(session, fd, &out);
    tls_close(session);
    tls_free(tls);
    return r == 0 ? error_set(why, EPROTO, "it sends more than a handshake needs") : r < 0 ? r : 0;
}
