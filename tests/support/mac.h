// SPDX-License-Identifier: GPL-3.0-only
/*
 * mac: the whole decision for a made-up Mac, from flags to the profile, for tests.
 *
 * The user is 501 with the home /Users/u, the project is /Users/u/proj. The run's directory for temporary
 * files, its terminal and the port of its proxy are fixed.
 */
#pragma once

#include "backend/seatbelt.h"
#include "config/args.h"
#include "support/fakefs.h"

#define MAC_HOME    "/Users/u"
#define MAC_PROJECT MAC_HOME "/proj"
#define MAC_TMP     "/private/var/folders/ab/cd/T/ai-jail-4242-0123456789abcdef"
#define MAC_TTY     "/dev/ttys007"
#define MAC_PORT    54321

struct mac {
    struct fakefs *fakefs;
    struct host host;
    struct args args;
    struct config config;
    struct policy policy;
    struct notes notes;
    struct error error;
    char *profile; /* NULL: refused, error says why */
};

/* tree: all of the file system, as fakefs has it. cwd: as it is spelled, NULL: the project. Both can be changed
 * before mac_build(), as can host. False if cwd is not there. */
bool mac_init(struct mac *mac, const char *tree, const char *cwd) MUST_CHECK;
/* words: the command line, "ai-jail" first. True if there is a profile. */
bool mac_build(struct mac *mac, const struct strv *words, bool has_tty);
void mac_free(struct mac *mac);

#define _cleanup_mac_ CLEANUP(mac_free)
