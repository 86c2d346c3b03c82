// SPDX-License-Identifier: GPL-3.0-only
/*
 * ClientHellos: what real clients send, cut into reads, records and fragments at every place, and
 * what is none or means two things (P-NET-8, P-NET-17).
 */
#include "net/hello.h"

#include "base/buf.h"
#include "support/hello_data.h"
#include "support/test.h"

#include <string.h>

#define WIRE_MAX (1 * MIB)

static enum hello_verdict judge(const uint8_t *bytes, size_t len, char *name)
{
    struct hello hello = {0};

    name[0] = '\0';
    return hello_judge(&hello, bytes, len, name, TARGET_NAME_MAX + 1);
}

/* Byte by byte in memory that is exactly as long as what has come; the last verdict. */
static enum hello_verdict judge_slowly(const uint8_t *bytes, size_t len, char *name, size_t *used)
{
    struct hello hello = {0};
    enum hello_verdict verdict = HELLO_MORE;

    name[0] = '\0';
    for (*used = 0; *used < len && verdict == HELLO_MORE;) {
        uint8_t *copy = malloc(++*used);

        memcpy(copy, bytes, *used);
        verdict = hello_judge(&hello, copy, *used, name, TARGET_NAME_MAX + 1);
        free(copy);
    }
    return verdict;
}

static void assert_verdict(const char *label, const uint8_t *bytes, size_t len,
                           enum hello_verdict wanted, const char *wanted_name)
{
    char name[TARGET_NAME_MAX + 1];
    char slow_name[TARGET_NAME_MAX + 1];
    size_t used;
    enum hello_verdict verdict = judge(bytes, len, name);

    if (verdict != wanted)
        fail_msg("%s: verdict %d, not %d", label, verdict, wanted);
    assert_int_equal(judge_slowly(bytes, len, slow_name, &used), verdict);
    if (wanted != HELLO_NAME)
        return;
    assert_string_equal(name, wanted_name);
    assert_string_equal(slow_name, wanted_name);
}

/* ---- what real clients send ---- */

static void clients_name_their_server(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(hello_rows); i++) {
        const struct hello_row *row = &hello_rows[i];
        char name[TARGET_NAME_MAX + 1];
        size_t used;

        assert_verdict(row->label, row->bytes, row->len, row->name ? HELLO_NAME : HELLO_NO_NAME,
                       row->name);
        /* Every byte is waited for, and none more. */
        judge_slowly(row->bytes, row->len, name, &used);
        assert_int_equal(used, row->len);
    }
}

/* The message in records of the sizes first and then rest. */
static void write_records(struct buf *out, const uint8_t *message, size_t len, size_t first,
                          size_t rest)
{
    while (len > 0) {
        size_t part = first < len ? first : len;
        const uint8_t header[] = {22, 3, 1, (uint8_t)(part >> 8), (uint8_t)part};

        buf_append(out, header, sizeof(header));
        buf_append(out, message, part);
        message += part;
        len -= part;
        first = rest;
    }
}

static void records_may_be_cut_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(hello_rows); i++) {
        const struct hello_row *row = &hello_rows[i];
        enum hello_verdict wanted = row->name ? HELLO_NAME : HELLO_NO_NAME;

        for (size_t cut = 1; cut < row->len - 5; cut++) {
            struct buf wire CLEANUP(buf_free);

            buf_init(&wire, WIRE_MAX);
            write_records(&wire, row->bytes + 5, row->len - 5, cut, cut % 7 ? 16384 : cut);
            assert_verdict(row->label, wire.data, wire.len, wanted, row->name);
        }
    }
}

static void one_byte_records_are_put_together(void **state)
{
    const struct hello_row *row = &hello_rows[0];
    struct buf wire CLEANUP(buf_free);

    (void)state;
    buf_init(&wire, WIRE_MAX);
    write_records(&wire, row->bytes + 5, row->len - 5, 1, 1);
    assert_verdict("one byte each", wire.data, wire.len, HELLO_NAME, row->name);
}

/* What follows in the same read belongs to the handshake, and is not looked at. */
static void bytes_behind_are_not_read(void **state)
{
    const struct hello_row *row = &hello_rows[0];
    struct buf wire CLEANUP(buf_free);
    char name[TARGET_NAME_MAX + 1];

    (void)state;
    buf_init(&wire, WIRE_MAX);
    buf_append(&wire, row->bytes, row->len);
    buf_append_str(&wire, "GET / HTTP/1.1\r\n");
    assert_int_equal(judge(wire.data, wire.len, name), HELLO_NAME);
    assert_string_equal(name, row->name);
}

static void changed_bytes_never_name_another(void **state)
{
    const struct hello_row *row = &hello_rows[0];
    uint8_t copy[1024];

    (void)state;
    assert_true(row->len <= sizeof(copy));
    for (size_t at = 0; at < row->len; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            char name[TARGET_NAME_MAX + 1];
            enum hello_verdict verdict;
            struct target target;

            memcpy(copy, row->bytes, row->len);
            copy[at] ^= (uint8_t)(1U << bit);
            verdict = judge(copy, row->len, name);
            /* A name that is one byte off is what the server would read, too. */
            if (verdict == HELLO_NAME)
                assert_int_equal(target_parse_host(&target, name, strlen(name)), 0);
            else
                assert_string_equal(name, "");
        }
}

/* ---- made by hand ---- */

struct extension {
    unsigned type;
    const char *bytes;
    size_t len;
};

static void append_number(struct buf *out, size_t value, unsigned bytes)
{
    while (bytes-- > 0)
        buf_append_byte(out, (uint8_t)(value >> 8 * bytes));
}

/* A ClientHello with these extensions, and padding so large, in as few records as can be. */
static void write_hello(struct buf *wire, const struct extension *extensions, size_t count,
                        size_t padding)
{
    struct buf inner CLEANUP(buf_free);
    struct buf message CLEANUP(buf_free);
    const uint8_t zeros[32] = {0};

    buf_init(&inner, WIRE_MAX);
    buf_init(&message, WIRE_MAX);
    for (size_t i = 0; i < count; i++) {
        append_number(&inner, extensions[i].type, 2);
        append_number(&inner, extensions[i].len, 2);
        buf_append(&inner, extensions[i].bytes, extensions[i].len);
    }
    if (padding) {
        append_number(&inner, 21, 2);
        append_number(&inner, padding, 2);
        while (padding-- > 0)
            buf_append_byte(&inner, 0);
    }
    buf_append_byte(&message, 1);
    append_number(&message, 2 + 32 + 1 + 4 + 2 + 2 + inner.len, 3);
    append_number(&message, 0x0303, 2);
    buf_append(&message, zeros, 32);
    append_number(&message, 0, 1);       /* session id */
    append_number(&message, 0x21301, 4); /* one suite */
    append_number(&message, 0x100, 2);   /* no compression */
    append_number(&message, inner.len, 2);
    buf_append(&message, inner.data, inner.len);
    write_records(wire, message.data, message.len, 16384, 16384);
}

#define BYTES(text) text, sizeof(text) - 1
#define SNI(text)                                                                                  \
    {                                                                                              \
        0, BYTES(text)                                                                             \
    }

static const struct {
    const char *label;
    struct extension extensions[3];
    size_t count;
    enum hello_verdict verdict;
    const char *name;
} name_rows[] = {
    {"one",
     {SNI("\0\x0E\0\0\x0B"
          "example.org")},
     1,
     HELLO_NAME,
     "example.org"},
    {"case",
     {SNI("\0\x0E\0\0\x0B"
          "EXAMPLE.org")},
     1,
     HELLO_NAME,
     "example.org"},
    {"dot",
     {SNI("\0\x0F\0\0\x0C"
          "example.org.")},
     1,
     HELLO_NAME,
     "example.org"},
    {"address",
     {SNI("\0\x0A\0\0\x07"
          "8.8.8.8")},
     1,
     HELLO_NAME,
     "8.8.8.8"},
    {"none", {{16, BYTES("\0\x03\x02h2")}}, 1, HELLO_NO_NAME, NULL},
    {"no extensions", {{0}}, 0, HELLO_NO_NAME, NULL},
    /* An encrypted ClientHello: the outer name counts, what is inside is opaque. */
    {"ECH",
     {{0xFE0D, BYTES("\0\0\1\0\1\x42\0\x04"
                     "abcd\0\x04"
                     "efgh")},
      SNI("\0\x0E\0\0\x0B"
          "example.org")},
     2,
     HELLO_NAME,
     "example.org"},
    {"ECH alone", {{0xFE0D, BYTES("\0\0\1\0\1\x42\0\0\0\0")}}, 1, HELLO_NO_NAME, NULL},
    {"last",
     {{16, BYTES("\0\x03\x02h2")},
      {0x0A0A, BYTES("\0")},
      SNI("\0\x0E\0\0\x0B"
          "example.org")},
     3,
     HELLO_NAME,
     "example.org"},
    /* two names */
    {"two",
     {SNI("\0\x12\0\0\x06"
          "a.test"
          "\0\0\x06"
          "b.test")},
     1,
     HELLO_BAD_NAME,
     NULL},
    {"twice",
     {SNI("\0\x09\0\0\x06"
          "a.test"),
      SNI("\0\x09\0\0\x06"
          "b.test")},
     2,
     HELLO_BAD_NAME,
     NULL},
    {"twice the same",
     {SNI("\0\x09\0\0\x06"
          "a.test"),
      SNI("\0\x09\0\0\x06"
          "a.test")},
     2,
     HELLO_BAD_NAME,
     NULL},
    {"bad, then good",
     {SNI(""), SNI("\0\x09\0\0\x06"
                   "a.test")},
     2,
     HELLO_BAD_NAME,
     NULL},
    {"another type",
     {SNI("\0\x09\1\0\x06"
          "a.test")},
     1,
     HELLO_BAD_NAME,
     NULL},
    {"name and another type",
     {SNI("\0\x12\0\0\x06"
          "a.test"
          "\1\0\x06"
          "b.test")},
     1,
     HELLO_BAD_NAME,
     NULL},
    /* lengths */
    {"empty extension", {SNI("")}, 1, HELLO_BAD_NAME, NULL},
    {"empty list", {SNI("\0\0")}, 1, HELLO_BAD_NAME, NULL},
    {"empty name", {SNI("\0\x03\0\0\0")}, 1, HELLO_BAD_NAME, NULL},
    {"short list",
     {SNI("\0\x08\0\0\x06"
          "a.test")},
     1,
     HELLO_BAD_NAME,
     NULL},
    {"long list",
     {SNI("\0\x0A\0\0\x06"
          "a.test")},
     1,
     HELLO_BAD_NAME,
     NULL},
    {"short name",
     {SNI("\0\x09\0\0\x05"
          "a.test")},
     1,
     HELLO_BAD_NAME,
     NULL},
    {"long name",
     {SNI("\0\x09\0\0\x07"
          "a.test")},
     1,
     HELLO_BAD_NAME,
     NULL},
    {"bytes behind the list",
     {SNI("\0\x09\0\0\x06"
          "a.test"
          "x")},
     1,
     HELLO_BAD_NAME,
     NULL},
    /* names that are none */
    {"NUL",
     {SNI("\0\x0A\0\0\x07"
          "a.test\0")},
     1,
     HELLO_BAD_NAME,
     NULL},
    {"NUL inside",
     {SNI("\0\x0D\0\0\x0A"
          "a.test\0.ok")},
     1,
     HELLO_BAD_NAME,
     NULL},
    {"blank",
     {SNI("\0\x09\0\0\x06"
          "a test")},
     1,
     HELLO_BAD_NAME,
     NULL},
    {"UTF-8",
     {SNI("\0\x09\0\0\x06"
          "\xC3\xBC.tes")},
     1,
     HELLO_BAD_NAME,
     NULL},
    {"port",
     {SNI("\0\x0B\0\0\x08"
          "a.tes:80")},
     1,
     HELLO_BAD_NAME,
     NULL},
    {"IPv6",
     {SNI("\0\x08\0\0\x05"
          "[::1]")},
     1,
     HELLO_BAD_NAME,
     NULL},
    {"octal",
     {SNI("\0\x0D\0\0\x0A"
          "0177.0.0.1")},
     1,
     HELLO_BAD_NAME,
     NULL},
};

static void server_names_are_strict(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(name_rows); i++) {
        struct buf wire CLEANUP(buf_free);

        buf_init(&wire, WIRE_MAX);
        write_hello(&wire, name_rows[i].extensions, name_rows[i].count, 0);
        assert_verdict(name_rows[i].label, wire.data, wire.len, name_rows[i].verdict,
                       name_rows[i].name);
    }
}

static void large_hellos_have_a_limit(void **state)
{
    static const struct extension sni = SNI("\0\x0E\0\0\x0B"
                                            "example.org");
    static const struct {
        size_t padding;
        enum hello_verdict verdict;
    } rows[] = {
        {2000, HELLO_NAME},
        {16384, HELLO_NAME},
        {65000, HELLO_NAME},
        {65500, HELLO_NOT_TLS},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct buf wire CLEANUP(buf_free);
        char name[TARGET_NAME_MAX + 1];

        buf_init(&wire, WIRE_MAX);
        write_hello(&wire, &sni, 1, rows[i].padding);
        assert_int_equal(judge(wire.data, wire.len, name), rows[i].verdict);
    }
}

/* Records so small that 64 KiB of them do not hold the message. */
static void small_records_have_a_limit(void **state)
{
    struct buf wire CLEANUP(buf_free);
    uint8_t message[20000] = {1, 0, 0x4E, 0x1C};
    char name[TARGET_NAME_MAX + 1];

    (void)state;
    buf_init(&wire, WIRE_MAX);
    write_records(&wire, message, sizeof(message), 1, 1);
    assert_int_equal(judge(wire.data, HELLO_MAX - 1, name), HELLO_MORE);
    assert_int_equal(judge(wire.data, HELLO_MAX, name), HELLO_NOT_TLS);
}

/* Each call goes on where the last one stopped: what has been walked is not walked again. */
static void feeding_slowly_costs_little(void **state)
{
    struct hello hello = {0};
    struct buf wire CLEANUP(buf_free);
    uint8_t message[10000] = {1, 0, 0x27, 0x0C};
    char name[TARGET_NAME_MAX + 1];

    (void)state;
    buf_init(&wire, WIRE_MAX);
    write_records(&wire, message, sizeof(message), 1, 1);
    for (size_t len = 1; len < wire.len; len++) {
        assert_int_equal(hello_judge(&hello, wire.data, len, name, sizeof(name)), HELLO_MORE);
        assert_true(hello.at + 5 > len); /* all but an unfinished record header */
    }
}

static void other_bytes_are_no_hello(void **state)
{
    static const struct {
        const char *label;
        const char *bytes;
        size_t len;
        enum hello_verdict verdict;
    } rows[] = {
        {"nothing", BYTES(""), HELLO_MORE},
        {"SSH", BYTES("SSH-2.0-OpenSSH_9.2\r\n"), HELLO_NOT_TLS},
        {"SSH, one byte", BYTES("S"), HELLO_NOT_TLS},
        {"HTTP", BYTES("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"), HELLO_NOT_TLS},
        {"SOCKS", BYTES("\5\1\0"), HELLO_NOT_TLS},
        {"SSL 2", BYTES("\x80\x2E\x01\x03\x01\0\x15"), HELLO_NOT_TLS},
        {"application data", BYTES("\x17\3\3\0\1a"), HELLO_NOT_TLS},
        {"alert", BYTES("\x15\3\3\0\2\2\x28"), HELLO_NOT_TLS},
        {"DTLS", BYTES("\x16\xFE\xFF\0\0"), HELLO_NOT_TLS},
        {"version 2", BYTES("\x16\2"), HELLO_NOT_TLS},
        {"empty record", BYTES("\x16\3\1\0\0"), HELLO_NOT_TLS},
        {"record too large", BYTES("\x16\3\1\x40\1\1"), HELLO_NOT_TLS},
        {"ServerHello", BYTES("\x16\3\1\0\4\2"), HELLO_NOT_TLS},
        {"message too large", BYTES("\x16\3\1\0\4\1\1\0\0"), HELLO_NOT_TLS},
        {"empty message", BYTES("\x16\3\1\0\4\1\0\0\0"), HELLO_NOT_TLS},
        {"short message", BYTES("\x16\3\1\0\5\1\0\0\1\3"), HELLO_NOT_TLS},
        {"another record between", BYTES("\x16\3\1\0\2\1\0\x17\3\1\0\1a"), HELLO_NOT_TLS},
        {"record header alone", BYTES("\x16\3\1\0"), HELLO_MORE},
        {"type alone", BYTES("\x16"), HELLO_MORE},
        {"message header alone", BYTES("\x16\3\1\1\0\1\0\0\xFC"), HELLO_MORE},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        assert_verdict(rows[i].label, (const uint8_t *)rows[i].bytes, rows[i].len, rows[i].verdict,
                       NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clients_name_their_server),
        cmocka_unit_test(records_may_be_cut_anywhere),
        cmocka_unit_test(one_byte_records_are_put_together),
        cmocka_unit_test(bytes_behind_are_not_read),
        cmocka_unit_test(changed_bytes_never_name_another),
        cmocka_unit_test(server_names_are_strict),
        cmocka_unit_test(large_hellos_have_a_limit),
        cmocka_unit_test(small_records_have_a_limit),
        cmocka_unit_test(feeding_slowly_costs_little),
        cmocka_unit_test(other_bytes_are_no_hello),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
