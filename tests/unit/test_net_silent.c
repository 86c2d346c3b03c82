// SPDX-License-Identifier: GPL-3.0-only
/*
 * Names that the resolver was silent about: how long that is known, and of how many.
 */
#include "net/silent.h"

#include "support/test.h"

#include <stdio.h>

static void what_was_noted_is_known_for_a_while(void **state)
{
    struct silent_names names = {0};

    (void)state;
    assert_int_equal(silent_look(&names, "a.test", 0), SILENT_NOT);
    assert_int_equal(silent_look(&names, "", 0), SILENT_NOT);
    silent_note(&names, "a.test", SILENT_DEAD, 1000);
    assert_int_equal(silent_look(&names, "a.test", 1000), SILENT_DEAD);
    assert_int_equal(silent_look(&names, "a.test", 1000 + SILENT_MS - 1), SILENT_DEAD);
    assert_int_equal(silent_look(&names, "a.test", 1000 + SILENT_MS), SILENT_NOT);
    assert_int_equal(silent_look(&names, "b.a.test", 1000), SILENT_NOT);
    silent_note(&names, "a.test", SILENT_LATE, 5000);
    assert_int_equal(silent_look(&names, "a.test", 5000 + SILENT_MS - 1), SILENT_LATE);
}

static void an_answer_in_time_ends_it(void **state)
{
    struct silent_names names = {0};

    (void)state;
    silent_note(&names, "a.test", SILENT_DEAD, 0);
    silent_note(&names, "b.test", SILENT_LATE, 0);
    silent_note(&names, "a.test", SILENT_NOT, 0);
    silent_note(&names, "never.test", SILENT_NOT, 0);
    assert_int_equal(silent_look(&names, "a.test", 1), SILENT_NOT);
    assert_int_equal(silent_look(&names, "b.test", 1), SILENT_LATE);
    assert_int_equal(names.next, 2);
}

static void the_oldest_makes_room(void **state)
{
    struct silent_names names = {0};
    char name[32];

    (void)state;
    for (int i = 0; i <= SILENT_NAMES_MAX; i++) {
        snprintf(name, sizeof(name), "n%d.test", i);
        silent_note(&names, name, SILENT_DEAD, 0);
    }
    assert_int_equal(silent_look(&names, "n0.test", 1), SILENT_NOT);
    assert_int_equal(silent_look(&names, "n1.test", 1), SILENT_DEAD);
    assert_int_equal(silent_look(&names, name, 1), SILENT_DEAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_noted_is_known_for_a_while),
        cmocka_unit_test(an_answer_in_time_ends_it),
        cmocka_unit_test(the_oldest_makes_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
