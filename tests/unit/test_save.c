// SPDX-License-Identifier: GPL-3.0-only
/*
 * The text of a project file: what a change leaves alone, what it writes, and what it refuses.
 *
 * Besides cases by hand, random files out of awkward pieces are changed in random ways: what comes
 * out parses, has the values that were meant, and every line that holds no changed key is still
 * there, in order and byte for byte.
 */
#include "config/save.h"

#include "config/toml.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

struct edited {
    struct buf out;
    struct error error;
    int result;
};

static void free_edited(struct edited *edited)
{
    buf_free(&edited->out);
}

#define _cleanup_edited_ CLEANUP(free_edited)

static struct edited edit(const char *text, const struct save_changes *changes)
{
    struct edited edited = {0};

    buf_init(&edited.out, SAVE_TEXT_MAX);
    edited.result = save_edit(text, strlen(text), changes, &edited.out, &edited.error);
    return edited;
}

static void add_list(struct save_changes *changes, const char *key, bool extends,
                     const char *entries)
{
    strv_split(&save_add_list(changes, key, extends)->entries, entries, '|');
}

static void assert_edit(const char *text, const struct save_changes *changes, const char *expected)
{
    struct edited edited _cleanup_edited_ = edit(text, changes);

    if (edited.result != 0)
        fail_msg("refused: %s: %s", text, edited.error.text);
    assert_string_equal(buf_cstr(&edited.out), expected);
}

static void assert_refused(const char *text, const struct save_changes *changes, const char *part)
{
    struct edited edited _cleanup_edited_ = edit(text, changes);

    assert_int_equal(edited.result, -EINVAL);
    assert_int_equal(edited.out.len, 0);
    if (!strstr(edited.error.text, part))
        fail_msg("'%s' lacks '%s'", edited.error.text, part);
}

static void test_new_file(void **state)
{
    struct save_changes none = {0};
    struct save_changes changes CLEANUP(save_changes_free) = {0};
    struct buf out CLEANUP(buf_free);
    const char *text;

    (void)state;
    buf_init(&out, SAVE_TEXT_MAX);
    assert_int_equal(save_new(&none, &out, NULL), 0);
    text = buf_cstr(&out);
    for (int line = 0; line < 3; line++, text = strchr(text, '\n') + 1)
        assert_int_equal(text[0], '#');
    assert_string_equal(text, "\n");
    buf_reset(&out);
    add_list(&changes, "command", false, "claude|-p|a \"b\" \\ \t\x7f\xc2\x9b");
    add_list(&changes, "mask", true, ".env|*.pem");
    save_add_bool(&changes, "network", false);
    save_add_string(&changes, "clipboard", "off");
    assert_int_equal(save_new(&changes, &out, NULL), 0);
    assert_non_null(strstr(buf_cstr(&out),
                           "\n\ncommand = [\"claude\", \"-p\", \"a \\\"b\\\" \\\\ "
                           "\\u0009\\u007F\\u009B\"]\nmask = [\".env\", \"*.pem\"]\n"
                           "network = false\nclipboard = \"off\"\n"));
}

static void test_long_lists_have_lines(void **state)
{
    struct save_changes changes CLEANUP(save_changes_free) = {0};
    const char *entry = "0123456789012345678901234567890123456789";
    _cleanup_free_ char *entries = xasprintf("%s|%s1|%s2", entry, entry, entry);
    _cleanup_free_ char *expected =
        xasprintf("mask = [\n    \"%s\",\n    \"%s1\",\n    \"%s2\",\n]\n", entry, entry, entry);

    (void)state;
    add_list(&changes, "mask", true, entries);
    assert_edit("", &changes, expected);
}

static void test_replace_in_place(void **state)
{
    struct save_changes changes CLEANUP(save_changes_free) = {0};

    (void)state;
    add_list(&changes, "command", false, "codex|-x");
    save_add_bool(&changes, "network", false);
    assert_edit("# c\nnetwork   =\ttrue # why\n\nx = 1 # y\n \"command\" = ['claude'] #z\n[t]\n"
                "network = true\n",
                &changes,
                "# c\nnetwork   =\tfalse # why\n\nx = 1 # y\n \"command\" = [\"codex\", \"-x\"] "
                "#z\n[t]\nnetwork = true\n");
    assert_edit("network = true\r\ncommand = [\r\n 'a',\r\n]\r\n", &changes,
                "network = false\r\ncommand = [\"codex\", \"-x\"]\r\n");
    /* The same value in another spelling stays. */
    assert_edit("command = [ 'codex' , '''-x''' ]\nnetwork=false", &changes,
                "command = [ 'codex' , '''-x''' ]\nnetwork=false");
}

static void test_new_keys_go_before_the_first_table(void **state)
{
    struct save_changes changes CLEANUP(save_changes_free) = {0};

    (void)state;
    save_add_bool(&changes, "network", false);
    assert_edit("", &changes, "network = false\n");
    assert_edit("# only this", &changes, "# only this\nnetwork = false\n");
    assert_edit("a = 1", &changes, "a = 1\nnetwork = false\n");
    assert_edit("a = 1\r\n# end\r\n", &changes, "a = 1\r\nnetwork = false\r\n# end\r\n");
    assert_edit("a = 1 # x\n\n# of t\n[t]\nb = 2\n", &changes,
                "a = 1 # x\nnetwork = false\n\n# of t\n[t]\nb = 2\n");
    assert_edit("  [t]\nb = 2\n", &changes, "network = false\n  [t]\nb = 2\n");
    assert_edit("a = \"\"\"\n[t]\nnetwork = true\n\"\"\"\n[[t]]\n", &changes,
                "a = \"\"\"\n[t]\nnetwork = true\n\"\"\"\nnetwork = false\n[[t]]\n");
}

static void test_lists_are_extended(void **state)
{
    struct save_changes changes CLEANUP(save_changes_free) = {0};

    (void)state;
    add_list(&changes, "mask", true, "a|b");
    assert_edit("mask = []", &changes, "mask = [\"a\", \"b\"]");
    assert_edit("mask = [ ] # c\n", &changes, "mask = [\"a\", \"b\" ] # c\n");
    assert_edit("mask = ['x'] # c\n", &changes, "mask = ['x', \"a\", \"b\"] # c\n");
    assert_edit("mask = ['x', ]\n", &changes, "mask = ['x', \"a\", \"b\" ]\n");
    assert_edit("mask = ['b', 'a']\n", &changes, "mask = ['b', 'a']\n");
    assert_edit("mask = ['x,', # one, ]\n  'b' # two\n] # c\n", &changes,
                "mask = ['x,', # one, ]\n  'b', # two\n    \"a\",\n] # c\n");
    assert_edit("mask = [ # one\r\n  'b', # two\r\n  ]\r\n", &changes,
                "mask = [ # one\r\n  'b', # two\r\n    \"a\",\r\n  ]\r\n");
    assert_edit("mask = [ # none\n]\n", &changes, "mask = [ # none\n    \"a\",\n    \"b\",\n]\n");
    assert_edit("mask = [\n 'x'\n# end\n, ]\n", &changes,
                "mask = [\n 'x'\n# end\n, \"a\", \"b\" ]\n");
}

static void test_only_if_there(void **state)
{
    struct save_changes changes CLEANUP(save_changes_free) = {0};

    (void)state;
    save_add_bool(&changes, "private_home", true);
    changes.v[0].only_if_there = true;
    assert_edit("a = 1\n", &changes, "a = 1\n");
    assert_edit("private_home = false\n", &changes, "private_home = true\n");
}

/* P-CFG-6, P-CFG-11: rather nothing than a loss. */
static void test_refused(void **state)
{
    struct save_changes changes CLEANUP(save_changes_free) = {0};
    struct save_changes hostile CLEANUP(save_changes_free) = {0};

    (void)state;
    add_list(&changes, "command", false, "codex");
    assert_refused("command = [\n 'a', # why\n]\n", &changes, "command");
    assert_refused("\"comm\\u0061nd\" = ['a']\n", &changes, "unusual");
    assert_refused("command.x = 1\n", &changes, "unusual");
    assert_refused("[command]\nx = 1\n", &changes, "unusual");
    assert_refused("a = \n", &changes, "line 1");
    assert_refused("a = 1\na = 2\n", &changes, "line 2");
    assert_refused("a = \"\xff\"\n", &changes, "line 1");
    add_list(&hostile, "mask", true, "\xff");
    assert_false(save_can_hold("\xff"));
    assert_true(save_can_hold("\xc3\xa4\n"));
    assert_refused("", &hostile, "mask");
}

/* A new value never gets out of its string. */
static void test_hostile_values(void **state)
{
    static const char *const values[] = {
        "\"]\nnetwork = true\n#", "'''", "\"\"\"", "\\", "\\\"", "]", "a\r\nb", "\xe2\x80\xae", "#",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        struct save_changes changes CLEANUP(save_changes_free) = {0};
        struct edited edited _cleanup_edited_ = {0};
        struct toml_error wrong;
        struct toml_node *root;

        strv_push(&save_add_list(&changes, "mask", true)->entries, values[i]);
        edited = edit("mask = ['a']\n", &changes);
        assert_int_equal(edited.result, 0);
        assert_int_equal(strcspn(buf_cstr(&edited.out), "\n"), edited.out.len - 1);
        root = toml_parse(buf_cstr(&edited.out), edited.out.len, &wrong);
        assert_non_null(root);
        assert_string_equal(root->first->first->next->text, values[i]);
        assert_null(root->first->next);
        toml_free(root);
    }
}

/* ---- random files ---------------------------------------------------------------------------- */

/* A generator of its own: the same files on every machine. */
static uint32_t seed;

static uint32_t pick(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* What can stand around the keys; whole lines. %u makes a name unique. */
static const char *const others[] = {
    "# mask = ['no'] [t]\n",
    "\n",
    "   \t\n",
    "o%u = 1979-05-27 07:32:00 # date\n",
    "o%u = { mask = ['a # b'], n = [1, 2] }\n",
    "o%u = \"\"\"\nmask = ['x']\n[t]\n\\\"\"\"\"\"\"\n",
    "o%u = '''\n# network = true ''\n'''''\n",
    "o%u = [\n  [ 'a', ']' ], # ]\n  [ \"\\\"]\" ],\n]\n",
    "o%u.mask = 'not this one'\n",
    "\"o%u = 1\" = -1.5e3\n",
    "'o%u#' = \"\\\\\"\n",
    "o%u = 0xff_ff\n",
};

static const char *const masks[] = {
    "mask = []\n",
    "mask=['m1']#c\n",
    "\t\"mask\" = [ \"m1\", 'm2', ] # c ]\n",
    "mask = [\n  'm1', # ], 'no'\n  # only\n  \"m#2\"\n  # end\n  ] # d\n",
    "'mask' = [ # c\n]\n",
    "mask = [ '''m1\n''',\n\"\"\"\nx\"\"\" ]\n",
};

static const char *const networks[] = {"network = true\n", " network=false # c\n",
                                       "\"network\" = true#\n"};

static const char *const tables[] = {"[t%u]\nmask = ['t']\nnetwork = true\n# tail\n",
                                     "[[a%u]]\ncommand = 1\n", "  [ 'x.%u' ] # c\n"};

struct random_file {
    struct buf text;
    struct strv kept; /* pieces without a changed key, in order */
};

static void put(struct random_file *file, const char *form, bool is_kept)
{
    static unsigned serial;
    const char *hole = strstr(form, "%u");
    _cleanup_free_ char *piece =
        hole ? xasprintf("%.*s%u%s", (int)(hole - form), form, serial++, hole + 2) : xstrdup(form);

    buf_append_str(&file->text, piece);
    if (is_kept)
        strv_push(&file->kept, piece);
}

static void put_some(struct random_file *file)
{
    for (uint32_t n = pick(4); n > 0; n--)
        put(file, others[pick(ARRAY_SIZE(others))], true);
}

static void make_file(struct random_file *file)
{
    buf_init(&file->text, SAVE_TEXT_MAX);
    put_some(file);
    if (pick(3))
        put(file, masks[pick(ARRAY_SIZE(masks))], false);
    put_some(file);
    if (pick(2))
        put(file, networks[pick(ARRAY_SIZE(networks))], false);
    put_some(file);
    for (uint32_t n = pick(3); n > 0; n--)
        put(file, tables[pick(ARRAY_SIZE(tables))], true);
}

static void make_changes(struct save_changes *changes)
{
    static const char *const entries[] = {"m1", "m2", "x\n|\"|]", "m#2|# new"};

    if (pick(4))
        add_list(changes, "mask", true, entries[pick(ARRAY_SIZE(entries))]);
    if (pick(2))
        save_add_bool(changes, "network", pick(2));
    if (pick(2))
        add_list(changes, "command", false, "claude|--x=']'");
}

static const struct toml_node *find(const struct toml_node *table, const char *key)
{
    for (const struct toml_node *node = table->first; node; node = node->next)
        if (str_eq(node->key, key))
            return node;
    return NULL;
}

static size_t count_entries(const struct toml_node *array, const char *text)
{
    size_t n = 0;

    for (const struct toml_node *node = array->first; node; node = node->next)
        n += str_eq(node->text, text);
    return n;
}

static void check_value(const struct toml_node *root, const struct save_change *change)
{
    const struct toml_node *node = find(root, change->key);

    assert_non_null(node);
    if (!change->is_list) {
        assert_int_equal(node->type, TOML_TYPE_BOOL);
        assert_int_equal(node->on, str_eq(change->scalar, "true"));
        return;
    }
    assert_int_equal(node->type, TOML_TYPE_ARRAY);
    for (size_t i = 0; i < change->entries.n; i++)
        assert_int_equal(count_entries(node, change->entries.v[i]), 1);
}

/* Entries that were there come first, in their order. */
static void check_old_entries(const struct toml_node *before, const struct toml_node *after)
{
    const struct toml_node *old = find(before, "mask");
    const struct toml_node *now = find(after, "mask");

    if (!old)
        return;
    now = now->first;
    for (old = old->first; old; old = old->next, now = now->next) {
        assert_non_null(now);
        assert_string_equal(old->text, now->text);
    }
}

/* Each comment of a changed list is still there, too. */
static void check_kept(const struct random_file *file, const char *text)
{
    for (size_t i = 0; i < file->kept.n; i++) {
        const char *at = strstr(text, file->kept.v[i]);

        if (!at)
            fail_msg("lost '%s' in\n%s", file->kept.v[i], text);
        text = at + strlen(file->kept.v[i]);
    }
}

static void check_random(uint32_t number)
{
    struct random_file file = {0};
    struct save_changes changes CLEANUP(save_changes_free) = {0};
    struct edited edited _cleanup_edited_ = {0};
    struct edited again _cleanup_edited_ = {0};
    struct toml_error wrong;
    struct toml_node *before;
    struct toml_node *after;

    seed = number * 2654435761u;
    make_file(&file);
    make_changes(&changes);
    before = toml_parse(buf_cstr(&file.text), file.text.len, &wrong);
    if (!before)
        fail_msg("%u:%u: %s\n%s", wrong.line, wrong.column, wrong.reason, buf_cstr(&file.text));
    edited = edit(buf_cstr(&file.text), &changes);
    if (edited.result != 0)
        fail_msg("%s\n%s", edited.error.text, buf_cstr(&file.text));
    after = toml_parse(buf_cstr(&edited.out), edited.out.len, &wrong);
    assert_non_null(after);
    for (size_t i = 0; i < changes.n; i++)
        check_value(after, &changes.v[i]);
    check_old_entries(before, after);
    check_kept(&file, buf_cstr(&edited.out));
    again = edit(buf_cstr(&edited.out), &changes);
    assert_int_equal(again.result, 0);
    assert_string_equal(buf_cstr(&again.out), buf_cstr(&edited.out));
    if (changes.n == 0)
        assert_string_equal(buf_cstr(&edited.out), buf_cstr(&file.text));
    toml_free(before);
    toml_free(after);
    buf_free(&file.text);
    strv_free(&file.kept);
}

static void test_random_files(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8000; i++)
        check_random(i);
}

/* Bytes that are missing, doubled or changed: refused or right, and nothing else happens. */
static void check_damaged(const char *text, size_t len, const struct save_changes *changes)
{
    struct buf out CLEANUP(buf_free);
    struct toml_error wrong;
    struct toml_node *root;

    buf_init(&out, SAVE_TEXT_MAX);
    if (save_edit(text, len, changes, &out, NULL) < 0) {
        assert_int_equal(out.len, 0);
        return;
    }
    root = toml_parse(buf_cstr(&out), out.len, &wrong);
    assert_non_null(root);
    for (size_t i = 0; i < changes->n; i++)
        check_value(root, &changes->v[i]);
    toml_free(root);
}

static void test_damaged_files(void **state)
{
    static const char marks[] = "\"'#[]{}=,\n\r\\ ";

    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        struct random_file file = {0};
        struct save_changes changes CLEANUP(save_changes_free) = {0};

        seed = i * 40503u + 1;
        make_file(&file);
        make_changes(&changes);
        for (size_t at = 0; at < file.text.len; at++) {
            uint8_t old = file.text.data[at];

            check_damaged((const char *)file.text.data, at, &changes);
            file.text.data[at] = (uint8_t)marks[pick(sizeof(marks) - 1)];
            check_damaged((const char *)file.text.data, file.text.len, &changes);
            file.text.data[at] = old;
        }
        buf_free(&file.text);
        strv_free(&file.kept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_file),
        cmocka_unit_test(test_long_lists_have_lines),
        cmocka_unit_test(test_replace_in_place),
        cmocka_unit_test(test_new_keys_go_before_the_first_table),
        cmocka_unit_test(test_lists_are_extended),
        cmocka_unit_test(test_only_if_there),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_hostile_values),
        cmocka_unit_test(test_random_files),
        cmocka_unit_test(test_damaged_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
