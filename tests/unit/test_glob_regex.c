// SPDX-License-Identifier: GPL-3.0-only
/*
 * Patterns as regular expressions: the text of some, and that for all sorts of names an expression says what
 * the pattern says, as far as an expression can.
 */
#include "policy/glob.h"

#include "support/test.h"

#include <regex.h>
#include <string.h>

static struct glob *compile(const char *pattern)
{
    struct glob_fault fault = {0};
    struct glob *glob = glob_compile(pattern, &fault);

    if (!glob)
        fail_msg("%s: %zu: %s", pattern, fault.position, fault.why);
    return glob;
}

/* "^...$"; malloc'ed, NULL if nothing matches. */
static char *expression(const struct glob *glob, enum glob_rounding rounding)
{
    struct buf out CLEANUP(buf_free);
    bool can_match;

    buf_init(&out, 64 * KIB);
    buf_append_str(&out, "^");
    can_match = glob_regex(glob, glob_component_count(glob), rounding, &out);
    buf_append_str(&out, "$");
    return can_match ? buf_take_cstr(&out) : NULL;
}

static void expressions_are_these(void **state)
{
    static const struct {
        const char *pattern;
        const char *want;
    } rows[] = {
        {"*.pem", "^[^/]*\\.pem$"},
        {"a?b", "^a[^/]b$"},
        {"**/x", "^([^/]+/)*x$"},
        {"a/**", "^a/[^/]+(/[^/]+)*$"},
        {"a/**/b", "^a/([^/]+/)*b$"},
        {"[a-c]", "^([a-c])$"},
        {"[!a-c]", "^[^/a-c]$"},
        {"[.a]", "^([a]|\\.)$"},
        {"a(b)c", "^a\\(b\\)c$"},
        {"\\*+^$|.\\[\\]\\{\\}", "^\\*\\+\\^\\$\\|\\.\\[\\]\\{\\}$"},
        {"a\\\\b", "^a\\\\b$"},
        {"[!-~]x\"", "^([0-9A-Z_a-z]|[^ -~]| |!|\"|#|\\$|%|&|'|\\(|\\)|\\*|\\+|,|"
                     "\\.|:|;|<|=|>|\\?|@|\\[|\\\\|\\]|\\^|`|\\{|\\||\\})x\"$"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct glob *glob = compile(rows[i].pattern);
        _cleanup_free_ char *found = expression(glob, GLOB_ROUND_UP);

        assert_string_equal(found, rows[i].want);
        glob_free(glob);
    }
}

static void sets_are_rounded(void **state)
{
    struct glob *glob = compile("[\xc3\x01]");
    _cleanup_free_ char *up = expression(glob, GLOB_ROUND_UP);
    _cleanup_free_ char *down = expression(glob, GLOB_ROUND_DOWN);

    (void)state;
    assert_string_equal(up, "^([^ -~])$");
    assert_null(down);
    glob_free(glob);
}

static bool regex_matches(const char *expression, const char *name)
{
    regex_t regex;
    bool found;

    if (regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB) != 0)
        fail_msg("%s is no expression", expression);
    found = regexec(&regex, name, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* From the alphabet, NUL-terminated, never with an empty component. */
static void make_word(uint64_t *seed, const char *alphabet, char *word, size_t max)
{
    size_t len = 1 + next(seed) % max;

    for (size_t i = 0; i < len; i++) {
        word[i] = alphabet[next(seed) % strlen(alphabet)];
        if (word[i] == '/' && (i == 0 || i + 1 == len || word[i - 1] == '/'))
            word[i] = 'a';
    }
    word[len] = '\0';
}

/* In the C locale an expression matches bytes, as a pattern does. */
static void both_agree(void **state)
{
    uint64_t seed = 0x9e3779b97f4a7c15;
    unsigned agreed = 0;

    (void)state;
    for (unsigned i = 0; i < 4000; i++) {
        struct glob_fault fault;
        char pattern[16];
        struct glob *glob;
        _cleanup_free_ char *up = NULL;
        _cleanup_free_ char *down = NULL;

        make_word(&seed, "ab*?[]!-^/.\\+()|$\xc3{", pattern, 10);
        glob = glob_compile(pattern, &fault);
        if (!glob)
            continue;
        up = expression(glob, GLOB_ROUND_UP);
        down = expression(glob, GLOB_ROUND_DOWN);
        for (unsigned k = 0; k < 12; k++) {
            char name[16];
            bool want;

            make_word(&seed, "ab/.\\+-()[]^!|$\xc3", name, 6);
            want = glob_is_match(glob, glob_walk(glob, name));
            if (want && (!up || !regex_matches(up, name)))
                fail_msg("%s matches %s, %s does not", pattern, name, up ? up : "nothing");
            if (!want && down && regex_matches(down, name))
                fail_msg("%s does not match %s, %s does", pattern, name, down);
            agreed += want;
        }
        glob_free(glob);
    }
    assert_true(agreed > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_are_these),
        cmocka_unit_test(sets_are_rounded),
        cmocka_unit_test(both_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
