// SPDX-License-Identifier: GPL-3.0-only
/*
 * json_check: whether bytes are one complete JSON object (RFC 8259), and nothing else.
 *
 * For bytes that others have written: strict, without memory of its own beyond the struct, without
 * recursion. It says yes or no and keeps nothing of what it reads.
 */
#pragma once

#include "base/base.h"

#define JSON_CHECK_DEPTH_MAX 512 /* objects and arrays inside one another */

struct json_check {
    uint8_t state;
    uint8_t left;     /* hexadecimal digits of \u, or bytes of a word that are still due */
    uint8_t utf8_low; /* what the next byte of a character may be */
    uint8_t utf8_high;
    const char *word; /* "true" ... and where in it we are */
    uint16_t depth;
    bool is_key;                                 /* the string is the name of a member */
    uint8_t is_object[JSON_CHECK_DEPTH_MAX / 8]; /* a bit for each level */
};

void json_check_init(struct json_check *check);
/* Takes the next bytes, in pieces of any size. False: it is no JSON object, whatever follows. */
bool json_check_feed(struct json_check *check, const void *bytes, size_t len);
/* True if what was fed is one complete object. */
bool json_check_is_complete(const struct json_check *check);
