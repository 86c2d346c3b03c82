// SPDX-License-Identifier: GPL-3.0-only
/*
 * csi: one control sequence, taken apart (ECMA-48 5.4: CSI, parameter bytes, intermediate bytes,
 * final byte; a leading < = > ? makes it private).
 *
 * "Part" is a number between separators, be the separator ';' or ':'. A part that is not there is
 * empty, which most sequences read as zero.
 */
#pragma once

#include "base/base.h"

#define CSI_BODY_MAX  256   /* bytes between CSI and the final byte */
#define CSI_PARTS_MAX 64    /* more make the sequence oversized */
#define CSI_VALUE_MAX 65535 /* larger numbers saturate at one above */
#define CSI_SATURATED 65536u

struct csi_part {
    uint32_t value; /* 0 when empty, never above CSI_SATURATED */
    uint16_t start; /* offset of its first digit in body */
    bool is_empty;
    bool is_sub; /* follows a ':' */
};

struct csi {
    const uint8_t *body; /* borrowed: leader, parameters, intermediates, final byte */
    size_t len;          /* of body, at most CSI_BODY_MAX + 1 */
    uint8_t leader;      /* '<' '=' '>' '?' or 0 */
    uint8_t inter;       /* the only intermediate, 0 if there is none */
    uint8_t final;
    bool is_malformed; /* leader late, parameter after an intermediate, two intermediates */
    bool is_oversized; /* more than CSI_PARTS_MAX parts */
    bool has_colon;
    bool is_rewritten; /* part[] was changed: body does not say it any more */
    unsigned count;
    struct csi_part part[CSI_PARTS_MAX];
};

/*
 * Parses a body that begins at p. Returns the number of bytes up to and including the final byte;
 * 0 if there is none before end, if a byte outside 20-7E comes first, or if the body is longer than
 * CSI_BODY_MAX: then *csi is unspecified and the caller goes on byte by byte.
 */
size_t csi_parse(struct csi *csi, const uint8_t *p, const uint8_t *end);

/* Value of part i; fallback if it is missing, empty or zero. */
static inline unsigned csi_count(const struct csi *csi, unsigned i, unsigned fallback)
{
    return i < csi->count && csi->part[i].value ? csi->part[i].value : fallback;
}

/* Value of part i; 0 if it is missing or empty. */
static inline unsigned csi_value(const struct csi *csi, unsigned i)
{
    return i < csi->count ? csi->part[i].value : 0;
}

/* Replaces the whole parameter string by these values. */
void csi_replace(struct csi *csi, unsigned count, const unsigned *values);
