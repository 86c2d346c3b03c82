// SPDX-License-Identifier: GPL-3.0-only
/*
 * --help: names every option word, and fits a terminal of 80 columns.
 */
#include "config/args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* True if option stands in text as a whole word. */
static bool has_word(const char *text, const char *option)
{
    size_t len = strlen(option);

    for (const char *at = text; (at = strstr(at, option)); at++)
        if (strchr(" \n", at[-1]) && strchr(", \n[=", at[len]))
            return true;
    return false;
}

static void test_help(void **state)
{
    _cleanup_free_ char *help = args_help();
    struct option_words words;

    (void)state;
    options_list(&words);
    for (size_t i = 0; i < words.n; i++) {
        char letter[] = {'-', words.v[i].short_flag, '\0'};
        _cleanup_free_ char *option = xasprintf("--%s", words.v[i].name);

        if (!has_word(help, option) || (letter[1] && !has_word(help, letter)))
            fail_msg("--help lacks %s", option);
    }
    for (size_t i = 0; i < SET_COUNT; i++)
        if (settings[i].flag)
            assert_non_null(strstr(help, settings[i].section));
    assert_non_null(strstr(help, "\n  --overlay-list[=PATH]\n"));
    assert_non_null(strstr(help, "\n  --why PATH\n"));
    assert_non_null(strstr(help, "--clipboard[=copy|off], --no-clipboard\n"));
    assert_non_null(strstr(help, "\n  --backend=bwrap|seatbelt\n"));
    assert_non_null(strstr(help, "claude, codex, gemini"));
    assert_non_null(strstr(help, "\n  125 "));
    assert_string_equal(help + strlen(help) - 1, "\n");
}

static void test_help_width(void **state)
{
    _cleanup_free_ char *help = args_help();

    (void)state;
    for (const char *line = help; *line;) {
        size_t len = strcspn(line, "\n");

        assert_in_range(len, 0, 80);
        assert_true(len == 0 || line[len - 1] != ' ');
        for (size_t i = 0; i < len; i++)
            assert_in_range(line[i], ' ', '~');
        line += len + 1;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_help_width),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
