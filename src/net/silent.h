// SPDX-License-Identifier: GPL-3.0-only
/*
 * silent: names that the resolver of this host was silent about, or slow with.
 *
 * In a network that resolves its own names alone, questions about others are often dropped. Where
 * the host has a proxy that resolves them, waiting for an answer each time would make every
 * connection slow; so of a name that was waited for in vain that is known for a while. A name whose
 * answer came late is the opposite: there is one, and it is worth waiting for. Nothing is decided
 * by it but how long is waited. Pure.
 */
#pragma once

#include "net/target.h"

#define SILENT_NAMES_MAX 64
#define SILENT_MS        300000

enum silent_kind {
    SILENT_NOT,  /* nothing is known */
    SILENT_DEAD, /* no answer came */
    SILENT_LATE, /* one came when nobody waited for it any more */
};

struct silent_names {
    struct {
        char name[TARGET_NAME_MAX + 1]; /* "": free */
        enum silent_kind kind;
        uint64_t until_ms;
    } v[SILENT_NAMES_MAX];
    size_t next; /* that is taken for the next one: the oldest */
};

/* now_ms: of any clock that never goes back, the same for all calls. SILENT_NOT forgets the name. */
void silent_note(struct silent_names *names, const char *name, enum silent_kind kind,
                 uint64_t now_ms);
enum silent_kind silent_look(const struct silent_names *names, const char *name, uint64_t now_ms);
