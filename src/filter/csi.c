// SPDX-License-Identifier: GPL-3.0-only
/*
 * csi: takes a control sequence apart in one pass. The bytes are judged here only by their place in
 * the grammar; what a sequence may do is the business of rules.c.
 */
#include "filter/csi.h"

static const uint8_t *parse_part(struct csi *csi, const uint8_t *p, const uint8_t *end, bool is_sub)
{
    const uint8_t *start = p;
    uint32_t value = 0;

    while (p < end && (uint8_t)(*p - '0') < 10) {
        value = value * 10 + (uint8_t)(*p - '0');
        if (value > CSI_VALUE_MAX)
            value = CSI_SATURATED;
        p++;
    }
    if (csi->count == CSI_PARTS_MAX) {
        csi->is_oversized = true;
        return p;
    }
    csi->part[csi->count++] = (struct csi_part){
        .value = value,
        .start = (uint16_t)(start - csi->body),
        .is_empty = p == start,
        .is_sub = is_sub,
    };
    return p;
}

static const uint8_t *parse_parts(struct csi *csi, const uint8_t *p, const uint8_t *end)
{
    bool is_sub = false;

    if (p == end || *p < '0' || *p > ';')
        return p;
    for (;;) {
        p = parse_part(csi, p, end, is_sub);
        if (p == end || (*p != ';' && *p != ':'))
            return p;
        is_sub = *p == ':';
        csi->has_colon |= is_sub;
        p++;
    }
}

size_t csi_parse(struct csi *csi, const uint8_t *p, const uint8_t *end)
{
    csi->body = p;
    csi->leader = 0;
    csi->inter = 0;
    csi->is_malformed = false;
    csi->is_oversized = false;
    csi->has_colon = false;
    csi->is_rewritten = false;
    csi->count = 0;
    if (end - p > CSI_BODY_MAX + 1)
        end = p + CSI_BODY_MAX + 1;
    if (p < end && *p >= '<' && *p <= '?')
        csi->leader = *p++;
    p = parse_parts(csi, p, end);
    if (p < end && *p >= 0x20 && *p <= 0x2F)
        csi->inter = *p++;
    while (p < end && *p >= 0x20 && *p <= 0x3F) {
        csi->is_malformed = true;
        p++;
    }
    if (p == end || *p < 0x40 || *p > 0x7E)
        return 0;
    csi->final = *p++;
    csi->len = (size_t)(p - csi->body);
    return csi->len;
}

void csi_replace(struct csi *csi, unsigned count, const unsigned *values)
{
    assert(count <= CSI_PARTS_MAX);
    csi->count = count;
    for (unsigned i = 0; i < count; i++)
        csi->part[i] = (struct csi_part){.value = values[i]};
    csi->is_rewritten = true;
}
