// SPDX-License-Identifier: GPL-3.0-only
/*
 * audit_record: one line of the audit log: made, cut to size, read back, chained. Pure.
 *
 * The file belongs to the user, who may have done anything to it: what reads it takes it as hostile.
 */
#pragma once

#include "base/buf.h"

#include <jansson.h>

#define AUDIT_RECORD_MAX (64 * KIB) /* a line without its newline */
#define AUDIT_HASH_SIZE  65         /* SHA-256 in lower-case hex, and NUL */

/* The place behind a record, which the next one continues. Before the first: audit_link_first. */
struct audit_link {
    uint64_t seq;
    char hash[AUDIT_HASH_SIZE];
};
extern const struct audit_link audit_link_first;

/* The hash of a line without its newline. */
void audit_hash(const void *line, size_t len, char hash[AUDIT_HASH_SIZE]);

/* Bytes from outside as a JSON string, escaped as in every other output (base/log.h); NULL gives
 * null. Longer ones are cut later. */
json_t *audit_text(const char *bytes);

/* The line of a record, without a newline, at most AUDIT_RECORD_MAX bytes: longer strings and arrays
 * are cut, and "cut":true tells it. malloc'ed; NULL if the object cannot be written. Changes
 * object. */
char *audit_record_line(json_t *object);

/*
 * Reads a line. Returns NULL and fills json (a new reference) and link (its own place: hash is the
 * line's), prev (what it says of the one before); or says what is wrong with it: static text. Any
 * output may be NULL.
 */
const char *audit_record_read(const char *line, size_t len, json_t **json, struct audit_link *link,
                              char prev[AUDIT_HASH_SIZE]);

/*
 * The check of a whole chain, line by line, oldest first. Zero is the state before the first line.
 * may_begin_late: older records were rotated away, so that the first one may have any number.
 */
struct audit_chain {
    bool may_begin_late;
    bool has_begun;
    struct audit_link last;
};
/* NULL if the line continues the chain, or what is wrong with it: static text. *seq: what the line
 * says of itself, 0: nothing. */
const char *audit_chain_check(struct audit_chain *chain, const char *line, size_t len,
                              uint64_t *seq);

/* Cuts a stream into lines. each: is_whole is false for a line that is too long (its first bytes are
 * given) or has no newline. number counts from 1. It returns false to hear no more. */
struct audit_lines {
    struct buf line; /* private, these three */
    bool is_long;
    bool is_over;
    uint64_t number;
    bool (*each)(void *arg, uint64_t number, const char *line, size_t len, bool is_whole);
    void *arg;
};
/* each and arg are set, the rest is zero. False: no more is wanted. */
bool audit_lines_feed(struct audit_lines *lines, const uint8_t *bytes, size_t len);
/* The last line, if it has no newline; frees. */
void audit_lines_end(struct audit_lines *lines);
