// SPDX-License-Identifier: GPL-3.0-only
/*
 * capabilities_parts: what the files of capabilities share.
 */
#pragma once

#include "policy/capabilities.h"

/* One capability being added. */
struct granting {
    struct plan *plan;
    struct environment_parts *parts;
    const struct config *config;
    const struct host *host;
    const char *project; /* canonical */
    struct notes *notes;
    const char *origin; /* who asked, for messages and the plan */
    char *runtime;      /* the host's runtime directory once it was found good, else NULL */
    bool is_runtime_judged;
};

/* Each opens what it can and returns true if something is open; otherwise it has said why not. */
bool grant_display(struct granting *granting);
bool grant_x11(struct granting *granting);
bool grant_audio(struct granting *granting);
bool grant_docker(struct granting *granting);
bool grant_tailscale(struct granting *granting);
bool grant_systemd_user(struct granting *granting);
bool grant_ssh(struct granting *granting);

/* One warning, with who asked in front of it. */
void grant_refuse(const struct granting *granting, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Binds a socket of the host at dest if there is one at path, which lstat(2) and not a link must say;
 * owner: whose it must be, (uid_t)-1: anybody's. */
struct plan_entry *grant_socket(const struct granting *granting, const char *path, const char *dest,
                                uid_t owner);
/* A device node or a directory of some, at its own path. */
bool grant_device(const struct granting *granting, const char *path, enum fs_type type);
/* True if --hide-dotdir names the first component of a path below HOME; says so. */
bool grant_is_hidden(const struct granting *granting, const char *below_home);
/* "/run/user/UID/NAME", where the jail has it. malloc'ed. */
char *grant_inside(const struct granting *granting, const char *name);
void grant_variable(const struct granting *granting, const char *name, const char *value);
