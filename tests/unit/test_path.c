// SPDX-License-Identifier: GPL-3.0-only
/*
 * Paths as strings. Every decision about what lies in what rests on these.
 */
#include "base/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct pair {
    const char *in;
    const char *want;
};

static void check_pairs(char *(*work)(const char *path), const struct pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        _cleanup_free_ char *got = work(pairs[i].in);

        if (strcmp(got, pairs[i].want) != 0)
            fail_msg("%s gives %s, not %s", pairs[i].in, got, pairs[i].want);
    }
}

static const struct pair cleaned[] = {
    {"/", "/"},
    {"//", "/"},
    {"///a", "/a"},
    {"/a/", "/a"},
    {"/a//b", "/a/b"},
    {"/.", "/"},
    {"/./a/./b/.", "/a/b"},
    {"/..", "/"},
    {"/../../a", "/a"},
    {"/a/..", "/"},
    {"/a/../b", "/b"},
    {"/a/b/../../c", "/c"},
    {"/a/b/../../../c", "/c"},
    {"/a/b/..", "/a"},
    {"/a/b/../", "/a"},
    {"/...", "/..."},
    {"/a/.b/..c/d..", "/a/.b/..c/d.."},
    {"/a/\n/ ", "/a/\n/ "},
};

static void clean_removes_what_means_nothing(void **state)
{
    (void)state;
    check_pairs(path_clean, cleaned, ARRAY_SIZE(cleaned));
    for (size_t i = 0; i < ARRAY_SIZE(cleaned); i++) {
        const struct pair again = {cleaned[i].want, cleaned[i].want};

        check_pairs(path_clean, &again, 1);
    }
}

static void parent_is_the_directory(void **state)
{
    static const struct pair pairs[] = {
        {"/", "/"}, {"/a", "/"}, {"/a/b", "/a"}, {"/a/b/c", "/a/b"}};

    (void)state;
    check_pairs(path_parent, pairs, ARRAY_SIZE(pairs));
}

static void base_is_the_last_component(void **state)
{
    (void)state;
    assert_string_equal(path_base("/a/b"), "b");
    assert_string_equal(path_base("b"), "b");
    assert_string_equal(path_base("/"), "");
    assert_string_equal(path_base(""), "");
}

static void join_lets_an_absolute_path_win(void **state)
{
    static const struct {
        const char *dir;
        const char *name;
        const char *want;
    } rows[] = {
        {"/a", "b", "/a/b"}, {"/a/", "b", "/a/b"}, {"/", "b", "/b"},
        {"/a", "/b", "/b"},  {"/a", "", "/a/"},    {"/a", "../b", "/a/../b"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_free_ char *got = path_join(rows[i].dir, rows[i].name);

        assert_string_equal(got, rows[i].want);
    }
}

static void containment_is_by_whole_components(void **state)
{
    static const struct {
        const char *path;
        const char *dir;
        bool within;
        bool below;
    } rows[] = {
        {"/", "/", true, false},         {"/a", "/", true, true},
        {"/a", "/a", true, false},       {"/a/b", "/a", true, true},
        {"/ab", "/a", false, false},     {"/a", "/ab", false, false},
        {"/a", "/a/b", false, false},    {"/", "/a", false, false},
        {"/a/bc", "/a/b", false, false}, {"/a b/c", "/a b", true, true},
        {"/a-b", "/a", false, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (path_is_within(rows[i].path, rows[i].dir) != rows[i].within ||
            path_is_below(rows[i].path, rows[i].dir) != rows[i].below)
            fail_msg("%s in %s", rows[i].path, rows[i].dir);
    }
}

static void rest_and_directory_make_the_path_again(void **state)
{
    static const struct {
        const char *path;
        const char *dir;
        const char *rest;
    } rows[] = {
        {"/a/b/c", "/a", "b/c"},
        {"/a", "/a", ""},
        {"/a/b", "/", "a/b"},
        {"/", "/", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_free_ char *joined = path_join(rows[i].dir, rows[i].rest);
        _cleanup_free_ char *clean = path_clean(joined);

        assert_string_equal(path_rest(rows[i].path, rows[i].dir), rows[i].rest);
        assert_string_equal(clean, rows[i].path);
    }
}

static void depth_counts_components(void **state)
{
    (void)state;
    assert_int_equal(path_depth("/"), 0);
    assert_int_equal(path_depth("/a"), 1);
    assert_int_equal(path_depth("/a/b/c"), 3);
}

static void only_the_own_tilde_is_expanded(void **state)
{
    static const struct pair pairs[] = {
        {"~", "/h"},      {"~/", "/h/"}, {"~/x", "/h/x"}, {"~u/x", "~u/x"},
        {"/~/x", "/~/x"}, {"x~", "x~"},  {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
        _cleanup_free_ char *got = path_expand_home(pairs[i].in, "/h");

        assert_string_equal(got, pairs[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_removes_what_means_nothing),
        cmocka_unit_test(parent_is_the_directory),
        cmocka_unit_test(base_is_the_last_component),
        cmocka_unit_test(join_lets_an_absolute_path_win),
        cmocka_unit_test(containment_is_by_whole_components),
        cmocka_unit_test(rest_and_directory_make_the_path_again),
        cmocka_unit_test(depth_counts_components),
        cmocka_unit_test(only_the_own_tilde_is_expanded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
