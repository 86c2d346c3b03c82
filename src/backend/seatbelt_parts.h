// SPDX-License-Identifier: GPL-3.0-only
/*
 * seatbelt_parts: what the files about the profile share.
 *
 *   seatbelt.c         sections 1 to 7: everything but files
 *   seatbelt_grants.c  what may be read, written and connected to
 *   seatbelt_denies.c  what is taken out of that again
 *   seatbelt_text.c    how it is written
 *   seatbelt_show.c    --dry-run
 */
#pragma once

#include "backend/seatbelt.h"
#include "backend/seatbelt_text.h"

/* What the policy permits, by what it does. */
struct seatbelt_grants {
    struct seatbelt_filters reads;
    struct seatbelt_filters writes;
    struct seatbelt_filters sockets;   /* below these the command may have sockets of its own */
    struct seatbelt_filters services;  /* sockets of others that it may use like files, too */
    struct seatbelt_filters connected; /* sockets of others that it may connect to */
    struct seatbelt_filters nodes;     /* directories and links that one passes on the way */
    struct strv roots;                 /* writable directories */
};

void seatbelt_grants_collect(struct seatbelt_grants *grants, const struct policy *policy);
void seatbelt_grants_free(struct seatbelt_grants *grants);
#define _cleanup_grants_ CLEANUP(seatbelt_grants_free)

/* Sections "reads", "writes", "sockets of capabilities". */
void seatbelt_put_grants(struct seatbelt_text *text, const struct policy *policy,
                         const struct seatbelt_grants *grants);
/* Section "denies". */
void seatbelt_put_denies(struct seatbelt_text *text, const struct policy *policy,
                         const struct seatbelt_grants *grants);

/* True if the command is that agent and has its state on the host. */
bool seatbelt_has_state_of(const struct policy *policy, const char *agent);
/* True if it may use the keychain of the login. */
bool seatbelt_has_keychain(const struct policy *policy);
/* The only files of ~/Library/Keychains that it may then write: an expression, malloc'ed. */
char *seatbelt_keychain_files(const struct policy *policy);
