// SPDX-License-Identifier: GPL-3.0-only
/*
 * scanner: tables and the step function.
 *
 * Choices where terminals differ, each so that no reading of the stream by another terminal can
 * find a sequence that this one did not:
 *   - CAN, SUB and ESC end everything, also strings; what was collected is void;
 *   - inside ESC and CSI the C0 controls 07-0F act at once, the others and DEL vanish, a byte from
 *     80 on voids the sequence and is text;
 *   - a string ends by ESC \ only, an OSC by BEL too; 9C, raw or encoded, is a byte like others;
 *   - ESC and anything but \ inside a string begins a new sequence.
 *
 * Memory is constant: a string beyond SCAN_STRING_MAX (one of them: SCAN_LARGE_MAX) and a CSI body beyond CSI_BODY_MAX are only
 * swallowed.
 */
#include "filter/scanner.h"

#include <string.h>

/* What ESC, CSI and their inner states do with controls and with bytes that are not ASCII. */
#define SEQUENCE_CONTROLS(state)                                                                   \
    {0x00, 0x06, SCAN_NONE, state}, {0x07, 0x0F, SCAN_EXECUTE, state},                             \
        {0x10, 0x17, SCAN_NONE, state}, {0x18, 0x18, SCAN_ABORT, SCAN_GROUND},                     \
        {0x19, 0x19, SCAN_NONE, state}, {0x1A, 0x1A, SCAN_ABORT, SCAN_GROUND},                     \
        {0x1B, 0x1B, SCAN_START, SCAN_ESC},                                                        \
    {                                                                                              \
        0x1C, 0x1F, SCAN_NONE, state                                                               \
    }

#define SEQUENCE_HIGH(state)                                                                       \
    {0x7F, 0x7F, SCAN_NONE, state},                                                                \
    {                                                                                              \
        0x80, 0xFF, SCAN_RETRY, SCAN_GROUND                                                        \
    }

static const struct scan_range ground[] = {
    {0x00, 0x06, SCAN_NONE, SCAN_GROUND}, {0x07, 0x0F, SCAN_EXECUTE, SCAN_GROUND},
    {0x10, 0x1A, SCAN_NONE, SCAN_GROUND}, {0x1B, 0x1B, SCAN_START, SCAN_ESC},
    {0x1C, 0x1F, SCAN_NONE, SCAN_GROUND}, {0x20, 0x7E, SCAN_TEXT, SCAN_GROUND},
    {0x7F, 0x7F, SCAN_NONE, SCAN_GROUND}, {0x80, 0xFF, SCAN_TEXT, SCAN_GROUND},
};

static const struct scan_range esc[] = {
    SEQUENCE_CONTROLS(SCAN_ESC),
    {0x20, 0x2F, SCAN_COLLECT, SCAN_ESC_INTER},
    {0x30, 0x4F, SCAN_DISPATCH_ESC, SCAN_GROUND},
    {'P', 'P', SCAN_OPEN, SCAN_STRING},
    {'Q', 'W', SCAN_DISPATCH_ESC, SCAN_GROUND},
    {'X', 'X', SCAN_OPEN, SCAN_STRING},
    {'Y', 'Z', SCAN_DISPATCH_ESC, SCAN_GROUND},
    {'[', '[', SCAN_NONE, SCAN_CSI_ENTRY},
    {'\\', '\\', SCAN_DISPATCH_ESC, SCAN_GROUND},
    {']', ']', SCAN_OPEN, SCAN_OSC},
    {'^', '_', SCAN_OPEN, SCAN_STRING},
    {'`', 'j', SCAN_DISPATCH_ESC, SCAN_GROUND},
    {'k', 'k', SCAN_OPEN, SCAN_STRING},
    {'l', '~', SCAN_DISPATCH_ESC, SCAN_GROUND},
    SEQUENCE_HIGH(SCAN_ESC),
};

static const struct scan_range esc_inter[] = {
    SEQUENCE_CONTROLS(SCAN_ESC_INTER),
    {0x20, 0x2F, SCAN_COLLECT, SCAN_ESC_INTER},
    {0x30, 0x7E, SCAN_DISPATCH_ESC, SCAN_GROUND},
    SEQUENCE_HIGH(SCAN_ESC_INTER),
};

static const struct scan_range csi_entry[] = {
    SEQUENCE_CONTROLS(SCAN_CSI_ENTRY),
    {0x20, 0x2F, SCAN_COLLECT, SCAN_CSI_INTER},
    {0x30, 0x3F, SCAN_COLLECT, SCAN_CSI_PARAM},
    {0x40, 0x7E, SCAN_DISPATCH_CSI, SCAN_GROUND},
    SEQUENCE_HIGH(SCAN_CSI_ENTRY),
};

static const struct scan_range csi_param[] = {
    SEQUENCE_CONTROLS(SCAN_CSI_PARAM),
    {0x20, 0x2F, SCAN_COLLECT, SCAN_CSI_INTER},
    {0x30, 0x3B, SCAN_COLLECT, SCAN_CSI_PARAM},
    {0x3C, 0x3F, SCAN_NONE, SCAN_CSI_IGNORE},
    {0x40, 0x7E, SCAN_DISPATCH_CSI, SCAN_GROUND},
    SEQUENCE_HIGH(SCAN_CSI_PARAM),
};

static const struct scan_range csi_inter[] = {
    SEQUENCE_CONTROLS(SCAN_CSI_INTER),
    {0x20, 0x2F, SCAN_COLLECT, SCAN_CSI_INTER},
    {0x30, 0x3F, SCAN_NONE, SCAN_CSI_IGNORE},
    {0x40, 0x7E, SCAN_DISPATCH_CSI, SCAN_GROUND},
    SEQUENCE_HIGH(SCAN_CSI_INTER),
};

static const struct scan_range csi_ignore[] = {
    SEQUENCE_CONTROLS(SCAN_CSI_IGNORE),
    {0x20, 0x3F, SCAN_NONE, SCAN_CSI_IGNORE},
    {0x40, 0x7E, SCAN_ABORT, SCAN_GROUND},
    SEQUENCE_HIGH(SCAN_CSI_IGNORE),
};

static const struct scan_range osc[] = {
    {0x00, 0x06, SCAN_PUT, SCAN_OSC},         {0x07, 0x07, SCAN_CLOSE, SCAN_GROUND},
    {0x08, 0x17, SCAN_PUT, SCAN_OSC},         {0x18, 0x18, SCAN_ABORT, SCAN_GROUND},
    {0x19, 0x19, SCAN_PUT, SCAN_OSC},         {0x1A, 0x1A, SCAN_ABORT, SCAN_GROUND},
    {0x1B, 0x1B, SCAN_NONE, SCAN_STRING_ESC}, {0x1C, 0xFF, SCAN_PUT, SCAN_OSC},
};

static const struct scan_range string[] = {
    {0x00, 0x17, SCAN_PUT, SCAN_STRING},      {0x18, 0x18, SCAN_ABORT, SCAN_GROUND},
    {0x19, 0x19, SCAN_PUT, SCAN_STRING},      {0x1A, 0x1A, SCAN_ABORT, SCAN_GROUND},
    {0x1B, 0x1B, SCAN_NONE, SCAN_STRING_ESC}, {0x1C, 0xFF, SCAN_PUT, SCAN_STRING},
};

static const struct scan_range string_esc[] = {
    {0x00, 0x5B, SCAN_RETRY, SCAN_ESC},
    {'\\', '\\', SCAN_CLOSE, SCAN_GROUND},
    {0x5D, 0xFF, SCAN_RETRY, SCAN_ESC},
};

#define TABLE(ranges)                                                                              \
    {                                                                                              \
#ranges, ranges, ARRAY_SIZE(ranges)                                                        \
    }

const struct scan_table scan_tables[SCAN_STATE_COUNT] = {
    [SCAN_GROUND] = TABLE(ground),         [SCAN_ESC] = TABLE(esc),
    [SCAN_ESC_INTER] = TABLE(esc_inter),   [SCAN_CSI_ENTRY] = TABLE(csi_entry),
    [SCAN_CSI_PARAM] = TABLE(csi_param),   [SCAN_CSI_INTER] = TABLE(csi_inter),
    [SCAN_CSI_IGNORE] = TABLE(csi_ignore), [SCAN_OSC] = TABLE(osc),
    [SCAN_STRING] = TABLE(string),         [SCAN_STRING_ESC] = TABLE(string_esc),
};

/* scan_tables, one entry per byte. */
static struct {
    uint8_t action;
    uint8_t next;
} lookup[SCAN_STATE_COUNT][256];

void scanner_setup(void)
{
    static bool done;

    if (done)
        return;
    done = true;
    for (size_t state = 0; state < SCAN_STATE_COUNT; state++) {
        const struct scan_table *table = &scan_tables[state];

        for (size_t i = 0; i < table->count; i++)
            for (unsigned byte = table->ranges[i].first; byte <= table->ranges[i].last; byte++) {
                lookup[state][byte].action = table->ranges[i].action;
                lookup[state][byte].next = table->ranges[i].next;
            }
    }
}

static void clear(struct scanner *scanner)
{
    scanner->len = 0;
    scanner->inter = 0;
    scanner->n_inter = 0;
    scanner->is_overlong = false;
    scanner->is_large = false;
    scanner->ended_by_bel = false;
}

/* Moves a full string to where there is more room; false if it may not grow. */
static bool enlarge(struct scanner *scanner)
{
    if (!scanner->large || scanner->is_large || scanner->opener != ']' ||
        memcmp(scanner->bytes, SCAN_LARGE_PREFIX, strlen(SCAN_LARGE_PREFIX)) != 0)
        return false;
    memcpy(scanner->large, scanner->bytes, scanner->len);
    scanner->is_large = true;
    return true;
}

/* Adds to the string what there is room for. */
static void put(struct scanner *scanner, const uint8_t *p, size_t len)
{
    for (;;) {
        uint8_t *bytes = scanner->is_large ? scanner->large : scanner->bytes;
        size_t room = (scanner->is_large ? SCAN_LARGE_MAX : SCAN_STRING_MAX) - scanner->len;
        size_t part = len < room ? len : room;

        memcpy(bytes + scanner->len, p, part);
        scanner->len += part;
        p += part;
        len -= part;
        if (len == 0)
            return;
        if (!enlarge(scanner)) {
            scanner->is_overlong = true;
            return;
        }
    }
}

static void collect(struct scanner *scanner, enum scan_state from, uint8_t byte)
{
    if (from == SCAN_ESC || from == SCAN_ESC_INTER) {
        scanner->inter = byte;
        if (scanner->n_inter < 2)
            scanner->n_inter++;
        return;
    }
    if (scanner->len == CSI_BODY_MAX)
        scanner->state = SCAN_CSI_IGNORE;
    else
        scanner->bytes[scanner->len++] = byte;
}

enum scan_action scanner_step(struct scanner *scanner, uint8_t byte)
{
    enum scan_state from = scanner->state;
    enum scan_action action = lookup[from][byte].action;

    scanner->state = lookup[from][byte].next;
    switch (action) {
    case SCAN_START:
        clear(scanner);
        break;
    case SCAN_COLLECT:
        collect(scanner, from, byte);
        break;
    case SCAN_DISPATCH_ESC:
        scanner->final = byte;
        break;
    case SCAN_DISPATCH_CSI:
        scanner->bytes[scanner->len++] = byte;
        break;
    case SCAN_OPEN:
        clear(scanner);
        scanner->opener = byte;
        break;
    case SCAN_PUT:
        put(scanner, &byte, 1);
        break;
    case SCAN_CLOSE:
        scanner->ended_by_bel = byte == 0x07;
        break;
    case SCAN_RETRY:
        clear(scanner);
        break;
    default:
        break;
    }
    return action;
}

const uint8_t *scanner_skip(struct scanner *scanner, const uint8_t *p, const uint8_t *end)
{
    const uint8_t *start = p;

    while (p < end && lookup[scanner->state][*p].action == SCAN_PUT)
        p++;
    put(scanner, start, (size_t)(p - start));
    return p;
}
