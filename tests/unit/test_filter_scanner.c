// SPDX-License-Identifier: GPL-3.0-only
/*
 * test_filter_scanner: the state tables, the CSI parser, and the UTF-8 decoder by themselves.
 */
#include "base/utf8.h"
#include "filter/scanner.h"
#include "filter/width.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void every_state_knows_every_byte_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCAN_STATE_COUNT; i++) {
        const struct scan_table *table = &scan_tables[i];
        unsigned seen[256] = {0};

        assert_non_null(table->name);
        for (size_t j = 0; j < table->count; j++) {
            const struct scan_range *range = &table->ranges[j];

            assert_true(range->first <= range->last);
            assert_true(range->action < SCAN_ACTION_COUNT);
            assert_true(range->next < SCAN_STATE_COUNT);
            for (unsigned byte = range->first; byte <= range->last; byte++)
                seen[byte]++;
        }
        for (unsigned byte = 0; byte < 256; byte++)
            if (seen[byte] != 1)
                fail_msg("state %s, byte %02x: %u times", table->name, byte, seen[byte]);
    }
}

/* Whatever a state does, it must not stay for ever: CAN, and ESC, get out of each. */
static void can_and_esc_leave_every_state(void **state)
{
    (void)state;
    scanner_setup();
    for (size_t i = 0; i < SCAN_STATE_COUNT; i++) {
        struct scanner scanner = {.state = (enum scan_state)i};

        while (scanner_step(&scanner, 0x18) == SCAN_RETRY)
            continue;
        assert_int_equal(scanner.state, SCAN_GROUND);
        scanner = (struct scanner){.state = (enum scan_state)i};
        while (scanner_step(&scanner, 0x1B) == SCAN_RETRY)
            continue;
        assert_true(scanner.state == SCAN_ESC || scanner.state == SCAN_STRING_ESC);
    }
}

static void long_strings_take_no_memory(void **state)
{
    struct scanner scanner = {0};
    uint8_t piece[1000];

    (void)state;
    memset(piece, 'x', sizeof(piece));
    scanner_step(&scanner, 0x1B);
    scanner_step(&scanner, ']');
    for (int i = 0; i < 5; i++)
        assert_ptr_equal(scanner_skip(&scanner, piece, piece + sizeof(piece)),
                         piece + sizeof(piece));
    assert_int_equal(scanner.len, SCAN_STRING_MAX);
    assert_true(scanner.is_overlong);
    assert_int_equal(scanner_step(&scanner, 0x07), SCAN_CLOSE);
}

static struct csi parse(const char *text)
{
    struct csi csi;
    const uint8_t *p = (const uint8_t *)text;

    assert_int_equal(csi_parse(&csi, p, p + strlen(text)), strlen(text));
    return csi;
}

static void csi_parts(void **state)
{
    struct csi csi = parse("?1;;4:3:5$p");

    (void)state;
    assert_int_equal(csi.leader, '?');
    assert_int_equal(csi.inter, '$');
    assert_int_equal(csi.final, 'p');
    assert_int_equal(csi.count, 5);
    assert_false(csi.part[0].is_empty);
    assert_true(csi.part[1].is_empty);
    assert_true(csi.part[3].is_sub);
    assert_int_equal(csi.part[4].value, 5);
    assert_true(csi.has_colon);
    assert_false(csi.is_malformed);

    assert_int_equal(parse("m").count, 0);
    assert_int_equal(parse(";m").count, 2);
    assert_true(parse("1?m").is_malformed);
    assert_true(parse("?>1m").is_malformed);
    assert_true(parse("1 2m").is_malformed);
    assert_true(parse("1 !m").is_malformed);
}

static void csi_numbers_saturate(void **state)
{
    (void)state;
    assert_int_equal(parse("65535A").part[0].value, 65535);
    assert_int_equal(parse("65536A").part[0].value, CSI_SATURATED);
    assert_int_equal(parse("4294967302n").part[0].value, CSI_SATURATED);
    assert_int_equal(parse("99999999999999999999999999999999A").part[0].value, CSI_SATURATED);
    assert_int_equal(parse("0000000007A").part[0].value, 7);
}

static void csi_incomplete_is_not_parsed(void **state)
{
    static const char *const texts[] = {"", "?", "1;2", "1;\n2H", "1\x1b", "1\177A", "\xc3\xa9"};
    uint8_t longest[CSI_BODY_MAX + 2];
    struct csi csi;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        const uint8_t *p = (const uint8_t *)texts[i];

        assert_int_equal(csi_parse(&csi, p, p + strlen(texts[i])), 0);
    }
    memset(longest, '1', sizeof(longest));
    longest[CSI_BODY_MAX] = 'm';
    assert_int_equal(csi_parse(&csi, longest, longest + CSI_BODY_MAX + 1), CSI_BODY_MAX + 1);
    memset(longest, '1', sizeof(longest));
    longest[CSI_BODY_MAX + 1] = 'm';
    assert_int_equal(csi_parse(&csi, longest, longest + sizeof(longest)), 0);
}

/* The table of the standard (3-7), said again in another way. */
static int reference_decode(const uint8_t *p, size_t len, uint32_t *code)
{
    int need = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value;

    if (need == 0 || p[0] > 0xF4)
        return -1;
    value = need == 1 ? p[0] : p[0] & (0x7F >> need);
    for (int i = 1; i < need; i++) {
        uint32_t low;
        uint32_t high;

        if ((size_t)i >= len)
            return 0;
        if ((p[i] & 0xC0) != 0x80)
            return -i;
        value = value << 6 | (p[i] & 0x3F);
        low = value << (6 * (need - 1 - i));
        high = low | ((1u << (6 * (need - 1 - i))) - 1);
        if (high < least[need] || low > 0x10FFFF || (low >= 0xD800 && high <= 0xDFFF))
            return -i;
    }
    *code = value;
    return need;
}

static void utf8_agrees_with_the_standard(void **state)
{
    static const uint8_t tails[] = {0x00, 0x1B, 0x41, 0x7F, 0x80, 0x8F, 0x90,
                                    0x9F, 0xA0, 0xBF, 0xC0, 0xE0, 0xFF};
    uint8_t p[4];

    (void)state;
    for (unsigned lead = 0; lead < 256; lead++)
        for (unsigned second = 0; second < 256; second++)
            for (size_t i = 0; i < ARRAY_SIZE(tails) * ARRAY_SIZE(tails); i++)
                for (size_t len = 1; len <= 4; len++) {
                    uint32_t got = 0;
                    uint32_t want = 0;

                    p[0] = (uint8_t)lead;
                    p[1] = (uint8_t)second;
                    p[2] = tails[i % ARRAY_SIZE(tails)];
                    p[3] = tails[i / ARRAY_SIZE(tails)];
                    assert_int_equal(utf8_decode(p, len, &got), reference_decode(p, len, &want));
                    assert_int_equal(got, want);
                }
}

static void utf8_encodes_what_it_decodes(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        uint8_t bytes[UTF8_MAX_LEN];
        uint32_t back = 0;

        if (code >= 0xD800 && code <= 0xDFFF)
            continue;
        assert_int_equal(utf8_decode(bytes, utf8_write(code, bytes), &back),
                         utf8_write(code, bytes));
        assert_int_equal(back, code);
    }
}

static void widths(void **state)
{
    static const struct {
        uint32_t code;
        enum width_class class;
    } cases[] = {
        {'a', WIDTH_ONE},      {0x9B, WIDTH_SPECIAL},     {0xA0, WIDTH_ONE},
        {0xAD, WIDTH_ONE},     {0xE9, WIDTH_ONE},         {0x301, WIDTH_ZERO},
        {0x1160, WIDTH_ZERO},  {0x1100, WIDTH_TWO},       {0x200D, WIDTH_ZERO},
        {0x2502, WIDTH_ONE},   {0x231A, WIDTH_TWO},       {0x3042, WIDTH_TWO},
        {0x6F22, WIDTH_TWO},   {0xAC00, WIDTH_TWO},       {0xD800, WIDTH_SPECIAL},
        {0xE0B0, WIDTH_ONE},   {0xFE0F, WIDTH_ZERO},      {0xFDD0, WIDTH_SPECIAL},
        {0xFF21, WIDTH_TWO},   {0xFFFD, WIDTH_ONE},       {0xFFFE, WIDTH_SPECIAL},
        {0x1F600, WIDTH_TWO},  {0x1FFFF, WIDTH_SPECIAL},  {0x20000, WIDTH_TWO},
        {0xE0061, WIDTH_ZERO}, {0x10FFFF, WIDTH_SPECIAL}, {0x100000, WIDTH_ONE},
    };

    (void)state;
    width_setup();
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        if (width_of(cases[i].code) != cases[i].class)
            fail_msg("U+%04X: class %d", cases[i].code, width_of(cases[i].code));
    for (uint32_t code = 0; code < 0x10000; code++)
        if (width_blocks[code / 64] != WIDTH_MIXED)
            assert_int_equal(width_blocks[code / 64], width_of(code));
    for (uint32_t code = 0; code < 0x800; code++) {
        assert_int_equal(width_blocks[code / 64], WIDTH_MIXED);
        if (width_short_blocks[code / 64] != WIDTH_MIXED)
            assert_int_equal(width_short_blocks[code / 64], width_of(code));
    }
    assert_int_equal(width_short_blocks[0], WIDTH_MIXED);
    assert_int_equal(width_short_blocks[1], WIDTH_MIXED);
    assert_int_equal(width_blocks[0x4E00 / 64], WIDTH_TWO);
    assert_int_equal(width_short_blocks[0xC0 / 64], WIDTH_ONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_knows_every_byte_once),
        cmocka_unit_test(can_and_esc_leave_every_state),
        cmocka_unit_test(long_strings_take_no_memory),
        cmocka_unit_test(csi_parts),
        cmocka_unit_test(csi_numbers_saturate),
        cmocka_unit_test(csi_incomplete_is_not_parsed),
        cmocka_unit_test(utf8_agrees_with_the_standard),
        cmocka_unit_test(utf8_encodes_what_it_decodes),
        cmocka_unit_test(widths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
