// SPDX-License-Identifier: GPL-3.0-only
/*
 * Tests of pty/statusline_update: which addresses name a newer version.
 */
#include "pty/statusline_update.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *address;
    const char *current;
    const char *version; /* NULL: none */
} cases[] = {
    {"https://example.org/a/b/releases/tag/v1.2.3", "1.2.2", "1.2.3"},
    {"https://example.org/1.2.3", "1.2.2", "1.2.3"},
    {"https://example.org/1.10", "1.9.9", "1.10"},
    {"https://example.org/v0.1.0.1", "0.1.0", "0.1.0.1"},
    {"https://example.org/v2.0", "1.99.99", "2.0"},
    {"https://example.org/v999999.999999.999999.999999", "1.0", "999999.999999.999999.999999"},
    /* the same, older */
    {"https://example.org/v1.2.3", "1.2.3", NULL},
    {"https://example.org/v1.2", "1.2.0", NULL},
    {"https://example.org/v1.2.3", "1.2.4", NULL},
    {"https://example.org/v1.9", "1.10", NULL},
    /* no version */
    {"", "1.0", NULL},
    {"9.9.9", "1.0", NULL},
    {"https://example.org/", "1.0", NULL},
    {"https://example.org/v", "1.0", NULL},
    {"https://example.org/vv9.9", "1.0", NULL},
    {"https://example.org/9", "1.0", NULL},
    {"https://example.org/9.", "1.0", NULL},
    {"https://example.org/.9", "1.0", NULL},
    {"https://example.org/9..9", "1.0", NULL},
    {"https://example.org/9.9.9.9.9", "1.0", NULL},
    {"https://example.org/9.9-rc1", "1.0", NULL},
    {"https://example.org/9.9\n", "1.0", NULL},
    {"https://example.org/9.9\x1b[2J", "1.0", NULL},
    {"https://example.org/9.9?x", "1.0", NULL},
    {"https://example.org/ 9.9", "1.0", NULL},
    {"https://example.org/-9.9", "1.0", NULL},
    {"https://example.org/1000000.0", "1.0", NULL},
    {"https://example.org/99999999999999999999.0", "1.0", NULL},
};

static void test_parse(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char version[UPDATE_VERSION_MAX];
        bool is_newer = statusline_update_parse(cases[i].address, cases[i].current, version);

        if (is_newer != (cases[i].version != NULL))
            fail_msg("%s over %s", cases[i].address, cases[i].current);
        assert_string_equal(version, cases[i].version ? cases[i].version : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parse)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
