// SPDX-License-Identifier: GPL-3.0-only
/*
 * Proxies of the host: what the environment says, whom they are for, and the talk with them, in one
 * piece and byte by byte.
 */
#include "net/parent_talk.h"

#include "support/test.h"

#include <string.h>

#define ENTRIES_MAX 8

static void read_env(struct parents *parents, const char *const *entries, struct notes *notes)
{
    struct strv environ = {0};

    for (size_t i = 0; i < ENTRIES_MAX && entries[i]; i++)
        strv_push(&environ, entries[i]);
    parents_read(parents, &environ, notes);
    strv_free(&environ);
}

static struct target target_of(const char *text)
{
    struct target target = {0};

    assert_int_equal(target_parse(&target, text, strlen(text)), 0);
    return target;
}

/* "http://proxy:3128", "" for none. */
static void find(const struct parents *parents, const char *text, char *found)
{
    struct target target = target_of(text);
    const struct parent *parent = parents_for(parents, &target);

    found[0] = '\0';
    if (parent)
        parent_format(parent, found, PARENT_TEXT_MAX);
}

static void variables_in_their_order(void **state)
{
    static const struct {
        const char *environ[ENTRIES_MAX];
        const char *web;
        const char *other;
    } rows[] = {
        {{NULL}, "", ""},
        {{"https_proxy=http://a:1"}, "http://a:1", "http://a:1"},
        {{"https_proxy=http://a:1", "http_proxy=http://b:2"}, "http://b:2", "http://a:1"},
        {{"HTTPS_PROXY=http://a:1", "https_proxy=b:2"}, "http://b:2", "http://b:2"},
        {{"HTTPS_PROXY=http://a:1", "https_proxy="}, "http://a:1", "http://a:1"},
        {{"HTTP_PROXY=http://a:1", "ALL_PROXY=socks5://b"}, "http://a:1", "http://a:1"},
        {{"all_proxy=socks5h://b"}, "socks5://b:1080", "socks5://b:1080"},
        {{"all_proxy=c:3", "ALL_PROXY=SOCKS5://[::1]:9"}, "socks5://[::1]:9", "socks5://[::1]:9"},
        {{"https_proxy=https://a:3128", "http_proxy=HTTPS://b"}, "https://b:443", "https://a:3128"},
        {{"http_proxy=HTTP://A.Corp/"}, "http://a.corp:80", "http://a.corp:80"},
        {{"http_proxy_x=http://a:1", "xhttp_proxy=http://a:1"}, "", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct parents parents CLEANUP(parents_free);
        struct notes notes CLEANUP(notes_free) = {0};
        char web[PARENT_TEXT_MAX];
        char other[PARENT_TEXT_MAX];

        read_env(&parents, rows[i].environ, &notes);
        find(&parents, "x.test:80", web);
        find(&parents, "x.test:443", other);
        assert_string_equal(web, rows[i].web);
        assert_string_equal(other, rows[i].other);
        assert_int_equal(notes.n, 0);
    }
}

/* Nothing is dialled in its stead; and nothing of the value is told: it may hold a password. */
static void what_cannot_be_used_is_told_without_its_value(void **state)
{
    static const char *const values[] = {
        "http://u:hunter2@",
        "https://u:hunter2@",
        "socks5://u:hunter2@",
        "http://u:hunter2@pro xy:1",
        "http://u:hunter2/@proxy:1",
        "http://u:hunter2%0@proxy:1",
        "http://u:hunter2%00@proxy:1",
        "http://u:hunter2%0d%0a@proxy:1",
        "http://u%3a:hunter2@p:1",
        "http://:hunter2@proxy:1",
        "http://u:hunter2@proxy:0",
        "http://u:hunter2@0x7f.1:1",
        "http://u:hunter2@proxy:65536",
        "u:hunter2",
        "http://u:hunter2%zz@proxy:1",
        "http://u:hunter2%1@proxy:1",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        struct parents parents CLEANUP(parents_free);
        struct notes notes CLEANUP(notes_free) = {0};
        _cleanup_free_ char *entry = xasprintf("https_proxy=%s", values[i]);
        _cleanup_free_ char *described = NULL;

        read_env(&parents, (const char *const[]){entry, NULL}, &notes);
        if (!parents.other || !parents.other->fault || !parents.web || notes.n != 1)
            fail_msg("%s: %zu notes", values[i], notes.n);
        assert_false(parents_want_tls(&parents));
        assert_int_equal(notes.v[0].class, NOTE_SECURITY);
        assert_non_null(strstr(notes.v[0].text, "https_proxy"));
        assert_null(strstr(notes.v[0].text, "hunter2"));
        described = parents_describe(&parents);
        assert_string_equal(described, "nowhere: what https_proxy says cannot be used");
    }
}

static void other_kinds_are_told_and_not_used(void **state)
{
    struct parents parents CLEANUP(parents_free);
    struct notes notes CLEANUP(notes_free) = {0};

    (void)state;
    read_env(&parents,
             (const char *const[]){"http_proxy=hunter2://proxy:1", "https_proxy=a:1", NULL},
             &notes);
    assert_null(parents.web);
    assert_non_null(parents.other);
    assert_int_equal(notes.n, 1);
    assert_int_equal(notes.v[0].class, NOTE_SECURITY);
    assert_non_null(strstr(notes.v[0].text, "http_proxy"));
    assert_null(strstr(notes.v[0].text, "hunter2"));
}

static void who_wants_tls(void **state)
{
    static const struct {
        const char *environ[ENTRIES_MAX];
        bool wants;
    } rows[] = {
        {{NULL}, false},
        {{"https_proxy=http://a:1"}, false},
        {{"http_proxy=https://a:1"}, true},
        {{"http_proxy=http://a:1", "https_proxy=https://b:1"}, true},
        {{"http_proxy=https://a:1", "https_proxy=http://b:1"}, true},
        {{"all_proxy=socks5://a:1"}, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct parents parents CLEANUP(parents_free);

        read_env(&parents, rows[i].environ, NULL);
        assert_int_equal(parents_want_tls(&parents), rows[i].wants);
    }
}

static void credentials_are_decoded_and_never_shown(void **state)
{
    struct parents parents CLEANUP(parents_free);
    struct notes notes CLEANUP(notes_free) = {0};
    char found[PARENT_TEXT_MAX];
    char long_one[400] = "http_proxy=http://";

    (void)state;
    read_env(&parents, (const char *const[]){"https_proxy=http://me%40corp:p%3a%2Fw%25@a:1", NULL},
             &notes);
    assert_string_equal(parents.other->user, "me@corp");
    assert_string_equal(parents.other->password, "p:/w%");
    find(&parents, "x.test:443", found);
    assert_string_equal(found, "http://a:1");
    parents_free(&parents);
    memset(long_one + strlen(long_one), 'u', PARENT_SECRET_MAX + 1);
    strcat(long_one, "@a:1");
    read_env(&parents, (const char *const[]){long_one, NULL}, &notes);
    assert_non_null(parents.other->fault);
}

static void exceptions(void **state)
{
    static const struct {
        const char *said;
        const char *target;
        bool is_direct;
    } rows[] = {
        {"corp.test", "corp.test:443", true},
        {"corp.test", "a.corp.test:443", true},
        {"corp.test", "xcorp.test:443", false},
        {".corp.test", "corp.test:443", true},
        {"*.corp.test", "a.b.corp.test:443", true},
        {"CORP.Test", "corp.test:80", true},
        {"a, b ,c\tcorp.test", "corp.test:80", true},
        {"*", "x.test:443", true},
        {"x.*", "x.test:443", false},
        {"corp.test:8443", "corp.test:8443", true},
        {"corp.test:8443", "corp.test:443", false},
        {"10.1.2.3", "10.1.2.3:80", true},
        {"10.1.2.3", "10.1.2.4:80", false},
        {"10.0.0.0/8", "10.200.1.1:80", true},
        {"10.0.0.0/8", "11.0.0.1:80", false},
        {"10.0.0.0/8", "x.test:80", false},
        {"10.0.0.0/33", "10.0.0.0:80", false},
        {"10.0.0.0/", "10.0.0.0:80", false},
        {"10.0.0.0/8x", "10.0.0.0:80", false},
        {"corp.test/8", "corp.test:80", false},
        {"fd12::/16", "[fd12::1]:80", true},
        {"[fd12::]/16", "[fd13::1]:80", false},
        {"fd12::1", "[fd12::1]:80", true},
        {"[fd12::1]", "[fd12::1]:80", true},
        {"::/0", "1.2.3.4:80", false},
        {"0.0.0.0/0", "1.2.3.4:80", true},
        {",,. /,*.,:", "x.test:80", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct parents parents CLEANUP(parents_free);
        _cleanup_free_ char *entry = xasprintf("no_proxy=%s", rows[i].said);
        char found[PARENT_TEXT_MAX];

        read_env(&parents, (const char *const[]){"http_proxy=a:1", entry, NULL}, NULL);
        find(&parents, rows[i].target, found);
        if ((found[0] == '\0') != rows[i].is_direct)
            fail_msg("%s for %s", rows[i].said, rows[i].target);
    }
}

/* ---- talking ---- */

struct talk_case {
    const char *proxy;
    const char *target;
    const char *answer; /* with extra bytes behind it that must stay */
    size_t answer_len;
    const char *said; /* everything that was sent */
    size_t said_len;
    enum parent_talk_state state;
    size_t rest;
    int status;
};

static void talk(const struct talk_case *row, size_t step)
{
    struct parents parents CLEANUP(parents_free);
    struct parent_talk talk CLEANUP(parent_talk_free);
    struct target target = target_of(row->target);
    _cleanup_free_ char *entry = xasprintf("all_proxy=%s", row->proxy);
    struct buf said CLEANUP(buf_free);
    size_t at = 0;

    buf_init(&said, KIB);
    read_env(&parents, (const char *const[]){entry, NULL}, NULL);
    parent_talk_start(&talk, parents.other, &target);
    while (talk.state == PARENT_TALK_MORE) {
        size_t n = parent_talk_wants(&talk);
        uint8_t bytes[512];

        buf_append(&said, talk.out.data, talk.out.len);
        buf_reset(&talk.out);
        assert_true(n > 0);
        n = n < step ? n : step;
        n = n < row->answer_len - at ? n : row->answer_len - at;
        if (n == 0)
            break;
        memcpy(bytes, row->answer + at, n);
        parent_talk_feed(&talk, bytes, n);
        at += n;
    }
    assert_int_equal(talk.state, row->state);
    assert_int_equal(talk.status, row->status);
    if (row->state == PARENT_TALK_OPEN)
        assert_int_equal(row->answer_len - at, row->rest);
    assert_int_equal(said.len, row->said_len);
    assert_memory_equal(said.data, row->said, said.len);
}

#define BYTES(text) text, sizeof(text) - 1
#define CONNECT     "CONNECT x.test:443 HTTP/1.1\r\nHost: x.test:443\r\n"
#define SOCKS_NAME  "\5\1\0\3\6x.test\1\273"

static void talks(void **state)
{
    static const struct talk_case rows[] = {
        {"a:1", "x.test:443", BYTES("HTTP/1.1 200 Fine\r\nA: b\r\n\r\nrest"), BYTES(CONNECT "\r\n"),
         PARENT_TALK_OPEN, 4, 200},
        {"a:1", "x.test:443", BYTES("HTTP/1.0 200\r\n\r\n\r\n"), BYTES(CONNECT "\r\n"),
         PARENT_TALK_OPEN, 2, 200},
        {"Aladdin:open%20sesame@a:1", "x.test:443", BYTES("HTTP/1.1 407 Who?\r\n\r\n"),
         BYTES(CONNECT "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n"),
         PARENT_TALK_FAILED, 0, 407},
        {"u@a:1", "x.test:443", BYTES("HTTP/1.1 204 No\r\n\r\n"),
         BYTES(CONNECT "Proxy-Authorization: Basic dTo=\r\n\r\n"), PARENT_TALK_FAILED, 0, 204},
        {"a:1", "x.test:443", BYTES("HTTP/1.1 2000 No\r\n\r\n"), BYTES(CONNECT "\r\n"),
         PARENT_TALK_FAILED, 0, 0},
        {"a:1", "x.test:443", BYTES("SSH"), BYTES(CONNECT "\r\n"), PARENT_TALK_FAILED, 0, 0},
        {"a:1", "x.test:443", BYTES("HTTP/1.1 200 OK\r\n"), BYTES(CONNECT "\r\n"), PARENT_TALK_MORE,
         0, 0},
        {"socks5://a", "x.test:443", BYTES("\5\0\5\0\0\1\1\2\3\4\0\5rest"),
         BYTES("\5\1\0" SOCKS_NAME), PARENT_TALK_OPEN, 4, 0},
        {"socks5://a", "x.test:443", BYTES("\5\0\5\0\0\3\2ab\0\5!"), BYTES("\5\1\0" SOCKS_NAME),
         PARENT_TALK_OPEN, 1, 0},
        {"socks5://a", "1.2.3.4:80",
         BYTES("\5\0\5\0\0\4"
               "0123456789abcdef"
               "\0\5"),
         BYTES("\5\1\0\5\1\0\1\1\2\3\4\0\120"), PARENT_TALK_OPEN, 0, 0},
        {"socks5://a", "x.test:443", BYTES("\5\0\5\2\0\1"), BYTES("\5\1\0" SOCKS_NAME),
         PARENT_TALK_FAILED, 0, 2},
        {"socks5://a", "x.test:443", BYTES("\5\377"), BYTES("\5\1\0"), PARENT_TALK_FAILED, 0, 0},
        {"socks5://a", "x.test:443", BYTES("\5\2"), BYTES("\5\1\0"), PARENT_TALK_FAILED, 0, 0},
        {"socks5://a", "x.test:443", BYTES("\4\0"), BYTES("\5\1\0"), PARENT_TALK_FAILED, 0, 0},
        {"socks5://a", "x.test:443", BYTES("\5\0\5\0\0\7"), BYTES("\5\1\0" SOCKS_NAME),
         PARENT_TALK_FAILED, 0, 0},
        {"socks5h://me:pw@a", "x.test:443", BYTES("\5\2\1\0\5\0\0\1\1\2\3\4\0\5"),
         BYTES("\5\2\0\2\1\2me\2pw" SOCKS_NAME), PARENT_TALK_OPEN, 0, 0},
        {"socks5h://me:pw@a", "x.test:443", BYTES("\5\2\1\1"), BYTES("\5\2\0\2\1\2me\2pw"),
         PARENT_TALK_FAILED, 0, 0},
        {"socks5h://me:pw@a", "x.test:443", BYTES("\5\0\5\0\0\1\1\2\3\4\0\5"),
         BYTES("\5\2\0\2" SOCKS_NAME), PARENT_TALK_OPEN, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        talk(&rows[i], 1);
        talk(&rows[i], 512);
    }
}

static void an_answer_has_an_end(void **state)
{
    struct parents parents CLEANUP(parents_free);
    struct parent_talk talk CLEANUP(parent_talk_free);
    struct target target = target_of("x.test:443");
    size_t fed = 0;

    (void)state;
    read_env(&parents, (const char *const[]){"http_proxy=a:1", NULL}, NULL);
    parent_talk_start(&talk, parents.other, &target);
    parent_talk_feed(&talk, (const uint8_t *)"HTT", 3);
    parent_talk_feed(&talk, (const uint8_t *)"P/1.", 4);
    for (; talk.state == PARENT_TALK_MORE; fed++)
        parent_talk_feed(&talk, (const uint8_t *)"x", 1);
    assert_int_equal(talk.state, PARENT_TALK_FAILED);
    assert_true(fed <= PARENT_REPLY_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_in_their_order),
        cmocka_unit_test(what_cannot_be_used_is_told_without_its_value),
        cmocka_unit_test(other_kinds_are_told_and_not_used),
        cmocka_unit_test(who_wants_tls),
        cmocka_unit_test(credentials_are_decoded_and_never_shown),
        cmocka_unit_test(exceptions),
        cmocka_unit_test(talks),
        cmocka_unit_test(an_answer_has_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
