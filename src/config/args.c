// SPDX-License-Identifier: GPL-3.0-only
/*
 * args: from words to the command line's layer, a verb and the command.
 *
 * getopt_long splits the words: bundled letters, "--opt=VALUE", "--opt VALUE", the end of the
 * options. Its arrays are made from the list of option words at each call. Three things it does not
 * do as wanted are done here: it accepts abbreviations, so each long option is looked up again by
 * its exact spelling; its messages are replaced by ours; and its permutation of words is off ("+"),
 * because everything from the first word that is no option belongs to the command.
 *
 * A message names the option, never its value: values can be secrets.
 *
 * What contradicts itself across options (not within one) is found by check_whole(), when
 * everything has been read.
 */
#include "config/args.h"

#include "config/nearest.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* Edit distance up to which an unknown option gets a suggestion. */
#define NEAREST_OPTION_LIMIT 2
/* Bytes of an unknown option shown in a message. */
#define SHOWN_NAME_MAX 64

/* getopt_long's answer for the long option number N is LONG_BASE + N; letters are below. */
#define LONG_BASE 256

struct parser {
    struct args *args;
    struct error *error;
    struct option_words words;
    struct option long_options[OPTION_WORDS_MAX + 1];
    char letters[3 * OPTION_WORDS_MAX + 3];
    const struct option_word *verb; /* the word that chose the verb; NULL: none yet */
    bool has_keyword;               /* a word without dashes was a verb */
    int keyword_error;
};

static void build_arrays(struct parser *parser)
{
    char *letter = parser->letters;

    options_list(&parser->words);
    /* "+": stop at the first word that is no option; ":": tell a missing value apart. */
    *letter++ = '+';
    *letter++ = ':';
    for (size_t i = 0; i < parser->words.n; i++) {
        const struct option_word *word = &parser->words.v[i];
        int has_argument = options_argument(word)     ? required_argument
                           : options_may_attach(word) ? optional_argument
                                                      : no_argument;

        parser->long_options[i] =
            (struct option){.name = word->name, .has_arg = has_argument, .val = LONG_BASE + (int)i};
        if (!word->short_flag)
            continue;
        /* One colon: an argument; two: an attached one. */
        *letter++ = word->short_flag;
        for (int n = 0; n < has_argument; n++)
            *letter++ = ':';
    }
    *letter = '\0';
}

static int fail_unknown(const struct parser *parser, const char *name, size_t len)
{
    int shown = len > SHOWN_NAME_MAX ? SHOWN_NAME_MAX : (int)len;
    struct nearest nearest;

    nearest_init(&nearest, name, len, NEAREST_OPTION_LIMIT);
    for (size_t i = 0; i < parser->words.n; i++)
        nearest_offer(&nearest, parser->words.v[i].name);
    if (nearest.best)
        return error_set(parser->error, EINVAL,
                         "unknown option --%.*s: did you mean --%s? (ai-jail --help lists all)",
                         shown, name, nearest.best);
    return error_set(parser->error, EINVAL,
                     "unknown option --%.*s: options are written in full, the command's own go "
                     "behind the command (ai-jail --help lists all)",
                     shown, name);
}

static int fail_missing_value(const struct parser *parser, const struct option_word *word)
{
    return error_set(parser->error, EINVAL, "--%s has no value: write --%s %s", word->name,
                     word->name, options_argument(word));
}

/* A list grows, a text is replaced. */
static int take_argument(const struct parser *parser, const struct option_word *word,
                         const char *entry)
{
    const struct setting *row = &settings[word->setting];
    const char *fault = entry[0] && row->fault ? row->fault(entry) : NULL;

    if (!entry[0])
        return error_set(parser->error, EINVAL, "--%s has an empty value: write --%s %s",
                         word->name, word->name, row->arg);
    /* Of a variable nothing but the name is ever printed, and this one has none. */
    if (fault)
        return error_set(parser->error, EINVAL, "--%s%s%s: %s", word->name,
                         row->id == SET_ENV_PASS ? "" : " ", row->id == SET_ENV_PASS ? "" : entry,
                         fault);
    if (row->type == TYPE_TEXT)
        config_set_text(&parser->args->cli, row->id, entry);
    else
        config_add(&parser->args->cli, row->id, entry);
    return 0;
}

/* text: what was attached, NULL if nothing was. */
static int set_word(const struct parser *parser, const struct option_word *option, const char *text)
{
    const struct setting *row = &settings[option->setting];
    const char *word = option->form == FORM_TWIN ? row->twin_word : row->bare_word;
    _cleanup_free_ char *all = NULL;

    if (text)
        word = settings_find_word(row, text);
    if (word) {
        config_set_word(&parser->args->cli, row->id, word);
        return 0;
    }
    all = settings_join_words(row, ", ");
    if (!text)
        return error_set(parser->error, EINVAL,
                         "--%s needs one of the words behind a '=': write --%s=%s (or: %s)",
                         option->name, option->name, row->words[0], all);
    return error_set(parser->error, EINVAL, "--%s does not know this word, only: %s", option->name,
                     all);
}

/* --dry-run beside a verb that writes shows what would be written. */
static bool goes_with_dry_run(enum verb verb)
{
    return verb == VERB_INIT || verb == VERB_BOOTSTRAP;
}

static int set_verb(struct parser *parser, const struct option_word *word, const char *operand)
{
    const struct option_word *verb = parser->verb;

    if (operand && !operand[0])
        return error_set(parser->error, EINVAL, "--%s has an empty value: write --%s %s",
                         word->name, word->name, verb_options[word->verb].arg);
    if (operand) {
        free(parser->args->operand);
        parser->args->operand = xstrdup(operand);
    }
    if (word->verb == VERB_DRY_RUN)
        parser->args->also_dry = true;
    if (verb && word->verb == VERB_DRY_RUN && goes_with_dry_run(verb->verb))
        return 0;
    if (verb && verb->verb != word->verb &&
        !(verb->verb == VERB_DRY_RUN && goes_with_dry_run(word->verb)))
        return error_set(parser->error, EINVAL,
                         "--%s and --%s cannot go together: give one of them", parser->verb->name,
                         word->name);
    parser->verb = word;
    parser->args->verb = word->verb;
    return 0;
}

static int apply(struct parser *parser, const struct option_word *word, const char *value)
{
    switch (word->kind) {
    case OPTION_SETTING:
        if (settings[word->setting].arg)
            return take_argument(parser, word, value);
        if (settings[word->setting].type == TYPE_WORD)
            return set_word(parser, word, value);
        config_set_bool(&parser->args->cli, word->setting, word->form != FORM_TWIN);
        return 0;
    case OPTION_VERB:
        return set_verb(parser, word, value);
    case OPTION_MODIFIER:
        if (word->modifier == MODIFIER_JSON)
            parser->args->json = true;
        else
            parser->args->clean = true;
        return 0;
    }
    return -EINVAL;
}

/* text: the word of argv behind its two dashes; answer: what getopt_long made of it. */
static int take_long(struct parser *parser, const char *text, int answer)
{
    size_t len = strcspn(text, "=");
    const struct option_word *word = options_find(&parser->words, text, len);

    if (!word)
        return fail_unknown(parser, text, len);
    if (answer == ':')
        return fail_missing_value(parser, word);
    if (answer == '?')
        return error_set(parser->error, EINVAL, "--%s takes no value: write it without '='",
                         word->name);
    return apply(parser, word, optarg);
}

static int take_short(struct parser *parser, int answer)
{
    bool is_known = answer != '?' && answer != ':';
    char letter = (char)(is_known ? answer : optopt);
    const struct option_word *word = options_find_short(&parser->words, letter);

    if (!word)
        return error_set(parser->error, EINVAL,
                         "unknown option -%c: long options start with two dashes, the command's "
                         "own go behind the command (ai-jail --help lists all)",
                         letter);
    if (!is_known)
        return fail_missing_value(parser, word);
    /* -s=WORD and -sWORD are the same. */
    if (optarg && optarg[0] == '=' && options_may_attach(word))
        optarg++;
    return apply(parser, word, optarg);
}

/* Whether a word of the command, up to its "=", is a flag that was probably meant for us. */
static bool is_capability(const struct option_words *words, const char *text)
{
    const struct option_word *word;

    if (!str_starts(text, "--"))
        return false;
    text += 2;
    word = options_find(words, text, strcspn(text, "="));
    return word && word->kind == OPTION_SETTING &&
           (settings[word->setting].capability & word->form);
}

static void warn_capability(const struct parser *parser)
{
    const struct strv *command = &parser->args->command;

    for (size_t i = 1; i < command->n; i++) {
        const char *text = command->v[i];
        int len = (int)strcspn(text, "=");

        if (!is_capability(&parser->words, text))
            continue;
        notes_add(&parser->args->notes, NOTE_WARNING,
                  "%.*s stands behind the command and was given to it; as an option of ai-jail it "
                  "goes first: ai-jail %.*s ... %s",
                  len, text, len, text, command->v[0]);
        return;
    }
}

static void take_command(struct parser *parser, int argc, char **argv, int first)
{
    bool has_separator = first < argc && str_eq(argv[first], "--");

    for (int i = first + has_separator; i < argc; i++)
        strv_push(&parser->args->command, argv[i]);
    if (!has_separator)
        warn_capability(parser);
}

/* Lockdown has every wall, or there is no start. */
static int check_lockdown(const struct config *cli, struct error *error)
{
    static const enum setting_id walls[] = {SET_LANDLOCK, SET_SECCOMP, SET_RLIMITS};

    for (size_t i = 0; i < ARRAY_SIZE(walls); i++)
        if (config_flag(cli, SET_LOCKDOWN) && !config_flag(cli, walls[i]))
            return error_set(error, EINVAL,
                             "--%s and --no-%s cannot go together: lockdown has every wall",
                             settings[SET_LOCKDOWN].flag, settings[walls[i]].flag);
    return 0;
}

/* A verb that starts nothing: one word behind it can only be its operand. */
static void take_operand(struct args *args)
{
    const struct verb_option *verb = &verb_options[args->verb];

    if (!verb->arg_is_optional || !verb->takes_no_command || args->operand || args->command.n != 1)
        return;
    args->operand = xstrdup(args->command.v[0]);
    strv_free(&args->command);
}

/* What only shows when all options are known: each contradiction between them ends here. */
static int check_whole(const struct parser *parser)
{
    const struct args *args = parser->args;

    if (args->json && !verb_options[args->verb].has_json)
        return error_set(parser->error, EINVAL,
                         "--%s needs an option whose output can be JSON: add --%s or leave it out",
                         modifier_options[MODIFIER_JSON].flag, verb_options[VERB_DRY_RUN].flag);
    if (args->command.n && args->verb == VERB_SANITIZE)
        return error_set(parser->error, EINVAL,
                         "--%s takes no words: it reads standard input, write --%s < FILE",
                         verb_options[args->verb].flag, verb_options[args->verb].flag);
    if (args->command.n && verb_options[args->verb].takes_no_command)
        return error_set(parser->error, EINVAL, "--%s starts nothing and takes no command",
                         verb_options[args->verb].flag);
    if (args->verb == VERB_INIT && !config_flag(&args->cli, SET_SAVE_CONFIG))
        return error_set(parser->error, EINVAL, "--%s and --no-%s cannot go together",
                         verb_options[VERB_INIT].flag, settings[SET_SAVE_CONFIG].flag);
    return check_lockdown(&args->cli, parser->error);
}

/* The first word that is no option can stand for a verb; options go on behind it. True: it does. */
static bool take_keyword(struct parser *parser, int argc, char **argv, int at)
{
    if (at >= argc || parser->has_keyword)
        return false;
    for (size_t i = 0; i < parser->words.n; i++) {
        const struct option_word *word = &parser->words.v[i];

        if (word->kind != OPTION_VERB || !verb_options[word->verb].keyword ||
            !str_eq(argv[at], verb_options[word->verb].keyword))
            continue;
        parser->has_keyword = true;
        parser->keyword_error = set_verb(parser, word, NULL);
        optind = at + 1;
        return parser->keyword_error == 0;
    }
    return false;
}

int args_parse(int argc, char **argv, struct args *args, struct error *error)
{
    struct parser parser = {.args = args, .error = error};
    int at = 1;
    int answer;
    int r;

    *args = (struct args){.verb = VERB_RUN};
    config_init(&args->cli, LAYER_CLI);
    build_arrays(&parser);
    opterr = 0;
    optind = 0; /* GNU: forget everything about an earlier argv */
    for (;;) {
        answer = getopt_long(argc, argv, parser.letters, parser.long_options, NULL);
        if (answer == -1 && take_keyword(&parser, argc, argv, at)) {
            at = optind;
            continue;
        }
        if (answer == -1)
            break;
        /* optind moves on only when a word is finished, so at is the word that was read. */
        r = str_starts(argv[at], "--") ? take_long(&parser, argv[at] + 2, answer)
                                       : take_short(&parser, answer);
        if (r < 0)
            return r;
        at = optind;
    }
    if (parser.keyword_error)
        return parser.keyword_error;
    take_command(&parser, argc, argv, at);
    take_operand(args);
    return check_whole(&parser);
}

void args_free(struct args *args)
{
    config_free(&args->cli);
    strv_free(&args->command);
    free(args->operand);
    notes_free(&args->notes);
}
