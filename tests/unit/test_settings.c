// SPDX-License-Identifier: GPL-3.0-only
/*
 * The settings table and what is made from it: complete, in order, every name once, every row
 * consistent in itself, and each default and polarity as documented.
 */
#include "config/args.h"
#include "config/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The facts again, written down a second time and by hand: a slip in the table shows here. */
struct fact {
    enum setting_id id;
    const char *flag;
    const char *key; /* with a leading '!' if inverted */
    bool has_twin;
    bool preset;
    bool strict;
    enum setting_trust trust;
};

static const struct fact facts[] = {
    {SET_RO_MAPS, "map", "ro_maps", false, false, false, TRUST_INSIDE},
    {SET_RW_MAPS, "rw-map", "rw_maps", false, false, false, TRUST_INSIDE},
    {SET_PRIVATE_HOME, "private-home", "private_home", true, true, true, TRUST_TIGHTEN},
    {SET_ALLOW_BROAD_PROJECT, "allow-broad-project", NULL, false, false, false, TRUST_CLI_ONLY},
    {SET_LANDLOCK, "landlock", "!no_landlock", true, true, true, TRUST_TIGHTEN},
    {SET_SECCOMP, "seccomp", "!no_seccomp", true, true, true, TRUST_TIGHTEN},
    {SET_RLIMITS, "rlimits", "!no_rlimits", true, true, true, TRUST_TIGHTEN},
    {SET_ALLOW_DEBUG, "allow-debug", "allow_debug", true, false, false, TRUST_TIGHTEN},
    {SET_NETWORK, "network", "network", true, false, false, TRUST_TIGHTEN},
    {SET_ENV_PASS, "env", "env_pass", false, false, false, TRUST_REFUSED},
    {SET_INHERIT_ENV, "inherit-env", "inherit_env", true, false, false, TRUST_TIGHTEN},
    {SET_STATUS_BAR, "status-bar", NULL, true, false, false, TRUST_CLI_ONLY},
    {SET_EXEC, "exec", NULL, false, false, false, TRUST_CLI_ONLY},
    {SET_TERMINAL_PASSTHROUGH, "terminal-passthrough", "terminal_passthrough", true, false, false,
     TRUST_TIGHTEN},
    {SET_CLIPBOARD, "clipboard", "clipboard", true, false, false, TRUST_TIGHTEN},
    {SET_VERBOSE, "verbose", NULL, false, false, false, TRUST_CLI_ONLY},
};
static_assert(ARRAY_SIZE(facts) == SET_COUNT, "one fact per row");

static void test_rows_are_the_documented_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++) {
        const struct setting *row = &settings[i];
        const struct fact *fact = &facts[i];
        bool inverted = fact->key && fact->key[0] == '!';

        assert_int_equal(row->id, i);
        assert_int_equal(fact->id, i);
        assert_string_equal(row->flag, fact->flag);
        assert_true(str_eq(row->key, inverted ? fact->key + 1 : fact->key));
        assert_int_equal(row->inverted, inverted);
        assert_int_equal(row->has_twin, fact->has_twin);
        assert_int_equal(row->preset, fact->preset);
        assert_int_equal(row->strict, fact->strict);
        assert_int_equal(row->trust, fact->trust);
    }
    assert_string_equal(settings[SET_RO_MAPS].alias, "ro-map");
    assert_int_equal(settings[SET_VERBOSE].short_flag, 'v');
    assert_int_equal(settings[SET_STATUS_BAR].short_flag, 's');
}

static void test_rows_are_consistent(void **state)
{
    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++) {
        const struct setting *row = &settings[i];

        assert_int_equal(row->type == TYPE_LIST, row->arg != NULL);
        assert_int_equal(row->type == TYPE_LIST, row->merge != MERGE_REPLACE);
        assert_int_equal(row->key == NULL, row->trust == TRUST_CLI_ONLY);
        assert_true(!row->inverted || str_starts(row->key, "no_"));
        assert_true(!row->has_twin || row->type != TYPE_LIST);
        assert_int_equal(row->type == TYPE_WORD, row->words != NULL);
        assert_int_equal(row->type == TYPE_WORD, row->bare_word != NULL);
        assert_int_equal(row->type == TYPE_WORD, row->preset_word != NULL);
        assert_int_equal(row->type == TYPE_WORD && row->has_twin, row->twin_word != NULL);
        assert_int_equal(row->type == TYPE_WORD && row->trust == TRUST_TIGHTEN,
                         row->strict_word != NULL);
        assert_true(row->type == TYPE_BOOL || (!row->preset && !row->strict));
        assert_true(!row->fault || row->type == TYPE_LIST);
        assert_true(!(row->capability & FORM_ALIAS) || row->alias);
        assert_true(!(row->capability & FORM_TWIN) || row->has_twin);
        assert_non_null(row->section);
        assert_true(strlen(row->help) > 10 && row->help[strlen(row->help) - 1] == '.');
    }
    assert_int_equal(settings[SET_RO_MAPS].merge, MERGE_APPEND);
    assert_int_equal(settings[SET_RW_MAPS].merge, MERGE_APPEND);
    assert_int_equal(settings[SET_ENV_PASS].merge, MERGE_APPEND_ALL);
}

static void test_sections_stand_together(void **state)
{
    (void)state;
    for (size_t i = 1; i < SET_COUNT; i++) {
        if (str_eq(settings[i].section, settings[i - 1].section))
            continue;
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(settings[i].section, settings[j].section);
    }
}

static void test_names_are_unique(void **state)
{
    struct option_words words;

    (void)state;
    options_list(&words);
    for (size_t i = 0; i < words.n; i++) {
        assert_true(strspn(words.v[i].name, "abcdefghijklmnopqrstuvwxyz-") ==
                    strlen(words.v[i].name));
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(words.v[i].name, words.v[j].name);
            assert_true(!words.v[i].short_flag || words.v[i].short_flag != words.v[j].short_flag);
        }
    }
    for (size_t i = 0; i < SET_COUNT; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(!settings[i].key || !str_eq(settings[i].key, settings[j].key));
}

static void test_capability_spellings(void **state)
{
    static const char *const expected[] = {"ro-map",       "rw-map",
                                           "private-home", "no-private-home",
                                           "landlock",     "no-landlock",
                                           "seccomp",      "no-seccomp",
                                           "rlimits",      "no-rlimits",
                                           "network",      "no-network",
                                           "inherit-env",  "terminal-passthrough"};
    struct option_words words;
    size_t found = 0;

    (void)state;
    options_list(&words);
    for (size_t i = 0; i < words.n; i++) {
        const struct option_word *word = &words.v[i];

        if (word->kind != OPTION_SETTING || !(settings[word->setting].capability & word->form))
            continue;
        assert_true(found < ARRAY_SIZE(expected));
        assert_string_equal(word->name, expected[found]);
        found++;
    }
    assert_int_equal(found, ARRAY_SIZE(expected));
}

static void test_lookup_by_flag(void **state)
{
    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++) {
        _cleanup_free_ char *twin = xasprintf("no-%s", settings[i].flag);
        bool negated = true;

        assert_ptr_equal(settings_by_flag(settings[i].flag, &negated), &settings[i]);
        assert_false(negated);
        assert_ptr_equal(settings_by_flag(twin, &negated),
                         settings[i].has_twin ? &settings[i] : NULL);
        assert_int_equal(negated, settings[i].has_twin);
        assert_ptr_equal(settings_by_flag(settings[i].flag, NULL), &settings[i]);
    }
    assert_ptr_equal(settings_by_flag("ro-map", NULL), &settings[SET_RO_MAPS]);
    assert_null(settings_by_flag("netw", NULL));
    assert_null(settings_by_flag("", NULL));
    assert_null(settings_by_flag("no-", NULL));
    assert_null(settings_by_flag("no-ro-map", NULL));
}

static void test_env_entries(void **state)
{
    const char *(*fault)(const char *) = settings[SET_ENV_PASS].fault;

    (void)state;
    assert_non_null(fault);
    assert_null(fault("NAME"));
    assert_null(fault("NAME="));
    assert_null(fault("NAME=a=b"));
    assert_null(fault("\xff=\xfe"));
    assert_non_null(fault("="));
    assert_non_null(fault("=secret"));
    assert_null(strstr(fault("=secret"), "secret"));
}

static void test_words(void **state)
{
    const struct setting *row = &settings[SET_CLIPBOARD];
    _cleanup_free_ char *joined = settings_join_words(row, "|");
    char copy[] = "copy";

    (void)state;
    assert_string_equal(joined, "copy|off");
    assert_string_equal(row->bare_word, "copy");
    assert_string_equal(row->twin_word, "off");
    assert_string_equal(row->preset_word, "off");
    assert_string_equal(row->strict_word, "off");
    assert_ptr_equal(settings_find_word(row, copy), row->words[0]);
    assert_null(settings_find_word(row, "cop"));
    assert_null(settings_find_word(row, "copyx"));
    assert_null(settings_find_word(row, "COPY"));
    assert_null(settings_find_word(row, ""));
}

static const char *nearest_of(const char *word, const char *const *candidates, size_t limit)
{
    struct nearest nearest;

    nearest_init(&nearest, word, strlen(word), limit);
    for (; *candidates; candidates++)
        nearest_offer(&nearest, *candidates);
    return nearest.best;
}

static void test_nearest(void **state)
{
    static const char *const words[] = {"network", "no-network", "landlock", "map", "rw-map", NULL};
    static const char *const empty[] = {"", NULL};
    static const char *const twins[] = {"ab", "ac", NULL};
    char *huge = xcalloc(100001, 1);

    (void)state;
    memset(huge, 'n', 100000);
    assert_string_equal(nearest_of("netwrok", words, 2), "network"); /* swapped: two edits */
    assert_string_equal(nearest_of("network", words, 0), "network");
    assert_string_equal(nearest_of("nnetwork", words, 1), "network"); /* insert */
    assert_string_equal(nearest_of("etwork", words, 1), "network");   /* delete */
    assert_string_equal(nearest_of("netw0rk", words, 1), "network");  /* replace */
    assert_null(nearest_of("netw", words, 2));
    assert_null(nearest_of("netwrok", words, 1));
    assert_null(nearest_of("", words, 2));
    assert_string_equal(nearest_of("", words, 3), "map");
    assert_string_equal(nearest_of("ab", empty, 2), "");
    assert_string_equal(nearest_of("ad", twins, 2), "ab");
    assert_null(nearest_of(huge, words, 2));
    free(huge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_the_documented_ones),
        cmocka_unit_test(test_rows_are_consistent),
        cmocka_unit_test(test_sections_stand_together),
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_capability_spellings),
        cmocka_unit_test(test_lookup_by_flag),
        cmocka_unit_test(test_env_entries),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_nearest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
