// SPDX-License-Identifier: GPL-3.0-only
/*
 * doctor_tls: the library that --secret alone needs, with the trust store that it would use.
 */
#include "net/tls.h"
#include "verbs/doctor.h"

void doctor_check_tls(struct doctor *doctor)
{
    struct error why = {0};
    struct tls *tls = NULL;
    const char *file = doctor->has_host ? host_getenv(&doctor->host, "SSL_CERT_FILE") : NULL;
    const char *dir = doctor->has_host ? host_getenv(&doctor->host, "SSL_CERT_DIR") : NULL;

    if (tls_load(&tls, file, dir, &why) < 0)
        doctor_add(doctor, "tls", DOCTOR_DEGRADED,
                   "only --secret and proxies of https:// need it; on Debian: apt install libssl3",
                   "%s", why.text);
    else
        doctor_add(doctor, "tls", DOCTOR_OK, NULL, "%s", tls_version(tls));
    tls_free(tls);
}
