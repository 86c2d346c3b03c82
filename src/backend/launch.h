// SPDX-License-Identifier: GPL-3.0-only
/*
 * launch: what to execute: the bubblewrap option list, the launcher's orders, and for every option
 * that needs a descriptor the description of what it must be. Pure; the session makes it real.
 */
#pragma once

#include "backend/orders.h"
#include "base/strv.h"
#include "policy/policy.h"

/* Placeholder words: an option's descriptor is not known yet, so its word is "@N", N being the
 * index into fds; the session replaces it, --dry-run prints the label. */
enum launch_fd_kind {
    LAUNCH_FD_DATA, /* sealed memfd with text */
    LAUNCH_FD_BIND, /* O_PATH of source, compared with st */
    LAUNCH_FD_SECCOMP,
    LAUNCH_FD_INFO, /* write end of a pipe */
};

struct launch_fd {
    enum launch_fd_kind kind;
    const struct plan_entry *entry; /* DATA and BIND: borrowed from the plan */
};

struct launch {
    struct strv words; /* bubblewrap options, without the program and without "-- COMMAND" */
    struct launch_fd *fds;
    size_t fd_count;
    struct orders orders; /* strings borrowed from policy except rules */
    int seccomp_program;  /* enum seccomp_program, -1: none */
};

/* Fails when the plan has more than 9000 words. The policy must outlive the launch. */
int launch_build(struct launch *launch, const struct policy *policy, struct error *error);
void launch_free(struct launch *launch);

/* True if word number index is a placeholder; they stand in the order of fds. */
bool launch_is_fd_word(const struct launch *launch, size_t index);

/* --dry-run: text or JSON for stdout, malloc'ed. */
char *launch_text(const struct launch *launch, const struct policy *policy);
char *launch_json(const struct launch *launch, const struct policy *policy);
