// SPDX-License-Identifier: GPL-3.0-only
/*
 * doctor: what the checks of --doctor share.
 *
 * A check does the thing that a run would do and says what came of it. It adds one line for each
 * thing tried; it never fails itself.
 */
#pragma once

#include "config/args.h"
#include "host.h"

enum doctor_state { DOCTOR_OK, DOCTOR_DEGRADED, DOCTOR_MISSING };

struct doctor_check {
    const char *id; /* static */
    enum doctor_state state;
    char *detail; /* what was found */
    char *fix;    /* what to do; NULL when nothing is */
};

struct doctor {
    struct doctor_check *v;
    size_t n;
    const struct args *args;
    struct host host;
    bool has_host;
    bool has_bwrap;
};

/* Adds a line; detail is formatted, fix (static or NULL) copied. */
void doctor_add(struct doctor *doctor, const char *id, enum doctor_state state, const char *fix,
                const char *detail, ...) PRINTF_LIKE(5, 6);

/* Runs step in a process of its own, which it may ruin. Its answer: 0 or an errno; ETIMEDOUT after
 * 10 s, EFAULT if it died. */
int doctor_in_child(int (*step)(void *arg), void *arg);

/* doctor_bwrap.c: bubblewrap and what it needs from the kernel, by running it. */
void doctor_check_bwrap(struct doctor *doctor);
/* doctor_kernel.c: overlays, entering namespaces, Landlock, the system call filter, inotify. */
void doctor_check_kernel(struct doctor *doctor);
/* doctor_tls.c: the library for --secret and proxies of https://. */
void doctor_check_tls(struct doctor *doctor);
/* Shakes hands over fd, which is connected, with a server that must prove to be host: 0, or -errno with
 * the reason. May block for ever. */
int doctor_shake_hands(const struct doctor *doctor, int fd, const char *host, struct error *why);
/* doctor_files.c: the project directory, the configuration, our own files, the terminal. */
void doctor_check_files(struct doctor *doctor);
void doctor_check_terminal(struct doctor *doctor);
/* doctor_net.c: the proxies that the host's environment names. No line where it names none. */
void doctor_check_parents(struct doctor *doctor);
/* doctor_jail.c: a real jail, tried from inside. */
void doctor_check_jail(struct doctor *doctor);
