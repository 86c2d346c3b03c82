// SPDX-License-Identifier: GPL-3.0-only
/*
 * parent_talk: what is said between us and a parent proxy until it is a tunnel.
 *
 * CONNECT (RFC 9110, 9.3.6) with Basic credentials (RFC 7617), or SOCKS5 (RFC 1928) with user and
 * password (RFC 1929); always with the name, so that the parent decides by it, too. Never takes a
 * byte behind its own part: those belong to the tunnel. Pure.
 */
#pragma once

#include "base/buf.h"
#include "net/parent.h"

#define PARENT_REPLY_MAX (16 * KIB)

enum parent_talk_state {
    PARENT_TALK_MORE, /* out has to be sent; then up to parent_talk_wants() bytes be read */
    PARENT_TALK_OPEN,
    PARENT_TALK_FAILED,
};

struct parent_talk {
    const struct parent *parent; /* borrowed, both */
    const struct target *target;
    enum parent_talk_state state;
    unsigned step;
    struct buf in;
    struct buf out;
    int status; /* what it answered: of HTTP, or the reply of SOCKS5; 0: nothing that can be read */
};

/* talk is filled from scratch. */
void parent_talk_start(struct parent_talk *talk, const struct parent *parent,
                       const struct target *target);
/* How many bytes may be read at most now; at least 1 while the state is PARENT_TALK_MORE. */
size_t parent_talk_wants(const struct parent_talk *talk);
/* len <= parent_talk_wants(). */
void parent_talk_feed(struct parent_talk *talk, const uint8_t *bytes, size_t len);
/* Credentials that were put into out are wiped. Idempotent; a zeroed struct is fine. */
void parent_talk_free(struct parent_talk *talk);
