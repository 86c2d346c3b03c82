// SPDX-License-Identifier: GPL-3.0-only
/*
 * The command line: every row by flag, alias and twin, in every valid and invalid form; where the
 * options end; and what a message may say.
 */
#include "config/args.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORDS_MAX 32

/* A parsed command line; parse() and free_parsed() around each case. */
struct parsed {
    struct args args;
    struct error error;
    int result;
};

static void free_parsed(struct parsed *parsed)
{
    args_free(&parsed->args);
}

static struct parsed parse_words(char **argv)
{
    struct parsed parsed = {0};
    int argc = 0;

    while (argv[argc])
        argc++;
    parsed.result = args_parse(argc, argv, &parsed.args, &parsed.error);
    return parsed;
}

/* parse("--map", "/x", ...) without the program's own name. Checks that argv stays as it is. */
#define parse(...) parse_checked((const char *const[]){"ai-jail", __VA_ARGS__, NULL})

static struct parsed parse_checked(const char *const *words)
{
    struct strv copy CLEANUP(strv_free) = {0};
    struct parsed parsed;

    for (size_t i = 0; words[i]; i++)
        strv_push(&copy, words[i]);
    assert_true(copy.n < WORDS_MAX);
    parsed = parse_words(copy.v);
    for (size_t i = 0; words[i]; i++)
        assert_string_equal(copy.v[i], words[i]);
    return parsed;
}

#define _cleanup_parsed_ CLEANUP(free_parsed)

static void assert_ok(const struct parsed *parsed)
{
    if (parsed->result != 0)
        fail_msg("refused: %s", parsed->error.text);
}

/* Refused, in one line that has every given part. */
static void assert_refused(const struct parsed *parsed, const char *first, const char *second)
{
    assert_int_equal(parsed->result, -EINVAL);
    assert_int_equal(parsed->error.code, EINVAL);
    if (!strstr(parsed->error.text, first) || !strstr(parsed->error.text, second))
        fail_msg("'%s' lacks '%s' or '%s'", parsed->error.text, first, second);
    assert_null(strchr(parsed->error.text, '\n'));
}

static void assert_command(const struct parsed *parsed, const char *joined)
{
    _cleanup_free_ char *command = strv_join(&parsed->args.command, "|");

    assert_ok(parsed);
    assert_string_equal(command, joined);
}

static void test_nothing(void **state)
{
    struct parsed parsed _cleanup_parsed_ = parse_checked((const char *const[]){"ai-jail", NULL});
    struct parsed nameless _cleanup_parsed_ = parse_words((char *[]){NULL});

    (void)state;
    assert_command(&parsed, "");
    assert_command(&nameless, "");
    assert_int_equal(parsed.args.verb, VERB_RUN);
    assert_false(parsed.args.json);
    assert_int_equal(parsed.args.cli.kind, LAYER_CLI);
    for (size_t i = 0; i < SET_COUNT; i++)
        assert_false(config_is_set(&parsed.args.cli, (enum setting_id)i));
}

/* Exactly id is set, by the command line. */
static void assert_only(const struct parsed *parsed, enum setting_id id)
{
    assert_ok(parsed);
    for (size_t i = 0; i < SET_COUNT; i++)
        assert_int_equal(config_is_set(&parsed->args.cli, (enum setting_id)i), i == id);
    assert_string_equal(config_origin(&parsed->args.cli, id), "command line");
}

static void check_bool_word(const struct option_word *word, bool expected)
{
    _cleanup_free_ char *bare = xasprintf("--%s", word->name);
    _cleanup_free_ char *valued = xasprintf("--%s=canary", word->name);
    _cleanup_free_ char *empty = xasprintf("--%s=", word->name);
    struct parsed parsed _cleanup_parsed_ = parse(bare, "true");
    struct parsed with_value _cleanup_parsed_ = parse(valued);
    struct parsed with_empty _cleanup_parsed_ = parse(empty);

    assert_only(&parsed, word->setting);
    assert_int_equal(config_flag(&parsed.args.cli, word->setting), expected);
    assert_command(&parsed, "true");
    assert_refused(&with_value, bare, "takes no value");
    assert_null(strstr(with_value.error.text, "canary"));
    assert_refused(&with_empty, bare, "takes no value");
}

/* The entries of a list, or the one text that is left. malloc'ed. */
static char *said(const struct parsed *parsed, enum setting_id id)
{
    return settings[id].type == TYPE_TEXT ? xstrdup(config_text(&parsed->args.cli, id))
                                          : strv_join(config_list(&parsed->args.cli, id), " ");
}

static void check_argument_word(const struct option_word *word)
{
    _cleanup_free_ char *bare = xasprintf("--%s", word->name);
    _cleanup_free_ char *attached = xasprintf("--%s=a=b", word->name);
    _cleanup_free_ char *empty = xasprintf("--%s=", word->name);
    struct parsed separate _cleanup_parsed_ = parse(bare, "a=b", attached, bare, "c", "true");
    struct parsed dashed _cleanup_parsed_ = parse(bare, "--network", bare, "--", bare, "-v");
    struct parsed missing _cleanup_parsed_ = parse(bare);
    struct parsed nothing _cleanup_parsed_ = parse(bare, "", "true");
    struct parsed nothing_attached _cleanup_parsed_ = parse(empty, "true");
    const struct setting *row = &settings[word->setting];
    const char *wanted = row->type == TYPE_TEXT           ? "c"
                         : row->merge == MERGE_APPEND_ALL ? "a=b a=b c"
                                                          : "a=b c";
    _cleanup_free_ char *entries = NULL;
    _cleanup_free_ char *dashes = NULL;

    assert_only(&separate, word->setting);
    assert_command(&separate, "true");
    entries = said(&separate, row->id);
    assert_string_equal(entries, wanted);
    /* The separate form takes the next word whatever it looks like. */
    assert_only(&dashed, word->setting);
    assert_command(&dashed, "");
    dashes = said(&dashed, row->id);
    assert_string_equal(dashes, row->type == TYPE_TEXT ? "-v" : "--network -- -v");
    assert_refused(&missing, bare, settings[word->setting].arg);
    assert_refused(&nothing, bare, "empty value");
    assert_refused(&nothing_attached, bare, "empty value");
}

static bool is_strict(enum setting_id id)
{
    return id == SET_ALLOW_HOSTS || id == SET_ALLOW_PRIVATE || id == SET_ALLOW_TCP_PORTS;
}

/* Entries that are looked at here already. */
static void check_strict_word(const struct option_word *word)
{
    const char *entry = word->setting == SET_ALLOW_TCP_PORTS ? "443" : "a.test:443";
    _cleanup_free_ char *bare = xasprintf("--%s", word->name);
    _cleanup_free_ char *attached = xasprintf("--%s=%s", word->name, entry);
    struct parsed both _cleanup_parsed_ = parse(bare, entry, attached, "true");
    struct parsed wrong _cleanup_parsed_ = parse(bare, "a/b", "true");
    _cleanup_free_ char *entries = NULL;

    assert_only(&both, word->setting);
    assert_command(&both, "true");
    entries = said(&both, word->setting);
    assert_string_equal(entries, entry);
    assert_refused(&wrong, bare, "");
}

static void check_attached_word(const struct option_word *word, const char *value,
                                const char *expected)
{
    _cleanup_free_ char *option =
        xasprintf("--%s%s%s", word->name, value ? "=" : "", value ? value : "");
    struct parsed parsed _cleanup_parsed_ = parse(option, "true");

    assert_only(&parsed, word->setting);
    assert_string_equal(config_word(&parsed.args.cli, word->setting), expected);
    assert_command(&parsed, "true");
}

/* One of the row's words, attached; or none. */
static void check_word_word(const struct option_word *word)
{
    const struct setting *row = &settings[word->setting];
    const char *const bad[] = {"canary", "", "=", " ", "off ", "=off"};

    if (word->form == FORM_TWIN) {
        _cleanup_free_ char *valued = xasprintf("--%s=%s", word->name, row->words[0]);
        struct parsed with_value _cleanup_parsed_ = parse(valued);

        check_attached_word(word, NULL, row->twin_word);
        assert_refused(&with_value, word->name, "takes no value");
        return;
    }
    if (row->bare_word) {
        check_attached_word(word, NULL, row->bare_word);
    } else {
        _cleanup_free_ char *alone = xasprintf("--%s", word->name);
        struct parsed wordless _cleanup_parsed_ = parse(alone, "true");

        assert_refused(&wordless, "needs one of the words", row->words[0]);
    }
    for (size_t i = 0; row->words[i]; i++)
        check_attached_word(word, row->words[i], row->words[i]);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        _cleanup_free_ char *option = xasprintf("--%s=%s", word->name, bad[i]);
        struct parsed parsed _cleanup_parsed_ = parse(option, "true");

        assert_refused(&parsed, word->name, row->words[0]);
        assert_null(strstr(parsed.error.text, "canary"));
    }
}

static void test_every_row(void **state)
{
    struct option_words words;
    size_t rows = 0;

    (void)state;
    options_list(&words);
    for (size_t i = 0; i < words.n; i++) {
        const struct option_word *word = &words.v[i];

        if (word->kind != OPTION_SETTING)
            continue;
        rows += word->form == FORM_FLAG;
        if (settings[word->setting].type == TYPE_BOOL)
            check_bool_word(word, word->form != FORM_TWIN);
        else if (settings[word->setting].type == TYPE_WORD)
            check_word_word(word);
        else if (is_strict(word->setting))
            check_strict_word(word);
        else
            check_argument_word(word);
    }
    for (size_t i = 0; i < SET_COUNT; i++)
        rows -= settings[i].flag != NULL;
    assert_int_equal(rows, 0);
}

static void test_map_alias_is_the_same_list(void **state)
{
    struct parsed parsed _cleanup_parsed_ = parse("--map", "/a", "--ro-map=/b", "--map=/a");
    _cleanup_free_ char *maps = strv_join(config_list(&parsed.args.cli, SET_RO_MAPS), " ");

    (void)state;
    assert_ok(&parsed);
    assert_string_equal(maps, "/a /b");
}

static void test_last_toggle_wins(void **state)
{
    struct parsed off _cleanup_parsed_ = parse("--network", "--no-network");
    struct parsed on _cleanup_parsed_ = parse("--no-landlock", "--landlock", "--landlock");

    (void)state;
    assert_ok(&off);
    assert_true(config_is_set(&off.args.cli, SET_NETWORK));
    assert_false(config_flag(&off.args.cli, SET_NETWORK));
    assert_ok(&on);
    assert_true(config_flag(&on.args.cli, SET_LANDLOCK));
}

/* A word is taken only attached: what stands behind the option is the command. */
static void test_words(void **state)
{
    struct parsed separate _cleanup_parsed_ = parse("--clipboard", "off");
    struct parsed last _cleanup_parsed_ = parse("--clipboard", "--no-clipboard", "x");
    struct parsed first _cleanup_parsed_ = parse("--clipboard=off", "--clipboard=copy", "x");

    (void)state;
    assert_command(&separate, "off");
    assert_string_equal(config_word(&separate.args.cli, SET_CLIPBOARD), "copy");
    assert_string_equal(config_word(&last.args.cli, SET_CLIPBOARD), "off");
    assert_string_equal(config_word(&first.args.cli, SET_CLIPBOARD), "copy");
}

/* A letter takes its word with and without "=". */
static void test_short_words(void **state)
{
    struct parsed bundle _cleanup_parsed_ = parse("-vs", "dark");
    struct parsed equals _cleanup_parsed_ = parse("-s=dark", "x");
    struct parsed joined _cleanup_parsed_ = parse("-vslight", "x");
    struct parsed wrong _cleanup_parsed_ = parse("-s=canary", "x");
    struct parsed empty _cleanup_parsed_ = parse("-s=", "x");

    (void)state;
    assert_command(&bundle, "dark");
    assert_string_equal(config_word(&bundle.args.cli, SET_STATUS_BAR), "on");
    assert_command(&equals, "x");
    assert_string_equal(config_word(&equals.args.cli, SET_STATUS_BAR), "dark");
    assert_command(&joined, "x");
    assert_true(config_flag(&joined.args.cli, SET_VERBOSE));
    assert_string_equal(config_word(&joined.args.cli, SET_STATUS_BAR), "light");
    assert_refused(&wrong, "--status-bar", "pastel");
    assert_null(strstr(wrong.error.text, "canary"));
    assert_refused(&empty, "--status-bar", "pastel");
}

static void test_short_options(void **state)
{
    struct parsed one _cleanup_parsed_ = parse("-v");
    struct parsed bundle _cleanup_parsed_ = parse("-vhv", "-v", "x");
    struct parsed bad _cleanup_parsed_ = parse("-vq");
    struct parsed valued _cleanup_parsed_ = parse("-v=x");
    struct parsed dash _cleanup_parsed_ = parse("-v-");
    struct parsed byte _cleanup_parsed_ = parse("-\xff");
    struct parsed colon _cleanup_parsed_ = parse("-:");
    struct parsed plus _cleanup_parsed_ = parse("-+");
    struct parsed one_dash _cleanup_parsed_ = parse("-network");

    (void)state;
    assert_only(&one, SET_VERBOSE);
    assert_command(&bundle, "x");
    assert_int_equal(bundle.args.verb, VERB_HELP);
    assert_true(config_flag(&bundle.args.cli, SET_VERBOSE));
    assert_refused(&bad, "unknown option -q", "--help");
    assert_refused(&valued, "unknown option -=", "--help");
    assert_refused(&dash, "unknown option --", "--help");
    assert_refused(&byte, "unknown option -\xff", "--help");
    assert_refused(&colon, "unknown option -:", "--help");
    assert_refused(&plus, "unknown option -+", "--help");
    assert_refused(&one_dash, "unknown option -n", "two dashes");
}

static void test_unknown_options(void **state)
{
    struct parsed typo _cleanup_parsed_ = parse("--netwrok");
    struct parsed twin _cleanup_parsed_ = parse("--no-landlok=canary");
    struct parsed verb _cleanup_parsed_ = parse("--dryrun");
    struct parsed far _cleanup_parsed_ = parse("--resume", "claude");
    struct parsed empty _cleanup_parsed_ = parse("--=x");
    struct parsed no_twin _cleanup_parsed_ = parse("--no-exec");
    struct parsed upper _cleanup_parsed_ = parse("--NETWORK");

    (void)state;
    assert_refused(&typo, "--netwrok", "did you mean --network?");
    assert_refused(&twin, "--no-landlok", "did you mean --no-landlock?");
    assert_null(strstr(twin.error.text, "canary"));
    assert_refused(&verb, "--dryrun", "did you mean --dry-run?");
    assert_refused(&far, "--resume", "ai-jail --help");
    assert_null(strstr(far.error.text, "did you mean"));
    assert_refused(&empty, "unknown option --", "--help");
    assert_refused(&no_twin, "--no-exec", "unknown option");
    assert_refused(&upper, "--NETWORK", "unknown option");
}

/* Every proper prefix of every name, also those that getopt_long itself would take. */
static void test_abbreviations_are_refused(void **state)
{
    struct option_words words;

    (void)state;
    options_list(&words);
    for (size_t i = 0; i < words.n; i++) {
        for (size_t len = 1; len < strlen(words.v[i].name); len++) {
            _cleanup_free_ char *option = xasprintf("--%.*s", (int)len, words.v[i].name);
            struct parsed parsed _cleanup_parsed_ = parse(option, "x", "y");

            if (options_find(&words, option + 2, len))
                continue;
            assert_refused(&parsed, "unknown option", option);
        }
    }
}

static void test_huge_unknown_option(void **state)
{
    char *option = xcalloc(200001, 1);

    (void)state;
    memset(option, 'x', 200000);
    option[0] = option[1] = '-';
    {
        struct parsed parsed _cleanup_parsed_ = parse(option);

        assert_refused(&parsed, "unknown option --xxxxxxxx", "ai-jail --help");
    }
    free(option);
}

static void test_env_syntax(void **state)
{
    struct parsed good _cleanup_parsed_ = parse("--env", "A", "--env=B=", "--env", "C=x=y");
    struct parsed nameless _cleanup_parsed_ = parse("--env", "=canary");
    struct parsed attached _cleanup_parsed_ = parse("--env==canary");

    (void)state;
    assert_only(&good, SET_ENV_PASS);
    assert_refused(&nameless, "--env", "NAME=VALUE");
    assert_null(strstr(nameless.error.text, "canary"));
    assert_refused(&attached, "--env", "NAME=VALUE");
    assert_null(strstr(attached.error.text, "canary"));
}

/* Which of many is meant; of a variable nothing is shown. */
static void test_a_refused_entry_is_named(void **state)
{
    struct parsed pattern _cleanup_parsed_ =
        parse("--allow-host", "a.test", "--allow-host=*.b.test");
    struct parsed dotdir _cleanup_parsed_ = parse("--hide-dotdir", "a/b");

    (void)state;
    assert_refused(&pattern, "--allow-host *.b.test: ", "subdomains");
    assert_refused(&dotdir, "--hide-dotdir a/b: ", "NAME");
}

static void test_verbs(void **state)
{
    struct parsed dry _cleanup_parsed_ = parse("--dry-run", "--dry-run", "ls");
    struct parsed json _cleanup_parsed_ = parse("--json", "--dry-run");
    struct parsed help _cleanup_parsed_ = parse("-h", "--help");
    struct parsed version _cleanup_parsed_ = parse("-V");
    struct parsed two _cleanup_parsed_ = parse("--dry-run", "-V");
    struct parsed valued _cleanup_parsed_ = parse("--help=x");
    struct parsed run_json _cleanup_parsed_ = parse("--json", "ls");
    struct parsed help_json _cleanup_parsed_ = parse("--help", "--json");
    struct parsed sanitize _cleanup_parsed_ = parse("--sanitize");
    struct parsed sanitize_words _cleanup_parsed_ = parse("--sanitize", "--", "canary");
    struct parsed sanitize_json _cleanup_parsed_ = parse("--sanitize", "--json");

    (void)state;
    assert_command(&dry, "ls");
    assert_int_equal(dry.args.verb, VERB_DRY_RUN);
    assert_false(dry.args.json);
    assert_ok(&json);
    assert_true(json.args.json);
    assert_ok(&help);
    assert_int_equal(help.args.verb, VERB_HELP);
    assert_ok(&version);
    assert_int_equal(version.args.verb, VERB_VERSION);
    assert_refused(&two, "--dry-run", "--version");
    assert_refused(&valued, "--help", "takes no value");
    assert_refused(&run_json, "--json", "--dry-run");
    assert_refused(&help_json, "--json", "--dry-run");
    assert_ok(&sanitize);
    assert_int_equal(sanitize.args.verb, VERB_SANITIZE);
    assert_refused(&sanitize_words, "--sanitize", "standard input");
    assert_refused(&sanitize_json, "--json", "--dry-run");
}

/* P-CLI-1: what stands behind the separator is the command's, byte for byte. */
static void test_separator(void **state)
{
    struct parsed plain _cleanup_parsed_ = parse("--network", "--", "claude", "--verbose", "-h");
    struct parsed twice _cleanup_parsed_ = parse("--", "--", "x");
    struct parsed dashed _cleanup_parsed_ = parse("--", "--no-seccomp", "--bogus=1");
    struct parsed alone _cleanup_parsed_ = parse("--");
    struct parsed value _cleanup_parsed_ = parse("--map", "--", "x", "--network");

    (void)state;
    assert_command(&plain, "claude|--verbose|-h");
    assert_only(&plain, SET_NETWORK);
    assert_int_equal(plain.args.verb, VERB_RUN);
    assert_command(&twice, "--|x");
    assert_command(&dashed, "--no-seccomp|--bogus=1");
    assert_false(config_is_set(&dashed.args.cli, SET_SECCOMP));
    assert_int_equal(dashed.args.notes.n, 0);
    assert_command(&alone, "");
    /* Here "--" is a value, not the separator: the later word is checked. */
    assert_command(&value, "x|--network");
    assert_int_equal(value.args.notes.n, 1);
}

static void test_first_other_word_ends_the_options(void **state)
{
    struct parsed parsed _cleanup_parsed_ = parse("-v", "npm", "--bogus", "--", "-V", "--dry-run");
    struct parsed dash _cleanup_parsed_ = parse("-", "--help");
    struct parsed empty _cleanup_parsed_ = parse("", "--help");

    (void)state;
    assert_command(&parsed, "npm|--bogus|--|-V|--dry-run");
    assert_only(&parsed, SET_VERBOSE);
    assert_int_equal(parsed.args.verb, VERB_RUN);
    assert_command(&dash, "-|--help");
    assert_command(&empty, "|--help");
    assert_int_equal(empty.args.command.n, 2);
}

/* Options end at the command even where the environment or an earlier call would say otherwise. */
static void test_calls_are_independent(void **state)
{
    struct parsed broken _cleanup_parsed_ = parse("-vq", "x");
    struct parsed next _cleanup_parsed_ = parse("--network", "ls", "-V");

    (void)state;
    assert_int_equal(broken.result, -EINVAL);
    assert_command(&next, "ls|-V");
    assert_only(&next, SET_NETWORK);
}

/* A verb with an operand: separate, attached, or left out where that is allowed. */
static void check_operand(enum verb verb)
{
    const struct verb_option *option = &verb_options[verb];
    _cleanup_free_ char *bare = xasprintf("--%s", option->flag);
    _cleanup_free_ char *attached = xasprintf("--%s=a=b", option->flag);
    _cleanup_free_ char *empty = xasprintf("--%s=", option->flag);
    struct parsed alone _cleanup_parsed_ = parse(bare);
    struct parsed joined _cleanup_parsed_ = parse(attached);
    struct parsed twice _cleanup_parsed_ = parse(attached, attached);
    struct parsed nothing _cleanup_parsed_ = parse(empty);

    assert_ok(&joined);
    assert_int_equal(joined.args.verb, verb);
    assert_string_equal(joined.args.operand, "a=b");
    assert_ok(&twice);
    assert_refused(&nothing, bare, "empty value");
    if (option->arg_is_optional) {
        struct parsed behind _cleanup_parsed_ = parse(bare, "word");
        struct parsed more _cleanup_parsed_ = parse(bare, "word", "word");
        struct parsed both _cleanup_parsed_ = parse(attached, "word");

        assert_ok(&alone);
        assert_null(alone.args.operand);
        assert_command(&behind, "");
        assert_string_equal(behind.args.operand, "word");
        assert_refused(&more, bare, "takes no command");
        assert_refused(&both, bare, "takes no command");
        return;
    }
    assert_refused(&alone, bare, option->arg);
    {
        struct parsed separate _cleanup_parsed_ = parse(bare, "--x");

        assert_command(&separate, "");
        assert_string_equal(separate.args.operand, "--x");
    }
}

static void test_every_verb(void **state)
{
    (void)state;
    for (size_t i = VERB_RUN + 1; i < VERB_COUNT; i++) {
        enum verb verb = (enum verb)i;
        _cleanup_free_ char *bare = xasprintf("--%s", verb_options[i].flag);
        _cleanup_free_ char *valued = xasprintf("--%s=canary", verb_options[i].flag);

        if (verb_options[i].arg) {
            check_operand(verb);
            continue;
        }
        struct parsed parsed _cleanup_parsed_ = parse(bare);
        struct parsed with_value _cleanup_parsed_ = parse(valued);

        assert_ok(&parsed);
        assert_int_equal(parsed.args.verb, verb);
        assert_null(parsed.args.operand);
        assert_refused(&with_value, bare, "takes no value");
    }
}

/* --json goes with exactly the verbs that have it; words go with those that take a command. */
static void test_what_goes_with_a_verb(void **state)
{
    (void)state;
    for (size_t i = VERB_RUN + 1; i < VERB_COUNT; i++) {
        const struct verb_option *option = &verb_options[i];
        bool wants = option->arg && !option->arg_is_optional;
        _cleanup_free_ char *flag = xasprintf("--%s%s", option->flag, wants ? "=x" : "");
        struct parsed json _cleanup_parsed_ = parse("--json", flag);
        struct parsed words _cleanup_parsed_ = parse(flag, "canary", "b");

        if (option->has_json)
            assert_ok(&json);
        else
            assert_refused(&json, "--json", "--");
        if (!option->takes_no_command)
            assert_command(&words, "canary|b");
        else
            assert_refused(&words, option->flag, "no ");
        assert_true(!words.error.code || !strstr(words.error.text, "canary"));
    }
}

/* One verb a call, except that --dry-run shows what a verb that writes would write. */
static void test_pairs_of_verbs(void **state)
{
    (void)state;
    for (size_t i = VERB_RUN + 1; i < VERB_COUNT; i++) {
        for (size_t j = VERB_RUN + 1; j < VERB_COUNT; j++) {
            _cleanup_free_ char *first =
                xasprintf("--%s%s", verb_options[i].flag, verb_options[i].arg ? "=x" : "");
            _cleanup_free_ char *second =
                xasprintf("--%s%s", verb_options[j].flag, verb_options[j].arg ? "=x" : "");
            struct parsed parsed _cleanup_parsed_ = parse(first, second);
            size_t other = i == VERB_DRY_RUN ? j : i;
            bool shows = (i == VERB_DRY_RUN) != (j == VERB_DRY_RUN) &&
                         (other == VERB_INIT || other == VERB_BOOTSTRAP);

            if (i != j && !shows) {
                assert_refused(&parsed, verb_options[i].flag, verb_options[j].flag);
                continue;
            }
            assert_ok(&parsed);
            assert_int_equal(parsed.args.verb, shows ? other : i);
            assert_int_equal(parsed.args.also_dry, i == VERB_DRY_RUN || j == VERB_DRY_RUN);
        }
    }
}

static void test_status_keyword(void **state)
{
    struct parsed plain _cleanup_parsed_ = parse("status");
    struct parsed around _cleanup_parsed_ =
        parse("--network", "status", "--json", "--clean", "claude", "status", "-v");
    struct parsed twice _cleanup_parsed_ = parse("status", "status");
    struct parsed with_flag _cleanup_parsed_ = parse("--status", "status");
    struct parsed separated _cleanup_parsed_ = parse("status", "--", "--json");
    struct parsed contradiction _cleanup_parsed_ = parse("--init", "status");
    struct parsed unknown _cleanup_parsed_ = parse("status", "--bogus");

    (void)state;
    assert_command(&plain, "");
    assert_int_equal(plain.args.verb, VERB_STATUS);
    assert_command(&around, "claude|status|-v");
    assert_int_equal(around.args.verb, VERB_STATUS);
    assert_true(around.args.json);
    assert_true(around.args.clean);
    assert_true(config_flag(&around.args.cli, SET_NETWORK));
    assert_command(&twice, "status");
    assert_int_equal(twice.args.verb, VERB_STATUS);
    assert_ok(&with_flag);
    assert_int_equal(with_flag.args.verb, VERB_STATUS);
    assert_command(&separated, "--json");
    assert_false(separated.args.json);
    assert_refused(&contradiction, "--init", "--status");
    assert_refused(&unknown, "--bogus", "unknown option");
}

static void test_modifiers(void **state)
{
    struct parsed clean _cleanup_parsed_ = parse("--clean", "x", "--clean");
    struct parsed clean_init _cleanup_parsed_ = parse("--clean", "--init");
    struct parsed valued _cleanup_parsed_ = parse("--clean=x");
    struct parsed unsaved _cleanup_parsed_ = parse("--init", "--no-save-config");
    struct parsed saved _cleanup_parsed_ = parse("--init", "--no-save-config", "--save-config");

    (void)state;
    assert_command(&clean, "x|--clean");
    assert_true(clean.args.clean);
    assert_int_equal(clean.args.verb, VERB_RUN);
    assert_ok(&clean_init);
    assert_true(clean_init.args.clean);
    assert_int_equal(clean_init.args.verb, VERB_INIT);
    assert_refused(&valued, "--clean", "takes no value");
    assert_refused(&unsaved, "--init", "--no-save-config");
    assert_ok(&saved);
}

/* P-CLI-14: keywords are nothing special behind the separator. */
static void test_program_called_status(void **state)
{
    struct parsed parsed _cleanup_parsed_ = parse("--", "status", "--json");

    (void)state;
    assert_command(&parsed, "status|--json");
    assert_int_equal(parsed.args.verb, VERB_RUN);
    assert_false(parsed.args.json);
}

static void check_warning(const struct option_word *word)
{
    _cleanup_free_ char *bare = xasprintf("--%s", word->name);
    _cleanup_free_ char *valued = xasprintf("--%s=canary", word->name);
    struct parsed parsed _cleanup_parsed_ = parse("claude", "x", valued, bare, bare);
    struct parsed separated _cleanup_parsed_ = parse("--", "claude", bare);
    bool warns = word->kind == OPTION_SETTING && (settings[word->setting].capability & word->form);

    assert_ok(&parsed);
    assert_int_equal(parsed.args.command.n, 5);
    for (size_t i = 0; i < SET_COUNT; i++)
        assert_false(config_is_set(&parsed.args.cli, (enum setting_id)i));
    assert_int_equal(parsed.args.notes.n, warns ? 1 : 0);
    if (warns) {
        assert_int_equal(parsed.args.notes.v[0].class, NOTE_WARNING);
        assert_non_null(strstr(parsed.args.notes.v[0].text, bare));
        assert_non_null(strstr(parsed.args.notes.v[0].text, "claude"));
        assert_null(strstr(parsed.args.notes.v[0].text, "canary"));
    }
    assert_ok(&separated);
    assert_int_equal(separated.args.notes.n, 0);
}

/* P-CLI-2: never read as ours, one warning line. */
static void test_flags_behind_the_command(void **state)
{
    struct option_words words;
    struct parsed near _cleanup_parsed_ = parse("x", "--networks", "-network", "network", "--netw");

    (void)state;
    options_list(&words);
    for (size_t i = 0; i < words.n; i++)
        check_warning(&words.v[i]);
    assert_ok(&near);
    assert_int_equal(near.args.notes.n, 0);
}

/* P-CLI-8: bytes are kept. */
static void test_bytes_are_kept(void **state)
{
    static const char bytes[] = "/\xff\xc0\x80\x1b[2J\xe2\x80\xae\n";
    struct parsed parsed _cleanup_parsed_ =
        parse("--map", bytes, "--env", "\xfe=\xff", bytes, "\xff");

    (void)state;
    assert_ok(&parsed);
    assert_string_equal(config_list(&parsed.args.cli, SET_RO_MAPS)->v[0], bytes);
    assert_string_equal(config_list(&parsed.args.cli, SET_ENV_PASS)->v[0], "\xfe=\xff");
    assert_string_equal(parsed.args.command.v[0], bytes);
    assert_string_equal(parsed.args.command.v[1], "\xff");
}

static void test_error_may_be_absent(void **state)
{
    char *argv[] = {xstrdup("ai-jail"), xstrdup("--bogus"), NULL};
    struct args args;

    (void)state;
    assert_int_equal(args_parse(2, argv, &args, NULL), -EINVAL);
    args_free(&args);
    free(argv[0]);
    free(argv[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_every_row),
        cmocka_unit_test(test_map_alias_is_the_same_list),
        cmocka_unit_test(test_last_toggle_wins),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_short_words),
        cmocka_unit_test(test_short_options),
        cmocka_unit_test(test_unknown_options),
        cmocka_unit_test(test_abbreviations_are_refused),
        cmocka_unit_test(test_huge_unknown_option),
        cmocka_unit_test(test_env_syntax),
        cmocka_unit_test(test_a_refused_entry_is_named),
        cmocka_unit_test(test_verbs),
        cmocka_unit_test(test_every_verb),
        cmocka_unit_test(test_what_goes_with_a_verb),
        cmocka_unit_test(test_pairs_of_verbs),
        cmocka_unit_test(test_status_keyword),
        cmocka_unit_test(test_modifiers),
        cmocka_unit_test(test_separator),
        cmocka_unit_test(test_first_other_word_ends_the_options),
        cmocka_unit_test(test_calls_are_independent),
        cmocka_unit_test(test_program_called_status),
        cmocka_unit_test(test_flags_behind_the_command),
        cmocka_unit_test(test_bytes_are_kept),
        cmocka_unit_test(test_error_may_be_absent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
