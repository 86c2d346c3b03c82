// SPDX-License-Identifier: GPL-3.0-only
/*
 * The order of authority, with real files: every key in every pair of layers, lockdown in all of
 * them, the choice of [commands.NAME], and what may be wrong with the files.
 */
#include "support/gathering.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- every key, every pair of layers (P-CFG-5) ---- */

static bool is_host(const struct setting *row)
{
    return row->id == SET_ALLOW_HOSTS || row->id == SET_ALLOW_PRIVATE;
}

/* Value number 0 or 1 of a key as a file writes it; malloc'ed. */
static char *file_value(const struct setting *row, unsigned which)
{
    switch (row->form) {
    case FILE_BOOL:
        return xstrdup((which == 1) != row->inverted ? "true" : "false");
    case FILE_STRING:
        if (row->type == TYPE_WORD)
            return xasprintf("\"%s\"", row->words[which]);
        return xasprintf("\"/v/%u\"", which);
    case FILE_BOOL_OR_WORD:
        return xstrdup(which ? "\"agent\"" : "true");
    case FILE_STRINGS:
        return xasprintf(row->id == SET_COMMAND        ? "[\"tool\", \"%u\"]"
                         : row->id == SET_HIDE_DOTDIRS ? "[\"name%u\"]"
                         : is_host(row)                ? "[\"h.test:8%u\"]"
                                                       : "[\"/v/%u\"]",
                         which);
    case FILE_PORTS:
    case FILE_PORT_NUMBERS:
        return xasprintf("[%u]", 8080 + which);
    case FILE_HOSTS_BY_KEY:
        return xasprintf("{ K%u = \"host%u\" }", which, which);
    case FILE_NONE:
        break;
    }
    return NULL;
}

static const char *word_of(const struct setting *row, unsigned which)
{
    if (row->form == FILE_BOOL_OR_WORD)
        return which ? row->words[0] : row->bare_word;
    return row->words[which];
}

static void say_by_hand(struct gathering_test *test, const struct setting *row, unsigned which)
{
    _cleanup_free_ char *entry = xasprintf(row->id == SET_HIDE_DOTDIRS ? "name%u"
                                           : is_host(row)              ? "h.test:8%u"
                                                                       : "/v/%u",
                                           which);

    if (row->id == SET_COMMAND)
        strv_pushf(&test->args.command, "%u", which);
    else if (row->type == TYPE_BOOL)
        config_set_bool(&test->args.cli, row->id, which == 1);
    else if (row->type == TYPE_WORD)
        config_set_word(&test->args.cli, row->id, word_of(row, which));
    else if (row->type == TYPE_TEXT)
        config_set_text(&test->args.cli, row->id, entry);
    else
        config_add(&test->args.cli, row->id, entry);
}

static bool can_say(const struct setting *row, enum layer_kind layer, unsigned which)
{
    if (layer == LAYER_CLI)
        return row->flag || row->id == SET_COMMAND;
    if (!row->key)
        return false;
    if (layer != LAYER_GLOBAL && (row->trust == TRUST_GLOBAL || row->trust == TRUST_IGNORED))
        return false;
    /* what no project can say */
    return layer != LAYER_PROJECT || row->id != SET_LOCKDOWN || which == 1;
}

static char *line_of(const struct setting *row, enum layer_kind layer, unsigned which)
{
    _cleanup_free_ char *value = file_value(row, which);

    return xasprintf("%s%s = %s\n", layer == LAYER_COMMAND_TABLE ? "[commands.tool]\n" : "",
                     row->key, value);
}

static void check_result(const struct gathering_test *test, const struct setting *row,
                         enum layer_kind upper, unsigned which)
{
    const struct value *value = &test->gathered.config.values[row->id];
    const struct strv *list = &value->list;
    size_t own = row->id == SET_TRUST_PROJECT_CONFIG;
    char last = (char)('0' + which);

    if (value->origin.layer != upper)
        fail_msg("%s: decided by layer %d, not %d", row->key, (int)value->origin.layer, (int)upper);
    if (row->type == TYPE_BOOL) {
        assert_int_equal(value->on, which == 1);
    } else if (row->type == TYPE_WORD) {
        assert_string_equal(value->word, word_of(row, which));
    } else {
        /* command and texts are replaced, the other lists hold both, the upper one behind */
        assert_int_equal(list->n,
                         row->id == SET_COMMAND ? 2 : (row->type == TYPE_TEXT ? 1 : 2) + own);
        if (list->v[list->n - 1][strlen(list->v[list->n - 1]) - 1] != last)
            fail_msg("%s: %s is last", row->key, list->v[list->n - 1]);
        assert_int_equal(value->origins[list->n - 1].layer, upper);
    }
}

static void check_pair(const struct setting *row, enum layer_kind lower, enum layer_kind upper,
                       unsigned which)
{
    char *text[LAYER_COUNT] = {NULL};
    const enum layer_kind layers[] = {lower, upper};
    _cleanup_gathering_ struct gathering_test test;
    _cleanup_free_ char *global = NULL;

    for (unsigned i = 0; i < 2; i++)
        if (layers[i] != LAYER_CLI)
            text[layers[i]] = line_of(row, layers[i], i ? which : !which);
    global = xasprintf("%s%s", text[LAYER_GLOBAL] ? text[LAYER_GLOBAL] : "",
                       text[LAYER_COMMAND_TABLE] ? text[LAYER_COMMAND_TABLE] : "");
    gathering_init(&test, &(struct gathering_case){global, text[LAYER_PROJECT],
                                                   row->id != SET_TRUST_PROJECT_CONFIG});
    if (row->id != SET_COMMAND || upper == LAYER_CLI)
        gathering_command(&test, "tool");
    if (upper == LAYER_CLI)
        say_by_hand(&test, row, which);
    gathering_must_run(&test);
    check_result(&test, row, upper, which);
    for (size_t i = 0; i < LAYER_COUNT; i++)
        free(text[i]);
}

static void the_upper_layer_decides_for_every_key(void **state)
{
    size_t checked = 0;

    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++)
        for (unsigned which = 0; which < 2; which++)
            for (unsigned upper = LAYER_COMMAND_TABLE; upper <= LAYER_CLI; upper++)
                for (unsigned lower = LAYER_GLOBAL; lower < upper; lower++) {
                    const struct setting *row = &settings[i];

                    if (!can_say(row, lower, !which) || !can_say(row, upper, which))
                        continue;
                    check_pair(row, lower, upper, which);
                    checked++;
                }
    /* two values, three pairs for a key that is only in files, six with a flag */
    assert_true(checked > 400);
}

/* ---- lockdown (P-CFG-4) ---- */

enum said { SAID_NOTHING, SAID_OFF, SAID_ON, SAID_COUNT };

static const char *const lockdown_lines[] = {"", "lockdown = false\n", "lockdown = true\n"};

static void check_lockdown(enum said global, enum said table, enum said project, bool is_trusted)
{
    _cleanup_free_ char *text = xasprintf("%sprivate_home = false\nnetwork = true\n"
                                          "[commands.tool]\n%sbrowser_profile = \"off\"\n",
                                          lockdown_lines[global], lockdown_lines[table]);
    _cleanup_gathering_ struct gathering_test test;
    bool want = table ? table == SAID_ON : global == SAID_ON;

    gathering_init(&test, &(struct gathering_case){text, lockdown_lines[project], is_trusted});
    gathering_command(&test, "tool");
    config_set_bool(&test.args.cli, SET_NETWORK, true);
    gathering_must_run(&test);
    if (config_flag(&test.gathered.config, SET_LOCKDOWN) != (want || project == SAID_ON))
        fail_msg("lockdown: %d, %d, %d, %d", (int)global, (int)table, (int)project, is_trusted);
    /* a refusal is said where it changes something */
    if (project == SAID_OFF && want)
        assert_int_equal(gathering_count(&test, NOTE_SECURITY, "lockdown = false is refused"), 1);
}

static void only_the_users_own_layers_take_lockdown_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SAID_COUNT * SAID_COUNT * SAID_COUNT * 2; i++)
        check_lockdown((enum said)(i % 3), (enum said)(i / 3 % 3), (enum said)(i / 9 % 3), i / 27);
}

/* ---- tables (P-CFG-19) ---- */

struct table_case {
    const char *global_command; /* "" for none */
    const char *project_command;
    bool is_trusted;
    const char *typed;
    const char *applied; /* values of the tables that apply, in order */
    const char *command;
};

static char *command_line(const char *words)
{
    _cleanup_strv_ struct strv parts = {0};
    _cleanup_free_ char *joined = NULL;

    if (!words[0])
        return xstrdup("");
    strv_split(&parts, words, ' ');
    joined = strv_join(&parts, "\", \"");
    return xasprintf("command = [\"%s\"]\n", joined);
}

static void check_tables(const struct table_case *want)
{
    static const char tables[] = "[commands.claude]\nmask = [\"claude\"]\n"
                                 "[commands.\"/usr/bin/claude\"]\nmask = [\"path\"]\n"
                                 "[commands.\"my tool\"]\nmask = [\"words\"]\n"
                                 "[commands.ai-memory]\nmask = [\"memory\"]\n"
                                 "[commands.bash]\nmask = [\"bash\"]\n";
    _cleanup_gathering_ struct gathering_test test;
    _cleanup_free_ char *line = command_line(want->global_command);
    _cleanup_free_ char *global = xasprintf("%s%s", line, tables);
    _cleanup_free_ char *project = command_line(want->project_command);
    _cleanup_free_ char *applied = NULL;
    _cleanup_free_ char *command = NULL;
    bool is_by_project = !want->is_trusted && !want->typed[0] && want->project_command[0];

    gathering_init(&test, &(struct gathering_case){global, project, want->is_trusted});
    gathering_command(&test, want->typed);
    gathering_must_run(&test);
    applied = strv_join(config_list(&test.gathered.config, SET_MASK), " ");
    command = strv_join(&test.gathered.command, " ");
    if (!str_eq(applied, want->applied) || !str_eq(command, want->command))
        fail_msg("'%s' typed: tables '%s', command '%s'", want->typed, applied, command);
    assert_int_equal(test.gathered.command_is_untrusted, is_by_project);
    assert_int_equal(test.gathered.table_count, 5);
    for (size_t i = 0; i < test.gathered.table_count; i++)
        assert_int_equal(test.gathered.tables[i].is_applied, !test.gathered.tables[i].why_not);
    if (is_by_project && strstr(want->project_command, "claude"))
        assert_int_equal(gathering_count(&test, NOTE_INFO, "[commands.claude] is not applied"), 1);
}

static void the_command_chooses_its_table(void **state)
{
    static const struct table_case rows[] = {
        {"", "", false, "claude", "claude", "claude"},
        {"", "", false, "/opt/claude x", "claude", "/opt/claude x"},
        {"", "", false, "/usr/bin/claude", "path", "/usr/bin/claude"},
        {"", "", false, "./claude", "claude", "./claude"},
        {"", "", false, "codex", "", "codex"},
        {"", "", false, "Claude", "", "Claude"},
        {"", "", false, "", "bash", ""},
        /* the wrapper's first, then the one of what it starts */
        {"", "", false, "ai-memory run --yolo claude-code", "memory claude",
         "ai-memory run --yolo claude-code"},
        {"", "", false, "ai-memory run codex", "memory", "ai-memory run codex"},
        {"", "", false, "ai-memory claude", "memory", "ai-memory claude"},
        {"claude", "", false, "", "claude", "claude"},
        {"claude", "", false, "codex", "", "codex"},
        {"claude", "codex x", true, "", "", "codex x"},
        {"codex", "claude", true, "", "claude", "claude"},
        /* a repository chooses none, also not the one of the command that it keeps from running */
        {"", "claude", false, "", "", "claude"},
        {"codex", "claude --x", false, "", "", "claude --x"},
        {"", "claude", false, "claude", "claude", "claude"},
        {"", "claude", false, "bash", "bash", "bash"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_tables(&rows[i]);
}

/* ---- files ---- */

static void absent_files_are_empty_layers(void **state)
{
    _cleanup_gathering_ struct gathering_test test;

    (void)state;
    gathering_init(&test, &(struct gathering_case){NULL, NULL, false});
    gathering_must_run(&test);
    assert_int_equal(test.notes.n, 0);
    assert_int_equal(test.gathered.global.state, FILE_ABSENT);
    assert_int_equal(test.gathered.project.state, FILE_ABSENT);
    for (size_t i = 0; i < SET_COUNT; i++)
        assert_false(config_is_set(&test.gathered.config, (enum setting_id)i));
}

/* P-CFG-1 */
static void a_broken_file_ends_it(void **state)
{
    static const struct {
        struct gathering_case with;
        bool clean;
        const char *place; /* in the message; NULL: no failure */
    } rows[] = {
        {{"network = ", NULL, false}, false, "home/.ai-jail:1:"},
        {{"network = ", NULL, false}, true, "home/.ai-jail:1:"},
        {{"network = 1", NULL, false}, true, "home/.ai-jail:1:"},
        {{NULL, "x = [", false}, false, "project/.ai-jail:1:"},
        {{NULL, "\nmask = true", false}, false, "project/.ai-jail:2:"},
        {{NULL, "x = [", true}, false, "project/.ai-jail:1:"},
        {{NULL, "x = [", false}, true, NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_gathering_ struct gathering_test test;

        gathering_init(&test, &rows[i].with);
        test.args.clean = rows[i].clean;
        if (!rows[i].place) {
            gathering_must_run(&test);
            assert_int_equal(test.gathered.project.state, FILE_SKIPPED);
            continue;
        }
        assert_true(gathering_run(&test) < 0);
        if (!strstr(test.error.text, rows[i].place))
            fail_msg("%s", test.error.text);
    }
}

/* P-CFG-7: in HOME itself both names are one file. */
static void one_file_is_never_two_layers(void **state)
{
    _cleanup_gathering_ struct gathering_test test;
    _cleanup_free_ char *name = NULL;
    _cleanup_free_ char *target = NULL;

    (void)state;
    gathering_init(&test,
                   &(struct gathering_case){"network = true\nmask = [\"x\"]\n", NULL, false});
    name = xasprintf("%s/.ai-jail", test.project);
    target = xasprintf("%s/.ai-jail", test.home);
    assert_int_equal(link(target, name), 0);
    gathering_must_run(&test);
    assert_int_equal(test.gathered.project.state, FILE_IS_GLOBAL);
    assert_int_equal(test.notes.n, 0);
    assert_true(config_flag(&test.gathered.config, SET_NETWORK));
    assert_int_equal(config_list(&test.gathered.config, SET_MASK)->n, 1);
}

static void trust_needs_the_directory_the_owner_and_the_mode(void **state)
{
    static const struct {
        bool is_listed;
        unsigned mode;
        bool is_trusted;
        unsigned lines; /* about a file that is not trusted although it is listed */
    } rows[] = {
        {false, 0600, false, 0}, {true, 0600, true, 0},  {true, 0644, true, 0},
        {true, 0620, false, 1},  {true, 0666, false, 1}, {false, 0666, false, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_gathering_ struct gathering_test test;

        gathering_init(&test, &(struct gathering_case){"", "", rows[i].is_listed});
        gathering_write(&test, "project/.ai-jail", "network = true\n", rows[i].mode);
        gathering_must_run(&test);
        assert_int_equal(test.gathered.project.is_trusted, rows[i].is_trusted);
        assert_int_equal(!test.gathered.project.why_untrusted, rows[i].is_trusted);
        assert_int_equal(config_flag(&test.gathered.config, SET_NETWORK), rows[i].is_trusted);
        assert_int_equal(gathering_count(&test, NOTE_SECURITY, "is not trusted although"),
                         rows[i].lines);
        assert_int_equal(gathering_count(&test, NOTE_SECURITY, "network = true is refused"),
                         !rows[i].is_trusted);
        assert_int_equal(gathering_count(&test, NOTE_VERBOSE, "is trusted"), rows[i].is_trusted);
    }
}

/* Trust comes from the first part of the global file alone. */
static void nobody_trusts_himself(void **state)
{
    _cleanup_gathering_ struct gathering_test test;

    (void)state;
    gathering_init(&test,
                   &(struct gathering_case){"[commands.tool]\ntrust_project_config = [\"/\"]\n",
                                            "trust_project_config = [\"/\"]\nkvm = true\n", false});
    gathering_command(&test, "tool");
    gathering_must_run(&test);
    assert_false(test.gathered.project.is_trusted);
    assert_false(config_flag(&test.gathered.config, SET_KVM));
    assert_int_equal(config_list(&test.gathered.config, SET_TRUST_PROJECT_CONFIG)->n, 0);
}

static void count_values(void *arg, const struct config *layer)
{
    unsigned *found = arg;

    for (size_t i = 0; i < config_list(layer, SET_ENV_PASS)->n; i++)
        *found += strstr(config_list(layer, SET_ENV_PASS)->v[i], "=value") != NULL;
}

/* Who wipes a value must find every place where one was said, whether it counts or not. */
static void every_layer_can_be_visited(void **state)
{
    _cleanup_gathering_ struct gathering_test test;
    unsigned found = 0;

    (void)state;
    gathering_init(&test,
                   &(struct gathering_case){
                       "env_pass = [\"A=value\"]\n[commands.tool]\nenv_pass = [\"B=value\"]\n"
                       "[commands.other]\nenv_pass = [\"C=value\"]\n",
                       "env_pass = [\"D=value\"]\n", true});
    gathering_command(&test, "tool");
    config_add(&test.args.cli, SET_ENV_PASS, "E=value");
    gathering_must_run(&test);
    count_values(&found, &test.gathered.config);
    assert_int_equal(found, 4); /* not C */
    found = 0;
    gather_each_layer(&test.gathered, count_values, &found);
    assert_int_equal(found, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_upper_layer_decides_for_every_key),
        cmocka_unit_test(only_the_users_own_layers_take_lockdown_back),
        cmocka_unit_test(the_command_chooses_its_table),
        cmocka_unit_test(absent_files_are_empty_layers),
        cmocka_unit_test(a_broken_file_ends_it),
        cmocka_unit_test(one_file_is_never_two_layers),
        cmocka_unit_test(trust_needs_the_directory_the_owner_and_the_mode),
        cmocka_unit_test(nobody_trusts_himself),
        cmocka_unit_test(every_layer_can_be_visited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
