// SPDX-License-Identifier: GPL-3.0-only
/*
 * Files as layers: every row of the settings table by file, with a valid and with invalid values;
 * places; what is unknown; what counts where.
 */
#include "config/read.h"

#include "base/buf.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HOME "/home/u"
#define CWD  "/home/u/project"

struct result {
    int r;
    struct file_layers layers;
    struct notes notes;
    struct error error;
};

static void read_text(struct result *result, enum layer_kind kind, const char *home,
                      const char *text)
{
    const struct read_source source = {
        .path = "F", .kind = kind, .place = {.home = home, .cwd = CWD}};

    *result = (struct result){0};
    result->r =
        read_layers(&source, text, strlen(text), &result->layers, &result->notes, &result->error);
}

static void result_free(struct result *result)
{
    read_free(&result->layers);
    notes_free(&result->notes);
}

static struct result read_ok(enum layer_kind kind, const char *text)
{
    struct result result;

    read_text(&result, kind, HOME, text);
    if (result.r < 0)
        fail_msg("%s: %s", text, result.error.text);
    return result;
}

static void check_fails_without_home(enum layer_kind kind, const char *home, const char *text,
                                     const char *where, const char *reason)
{
    struct result result;

    read_text(&result, kind, home, text);
    if (result.r != -EINVAL || !str_starts(result.error.text, where) ||
        !strstr(result.error.text, reason))
        fail_msg("%s: %d: %s", text, result.r, result.error.text);
    assert_null(strchr(result.error.text, '\n'));
    assert_null(strstr(result.error.text, "hush"));
    result_free(&result);
}

static void check_fails(enum layer_kind kind, const char *text, const char *where,
                        const char *reason)
{
    check_fails_without_home(kind, HOME, text, where, reason);
}

static const struct value *value_of(const struct result *result, enum setting_id id)
{
    return &result->layers.base.values[id];
}

static bool nothing_else_is_set(const struct config *config, enum setting_id id)
{
    for (size_t i = 0; i < SET_COUNT; i++)
        if (config->values[i].is_set && i != id)
            return false;
    return true;
}

/* A value that each form takes, and what is kept of it. */
struct sample {
    const char *value;
    const char *kept; /* entries joined with '|' */
};

static const struct sample samples[] = {
    [FILE_STRINGS] = {"[\"/a/b\", \"/c\"]", "/a/b|/c"},
    [FILE_PORTS] = {"[80, \"5432:15432\", \"9\"]", "80|5432:15432|9"},
    [FILE_PORT_NUMBERS] = {"[0, 80, 65535]", "0|80|65535"},
    [FILE_HOSTS_BY_KEY] = {"{ K = \"h\", L = [\"i\", \"j\"] }", "K=h|L=i|L=j"},
};

static void check_list(const struct setting *row, const struct sample *sample)
{
    _cleanup_free_ char *text = xasprintf("%s = %s\n", row->key, sample->value);
    struct result result = read_ok(LAYER_GLOBAL, text);
    const struct value *value = value_of(&result, row->id);
    _cleanup_free_ char *joined = strv_join(&value->list, "|");

    assert_true(value->is_set);
    assert_string_equal(joined, sample->kept);
    for (size_t i = 0; i < value->list.n; i++) {
        assert_int_equal(value->origins[i].line, 1);
        assert_true(value->origins[i].column > strlen(row->key));
    }
    assert_int_equal(value->origin.column, 1);
    assert_true(nothing_else_is_set(&result.layers.base, row->id));
    result_free(&result);
}

static void check_empty_list(const struct setting *row)
{
    const char *empty = row->form == FILE_HOSTS_BY_KEY ? "{}" : "[]";
    _cleanup_free_ char *text = xasprintf("%s = %s\n", row->key, empty);
    struct result result = read_ok(LAYER_GLOBAL, text);

    assert_true(value_of(&result, row->id)->is_set);
    assert_int_equal(value_of(&result, row->id)->list.n, 0);
    result_free(&result);
}

static void check_bool(const struct setting *row, bool written)
{
    _cleanup_free_ char *text = xasprintf("%s = %s\n", row->key, written ? "true" : "false");
    struct result result = read_ok(LAYER_GLOBAL, text);
    const struct value *value = value_of(&result, row->id);

    assert_true(value->is_set);
    assert_int_equal(value->on, written != row->inverted);
    assert_int_equal(value->origin.layer, LAYER_GLOBAL);
    assert_int_equal(value->origin.line, 1);
    assert_true(nothing_else_is_set(&result.layers.base, row->id));
    result_free(&result);
}

static void check_word(const struct setting *row, const char *written, const char *kept)
{
    _cleanup_free_ char *text = xasprintf("%s = %s\n", row->key, written);
    struct result result = read_ok(LAYER_GLOBAL, text);

    assert_true(value_of(&result, row->id)->is_set);
    assert_string_equal(value_of(&result, row->id)->word, kept);
    assert_true(nothing_else_is_set(&result.layers.base, row->id));
    result_free(&result);
}

static void check_words(const struct setting *row)
{
    for (size_t i = 0; row->words[i]; i++) {
        _cleanup_free_ char *quoted = xasprintf("\"%s\"", row->words[i]);

        check_word(row, quoted, row->words[i]);
    }
    for (size_t i = 0; row->synonyms && row->synonyms[i]; i += 2) {
        _cleanup_free_ char *quoted = xasprintf("\"%s\"", row->synonyms[i]);

        check_word(row, quoted, row->synonyms[i + 1]);
    }
    if (row->form == FILE_BOOL_OR_WORD) {
        check_word(row, "true", row->bare_word);
        check_word(row, "false", row->twin_word);
    }
}

static void check_text(const struct setting *row)
{
    _cleanup_free_ char *text = xasprintf("%s = \"/a\"\n", row->key);
    struct result result = read_ok(LAYER_GLOBAL, text);

    assert_string_equal(config_text(&result.layers.base, row->id), "/a");
    assert_true(nothing_else_is_set(&result.layers.base, row->id));
    result_free(&result);
}

static void check_valid(const struct setting *row)
{
    static const struct sample names = {"[\"a\", \".b\"]", "a|.b"};
    static const struct sample hosts = {"[\"a.test\", \"[2a00::1]:22\"]", "a.test|[2a00::1]:22"};

    switch (row->form) {
    case FILE_NONE:
        fail_msg("%s has a key and no form", row->key);
        break;
    case FILE_BOOL:
        check_bool(row, true);
        check_bool(row, false);
        break;
    case FILE_STRING:
    case FILE_BOOL_OR_WORD:
        if (row->type == TYPE_WORD)
            check_words(row);
        else
            check_text(row);
        break;
    case FILE_STRINGS:
    case FILE_PORTS:
    case FILE_PORT_NUMBERS:
    case FILE_HOSTS_BY_KEY:
        check_list(row, row->id == SET_HIDE_DOTDIRS ? &names
                        : row->id == SET_ALLOW_HOSTS || row->id == SET_ALLOW_PRIVATE
                            ? &hosts
                            : &samples[row->form]);
        check_empty_list(row);
        break;
    }
}

static void every_key_takes_its_values(void **state)
{
    size_t keys = 0;

    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++) {
        if (!settings[i].key)
            continue;
        check_valid(&settings[i]);
        keys++;
    }
    assert_true(keys > 50);
}

/* A value of every type; the forms that take it as it stands. */
struct typed {
    const char *value;
    unsigned forms; /* set of 1 << form */
    bool is_word;   /* TYPE_WORD refuses it by its content */
};

#define TAKEN_BY(form) (1U << (form))

static const struct typed typed[] = {
    {"true", TAKEN_BY(FILE_BOOL) | TAKEN_BY(FILE_BOOL_OR_WORD), false},
    {"\"hush\"", TAKEN_BY(FILE_STRING), true},
    {"17", 0, false},
    {"1.5", 0, false},
    {"1979-05-27", 0, false},
    {"[\"hush\"]", TAKEN_BY(FILE_STRINGS), false},
    {"[17]", TAKEN_BY(FILE_PORTS) | TAKEN_BY(FILE_PORT_NUMBERS), false},
    {"[true]", 0, false},
    {"[[\"hush\"]]", 0, false},
    {"[{ a = \"hush\" }]", 0, false},
    {"[\"hush\", 1]", 0, false},
    {"{ a = \"hush\" }", TAKEN_BY(FILE_HOSTS_BY_KEY), false},
    {"{ a = [1] }", 0, false},
    {"{ a = { b = \"hush\" } }", 0, false},
};

static bool takes(const struct setting *row, const struct typed *value)
{
    return (value->forms & TAKEN_BY(row->form)) && !(row->type == TYPE_WORD && value->is_word);
}

static void every_key_refuses_other_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++) {
        const struct setting *row = &settings[i];

        for (size_t k = 0; row->key && k < ARRAY_SIZE(typed); k++) {
            _cleanup_free_ char *text = xasprintf("\n  %s = %s\n", row->key, typed[k].value);
            _cleanup_free_ char *reason = xasprintf(": %s: ", row->key);

            if (takes(row, &typed[k])) {
                struct result result = read_ok(LAYER_PROJECT, text);

                result_free(&result);
            } else {
                check_fails(LAYER_PROJECT, text, "F:2:", reason);
                check_fails(LAYER_GLOBAL, text, "F:2:", " accepted");
            }
        }
    }
}

struct refused {
    const char *text;
    const char *where;
    const char *reason;
};

static const struct refused refused[] = {
    {"network = \"hush\"\n", "F:1:11: network: ", "of type string, but accepted is true or false"},
    {"clipboard = \"hush\"\n", "F:1:13: clipboard: ", "only one of \"copy\", \"off\""},
    {"clipboard = \"\"\n", "F:1:13: clipboard: ", "only one of \"copy\", \"off\""},
    {"clipboard = \"copy\\u0000\"\n", "F:1:13: clipboard: ", "only one of"},
    {"browser_profile = \"hush\"\n", "F:1:19: ", "\"ephemeral\""},
    {"ssh = \"hush\"\n", "F:1:7: ssh: ", "only one of true, false, \"agent\""},
    {"ssh = 1\n", "F:1:7: ssh: ", "accepted is one of true, false, \"agent\""},
    {"forward_ports = [65536]\n", "F:1:18: ", "0 to 65535"},
    {"forward_ports = [-1]\n", "F:1:18: ", "0 to 65535"},
    {"forward_ports = [80, \"80:hush\"]\n", "F:1:22: ", "PORT:PORT"},
    {"forward_ports = [\"80:\"]\n", "F:1:18: ", "PORT:PORT"},
    {"forward_ports = [\":80\"]\n", "F:1:18: ", "PORT:PORT"},
    {"forward_ports = [\"1:2:3\"]\n", "F:1:18: ", "PORT:PORT"},
    {"forward_ports = [\"65536\"]\n", "F:1:18: ", "PORT:PORT"},
    {"forward_ports = [\"000080\"]\n", "F:1:18: ", "PORT:PORT"},
    {"forward_ports = [\"+80\"]\n", "F:1:18: ", "PORT:PORT"},
    {"forward_ports = [\"80\\u0000\"]\n", "F:1:18: ", "PORT:PORT"},
    {"allow_tcp_ports = [\"80\"]\n", "F:1:20: ", "numbers from 0 to 65535"},
    {"mask = [\n  '.env',\n  '',\n]\n", "F:3:3: mask: ", "empty"},
    {"mask = ['a', \"b\\u0000\"]\n", "F:1:14: mask: ", "NUL"},
    {"command = ['']\n", "F:1:12: command: ", "empty"},
    {"rw_maps = ['/a:']\n", "F:1:12: rw_maps: ", "a path is empty"},
    {"rw_maps = [':/a']\n", "F:1:12: rw_maps: ", "a path is empty"},
    {"hide_dotdirs = ['a/b']\n", "F:1:17: hide_dotdirs: ", "without '/'"},
    {"hide_dotdirs = ['..']\n", "F:1:17: hide_dotdirs: ", "no name"},
    {"env_pass = ['=hush']\n", "F:1:13: env_pass: ", "no name"},
    {"claude_dir = ''\n", "F:1:14: claude_dir: ", "empty"},
    {"secret_hosts = { '' = 'h' }\n", "F:1:23: secret_hosts: ", "name"},
    {"secret_hosts = { 'a=b' = 'h' }\n", "F:1:26: secret_hosts: ", "name"},
    {"secret_hosts = { a = '' }\n", "F:1:22: secret_hosts: ", "empty"},
    {"mask = ['x']\nmask = ['y']\n", "F:2:", "only once"},
    {"mask = ['hush\n", "F:1:", "closing quote"},
    {"commands = 1\n", "F:1:12: commands: ", "[commands.NAME]"},
    {"commands.claude = true\n", "F:1:19: commands: ", "[commands.NAME]"},
    {"[[commands]]\n", "F:1:", "[commands.NAME]"},
    {"[[commands.claude]]\n", "F:1:", "[commands.NAME]"},
    {"[commands.'']\n", "F:1:", "empty"},
    {"[commands.\"a\\u0000\"]\n", "F:1:", "NUL"},
    {"[commands.claude]\nnetwork = 1\n", "F:2:11: network: ", "true or false"},
    {"[commands.claude.network]\na = 1\n", "F:1:", "of type table, but accepted is true or false"},
    {"[network]\n", "F:1:", "of type table, but accepted is true or false"},
};

static void a_value_that_cannot_be_ends_the_reading(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
        check_fails(LAYER_GLOBAL, refused[i].text, refused[i].where, refused[i].reason);
}

struct normal {
    const char *text;
    enum setting_id id;
    const char *kept; /* entries joined with '|' */
};

static const struct normal normals[] = {
    {"rw_maps = ['~/a:~/b']\n", SET_RW_MAPS, HOME "/a:" HOME "/b"},
    {"rw_maps = ['../x']\n", SET_RW_MAPS, "/home/u/x"},
    {"rw_maps = ['a\\:b']\n", SET_RW_MAPS, CWD "/a\\:b"},
    {"rw_maps = [\"a\\\\:b\"]\n", SET_RW_MAPS, CWD "/a\\:b"},
    {"rw_maps = ['a\\\\:b']\n", SET_RW_MAPS, CWD "/a\\\\:" CWD "/b"},
    {"rw_maps = ['/a:/b:c']\n", SET_RW_MAPS, "/a:/b\\:c"},
    {"rw_maps = ['/a\\b']\n", SET_RW_MAPS, "/a\\\\b"},
    {"ro_maps = ['/a/', '/a', '/a/.', '/b/../a']\n", SET_RO_MAPS, "/a"},
    {"ro_maps = ['/../..//x']\n", SET_RO_MAPS, "/x"},
    {"ro_maps = ['~', '~user', '/~', './~']\n", SET_RO_MAPS, HOME "|" CWD "/~user|/~|" CWD "/~"},
    {"overlay_maps = ['x:y', '~/z']\n", SET_OVERLAY_MAPS, CWD "/x:y|" HOME "/z"},
    {"mask = ['~/x', '.env', 'a/../b', '~user', '/a/', '**/*.pem']\n", SET_MASK,
     HOME "/x|.env|a/../b|~user|/a/|**/*.pem"},
    {"deny_paths = ['~']\n", SET_DENY_PATHS, HOME},
    {"mask_exceptions = ['~/x']\n", SET_MASK_EXCEPTIONS, HOME "/x"},
    {"deny_path_exceptions = ['~/x']\n", SET_DENY_PATH_EXCEPTIONS, HOME "/x"},
    {"trust_project_config = ['~/work']\n", SET_TRUST_PROJECT_CONFIG, HOME "/work"},
    {"claude_dir = '~/.claude-work'\n", SET_CLAUDE_DIR, HOME "/.claude-work"},
    {"claude_dir = 'x'\n", SET_CLAUDE_DIR, CWD "/x"},
    {"env_from_file = ['~/e', 'e', '/home/u/e']\n", SET_ENV_FROM_FILE, HOME "/e|" CWD "/e"},
    {"env_pass = ['A', 'B=1', 'A', 'B=~/x']\n", SET_ENV_PASS, "A|B=1|A|B=~/x"},
    {"command = ['sh', '', 'sh', '~/x']\n", SET_COMMAND, "sh||sh|~/x"},
    {"hide_dotdirs = ['aws', '.aws', 'aws']\n", SET_HIDE_DOTDIRS, "aws|.aws"},
    {"allow_hosts = ['a', 'b', 'a']\n", SET_ALLOW_HOSTS, "a|b"},
    {"forward_ports = [80, '80', '80:80', '080', '80:81']\n", SET_FORWARD_PORTS, "80|80:81"},
};

static void entries_are_brought_into_one_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(normals); i++) {
        struct result result = read_ok(LAYER_GLOBAL, normals[i].text);
        _cleanup_free_ char *joined = strv_join(&value_of(&result, normals[i].id)->list, "|");

        if (!str_eq(joined, normals[i].kept))
            fail_msg("%s: %s", normals[i].text, joined);
        result_free(&result);
    }
}

static void a_normal_form_stays(void **state)
{
    const struct normal_place place = {.home = "/elsewhere", .cwd = "/there"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(normals); i++) {
        struct result result = read_ok(LAYER_GLOBAL, normals[i].text);
        const struct value *value = value_of(&result, normals[i].id);
        bool is_relative = settings[normals[i].id].paths < PATHS_ABSOLUTE;

        assert_int_equal(normal_layer(&result.layers.base, &place, &result.error), 0);
        if (!is_relative) {
            _cleanup_free_ char *joined = strv_join(&value->list, "|");

            assert_string_equal(joined, normals[i].kept);
        }
        result_free(&result);
    }
}

static void a_layer_of_flags_is_brought_into_the_same_form(void **state)
{
    const struct normal_place place = {.home = HOME, .cwd = CWD};
    const struct normal_place homeless = {.cwd = CWD};
    _cleanup_config_ struct config cli = {0};
    struct error error;

    (void)state;
    config_init(&cli, LAYER_CLI);
    config_add(&cli, SET_RW_MAPS, "a");
    config_add(&cli, SET_RW_MAPS, CWD "/b/../a");
    config_add(&cli, SET_RW_MAPS, "~/c:/d");
    config_add(&cli, SET_ENV_PASS, "A=~");
    assert_int_equal(normal_layer(&cli, &homeless, &error), -EINVAL);
    assert_string_equal(error.text, "--rw-map: there is no HOME that '~' could stand for: write "
                                    "the whole path");
    assert_int_equal(normal_layer(&cli, &place, &error), 0);
    assert_int_equal(config_list(&cli, SET_RW_MAPS)->n, 2);
    assert_string_equal(config_list(&cli, SET_RW_MAPS)->v[0], CWD "/a");
    assert_string_equal(config_list(&cli, SET_RW_MAPS)->v[1], HOME "/c:/d");
    assert_string_equal(config_list(&cli, SET_ENV_PASS)->v[0], "A=~");
}

static void without_a_home_a_tilde_is_an_error(void **state)
{
    (void)state;
    check_fails_without_home(LAYER_PROJECT, NULL, "mask = ['a', '~/x']\n",
                             "F:1:14: mask: ", "no HOME");
    check_fails_without_home(LAYER_PROJECT, NULL, "rw_maps = ['/a:~/x']\n",
                             "F:1:12: rw_maps: ", "no HOME");
    for (int i = 0; i < 2; i++) {
        struct result result;

        read_text(&result, LAYER_PROJECT, NULL, i ? "mask = ['~user']\n" : "rw_maps = ['a']\n");
        assert_int_equal(result.r, 0);
        result_free(&result);
    }
}

struct warned {
    enum layer_kind kind;
    const char *text;
    const char *note; /* NULL: none */
};

static const struct warned warned[] = {
    {LAYER_GLOBAL, "deny_path = ['.env']\n",
     "F:1:1: unknown key deny_path has no effect: did you mean deny_paths?"},
    {LAYER_PROJECT, "\n  no_netwrok = true\n",
     "F:2:3: unknown key no_netwrok has no effect: did you mean network?"},
    {LAYER_PROJECT, "landlock = true\n",
     "F:1:1: unknown key landlock has no effect: did you mean no_landlock?"},
    {LAYER_PROJECT, "Network = true\n",
     "F:1:1: unknown key Network has no effect: did you mean network?"},
    {LAYER_PROJECT, "something_else = 1\n", "F:1:1: unknown key something_else has no effect"},
    {LAYER_PROJECT, "foo = 1\n", "F:1:1: unknown key foo has no effect"},
    {LAYER_PROJECT, "\"network\\u0000\" = 1\n", "did you mean network?"},
    {LAYER_PROJECT, "[settings]\nnetwork = 1\n", "F:1:2: unknown table settings has no effect"},
    {LAYER_PROJECT, "[[settings]]\nnetwork = 1\n", "F:1:3: unknown key settings has no effect"},
    {LAYER_PROJECT, "a.b.c = 1\n", "F:1:1: unknown table a has no effect"},
    {LAYER_PROJECT, "[commands.claude]\nnetwork = 1\n",
     "F:1:2: unknown table commands has no effect: tables for commands count only in ~/.ai-jail"},
    {LAYER_GLOBAL, "[command_s.claude]\n", "did you mean commands?"},
    {LAYER_GLOBAL, "[commands.claude]\ntrust_project_config = ['/']\n",
     "F:2:1: unknown key trust_project_config has no effect: it counts only outside of tables"},
    {LAYER_GLOBAL, "[commands.claude]\nno_status_bar = false\n",
     "F:2:1: unknown key no_status_bar"},
    {LAYER_GLOBAL, "[commands.claude]\nstatus_bar_style = 'dark'\n",
     "F:2:1: unknown key status_bar_style"},
    {LAYER_GLOBAL, "[commands.claude]\nresize_redraw_key = 'none'\n",
     "F:2:1: unknown key resize_redraw_key"},
    {LAYER_GLOBAL, "[commands.claude]\nnetwrok = true\n",
     "F:2:1: unknown key netwrok has no effect: did you mean network?"},
    {LAYER_GLOBAL, "[commands]\n", NULL},
    {LAYER_GLOBAL, "[commands.claude]\n", NULL},
    {LAYER_PROJECT, "trust_project_config = ['/']\nno_status_bar = false\n", NULL},
};

static void what_is_unknown_earns_one_warning(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(warned); i++) {
        const struct warned *row = &warned[i];
        struct result result;

        read_text(&result, row->kind, HOME, row->text);
        assert_int_equal(result.r, 0);
        assert_int_equal(result.notes.n, row->note != NULL);
        if (row->note &&
            (result.notes.v[0].class != NOTE_WARNING || !strstr(result.notes.v[0].text, row->note)))
            fail_msg("%s: %s", row->text, result.notes.v[0].text);
        result_free(&result);
    }
}

static void unknown_values_may_be_of_any_type(void **state)
{
    static const char text[] = "a1 = 'x'\na2 = 1\na3 = 1.5\na4 = true\na5 = 1979-05-27\n"
                               "a6 = [1, ['x']]\na7 = { b = 1 }\n[a8]\nb = 1\n[[a9]]\n[[a9]]\n";
    struct result result = read_ok(LAYER_PROJECT, text);

    (void)state;
    assert_int_equal(result.notes.n, 9);
    assert_true(nothing_else_is_set(&result.layers.base, SET_COUNT));
    result_free(&result);
}

static void warnings_are_limited(void **state)
{
    struct buf text CLEANUP(buf_free);
    struct result result;

    (void)state;
    buf_init(&text, MIB);
    for (int i = 0; i < 1000; i++)
        buf_printf(&text, "unknown_%d = 1\n", i);
    result = read_ok(LAYER_PROJECT, buf_cstr(&text));
    assert_int_equal(result.notes.n, 21);
    assert_string_equal(result.notes.v[20].text,
                        "F: 980 more unknown keys and tables have no effect");
    result_free(&result);
}

static void tables_for_commands_are_layers(void **state)
{
    static const char text[] = "network = true\n"
                               "mask = ['a']\n"
                               "[commands.claude]\n"
                               "network = false\n"
                               "mask = [\n"
                               "  'b',\n"
                               "  'c',\n"
                               "]\n"
                               "[commands.\"my tool\"]\n"
                               "[commands.\"/usr/bin/claude\"]\n"
                               "rw_maps = ['~/x']\n";
    struct result result = read_ok(LAYER_GLOBAL, text);
    const struct read_table *table = result.layers.tables;
    const struct value *mask;

    (void)state;
    assert_int_equal(result.layers.table_count, 3);
    assert_string_equal(table[0].name, "claude");
    assert_string_equal(table[1].name, "my tool");
    assert_string_equal(table[2].name, "/usr/bin/claude");
    assert_int_equal(table[0].line, 3);
    assert_int_equal(table[2].line, 10);
    assert_true(result.layers.base.values[SET_NETWORK].on);
    assert_false(table[0].config.values[SET_NETWORK].on);
    mask = &table[0].config.values[SET_MASK];
    assert_int_equal(mask->list.n, 2);
    assert_int_equal(mask->origin.line, 5);
    assert_int_equal(mask->origin.column, 1);
    assert_int_equal(mask->origins[1].line, 7);
    assert_int_equal(mask->origins[1].column, 3);
    assert_int_equal(mask->origins[1].layer, LAYER_COMMAND_TABLE);
    assert_string_equal(mask->origins[1].table, "claude");
    assert_string_equal(table[2].config.values[SET_RW_MAPS].list.v[0], HOME "/x");
    assert_string_equal(table[2].config.values[SET_RW_MAPS].origin.table, "/usr/bin/claude");
    assert_null(result.layers.base.values[SET_MASK].origin.table);
    result_free(&result);
}

static void every_key_counts_in_a_table_unless_it_is_for_the_whole_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++) {
        const struct setting *row = &settings[i];
        bool is_whole = row->trust == TRUST_GLOBAL || row->trust == TRUST_IGNORED;
        _cleanup_free_ char *text = NULL;
        struct result result;

        if (!row->key || row->form != FILE_BOOL)
            continue;
        text = xasprintf("[commands.x]\n%s = true\n", row->key);
        result = read_ok(LAYER_GLOBAL, text);
        assert_int_equal(result.layers.tables[0].config.values[i].is_set, !is_whole);
        assert_int_equal(result.notes.n, is_whole);
        assert_true(nothing_else_is_set(&result.layers.base, SET_COUNT));
        result_free(&result);
    }
}

static void odd_ways_of_writing_are_read(void **state)
{
    static const char *const texts[] = {
        "\xEF\xBB\xBFmask = ['a', 'b']\r\nnetwork = true\r\n",
        "\tmask\t=\t[ # one\n\t'a', # two\n\n\t'b',\n\t]\n  network = true # end",
        "'mask' = [\"\"\"\na\"\"\", '''b''']\n\"network\" = true\n",
        "\"m\\u0061sk\" = [\"\\u0061\", 'b', 'a']\nnetwork=true",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct result result = read_ok(LAYER_PROJECT, texts[i]);
        _cleanup_free_ char *joined = strv_join(&value_of(&result, SET_MASK)->list, "|");

        assert_string_equal(joined, "a|b");
        assert_true(value_of(&result, SET_NETWORK)->on);
        assert_int_equal(result.notes.n, 0);
        result_free(&result);
    }
}

static void nothing_said_is_nothing_set(void **state)
{
    static const char *const texts[] = {"", "\n\n", "# a\n# b", "\xEF\xBB\xBF"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct result result = read_ok(LAYER_GLOBAL, texts[i]);

        assert_true(nothing_else_is_set(&result.layers.base, SET_COUNT));
        assert_int_equal(result.layers.table_count, 0);
        assert_int_equal(result.notes.n, 0);
        result_free(&result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_takes_its_values),
        cmocka_unit_test(every_key_refuses_other_types),
        cmocka_unit_test(a_value_that_cannot_be_ends_the_reading),
        cmocka_unit_test(entries_are_brought_into_one_form),
        cmocka_unit_test(a_normal_form_stays),
        cmocka_unit_test(a_layer_of_flags_is_brought_into_the_same_form),
        cmocka_unit_test(without_a_home_a_tilde_is_an_error),
        cmocka_unit_test(what_is_unknown_earns_one_warning),
        cmocka_unit_test(unknown_values_may_be_of_any_type),
        cmocka_unit_test(warnings_are_limited),
        cmocka_unit_test(tables_for_commands_are_layers),
        cmocka_unit_test(every_key_counts_in_a_table_unless_it_is_for_the_whole_file),
        cmocka_unit_test(odd_ways_of_writing_are_read),
        cmocka_unit_test(nothing_said_is_nothing_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
