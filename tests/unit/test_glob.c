// SPDX-License-Identifier: GPL-3.0-only
/*
 * Patterns: what they match, what they refuse and where, and that they agree with a second matcher
 * that is written for being obvious and tries everything out.
 */
#include "policy/glob.h"

#include "support/test.h"

#include <string.h>

static bool matches(const char *pattern, const char *path)
{
    struct glob_fault fault = {0};
    struct glob *glob = glob_compile(pattern, &fault);
    bool result;

    if (!glob)
        fail_msg("%s: %zu: %s", pattern, fault.position, fault.why);
    result = glob_is_match(glob, glob_walk(glob, path));
    glob_free(glob);
    return result;
}

static void patterns_match(void **state)
{
    static const struct {
        const char *pattern;
        const char *path;
        bool is_match;
    } rows[] = {
        {"*.pem", "a.pem", true},
        {"*.pem", ".pem", true},
        {"*.pem", "a/b.pem", false},
        {"*.pem", "a.pem.txt", false},
        {"*", ".env", true},
        {"?", "a", true},
        {"?", "ab", false},
        {"a?c", "a/c", false},
        {"a*c", "abbc", true},
        {"a*c", "ac", true},
        {"a*b*c", "aXbYbZc", true},
        {"a*b*c", "aXcYb", false},
        {"[a-c]x", "bx", true},
        {"[a-c]x", "dx", false},
        {"[!a-c]x", "dx", true},
        {"[!a-c]x", "bx", false},
        {"[^a-c]x", "bx", false},
        {"[]x]", "]", true},
        {"[!]x]", "y", true},
        {"[!]x]", "]", false},
        {"[a-]", "-", true},
        {"[-a]", "-", true},
        {"[\\]]", "]", true},
        {"[\\\\]", "\\", true},
        {"[a\\-z]", "m", false},
        {"[a\\-z]", "-", true},
        {"[*?]", "*", true},
        {"[*?]", "a", false},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"\\[a", "[a", true},
        {"\\{", "{", true},
        {"a]", "a]", true},
        {"**", "a", true},
        {"**", "a/b/c", true},
        {"**/a", "a", true},
        {"**/a", "x/y/a", true},
        {"**/a", "x/y/ab", false},
        {"a/**", "a", false},
        {"a/**", "a/b", true},
        {"a/**", "a/b/c", true},
        {"a/**/b", "a/b", true},
        {"a/**/b", "a/x/y/b", true},
        {"a/**/b", "a/x/y/c", false},
        {"**/a/**/b", "x/a/y/a/z/b", true},
        {"**/**/b", "b", true},
        {"a/**/**", "a/x", true},
        {"**/**", "a", true},
        {"./a", "a", true},
        {"a//b", "a/b", true},
        {"a/", "a", true},
        {"*\xff?", "\xff\xfe\xff\xff", true},
        {"[\x80-\xff]", "\xc3", true},
        {"\xc3\xa4*", "\xc3\xa4x", true},
        {"?", "\xc3\xa4", false},
        {"a!", "a!", true},
        {"+a", "+a", true},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (matches(rows[i].pattern, rows[i].path) != rows[i].is_match)
            fail_msg("%s %s %s", rows[i].pattern, rows[i].is_match ? "misses" : "matches",
                     rows[i].path);
    }
}

/* P-PLAN-13: what is not supported is refused, and the message can say where. */
static void the_rest_is_refused(void **state)
{
    static const struct {
        const char *pattern;
        size_t position;
        const char *why;
    } rows[] = {
        {"{a,b}", 0, "braces"},
        {"x{a,b}", 1, "braces"},
        {"x}", 1, "braces"},
        {"!a", 0, "leading !"},
        {"!", 0, "leading !"},
        {"a**", 1, "**"},
        {"**a", 0, "**"},
        {"x/**b/c", 2, "**"},
        {"a***", 1, "**"},
        {"x/***", 2, "**"},
        {"a[bc", 1, "not closed"},
        {"a[", 1, "not closed"},
        {"a[]", 1, "not closed"},
        {"a[!]", 1, "not closed"},
        {"a[b/c]", 1, "not closed"},
        {"a[b\\", 1, "not closed"},
        {"a\\", 1, "backslash"},
        {"a\\/b", 1, "backslash"},
        {"x@(a|b)", 1, "alternat"},
        {"+(a)", 0, "alternat"},
        {"x/!(a)", 2, "alternat"},
        {"?(a)", 0, "alternat"},
        {"*(a)", 0, "alternat"},
        {"[z-a]", 1, "wrong way"},
        {"x[[:alpha:]]", 2, "named"},
        {"a/../*", 2, "cannot go up"},
        {"", 0, "empty"},
        {"/", 0, "empty"},
        {"./.", 0, "empty"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct glob_fault fault = {999, ""};
        struct glob *glob = glob_compile(rows[i].pattern, &fault);

        if (glob)
            fail_msg("%s is accepted", rows[i].pattern);
        if (fault.position != rows[i].position || !strstr(fault.why, rows[i].why))
            fail_msg("%s: %zu: %s", rows[i].pattern, fault.position, fault.why);
    }
}

static void components_are_bounded(void **state)
{
    char pattern[2 * (GLOB_COMPONENTS_MAX + 1) + 1] = "";
    char path[sizeof(pattern)] = "";
    struct glob_fault fault;

    (void)state;
    for (unsigned i = 0; i < GLOB_COMPONENTS_MAX; i++) {
        strcat(pattern, "?/");
        strcat(path, "x/");
    }
    assert_true(matches(pattern, path));
    strcat(pattern, "?");
    assert_null(glob_compile(pattern, &fault));
    assert_int_equal(fault.position, 2 * GLOB_COMPONENTS_MAX);
}

static void patterns_are_told_from_names(void **state)
{
    static const char *const patterns[] = {"*",  "a?", "[a]", "a{",   "a}",    "\\a",
                                           "!a", "a[", "@(a", "x+(a", "x!(a)", "a*(b"};
    static const char *const names[] = {"a", ".env", "a!b", "a]", "a@b", "a+b", "(a)", "", "-"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
        if (!glob_is_pattern(patterns[i]))
            fail_msg("%s is a pattern", patterns[i]);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (glob_is_pattern(names[i]))
            fail_msg("%s is a name", names[i]);
}

static void the_literal_directories_are_split_off(void **state)
{
    static const struct {
        const char *text;
        size_t len;
    } rows[] = {
        {"a/b/*.c", 4}, {"*.c", 0},      {"a*/b", 0},    {"a/b", 2},
        {"/etc/*", 5},  {"~/x/**", 4},   {"a\\b/c", 0},  {"a/b\\c/d", 2},
        {"!a/b", 0},    {"a/@(b)/c", 2}, {"a/{b/c}", 2}, {"", 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (glob_prefix_len(rows[i].text) != rows[i].len)
            fail_msg("%s: %zu", rows[i].text, glob_prefix_len(rows[i].text));
}

static void places_say_whether_to_go_on(void **state)
{
    static const struct {
        const char *pattern;
        const char *path;
        bool leads_on;
    } rows[] = {
        {"a/b/c", "a", true},    {"a/b/c", "a/b", true},  {"a/b/c", "a/b/c", false},
        {"a/b/c", "x", false},   {"**/c", "x/y/z", true}, {"*.c", "x", false},
        {"a/**", "a/b/c", true}, {"a/**/x", "b", false},  {"*/x", "y", true},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct glob_fault fault;
        struct glob *glob = glob_compile(rows[i].pattern, &fault);

        assert_non_null(glob);
        if (glob_leads_on(glob, glob_walk(glob, rows[i].path)) != rows[i].leads_on)
            fail_msg("%s %s", rows[i].pattern, rows[i].path);
        glob_free(glob);
    }
}

static void names_are_found_in_patterns(void **state)
{
    struct glob_fault fault;
    struct glob *glob = glob_compile("a/**/node_modul[e]s/.git/\\*/x*", &fault);

    (void)state;
    assert_true(glob_names(glob, "a") && glob_names(glob, ".git") && glob_names(glob, "*"));
    assert_false(glob_names(glob, "node_modules") || glob_names(glob, "x") ||
                 glob_names(glob, "x*") || glob_names(glob, "") || glob_names(glob, "**"));
    glob_free(glob);
}

/* P-PLAN-21: a matcher that tries all ways would not come back before the sun goes out. */
static void hostile_patterns_take_no_time(void **state)
{
    char pattern[1200] = "";
    char name[256];
    char deep[63 * 6 + 1] = "";
    char path[4096] = "";

    (void)state;
    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    for (unsigned i = 0; i < 500; i++)
        strcat(pattern, i % 2 ? "a" : "*");
    strcat(pattern, "b");
    for (unsigned i = 0; i < 1000; i++)
        assert_false(matches(pattern, name));
    for (unsigned i = 0; i < 31; i++)
        strcat(deep, "**/a*a/");
    strcat(deep, "b");
    for (unsigned i = 0; i < 1300; i++)
        strcat(path, "aa/");
    assert_false(matches(deep, path));
}

/* ---- the second matcher ---- */

static bool slow_name(const char *pattern, const char *name)
{
    const char *next = pattern + 1;
    bool takes;

    if (*pattern == '\0' || *pattern == '/')
        return *name == '\0' || *name == '/';
    if (*pattern == '*')
        return slow_name(next, name) || (*name && *name != '/' && slow_name(pattern, name + 1));
    if (*name == '\0' || *name == '/')
        return false;
    if (*pattern == '[') {
        bool is_negated = *next == '!';

        next += is_negated;
        takes = false;
        for (; *next != ']'; next++)
            takes |= *next == *name;
        takes ^= is_negated;
        next++;
    } else {
        takes = *pattern == '?' || *pattern == *name;
    }
    return takes && slow_name(next, name + 1);
}

static const char *behind(const char *text)
{
    text += strcspn(text, "/");
    return text + (*text == '/');
}

static bool slow_path(const char *pattern, const char *path)
{
    if (*pattern == '\0')
        return *path == '\0';
    if (strncmp(pattern, "**", 2) == 0) {
        bool is_last = pattern[2] == '\0';

        if (is_last)
            return *path != '\0';
        return slow_path(behind(pattern), path) || (*path && slow_path(pattern, behind(path)));
    }
    return *path && slow_name(pattern, path) && slow_path(behind(pattern), behind(path));
}

static uint64_t random_state = 0x2545F4914F6CDD1Du;

static unsigned below(unsigned limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % limit;
}

static void append_some(char *text, const char *const *parts, size_t n, unsigned most)
{
    for (unsigned left = 1 + below(most); left > 0; left--)
        strcat(text, parts[below((unsigned)n)]);
}

static void random_text(char *text, bool is_pattern)
{
    static const char *const bytes[] = {"a", "b", "a", "ab"};
    static const char *const tokens[] = {"a", "b", "?", "[ab]", "[!a]", "a*", "b*"};

    text[0] = '\0';
    for (unsigned left = 1 + below(5); left > 0; left--) {
        if (is_pattern && below(3) == 0) {
            /* One beside another means the same as one; the compiler folds them. */
            if (strlen(text) < 3 || strcmp(text + strlen(text) - 3, "**/") != 0)
                strcat(text, "**/");
            continue;
        }
        if (is_pattern && below(4) == 0)
            strcat(text, "*");
        append_some(text,
                    is_pattern && text[0] && text[strlen(text) - 1] == '*' ? bytes
                    : is_pattern                                           ? tokens
                                                                           : bytes,
                    4, 3);
        strcat(text, "/");
    }
    if (text[0])
        text[strlen(text) - 1] = '\0';
}

static void both_matchers_agree(void **state)
{
    unsigned yes = 0;

    (void)state;
    for (unsigned round = 0; round < 50000; round++) {
        char pattern[256];
        char path[256];
        struct glob_fault fault;
        struct glob *glob;
        bool fast;

        random_text(pattern, true);
        random_text(path, false);
        if (!pattern[0])
            continue;
        glob = glob_compile(pattern, &fault);
        if (!glob) {
            /* Stars that came to stand side by side. */
            assert_non_null(strstr(fault.why, "**"));
            continue;
        }
        fast = glob_is_match(glob, glob_walk(glob, path));
        yes += fast;
        if (fast != slow_path(pattern, path))
            fail_msg("%s %s: %s", pattern, path, fast ? "yes" : "no");
        glob_free(glob);
    }
    print_message("%u matches\n", yes);
    assert_true(yes > 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match),
        cmocka_unit_test(the_rest_is_refused),
        cmocka_unit_test(components_are_bounded),
        cmocka_unit_test(patterns_are_told_from_names),
        cmocka_unit_test(the_literal_directories_are_split_off),
        cmocka_unit_test(places_say_whether_to_go_on),
        cmocka_unit_test(names_are_found_in_patterns),
        cmocka_unit_test(hostile_patterns_take_no_time),
        cmocka_unit_test(both_matchers_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
