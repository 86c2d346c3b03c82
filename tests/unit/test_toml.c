// SPDX-License-Identifier: GPL-3.0-only
/*
 * TOML documents as trees: values, places, order, limits, and errors that repeat nothing of the file.
 */
#include "config/toml_limits.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* "key=value@line:column" of every node, tables in {}, arrays in [] ; keys with their own place. */
static void print_node(struct buf *out, const struct toml_node *node)
{
    const char *brackets = node->type == TOML_TYPE_TABLE ? "{}" : "[]";

    if (node->key)
        buf_printf(out, "%s@%u:%u=", node->key, node->key_line, node->key_column);
    switch (node->type) {
    case TOML_TYPE_STRING:
        buf_printf(out, "'%s'", node->text);
        break;
    case TOML_TYPE_INTEGER:
        buf_printf(out, "%lld", (long long)node->integer);
        break;
    case TOML_TYPE_BOOL:
        buf_append_str(out, node->on ? "true" : "false");
        break;
    case TOML_TYPE_ARRAY:
    case TOML_TYPE_TABLE:
        buf_append_byte(out, (uint8_t)brackets[0]);
        for (const struct toml_node *child = node->first; child; child = child->next) {
            print_node(out, child);
            buf_append_str(out, child->next ? " " : "");
        }
        buf_append_byte(out, (uint8_t)brackets[1]);
        break;
    default:
        buf_append_str(out, toml_type_name(node->type));
        break;
    }
    if (node->type != TOML_TYPE_TABLE)
        buf_printf(out, "@%u:%u", node->line, node->column);
}

struct document {
    const char *text;
    const char *tree;
};

static const struct document documents[] = {
    {"", "{}"},
    {"# a comment\n\n", "{}"},
    {"\xEF\xBB\xBF"
     "a = 1\n",
     "{a@1:1=1@1:5}"},
    {"a = 1", "{a@1:1=1@1:5}"},
    {"a = true\r\nb = false\r\n", "{a@1:1=true@1:5 b@2:1=false@2:5}"},
    {"\tb = 1\n a = 2\n", "{b@1:2=1@1:6 a@2:2=2@2:6}"},
    {"z = 'c:\\d'\na = \"\\u00e9\\\\\\t\"\n", "{z@1:1='c:\\d'@1:5 a@2:1='\xc3\xa9\\\t'@2:5}"},
    {"a = \"\"\"\none\\\n   two\"\"\"\"\n", "{a@1:1='onetwo\"'@1:5}"},
    {"a = \"\"\"x \\\n  \xc3\xa9\"\"\"\n", "{a@1:1='x \xc3\xa9'@1:5}"},
    {"a = '''\n\\x'y'''''\n", "{a@1:1='\\x'y'''@1:5}"},
    {"a = [\n  'x', # one\n  'y',\n]\n", "{a@1:1=['x'@2:3 'y'@3:3]@1:5}"},
    {"a = [] \nb = [[1], [2, 3]]\n", "{a@1:1=[]@1:5 b@2:1=[[1@2:7]@2:6 [2@2:12 3@2:15]@2:11]@2:5}"},
    {"a = 0xff\nb = 0o17\nc = 0b11\nd = 1_000\ne = -5\n",
     "{a@1:1=255@1:5 b@2:1=15@2:5 c@3:1=3@3:5 d@4:1=1000@4:5 e@5:1=-5@5:5}"},
    {"a = 1.5\nb = inf\nc = 1e3\n", "{a@1:1=float@1:5 b@2:1=float@2:5 c@3:1=float@3:5}"},
    {"a = 1979-05-27\nb = 07:32:00\nc = 1979-05-27T07:32:00Z\n",
     "{a@1:1=date@1:5 b@2:1=date@2:5 c@3:1=date@3:5}"},
    {"[z.y]\na = 1\n[b]\n[z.x]\n", "{z@1:2={y@1:4={a@2:1=1@2:5} x@4:4={}} b@3:2={}}"},
    {"[commands.\"my tool\"]\na = 1\n[commands.'/x']\n",
     "{commands@1:2={my tool@1:11={a@2:1=1@2:5} /x@3:11={}}}"},
    {"b.c = 1\na = 2\nb.d = 3\n", "{b@1:1={c@1:3=1@1:7 d@3:3=3@3:7} a@2:1=2@2:5}"},
    {"a = { z = 1, b.c = 'x' }\n", "{a@1:1={z@1:7=1@1:11 b@1:14={c@1:16='x'@1:20}}}"},
    {"[[a]]\nb = 1\n[[a]]\n", "{a@1:3=[{b@2:1=1@2:5} {}]@1:1}"},
    {"\"\" = 1\n", "{@1:1=1@1:6}"},
};

static void documents_become_trees_in_the_order_of_the_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(documents); i++) {
        struct toml_error error;
        struct toml_node *root = toml_parse(documents[i].text, strlen(documents[i].text), &error);
        struct buf tree CLEANUP(buf_free);

        buf_init(&tree, 64 * KIB);
        if (!root)
            fail_msg("%s: %u:%u: %s", documents[i].text, error.line, error.column, error.reason);
        print_node(&tree, root);
        assert_string_equal(buf_cstr(&tree), documents[i].tree);
        toml_free(root);
    }
}

struct failure {
    const char *text;
    unsigned line;
    const char *reason; /* a part of it */
};

static const struct failure failures[] = {
    {"a = 1\na = 2\n", 2, "only once"},
    {"[a]\nb = 1\n[a]\n", 3, "only once"},
    {"a.b = 1\na = 2\n", 2, "only once"},
    {"a = {b = 1}\na.c = 2\n", 2, "only once"},
    {"a = {b = 1}\n[a.c]\n", 2, "cannot be extended"},
    {"a = 1\n[a]\n", 2, "only once"},
    {"a = \"x\nb = 1\n", 1, "closing quote"},
    {"a = 'x\n", 1, "closing quote"},
    {"a = \"\"\"x\n", 1, "the file ends"},
    {"a = [1, 2\n", 1, "the file ends"},
    {"a = \n", 1, "expected value"},
    {"a\n", 1, "expected '='"},
    {"a = secretword\n", 1, "quotes missing"},
    {"a = trusecretword\n", 1, "quotes missing"},
    {"a = 1 secretword\n", 1, "expected a comment or whitespace"},
    {"a = \"\\secretword\"\n", 1, "backslash twice"},
    {"a = 99999999999999999999\n", 1, "too large"},
    {"a = 1e9999\n", 1, "too large"},
    {"a = 012\n", 1, "leading zeroes"},
    {"a = 2020-13-01\n", 1, "month"},
    {"a = \"\\uD800\"\n", 1, "surrogates"},
    {"a = \"\x01\"\n", 1, "control character"},
    {"[=\n", 1, "expected"},
    {"[]\n", 1, "blank"},
    {"[a\n", 1, "expected ']'"},
    {"s\xc3\xa9"
     "cret = 1\n",
     1, "expected '='"},
    {"a = [1,,2]\n", 1, "or closing ']'"},
    {"a = {b = 1,}\n", 1, "expected key-value pair"},
    {"a = \"\xff\"\n", 1, ""},
};

static void an_error_has_a_place_and_repeats_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
        const struct failure *failure = &failures[i];
        struct toml_error error;

        assert_null(toml_parse(failure->text, strlen(failure->text), &error));
        if (error.line != failure->line || !strstr(error.reason, failure->reason))
            fail_msg("%s: %u: %s", failure->text, error.line, error.reason);
        assert_true(error.column >= 1 && error.reason[0]);
        assert_null(strstr(error.reason, "secret"));
        for (const char *p = error.reason; *p; p++)
            assert_in_range(*p, ' ', '~');
    }
}

static void strings_may_hold_nul_and_say_so(void **state)
{
    static const char text[] = "\"k\\u0000x\" = \"v\\u0000y\"\n";
    struct toml_error error;
    struct toml_node *root = toml_parse(text, strlen(text), &error);

    (void)state;
    assert_non_null(root);
    assert_int_equal(root->first->key_len, 3);
    assert_int_equal(root->first->text_len, 3);
    assert_memory_equal(root->first->text, "v\0y", 4);
    toml_free(root);
}

static bool parses(const struct buf *text, struct toml_error *error)
{
    struct toml_node *root = toml_parse((const char *)text->data, text->len, error);
    bool is_good = root != NULL;

    toml_free(root);
    return is_good;
}

static void repeat(struct buf *text, const char *piece, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        assert_int_equal(buf_append_str(text, piece), 0);
}

/* What stands around a piece that is repeated, and how often it may be. */
struct growth {
    const char *before;
    const char *piece;
    const char *middle;
    const char *closing; /* repeated as often */
    const char *after;
    unsigned most;
};

static const struct growth growths[] = {
    {"a = ", "[", "1", "]", "\n", TOML_DEPTH_MAX - 1},
    {"a = ", "{b = ", "1", "}", "\n", TOML_DEPTH_MAX - 1},
    {"a", ".a", " = 1", "", "\n", TOML_DEPTH_MAX - 1},
    {"[a", ".a", "]", "", "\n", TOML_DEPTH_MAX - 1},
    {"[a", ". 'a'", "]", "", "\n", TOML_DEPTH_MAX - 1},
    {"a = [", "1,", "1", "", "]\n", TOML_NODES_MAX - 3},
    {"a = [\n", "'x,y',#,,,,\n", "1", "", "]\n", TOML_NODES_MAX - 3},
};

static void what_grows_without_bound_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(growths); i++) {
        for (unsigned more = 0; more <= 1; more++) {
            const struct growth *growth = &growths[i];
            struct buf text CLEANUP(buf_free);
            struct toml_error error;

            buf_init(&text, MIB);
            repeat(&text, growth->before, 1);
            repeat(&text, growth->piece, growth->most + more);
            repeat(&text, growth->middle, 1);
            repeat(&text, growth->closing, growth->most + more);
            repeat(&text, growth->after, 1);
            if (parses(&text, &error) != (more == 0))
                fail_msg("%s%s with %u more: %s", growth->before, growth->piece, more,
                         more ? "accepted" : error.reason);
        }
    }
}

static void strings_and_comments_are_not_counted(void **state)
{
    struct buf text CLEANUP(buf_free);
    struct toml_error error;

    (void)state;
    buf_init(&text, MIB);
    repeat(&text, "# don't count [[[[[[[[[[[[[[[[[[[[ ................... \n", 10);
    repeat(&text, "a = \"\"\" \\\" \"\" ", 1);
    repeat(&text, "[[[[{{{{....,,,,====\n", 2000);
    repeat(&text, "\"\"\"\"\"\nb = ''' \\", 1);
    repeat(&text, "[[[[{{{{....,,,,====\n", 2000);
    repeat(&text, "'''''\nc = \"\\\"[[[[[[[[[[[[[[[[[[[[\\\\\" # \"\n", 1);
    repeat(&text, "d = '[[[[[[[[[[[[[[[[[[[[[\\' # '\n", 1);
    if (!parses(&text, &error))
        fail_msg("%u:%u: %s", error.line, error.column, error.reason);
}

static void levels_add_up(void **state)
{
    struct buf text CLEANUP(buf_free);
    struct toml_error error;

    (void)state;
    buf_init(&text, MIB);
    for (int i = 0; i < 10; i++)
        repeat(&text, "a.a.a.a.a.a.a.a.a.a.a.a = {", 1);
    repeat(&text, "a = 1", 1);
    repeat(&text, "}", 10);
    assert_false(parses(&text, &error));
    assert_non_null(strstr(error.reason, "levels"));
}

static void a_key_is_not_a_text(void **state)
{
    struct buf text CLEANUP(buf_free);
    struct toml_error error;

    (void)state;
    buf_init(&text, MIB);
    repeat(&text, "a", TOML_KEY_MAX);
    repeat(&text, " = 1\n", 1);
    assert_true(parses(&text, &error));
    repeat(&text, "'", 1);
    repeat(&text, "a", TOML_KEY_MAX + 1);
    repeat(&text, "' = 1\n", 1);
    assert_false(parses(&text, &error));
    assert_int_equal(error.line, 2);
}

/* Of the processor, of which a virtual one counts those that others take from it: not each time. */
static bool takes_no_second(const struct buf *text, bool *is_good)
{
    for (int tries = 0; tries < 5; tries++) {
        struct toml_error error;
        struct timespec begin;
        struct timespec end;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
        *is_good = parses(text, &error);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        if (end.tv_sec - begin.tv_sec <= 1)
            return true;
    }
    return false;
}

static void a_file_of_the_largest_size_takes_no_second(void **state)
{
    static const char *const pieces[] = {"#x\n", "\n",  "[",       "a=1\n", "a.a=1\n",
                                         "\"",   "'''", "[[a]]\n", "{",     "x\\\n"};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
        struct buf text CLEANUP(buf_free);
        struct toml_error error;
        bool is_good;

        buf_init(&text, 2 * MIB);
        repeat(&text, "z = \"\"\"", i % 2);
        repeat(&text, pieces[i], (unsigned)((TOML_BYTES_MAX - 16) / strlen(pieces[i])));
        assert_true(takes_no_second(&text, &is_good));
        repeat(&text, " ", TOML_BYTES_MAX);
        assert_false(parses(&text, &error));
    }
}

/* Each table is found by linear search among the others: the worst that the limits let through. */
static void many_dotted_tables_take_no_second(void **state)
{
    struct buf text CLEANUP(buf_free);
    bool is_good;

    (void)state;
    buf_init(&text, MIB);
    for (unsigned i = 0; i < TOML_NODES_MAX / 4; i++)
        buf_printf(&text, "k%u.a=1\nk%u.b=1\n", i, i);
    assert_true(takes_no_second(&text, &is_good));
    assert_true(is_good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_become_trees_in_the_order_of_the_file),
        cmocka_unit_test(an_error_has_a_place_and_repeats_nothing),
        cmocka_unit_test(strings_may_hold_nul_and_say_so),
        cmocka_unit_test(what_grows_without_bound_is_refused),
        cmocka_unit_test(strings_and_comments_are_not_counted),
        cmocka_unit_test(levels_add_up),
        cmocka_unit_test(a_key_is_not_a_text),
        cmocka_unit_test(a_file_of_the_largest_size_takes_no_second),
        cmocka_unit_test(many_dotted_tables_take_no_second),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
