// SPDX-License-Identifier: GPL-3.0-only
/*
 * json_check: what is a complete JSON object and what is not.
 */
#include "base/json_check.h"

#include "support/test.h"

#include <string.h>

static bool is_object(const void *bytes, size_t len)
{
    struct json_check check;

    json_check_init(&check);
    json_check_feed(&check, bytes, len);
    return json_check_is_complete(&check);
}

static void objects(void **state)
{
    static const char *const texts[] = {
        "{}",
        " \t\r\n{ \n} \n",
        "{\"a\":1}",
        "{\"a\":{\"b\":[{},[],[[1,2],3]]},\"c\":null}",
        "{\"a\":[0,-0,10,1.0,0.5,1e1,1E+1,1e-1,-12.34e56]}",
        "{\"a\" : [ true , false , null ] , \"a\" : \"\" }",
        "{\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"}",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        if (!is_object(texts[i], strlen(texts[i])))
            fail_msg("refused: %s", texts[i]);
}

static void others(void **state)
{
    static const char *const texts[] = {
        "",
        "x",
        "[]",
        "1",
        "{",
        "}",
        "{}{}",
        "{}x",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{\"a\":1 \"b\":2}",
        "{a:1}",
        "{1:2}",
        "{'a':1}",
        "{\"a\":[1}}",
        "{\"a\":[1,]}",
        "{\"a\":[,1]}",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":-}",
        "{\"a\":1.}",
        "{\"a\":.5}",
        "{\"a\":1e}",
        "{\"a\":1e+}",
        "{\"a\":0x1}",
        "{\"a\":tru}",
        "{\"a\":truth}",
        "{\"a\":NaN}",
        "{\"a\":Infinity}",
        "{\"a\":\"\x01\"}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\\u123\"}",
        "{\"a\":\"",
        "{/**/}",
        "\xef\xbb\xbf{}",
        "{\"\x80\":1}",
        "{\"\xc0\xaf\":1}",
        "{\"\xe0\x80\xaf\":1}",
        "{\"\xed\xa0\x80\":1}",
        "{\"\xf0\x80\x80\x80\":1}",
        "{\"\xf4\x90\x80\x80\":1}",
        "{\"\xf5\x80\x80\x80\":1}",
        "{\"\xe2\x82\":1}",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        if (is_object(texts[i], strlen(texts[i])))
            fail_msg("accepted: %s", texts[i]);
    assert_false(is_object("{}", 3));           /* NUL behind it */
    assert_false(is_object("{\"\\\0\":1}", 8)); /* NUL behind a backslash */
}

static bool is_nested(size_t depth)
{
    struct json_check check;

    json_check_init(&check);
    json_check_feed(&check, "{\"a\":", 5);
    for (size_t i = 1; i < depth; i++)
        json_check_feed(&check, "[", 1);
    json_check_feed(&check, "0", 1);
    for (size_t i = 1; i < depth; i++)
        json_check_feed(&check, "]", 1);
    json_check_feed(&check, "}", 1);
    return json_check_is_complete(&check);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    assert_true(is_nested(1));
    assert_true(is_nested(JSON_CHECK_DEPTH_MAX));
    assert_false(is_nested(JSON_CHECK_DEPTH_MAX + 1));
    assert_false(is_nested(100000));
}

/* Every true prefix of an object is none; what has failed stays failed. */
static void prefixes(void **state)
{
    static const char text[] = "{\"a\":[1.5e-3,\"\xe2\x82\xac\\u0041\",{\"b\":true}],\"c\":-0}";
    struct json_check check;

    (void)state;
    for (size_t len = 0; len < sizeof(text) - 1; len++)
        assert_false(is_object(text, len));
    assert_true(is_object(text, sizeof(text) - 1));
    json_check_init(&check);
    assert_false(json_check_feed(&check, "x", 1));
    assert_false(json_check_feed(&check, "{}", 2));
    assert_false(json_check_is_complete(&check));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects),
        cmocka_unit_test(others),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(prefixes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
