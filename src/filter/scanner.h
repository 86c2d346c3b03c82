// SPDX-License-Identifier: GPL-3.0-only
/*
 * scanner: the state machine of an ANSI terminal (the VT500 diagram of vt100.net, with the choices
 * of docs/internals/filter.md), as tables of byte ranges.
 *
 * scanner_step() takes one byte and says what to do. The text itself (ground state) is not its
 * business: see text.h.
 */
#pragma once

#include "base/base.h"
#include "filter/csi.h"

enum scan_state {
    SCAN_GROUND,
    SCAN_ESC,       /* ESC was read */
    SCAN_ESC_INTER, /* and an intermediate */
    SCAN_CSI_ENTRY, /* ESC [ was read */
    SCAN_CSI_PARAM,
    SCAN_CSI_INTER,
    SCAN_CSI_IGNORE, /* malformed or too long: swallow to the final byte */
    SCAN_OSC,        /* a string that BEL ends too */
    SCAN_STRING,     /* DCS, APC, PM, SOS, title of GNU screen: only ESC \ ends it */
    SCAN_STRING_ESC, /* ESC inside a string */
    SCAN_STATE_COUNT
};

enum scan_action {
    SCAN_NONE,         /* the byte is swallowed */
    SCAN_TEXT,         /* ground state: a byte of text */
    SCAN_EXECUTE,      /* a C0 control to execute now, wherever it stands */
    SCAN_START,        /* ESC: a new sequence */
    SCAN_COLLECT,      /* a byte of an ESC or CSI sequence */
    SCAN_DISPATCH_ESC, /* its last byte */
    SCAN_DISPATCH_CSI,
    SCAN_OPEN,  /* the byte opens a string */
    SCAN_PUT,   /* a byte of a string */
    SCAN_CLOSE, /* the string is complete */
    SCAN_ABORT, /* the sequence is over and void */
    SCAN_RETRY, /* the sequence is void; the byte is looked at again in the next state */
    SCAN_ACTION_COUNT
};

struct scan_range {
    uint8_t first;
    uint8_t last;
    uint8_t action; /* enum scan_action */
    uint8_t next;   /* enum scan_state */
};

struct scan_table {
    const char *name;
    const struct scan_range *ranges; /* sorted, together every byte exactly once */
    size_t count;
};

extern const struct scan_table scan_tables[SCAN_STATE_COUNT];

#define SCAN_STRING_MAX 4096 /* bytes of a string that are kept */

/* One operating system command may be longer, if the scanner was given room for it: the one that
 * begins like this (OSC 52, with 100 KiB of text in base64). */
#define SCAN_LARGE_PREFIX "52;"
#define SCAN_LARGE_MAX    (134 * KIB)

struct scanner {
    enum scan_state state;
    uint8_t opener;  /* of the string: ']' 'P' '_' '^' 'X' 'k' */
    uint8_t inter;   /* ESC sequence: the only intermediate, 0 if there is none */
    uint8_t final;   /* ESC sequence: the final byte */
    uint8_t n_inter; /* saturates at 2: two are never accepted */
    bool is_overlong;
    bool ended_by_bel;
    size_t len;
    bool is_large;                  /* the string is in large */
    uint8_t *large;                 /* borrowed: SCAN_LARGE_MAX bytes; NULL: none may be longer */
    uint8_t bytes[SCAN_STRING_MAX]; /* the string, or the body of a CSI sequence */
};

/* Expands the tables; any number of calls. */
void scanner_setup(void);

/*
 * Takes one byte and returns the action for the caller. SCAN_DISPATCH_CSI: bytes[0..len) is the
 * body. SCAN_DISPATCH_ESC: inter, final, n_inter. SCAN_CLOSE: opener and scanner_string().
 */
enum scan_action scanner_step(struct scanner *scanner, uint8_t byte);

/* The string so far, len bytes. */
static inline const uint8_t *scanner_string(const struct scanner *scanner)
{
    return scanner->is_large ? scanner->large : scanner->bytes;
}

/* Swallows the bytes at p that a string state just keeps or drops; returns the first other one. */
const uint8_t *scanner_skip(struct scanner *scanner, const uint8_t *p, const uint8_t *end);
