// SPDX-License-Identifier: GPL-3.0-only
/*
 * parent: the proxies of the host, through which everything goes that the host sends through them.
 *
 * Read from the variables that other programs read, too. Their credentials stay here: no function
 * tells them but parent_talk.h, and that to the proxy alone. Pure.
 */
#pragma once

#include "base/note.h"
#include "base/strv.h"
#include "net/target.h"

enum parent_kind { PARENT_HTTP, PARENT_SOCKS };

/* Of user and password; RFC 1929 has no room for more. */
#define PARENT_SECRET_MAX 255

struct parent {
    enum parent_kind kind;
    bool is_tls; /* it is spoken to by TLS, and must prove its name */
    struct target target;
    char *user; /* decoded; NULL: no credentials */
    char *password;
    const char *variable; /* that named it: static, both */
    const char *fault;    /* it is badly written: nothing is reached through it; NULL: it is not */
};

/* What is dialled directly. */
struct parent_exception {
    bool is_all;
    struct target
        target;      /* a name with everything below it, or the network's address; port 0: all */
    unsigned prefix; /* of an address */
};

struct parents {
    struct parent *web;   /* for port 80; NULL: directly */
    struct parent *other; /* for every other port */
    struct parent_exception *exceptions;
    size_t exception_count;
};

/* Reads NAME=VALUE of the host's environment. What cannot be used has a security note (without the
 * value, which may hold a password): of an unknown kind it counts as not said, badly written it has a
 * fault. parents is filled from scratch. */
void parents_read(struct parents *parents, const struct strv *environ, struct notes *notes);
void parents_free(struct parents *parents);

/* The proxy for a target; NULL: it is dialled directly. parents may be NULL. Borrowed. */
const struct parent *parents_for(const struct parents *parents, const struct target *target);

/* One of them is reached by TLS. */
bool parents_want_tls(const struct parents *parents);

/* "http://proxy.corp:3128", without credentials; size >= PARENT_TEXT_MAX. */
#define PARENT_TEXT_MAX (TARGET_TEXT_MAX + 16)
/* It has no fault. */
void parent_format(const struct parent *parent, char *text, size_t size);
/* What goes through which of them, in words without credentials; malloc'ed; NULL: nothing does. */
char *parents_describe(const struct parents *parents);
