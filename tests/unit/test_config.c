// SPDX-License-Identifier: GPL-3.0-only
/*
 * Layers: defaults, what unset means, and the merge of every row in every pair of layers.
 */
#include "config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_list(const struct config *config, enum setting_id id, const char *expected)
{
    _cleanup_free_ char *joined = strv_join(&config->values[id].list, " ");

    assert_string_equal(joined, expected);
}

static void test_builtin_layer(void **state)
{
    struct config config CLEANUP(config_free);

    (void)state;
    config_builtin(&config);
    for (size_t i = 0; i < SET_COUNT; i++) {
        enum setting_id id = (enum setting_id)i;

        assert_false(config_is_set(&config, id));
        assert_string_equal(config_origin(&config, id), "built-in");
        if (settings[i].type == TYPE_BOOL)
            assert_int_equal(config_flag(&config, id), settings[i].preset);
        else if (settings[i].type == TYPE_WORD)
            assert_string_equal(config_word(&config, id), settings[i].preset_word);
        else
            assert_list(&config, id, "");
    }
}

static void test_unset_never_switches_a_protection_off(void **state)
{
    struct config config CLEANUP(config_free);

    (void)state;
    config_init(&config, LAYER_CLI);
    for (size_t i = 0; i < SET_COUNT; i++) {
        enum setting_id id = (enum setting_id)i;

        assert_false(config_is_set(&config, id));
        assert_string_equal(config_origin(&config, id), "built-in");
        if (settings[i].type == TYPE_BOOL)
            assert_int_equal(config_flag(&config, id), settings[i].preset);
        if (settings[i].type == TYPE_WORD)
            assert_string_equal(config_word(&config, id), settings[i].preset_word);
    }
}

static void test_free_keeps_a_usable_layer(void **state)
{
    struct config config;

    (void)state;
    config_init(&config, LAYER_CLI);
    config_add(&config, SET_RW_MAPS, "/a");
    config_set_bool(&config, SET_NETWORK, true);
    config_free(&config);
    assert_false(config_is_set(&config, SET_RW_MAPS));
    assert_false(config_flag(&config, SET_NETWORK));
    config_add(&config, SET_RW_MAPS, "/b");
    assert_list(&config, SET_RW_MAPS, "/b");
    assert_string_equal(config_origin(&config, SET_RW_MAPS), "command line");
    config_free(&config);
}

static void test_lists_in_one_layer(void **state)
{
    struct config config CLEANUP(config_free);

    (void)state;
    config_init(&config, LAYER_CLI);
    for (size_t i = 0; i < SET_COUNT; i++) {
        enum setting_id id = (enum setting_id)i;
        bool keeps_all = settings[i].merge != MERGE_APPEND;

        if (settings[i].type != TYPE_LIST)
            continue;
        config_add(&config, id, "A=1");
        config_add(&config, id, "B");
        config_add(&config, id, "A=1");
        config_add(&config, id, "A=2");
        assert_list(&config, id, keeps_all ? "A=1 B A=1 A=2" : "A=1 B A=2");
        assert_true(config_is_set(&config, id));
    }
}

/* Two words of a row that differ. */
static const char *word_of(enum setting_id id, bool on)
{
    return on                                                  ? settings[id].words[0]
           : settings[id].preset_word == settings[id].words[0] ? settings[id].words[1]
                                                               : settings[id].preset_word;
}

/* Fills each setting of a layer with something that tells the layers apart. */
static void fill(struct config *config, enum layer_kind kind, bool on, const char *own)
{
    config_init(config, kind);
    for (size_t i = 0; i < SET_COUNT; i++) {
        enum setting_id id = (enum setting_id)i;

        if (settings[i].type == TYPE_BOOL) {
            config_set_bool(config, id, on);
        } else if (settings[i].type == TYPE_WORD) {
            config_set_word(config, id, word_of(id, on));
        } else if (settings[i].type == TYPE_TEXT) {
            config_set_text(config, id, own);
        } else {
            config_add(config, id, "both");
            config_add(config, id, own);
        }
    }
}

static void check_pair(enum layer_kind lower, enum layer_kind upper, bool upper_on)
{
    struct config merged CLEANUP(config_free);
    struct config low CLEANUP(config_free);
    struct config high CLEANUP(config_free);

    config_builtin(&merged);
    fill(&low, lower, !upper_on, "low");
    fill(&high, upper, upper_on, "high");
    config_merge(&merged, &low);
    config_merge(&merged, &high);
    for (size_t i = 0; i < SET_COUNT; i++) {
        enum setting_id id = (enum setting_id)i;

        if (settings[i].type == TYPE_BOOL)
            assert_int_equal(config_flag(&merged, id), upper_on);
        else if (settings[i].type == TYPE_WORD)
            assert_string_equal(config_word(&merged, id), word_of(id, upper_on));
        else if (settings[i].type == TYPE_TEXT)
            assert_list(&merged, id, "high");
        else if (settings[i].merge == MERGE_APPEND)
            assert_list(&merged, id, "both low high");
        else if (settings[i].merge == MERGE_REPLACE)
            assert_list(&merged, id, "both high");
        else
            assert_list(&merged, id, "both low both high");
        assert_true(config_is_set(&merged, id));
        assert_string_equal(config_origin(&merged, id), config_origin(&high, id));
        assert_string_not_equal(config_origin(&merged, id), config_origin(&low, id));
    }
}

/* P-CFG-5: the later layer wins for every key and both values. */
static void test_merge_of_every_pair(void **state)
{
    (void)state;
    for (int lower = LAYER_GLOBAL; lower < LAYER_CLI; lower++) {
        for (int upper = lower + 1; upper <= LAYER_CLI; upper++) {
            check_pair((enum layer_kind)lower, (enum layer_kind)upper, true);
            check_pair((enum layer_kind)lower, (enum layer_kind)upper, false);
        }
    }
}

static void test_unset_leaves_the_lower_layer(void **state)
{
    struct config merged CLEANUP(config_free);
    struct config low CLEANUP(config_free);
    struct config silent CLEANUP(config_free);

    (void)state;
    config_builtin(&merged);
    fill(&low, LAYER_GLOBAL, true, "low");
    config_init(&silent, LAYER_CLI);
    config_merge(&merged, &low);
    config_merge(&merged, &silent);
    for (size_t i = 0; i < SET_COUNT; i++) {
        enum setting_id id = (enum setting_id)i;

        if (settings[i].type == TYPE_BOOL)
            assert_true(config_flag(&merged, id));
        else if (settings[i].type == TYPE_WORD)
            assert_string_equal(config_word(&merged, id), word_of(id, true));
        else
            assert_list(&merged, id, settings[i].type == TYPE_TEXT ? "low" : "both low");
        assert_string_equal(config_origin(&merged, id), "~/.ai-jail");
    }
}

/* A list that was said to be empty is said; it takes nothing away. */
static void test_empty_lists(void **state)
{
    struct config merged CLEANUP(config_free);
    struct config low CLEANUP(config_free);
    struct config high CLEANUP(config_free);

    (void)state;
    config_builtin(&merged);
    config_init(&low, LAYER_GLOBAL);
    config_init(&high, LAYER_PROJECT);
    config_add(&low, SET_MASK, "a");
    config_add(&low, SET_COMMAND, "claude");
    config_set_empty(&high, SET_MASK);
    config_set_empty(&high, SET_COMMAND);
    assert_true(config_is_set(&high, SET_MASK));
    config_merge(&merged, &low);
    config_merge(&merged, &high);
    assert_list(&merged, SET_MASK, "a");
    assert_list(&merged, SET_COMMAND, "claude");
    assert_string_equal(config_origin(&merged, SET_MASK), "./.ai-jail");
}

/* Each entry keeps the place that it was said at, through merges and removals. */
static void test_origins_of_entries(void **state)
{
    struct config merged CLEANUP(config_free);
    struct config table CLEANUP(config_free);
    struct config cli CLEANUP(config_free);
    _cleanup_free_ char *first = NULL;
    _cleanup_free_ char *second = NULL;
    _cleanup_free_ char *described = NULL;

    (void)state;
    config_builtin(&merged);
    config_init(&table, LAYER_COMMAND_TABLE);
    config_init(&cli, LAYER_CLI);
    table.place.table = "claude";
    table.place.line = 7;
    config_add(&table, SET_MASK, "gone");
    config_add(&table, SET_MASK, "a");
    config_add(&cli, SET_MASK, "a");
    config_add(&cli, SET_MASK, "b");
    config_merge(&merged, &table);
    config_merge(&merged, &cli);
    config_drop(&merged, SET_MASK, 0);
    assert_list(&merged, SET_MASK, "a b");
    first = config_entry_spelling(&merged, SET_MASK, 0);
    second = config_entry_spelling(&merged, SET_MASK, 1);
    described = config_describe_origin(&merged.values[SET_MASK].origins[0]);
    assert_string_equal(first, "~/.ai-jail:7 [commands.claude]: mask");
    assert_string_equal(second, "--mask");
    assert_string_equal(described, "~/.ai-jail:7 [commands.claude]");
}

static void check_spelling(enum setting_id id, enum layer_kind kind, bool on, const char *expected)
{
    struct config config CLEANUP(config_free);
    _cleanup_free_ char *spelling = NULL;

    config_init(&config, kind);
    config.place.line = kind == LAYER_CLI ? 0 : 3;
    config_set_bool(&config, id, on);
    spelling = config_spelling(&config, id);
    assert_string_equal(spelling, expected);
}

/* P-CLI-16: the flag where it was typed, the key where it was written. */
static void test_spellings(void **state)
{
    (void)state;
    check_spelling(SET_NETWORK, LAYER_CLI, false, "--no-network");
    check_spelling(SET_NETWORK, LAYER_CLI, true, "--network");
    check_spelling(SET_LANDLOCK, LAYER_PROJECT, false, "./.ai-jail:3: no_landlock");
    check_spelling(SET_LANDLOCK, LAYER_CLI, false, "--no-landlock");
    check_spelling(SET_GPU, LAYER_GLOBAL, true, "~/.ai-jail:3: no_gpu");
    check_spelling(SET_EXEC, LAYER_CLI, true, "--exec");
}

static void test_text_and_unset(void **state)
{
    struct config config CLEANUP(config_free);

    (void)state;
    config_init(&config, LAYER_GLOBAL);
    assert_null(config_text(&config, SET_CLAUDE_DIR));
    config_set_text(&config, SET_CLAUDE_DIR, "/a");
    config_set_text(&config, SET_CLAUDE_DIR, "/b");
    assert_string_equal(config_text(&config, SET_CLAUDE_DIR), "/b");
    config_unset(&config, SET_CLAUDE_DIR);
    assert_false(config_is_set(&config, SET_CLAUDE_DIR));
    assert_null(config_text(&config, SET_CLAUDE_DIR));
}

static void test_merge_copies(void **state)
{
    struct config merged CLEANUP(config_free);
    struct config later;

    (void)state;
    config_builtin(&merged);
    config_init(&later, LAYER_CLI);
    config_add(&later, SET_ENV_PASS, "\xff\xfe=1");
    config_merge(&merged, &later);
    assert_list(&later, SET_ENV_PASS, "\xff\xfe=1");
    config_free(&later);
    assert_list(&merged, SET_ENV_PASS, "\xff\xfe=1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin_layer),
        cmocka_unit_test(test_unset_never_switches_a_protection_off),
        cmocka_unit_test(test_free_keeps_a_usable_layer),
        cmocka_unit_test(test_lists_in_one_layer),
        cmocka_unit_test(test_merge_of_every_pair),
        cmocka_unit_test(test_unset_leaves_the_lower_layer),
        cmocka_unit_test(test_empty_lists),
        cmocka_unit_test(test_origins_of_entries),
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_text_and_unset),
        cmocka_unit_test(test_merge_copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
