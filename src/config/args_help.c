// SPDX-License-Identifier: GPL-3.0-only
/*
 * args_help: the text of --help, from the list of option words.
 *
 * One entry per setting or verb: a line with every spelling, then the sentence of the table,
 * wrapped. A heading stands wherever the section of the table changes. Widths are in bytes: the
 * text is ASCII.
 */
#include "base/buf.h"
#include "config/args.h"

#include <string.h>

#define HELP_COLUMNS   80
#define HELP_INDENT    2
#define HELP_INDENT_IN 6
/* Far above what the tables can give; a wrong table shows as a cut text in the tests. */
#define HELP_MAX (64 * KIB)

/* The names that --help shows; the command can be any program. */
static const char *const agent_names[] = {
    "claude", "codex", "gemini",    "opencode", "crush",    "grok",        "pi",          "jcode",
    "kimi",   "aider", "soulforge", "omp",      "kiro-cli", "antigravity", "prime-agent", "devin",
};

struct exit_code {
    const char *code;
    const char *meaning;
};

static const struct exit_code exit_codes[] = {
    {"N", "the command's own code"},
    {"128+N", "the command was killed by signal N"},
    {"125", "ai-jail itself failed: wrong usage, no bubblewrap, no jail"},
    {"126", "the command was found inside the jail but cannot be executed"},
    {"127", "the command was not found inside the jail"},
};

static void add_spaces(struct buf *out, size_t count)
{
    while (count--)
        buf_append_byte(out, ' ');
}

/* Words of text, each line indented and at most HELP_COLUMNS wide. */
static void add_wrapped(struct buf *out, size_t indent, const char *text)
{
    size_t column = 0;

    while (*text) {
        size_t len = strcspn(text, " ");

        if (column && column + 1 + len > HELP_COLUMNS) {
            buf_append_byte(out, '\n');
            column = 0;
        }
        if (column) {
            buf_append_byte(out, ' ');
            column++;
        } else {
            add_spaces(out, indent);
            column = indent;
        }
        buf_append(out, text, len);
        column += len;
        text += len;
        text += strspn(text, " ");
    }
    buf_append_byte(out, '\n');
}

/* True if both words are spellings of one thing and belong into one entry. */
static bool same_entry(const struct option_word *a, const struct option_word *b)
{
    return a->kind == OPTION_SETTING && b->kind == OPTION_SETTING && a->setting == b->setting;
}

static bool must_attach(const struct option_word *word)
{
    return word->kind == OPTION_SETTING && !settings[word->setting].bare_word;
}

/* The line with the spellings of the entry that starts at first; returns the index behind it. */
static size_t add_spellings(struct buf *out, const struct option_words *words, size_t first)
{
    const struct option_word *word = &words->v[first];
    const char *argument = options_argument(word);
    _cleanup_free_ char *attached = NULL;
    size_t i;

    add_spaces(out, HELP_INDENT);
    if (word->short_flag)
        buf_printf(out, "-%c, ", word->short_flag);
    buf_printf(out, "--%s", word->name);
    if (options_may_attach(word)) {
        attached = word->kind == OPTION_VERB ? xstrdup(verb_options[word->verb].arg)
                                             : settings_join_words(&settings[word->setting], "|");
        buf_printf(out, must_attach(word) ? "=%s" : "[=%s]", attached);
    }
    for (i = first + 1; i < words->n && same_entry(word, &words->v[i]); i++)
        buf_printf(out, ", --%s", words->v[i].name);
    if (argument)
        buf_printf(out, " %s", argument);
    buf_append_byte(out, '\n');
    return i;
}

static void add_sentence(struct buf *out, const struct option_word *word)
{
    _cleanup_free_ char *text = NULL;

    if (word->kind == OPTION_VERB) {
        text = xstrdup(verb_options[word->verb].help);
    } else if (word->kind == OPTION_MODIFIER) {
        text = xstrdup(modifier_options[word->modifier].help);
    } else {
        const struct setting *row = &settings[word->setting];
        const char *preset = row->type == TYPE_WORD ? row->preset_word : row->preset ? "on" : "off";

        text =
            row->has_twin ? xasprintf("%s (default: %s)", row->help, preset) : xstrdup(row->help);
    }
    add_wrapped(out, HELP_INDENT_IN, text);
}

static const char *section_of(const struct option_word *word)
{
    return word->kind == OPTION_SETTING ? settings[word->setting].section : "Instead of a run";
}

static void add_options(struct buf *out)
{
    struct option_words words;
    const char *section = NULL;
    size_t i = 0;

    options_list(&words);
    while (i < words.n) {
        const struct option_word *word = &words.v[i];

        if (!section || !str_eq(section, section_of(word))) {
            section = section_of(word);
            buf_printf(out, "\n%s:\n", section);
        }
        i = add_spellings(out, &words, i);
        add_sentence(out, word);
    }
}

static void add_agents(struct buf *out)
{
    struct buf text CLEANUP(buf_free);

    buf_init(&text, HELP_MAX);
    for (size_t i = 0; i < ARRAY_SIZE(agent_names); i++)
        buf_printf(&text, "%s, ", agent_names[i]);
    buf_append_str(&text, "bash; any other program works, too.");
    buf_append_str(out, "\nKnown agents:\n");
    add_wrapped(out, HELP_INDENT, buf_cstr(&text));
}

static void add_exit_codes(struct buf *out)
{
    buf_append_str(out, "\nExit codes:\n");
    for (size_t i = 0; i < ARRAY_SIZE(exit_codes); i++)
        buf_printf(out, "  %-5s  %s\n", exit_codes[i].code, exit_codes[i].meaning);
}

char *args_help(void)
{
    struct buf out CLEANUP(buf_free);

    buf_init(&out, HELP_MAX);
    buf_append_str(&out, "Usage: ai-jail [OPTIONS] [--] [COMMAND [ARG...]]\n\n");
    add_wrapped(&out, 0,
                "Runs COMMAND (bash if none is given) in a jail made by the kernel: it can change "
                "the current directory and an empty HOME, read the system, and nothing else.");
    add_wrapped(&out, 0,
                "Options end at the first word that is none, or at --; everything behind it "
                "belongs to COMMAND.");
    add_options(&out);
    add_agents(&out);
    add_exit_codes(&out);
    buf_append_str(&out, "\nExample:\n  ai-jail --map ~/reference --env API_KEY claude\n");
    return buf_take_cstr(&out);
}
