// SPDX-License-Identifier: GPL-3.0-only
/*
 * What mise answers: the one form that is accepted, everything that is not, and the merge.
 */
#include "backend/mise_env.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

#define MAX 4

struct answer {
    char bytes[1024];
    char *list[MAX];
    int count;
};

static void parse(struct answer *answer, const char *text, size_t len)
{
    assert_true(len < sizeof(answer->bytes));
    memcpy(answer->bytes, text, len);
    answer->count = mise_env_parse(answer->bytes, len, answer->list, MAX);
}

static void test_accepted(void **state)
{
    static const struct {
        const char *text;
        const char *want[MAX + 1];
    } cases[] = {
        {"{}", {NULL}},
        {" {\n} \t\r\n", {NULL}},
        {"{\"A\":\"b\"}", {"A=b"}},
        {"{\n  \"A\" : \"b\" ,\n  \"PATH\": \"/x:/y\"\n}\n", {"A=b", "PATH=/x:/y"}},
        {"{\"A\":\"\",\"B\":\"=\"}", {"A=", "B=="}},
        {"{\"A\":\"1\",\"A\":\"2\"}", {"A=1", "A=2"}},
        {"{\"A\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", {"A=\"\\/\b\f\n\r\t"}},
        {"{\"\\u0041\":\"\\u00e4\\u20AC\\ud83d\\ude00\"}",
         {"A=\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"}},
        {"{\"A\":\"\xc3\xa4\xf0\x9f\x98\x80\"}", {"A=\xc3\xa4\xf0\x9f\x98\x80"}},
        {"{\"A\":\"\x7f\"}", {"A=\x7f"}},
        {"{\"a b\":\"c\"}", {"a b=c"}},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct answer answer;
        int n = 0;

        parse(&answer, cases[i].text, strlen(cases[i].text));
        for (; cases[i].want[n]; n++)
            if (n >= answer.count || strcmp(answer.list[n], cases[i].want[n]) != 0)
                fail_msg("%s: %d, entry %d", cases[i].text, answer.count, n);
        assert_int_equal(answer.count, n);
    }
}

static void test_refused(void **state)
{
    static const char *const cases[] = {
        "",
        " ",
        "{",
        "}",
        "[]",
        "null",
        "\"A\"",
        "{}x",
        "{}{}",
        "x{}",
        "{\"A\"}",
        "{\"A\":}",
        "{\"A\":1}",
        "{\"A\":null}",
        "{\"A\":true}",
        "{\"A\":[]}",
        "{\"A\":{}}",
        "{\"A\":\"b\",}",
        "{,}",
        "{\"A\":\"b\" \"C\":\"d\"}",
        "{\"A\":\"b\",,\"C\":\"d\"}",
        "{A:\"b\"}",
        "{'A':'b'}",
        "{\"A\":\"b\"",
        "{\"A\":\"b",
        "{\"A\":\"b\\",
        "{\"A\":\"b\\\"}",
        /* names that are none */
        "{\"\":\"b\"}",
        "{\"A=B\":\"c\"}",
        "{\"\\u003d\":\"c\"}",
        "{\"A\\u0000\":\"c\"}",
        /* no character, or not as itself */
        "{\"A\":\"\\u0000\"}",
        "{\"A\":\"\n\"}",
        "{\"A\":\"\x01\"}",
        "{\"A\":\"\x1f\"}",
        "{\"A\":\"\\x41\"}",
        "{\"A\":\"\\u12\"}",
        "{\"A\":\"\\u12g4\"}",
        "{\"A\":\"\\\"}",
        "{\"A\":\"\\ud800\"}",
        "{\"A\":\"\\udc00\"}",
        "{\"A\":\"\\ud800\\u0041\"}",
        "{\"A\":\"\\ud800\\n\"}",
        "{\"A\":\"\\ud83d\\\"}",
        "{\"A\":\"\xff\"}",
        "{\"A\":\"\xc3\"}",
        "{\"A\":\"\xc0\x80\"}",
        "{\"A\":\"\xed\xa0\x80\"}",
        "\xef\xbb\xbf{}",
        "{\"A\":\"b\"}//",
    };
    struct answer answer;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        parse(&answer, cases[i], strlen(cases[i]));
        if (answer.count != -EBADMSG)
            fail_msg("%s: %d", cases[i], answer.count);
    }
    parse(&answer, "{}\0", 3);
    assert_int_equal(answer.count, -EBADMSG);
    parse(&answer, "\0{}", 3);
    assert_int_equal(answer.count, -EBADMSG);
    parse(&answer, "{\"A\":\"\0\"}", 9);
    assert_int_equal(answer.count, -EBADMSG);
    parse(&answer, "{\"A\":\"\\\0\"}", 10);
    assert_int_equal(answer.count, -EBADMSG);
}

static void test_too_many(void **state)
{
    static const char four[] = "{\"A\":\"\",\"B\":\"\",\"C\":\"\",\"D\":\"\"}";
    static const char five[] = "{\"A\":\"\",\"B\":\"\",\"C\":\"\",\"D\":\"\",\"E\":\"\"}";
    struct answer answer;

    (void)state;
    parse(&answer, four, strlen(four));
    assert_int_equal(answer.count, 4);
    parse(&answer, five, strlen(five));
    assert_int_equal(answer.count, -E2BIG);
}

/* Every beginning of an answer is refused: nothing is taken over from a program that was cut off. */
static void test_cut_off(void **state)
{
    static const char text[] = "{\"PATH\":\"\\ud83d\\ude00/\xc3\xa4\",\"B\":\"\\n\"}";
    struct answer answer;

    (void)state;
    for (size_t len = 0; len < strlen(text); len++) {
        parse(&answer, text, len);
        assert_int_equal(answer.count, -EBADMSG);
    }
    parse(&answer, text, strlen(text));
    assert_int_equal(answer.count, 2);
}

#define WORD(text) ((char *)(uintptr_t)(text))

static void expect_merged(char *const *env, char *const *list, size_t count, char *const *fixed,
                          bool no_proxy, const char *const *want)
{
    char *out[16];
    size_t i = 0;

    mise_env_merge(out, env, list, count, fixed, no_proxy);
    for (; want[i]; i++)
        assert_string_equal(out[i], want[i]);
    assert_null(out[i]);
}

static void test_merge(void **state)
{
    char *env[] = {WORD("HOME=/h"), WORD("PATH=/bin"), WORD("https_proxy=http://127.0.0.1:15919"),
                   NULL};
    char *list[] = {WORD("PATH=/mise:/bin"), WORD("HOME=/evil"),    WORD("NEW=1"),
                    WORD("NEW=2"),           WORD("HOM=3"),         WORD("https_proxy=http://evil"),
                    WORD("All_Proxy=evil"),  WORD("FROM_USER=evil")};
    char *fixed[] = {WORD("HOME"), WORD("FROM_USER"), NULL};
    static const char *const closed[] = {
        "HOME=/h", "PATH=/mise:/bin", "https_proxy=http://127.0.0.1:15919", "NEW=2", "HOM=3", NULL};
    static const char *const open[] = {"HOME=/h", "PATH=/mise:/bin", "https_proxy=http://evil",
                                       "NEW=2",   "HOM=3",           "All_Proxy=evil",
                                       NULL};
    static const char *const same[] = {"HOME=/h", "PATH=/bin", "https_proxy=http://127.0.0.1:15919",
                                       NULL};
    static const char *const alone[] = {"PATH=/mise:/bin", NULL};

    (void)state;
    expect_merged(env, list, ARRAY_SIZE(list), fixed, true, closed);
    expect_merged(env, list, ARRAY_SIZE(list), fixed, false, open);
    expect_merged(env, list, 0, NULL, true, same);
    expect_merged(NULL, list, 1, NULL, true, alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_too_many), cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_merge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
