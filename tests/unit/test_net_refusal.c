// SPDX-License-Identifier: GPL-3.0-only
/*
 * Refusals: status, reply and flag of each, and that the text is short, whole and harmless
 * (P-NET-23).
 */
#include "net/refusal.h"

#include "support/test.h"

#include <string.h>

#define LABEL_63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define NAME_253                                                                                   \
    LABEL_63 "." LABEL_63 "." LABEL_63 "."                                                         \
             "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.zzzzz"

static struct target parse_target(const char *text)
{
    struct target target;

    assert_int_equal(target_parse(&target, text, strlen(text)), 0);
    return target;
}

static const struct {
    enum refusal_reason reason;
    const char *id;
    int status;
    int socks;
    const char *standard; /* flag for example.org:443 */
    const char *other;    /* for example.org:8080 */
} rows[] = {
    {REFUSAL_HOST_NOT_LISTED, "host-not-listed", 403, 2, "--allow-host example.org",
     "--allow-host example.org:8080"},
    {REFUSAL_PORT_NOT_LISTED, "port-not-listed", 403, 2, "--allow-host example.org:443",
     "--allow-host example.org:8080"},
    {REFUSAL_ADDRESS, "address-refused", 403, 2, "", ""},
    {REFUSAL_LOOPBACK_CLOSED, "loopback-closed", 403, 2,
     "--forward-port 443:10443, and without --lockdown",
     "--forward-port 8080, and without --lockdown"},
    {REFUSAL_SNI_MISSING, "sni-missing", 0, 2, "--allow-host raw:example.org:443",
     "--allow-host raw:example.org:8080"},
    {REFUSAL_SNI_MISMATCH, "sni-mismatch", 0, 2, "--allow-host raw:example.org:443",
     "--allow-host raw:example.org:8080"},
    {REFUSAL_NOT_TLS, "not-tls", 0, 2, "--allow-host raw:example.org:443",
     "--allow-host raw:example.org:8080"},
    {REFUSAL_HOST_HEADER, "host-header-mismatch", 403, 2, "", ""},
    {REFUSAL_PLACEHOLDER, "placeholder-misdirected", 403, 2, "", ""},
    {REFUSAL_MALFORMED, "malformed", 400, 1, "", ""},
    {REFUSAL_METHOD, "method", 405, 7, "", ""},
    {REFUSAL_HEAD_TOO_LARGE, "head-too-large", 431, 1, "", ""},
    {REFUSAL_HEAD_TIMEOUT, "head-timeout", 408, 1, "", ""},
    {REFUSAL_NAME_UNKNOWN, "name-unknown", 502, 4, "", ""},
    {REFUSAL_NAME_TIMEOUT, "name-timeout", 502, 4, "", ""},
    {REFUSAL_CONNECT_FAILED, "connect-failed", 502, 5, "", ""},
    {REFUSAL_CONNECT_TIMEOUT, "connect-timeout", 502, 4, "", ""},
    {REFUSAL_UPSTREAM_TLS, "connect-failed", 502, 5, "", ""},
    {REFUSAL_PARENT_FAILED, "parent-failed", 502, 1, "", ""},
    {REFUSAL_TOO_MANY, "too-many", 503, 1, "", ""},
    {REFUSAL_LOGIN, "login", 407, 1, "", ""},
};

static void each_reason_has_its_row(void **state)
{
    (void)state;
    assert_int_equal(ARRAY_SIZE(rows), REFUSAL_COUNT - 1);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct refusal_row *row = &refusal_rows[rows[i].reason];

        assert_string_equal(row->id, rows[i].id);
        assert_int_equal(row->status, rows[i].status);
        assert_int_equal(row->socks, rows[i].socks);
    }
}

static void assert_flag(enum refusal_reason reason, const char *text, bool private_only,
                        const char *wanted)
{
    struct target target = parse_target(text);
    char flag[REFUSAL_FLAG_MAX];

    refusal_flag(reason, &target, private_only, flag, sizeof(flag));
    assert_string_equal(flag, wanted);
}

static void each_reason_has_its_flag(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        assert_flag(rows[i].reason, "example.org:443", false, rows[i].standard);
        assert_flag(rows[i].reason, "example.org:8080", false, rows[i].other);
    }
    assert_flag(REFUSAL_HOST_NOT_LISTED, "example.org:80", false, "--allow-host example.org");
    assert_flag(REFUSAL_HOST_NOT_LISTED, "[fd12::1]:443", false, "--allow-host [fd12::1]");
    assert_flag(REFUSAL_HOST_NOT_LISTED, "10.0.0.1:5432", false, "--allow-host 10.0.0.1:5432");
    assert_flag(REFUSAL_ADDRESS, "example.org:443", true, "--allow-private example.org");
    assert_flag(REFUSAL_ADDRESS, "example.org:8080", true, "--allow-private example.org:8080");
    assert_flag(REFUSAL_LOOPBACK_CLOSED, "localhost:15919", false, ""); /* the proxy itself */
    /* What --allow-host itself refuses is not advised. */
    assert_flag(REFUSAL_HOST_NOT_LISTED, "169.254.169.254:80", false, "");
    assert_flag(REFUSAL_HOST_NOT_LISTED, "[fe80::1]:443", false, "");
    assert_flag(REFUSAL_HOST_NOT_LISTED, "[::ffff:224.0.0.1]:443", false, "");
    assert_flag(REFUSAL_PORT_NOT_LISTED, "192.0.2.1:22", false, "");
    assert_flag(REFUSAL_HOST_NOT_LISTED, "198.18.0.1:443", false, "--allow-host 198.18.0.1");
}

/* The answer without its head; both are checked. */
static const char *check_answer(struct buf *out, enum refusal_reason reason)
{
    const char *text = buf_cstr(out);
    const char *body = strstr(text, "\r\n\r\n");
    const char *length = strstr(text, "\r\nContent-Length: ");
    char wanted[64];

    assert_int_equal(strlen(text), out->len);
    assert_non_null(body);
    assert_non_null(length);
    snprintf(wanted, sizeof(wanted), "HTTP/1.1 %d ", refusal_rows[reason].status);
    assert_true(str_starts(text, wanted));
    snprintf(wanted, sizeof(wanted), "\r\nX-Ai-Jail: %s\r\n", refusal_rows[reason].id);
    assert_non_null(strstr(text, wanted));
    assert_non_null(strstr(text, "\r\nContent-Type: text/plain; charset=utf-8\r\n"));
    assert_non_null(strstr(text, "\r\nConnection: close\r\n"));
    assert_int_equal(strstr(text, "\r\nRetry-After: 1\r\n") != NULL, reason == REFUSAL_TOO_MANY);
    assert_int_equal(strstr(text, "\r\nProxy-Authenticate: Basic realm=") != NULL,
                     reason == REFUSAL_LOGIN);
    body += 4;
    assert_int_equal(strtoul(length + strlen("\r\nContent-Length: "), NULL, 10), strlen(body));
    return body;
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static bool is_by_rule(enum refusal_reason reason)
{
    return reason <= REFUSAL_PLACEHOLDER;
}

static void bodies_are_four_lines(void **state)
{
    static const char *const targets[] = {"example.org:443", NAME_253 ":65535", "[fd12::1]:8080",
                                          "a:1"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(targets) * 2; i++) {
        enum refusal_reason reason = rows[i % ARRAY_SIZE(rows)].reason;
        const char *text = targets[i / ARRAY_SIZE(rows) / 2];
        bool private_only = i / ARRAY_SIZE(rows) % 2;
        struct target target = parse_target(text);
        char flag[REFUSAL_FLAG_MAX];
        struct buf out CLEANUP(buf_free);
        const char *body;

        buf_init(&out, 4 * KIB);
        refusal_http(&out, reason, &target, private_only);
        body = check_answer(&out, reason);
        assert_in_range(strlen(body), 1, 512);
        assert_int_equal(count_lines(body), 4);
        assert_true(str_starts(body, "ai-jail refused "));
        assert_non_null(strstr(body, "\nrule: "));
        assert_non_null(strstr(body, "\nuser: "));
        if (is_by_rule(reason) || reason == REFUSAL_MALFORMED || reason == REFUSAL_METHOD)
            assert_non_null(strstr(body, "; retrying will not help.\n"));
        refusal_flag(reason, &target, private_only, flag, sizeof(flag));
        if (flag[0]) {
            assert_non_null(strstr(body, flag));
            assert_string_equal(strstr(body, flag) + strlen(flag), "\n");
        }
        /* What was refused, at least its end. */
        assert_non_null(strstr(body, strlen(text) > 100 ? "a.zzzzz:65535\n" : text));
    }
}

static void an_unread_request_has_no_target(void **state)
{
    struct buf out CLEANUP(buf_free);
    const char *body;

    (void)state;
    buf_init(&out, 4 * KIB);
    refusal_http(&out, REFUSAL_MALFORMED, NULL, false);
    body = check_answer(&out, REFUSAL_MALFORMED);
    assert_true(str_starts(body, "ai-jail refused the request\n"));
    assert_int_equal(count_lines(body), 4);
    assert_non_null(strstr(body, "CONNECT"));
}

/* The jail's own loopback is no host outside, and port 15919 is closed without lockdown, too. */
static void the_own_loopback_has_its_words(void **state)
{
    static const struct {
        enum refusal_reason reason;
        const char *target;
        const char *words;
    } cases[] = {
        {REFUSAL_CONNECT_FAILED, "localhost:3000", "inside this sandbox"},
        {REFUSAL_CONNECT_FAILED, "127.0.0.1:3000", "inside this sandbox"},
        {REFUSAL_CONNECT_FAILED, "example.org:443", "the host does not accept"},
        {REFUSAL_LOOPBACK_CLOSED, "localhost:15919", "rule: the proxy does not serve itself"},
        {REFUSAL_LOOPBACK_CLOSED, "localhost:3000", "rule: in lockdown"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct target target = parse_target(cases[i].target);
        struct buf out CLEANUP(buf_free);

        buf_init(&out, 4 * KIB);
        refusal_http(&out, cases[i].reason, &target, false);
        assert_non_null(strstr(check_answer(&out, cases[i].reason), cases[i].words));
    }
}

static void tls_is_told_by_an_alert(void **state)
{
    static const struct {
        enum refusal_reason reason;
        uint8_t alert;
    } alerts[] = {{REFUSAL_SNI_MISSING, 112}, {REFUSAL_SNI_MISMATCH, 112}, {REFUSAL_NOT_TLS, 40}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(alerts); i++) {
        const uint8_t wanted[] = {21, 3, 3, 0, 2, 2, alerts[i].alert};
        struct buf out CLEANUP(buf_free);

        buf_init(&out, 64);
        refusal_tls_alert(&out, alerts[i].reason);
        assert_int_equal(out.len, sizeof(wanted));
        assert_memory_equal(out.data, wanted, sizeof(wanted));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reason_has_its_row),
        cmocka_unit_test(each_reason_has_its_flag),
        cmocka_unit_test(bodies_are_four_lines),
        cmocka_unit_test(an_unread_request_has_no_target),
        cmocka_unit_test(the_own_loopback_has_its_words),
        cmocka_unit_test(tls_is_told_by_an_alert),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
