// SPDX-License-Identifier: GPL-3.0-only
/*
 * seatbelt_parts: what the files about the profile share.
 *
 *   seatbelt.c         sections 1 to 7: everything but files
 *   seatbelt_grants.c  what may be read, written and connected to
 *   seatbelt_denies.c  what is taken out of that again
 *   seatbelt_places.c  of that, what does not depend on masks
 *   seatbelt_text.c    how it is written
 *   seatbelt_show.c    --dry-run
 */
#pragma once

#include "backend/seatbelt.h"
#include "backend/seatbelt_text.h"
#include "base/path_table.h"

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

/* ---- denies ---- */

#define SEATBELT_EVERYTHING "deny file-read* file-write*"
#define SEATBELT_CONTENT    "deny file-read-data file-write*"
#define SEATBELT_CHANGES    "deny file-write*"

struct seatbelt_denying {
    struct seatbelt_text *text;
    const struct policy *policy;
    const struct seatbelt_grants *grants;
    struct strv pins; /* directories that must keep their name */
    struct path_table is_pinned;
};

/* Puts rows 0 to 3. */
void seatbelt_deny_places(struct seatbelt_denying *denying);

/* Denies path and what lies below it, but not what the filters of but match. Directories between the two can
 * still be looked at, if the head denies looking. */
void seatbelt_deny_tree(struct seatbelt_denying *denying, const char *head, const char *path,
                        const struct seatbelt_filters *but);

/* Every directory from the writable ones down to the one that holds path must keep its name. */
void seatbelt_pin_above(struct seatbelt_denying *denying, const char *path);

/* ---- questions ---- */

/* True if the command is that agent and has its state on the host. */
bool seatbelt_has_state_of(const struct policy *policy, const char *agent);
/* True if it may use the keychain of the login. */
bool seatbelt_has_keychain(const struct policy *policy);
/* The only files of ~/Library/Keychains that it may then write: an expression, malloc'ed. */
char *seatbelt_keychain_files(const struct policy *policy);
