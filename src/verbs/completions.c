// SPDX-License-Identifier: GPL-3.0-only
/*
 * completions: the script of a shell, made from the list of option words.
 *
 * Each script does the same three things: up to the command it offers options and their values;
 * behind an option with a value it knows what kind of thing the value is; from the command on it
 * hands over to the completion of the command itself. What a script needs to know of the options is
 * written into it; ai-jail is run for the names of kept browser profiles alone.
 */
#include "base/fd.h"
#include "verbs/verbs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define SCRIPT_MAX (64 * KIB)
#define HELP_SHOWN 72 /* bytes of a sentence */

/* What stands for a value. */
enum value_kind {
    VALUE_NONE,
    VALUE_FILE,
    VALUE_DIR,
    VALUE_DOTDIR,
    VALUE_VARIABLE,
    VALUE_PROFILE,
    VALUE_WORDS
};

static const char *const shell_words[] = {"bash", "zsh", "fish", NULL};

static const struct {
    const char *arg; /* as the tables write it */
    enum value_kind kind;
} kinds[] = {
    {"PATH", VALUE_FILE},   {"PATH[:DST]", VALUE_FILE}, {"FILE", VALUE_FILE},
    {"DIR", VALUE_DIR},     {"NAME", VALUE_DOTDIR},     {"NAME[=VALUE]", VALUE_VARIABLE},
    {"SHELL", VALUE_WORDS}, {"PROFILE", VALUE_PROFILE},
};

/* The first column, which has no space in it, of the lines of profiles. */
#define LIST_PROFILES                                                                              \
    "ai-jail --browser-list 2>/dev/null | sed -n \"s/^\\([^ ]*\\)  *[0-9.]* MiB .*/\\1/p\""

/* An option as the scripts need it. */
struct entry {
    const struct option_word *word;
    enum value_kind kind;
    bool is_attached; /* the value only behind '=' */
    const char *const *words;
    const char *help;
};

static enum value_kind kind_of(const char *arg)
{
    for (size_t i = 0; arg && i < ARRAY_SIZE(kinds); i++)
        if (str_eq(kinds[i].arg, arg))
            return kinds[i].kind;
    return arg ? VALUE_FILE : VALUE_NONE;
}

static struct entry entry_of(const struct option_word *word)
{
    struct entry entry = {.word = word, .kind = kind_of(options_argument(word))};

    if (word->kind == OPTION_SETTING) {
        entry.help = settings[word->setting].help;
    } else if (word->kind == OPTION_VERB) {
        entry.help = verb_options[word->verb].help;
        entry.words = shell_words;
    } else {
        entry.help = modifier_options[word->modifier].help;
    }
    if (!options_may_attach(word))
        return entry;
    entry.is_attached = true;
    entry.kind = word->kind == OPTION_VERB ? kind_of(verb_options[word->verb].arg) : VALUE_WORDS;
    if (word->kind == OPTION_SETTING)
        entry.words = settings[word->setting].words;
    return entry;
}

static void append_words(struct buf *out, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        buf_printf(out, "%s%s", i ? " " : "", words[i]);
}

/* The first sentence, without what any of the shells would read as more than text. */
static void append_help(struct buf *out, const struct entry *entry)
{
    const char *help = entry->help;
    const char *end = strstr(help, ". ");
    size_t len = end ? (size_t)(end - help) : strlen(help) - 1;

    if (entry->word->kind == OPTION_SETTING && entry->word->form == FORM_TWIN)
        buf_append_str(out, "Off - ");
    for (size_t i = 0; i < len && i < HELP_SHOWN; i++)
        if (!strchr("'\"\\[]:$`", help[i]))
            buf_append_byte(out, (uint8_t)help[i]);
}

/* The names of all options with a value of their own word, as alternatives of a case. */
static void append_value_options(struct buf *out, const struct option_words *words,
                                 const char *separator)
{
    bool is_first = true;

    for (size_t i = 0; i < words->n; i++) {
        if (!options_argument(&words->v[i]))
            continue;
        buf_printf(out, "%s--%s", is_first ? "" : separator, words->v[i].name);
        is_first = false;
    }
}

/* ---- bash ------------------------------------------------------------------------------------- */

static const char *const bash_values[] = {
    [VALUE_FILE] = "__ai_jail_files",
    [VALUE_DIR] = "__ai_jail_files -d",
    [VALUE_DOTDIR] = "__ai_jail_dotdirs",
    [VALUE_VARIABLE] = "COMPREPLY=($(compgen -e -- \"$cur\"))",
    [VALUE_PROFILE] = "__ai_jail_profiles",
};

static void bash_value(struct buf *out, const struct entry *entry)
{
    if (entry->kind == VALUE_NONE)
        return;
    buf_printf(out, "        --%s", entry->word->name);
    if (entry->word->short_flag)
        buf_printf(out, "|-%c", entry->word->short_flag);
    if (entry->kind != VALUE_WORDS) {
        buf_printf(out, ") %s ;;\n", bash_values[entry->kind]);
        return;
    }
    buf_append_str(out, ") COMPREPLY=($(compgen -W '");
    append_words(out, entry->words);
    buf_append_str(out, "' -- \"$cur\")) ;;\n");
}

static const char bash_helpers[] =
    "__ai_jail_files() {\n"
    "    if declare -F _filedir >/dev/null; then\n"
    "        _filedir \"$@\"\n"
    "    else\n"
    "        compopt -o filenames\n"
    "        COMPREPLY=($(compgen ${1:--f} -- \"$cur\"))\n"
    "    fi\n"
    "}\n\n"
    "__ai_jail_dotdirs() {\n"
    "    local dir\n"
    "    for dir in ~/.*/; do\n"
    "        dir=${dir%/}\n"
    "        dir=${dir##*/}\n"
    "        [[ $dir == . || $dir == .. || $dir != \"$cur\"* ]] || COMPREPLY+=(\"$dir\")\n"
    "    done\n"
    "}\n\n"
    "__ai_jail_profiles() {\n"
    "    local name\n"
    "    while read -r name; do\n"
    "        [[ $name != \"$cur\"* ]] || COMPREPLY+=(\"$name\")\n"
    "    done < <(" LIST_PROFILES ")\n"
    "}\n\n"
    "# The command's own completion, from word $1 on.\n"
    "__ai_jail_command() {\n"
    "    if declare -F _command_offset >/dev/null; then\n"
    "        _command_offset \"$1\"\n"
    "    elif ((COMP_CWORD == $1)); then\n"
    "        COMPREPLY=($(compgen -c -- \"$cur\"))\n"
    "    else\n"
    "        compopt -o filenames\n"
    "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
    "    fi\n"
    "}\n\n";

static const char bash_walk[] =
    ")\n"
    "                option=${COMP_WORDS[i]}\n"
    "                ((i++))\n"
    "                [[ ${COMP_WORDS[i]-} != = ]] || ((i++))\n"
    "                ((i < COMP_CWORD)) || { __ai_jail_value \"$option\"; return; }\n"
    "                ;;\n"
    "            -*)\n"
    "                option=${COMP_WORDS[i]}\n"
    "                if [[ ${COMP_WORDS[i + 1]-} == = ]]; then\n"
    "                    ((i += 2))\n"
    "                    ((i < COMP_CWORD)) || { __ai_jail_value \"$option\"; return; }\n"
    "                fi\n"
    "                ;;\n"
    "            status)\n"
    "                ((verbs++ == 0)) || { __ai_jail_command $i; return; }\n"
    "                ;;\n"
    "            *) __ai_jail_command $i; return ;;\n"
    "        esac\n"
    "        ((i++))\n"
    "    done\n"
    "    if [[ $cur == -* ]]; then\n"
    "        COMPREPLY=($(compgen -W '";

static void script_bash(struct buf *out, const struct option_words *words)
{
    buf_append_str(out, "# bash completion for ai-jail; made by ai-jail --completions bash\n\n");
    buf_append_str(out, bash_helpers);
    buf_append_str(out, "# The value of option $1.\n__ai_jail_value() {\n    case $1 in\n");
    for (size_t i = 0; i < words->n; i++) {
        struct entry entry = entry_of(&words->v[i]);

        bash_value(out, &entry);
    }
    buf_append_str(out, "    esac\n}\n\n_ai_jail() {\n"
                        "    local cur=${COMP_WORDS[COMP_CWORD]} i=1 option verbs=0\n"
                        "    COMPREPLY=()\n"
                        "    # A '=' is a word of its own.\n"
                        "    [[ $cur != = ]] || cur=\n"
                        "    while ((i < COMP_CWORD)); do\n"
                        "        case ${COMP_WORDS[i]} in\n"
                        "            --) __ai_jail_command $((i + 1)); return ;;\n"
                        "            ");
    append_value_options(out, words, "|");
    buf_append_str(out, bash_walk);
    for (size_t i = 0; i < words->n; i++)
        buf_printf(out, "%s--%s", i ? " " : "", words->v[i].name);
    buf_append_str(out, "' -- \"$cur\"))\n"
                        "    else\n"
                        "        __ai_jail_command $i\n"
                        "    fi\n"
                        "}\n\ncomplete -F _ai_jail ai-jail\n");
}

/* ---- zsh -------------------------------------------------------------------------------------- */

static const char *const zsh_values[] = {
    [VALUE_FILE] = "file:_files",
    [VALUE_DIR] = "directory:_files -/",
    [VALUE_DOTDIR] = "name:(${(qq)${(@)${(@f)\"$(print -rl -- ~/.*(N/\\:t))\"}}})",
    [VALUE_VARIABLE] = "variable:_parameters -g *export*",
    [VALUE_PROFILE] = "profile:_ai_jail_profiles",
};

static void zsh_value(struct buf *out, const struct entry *entry)
{
    buf_append_str(out, entry->is_attached ? "::" : ":");
    if (entry->kind != VALUE_WORDS) {
        buf_append_str(out, zsh_values[entry->kind]);
        return;
    }
    buf_append_str(out, "word:(");
    append_words(out, entry->words);
    buf_append_byte(out, ')');
}

static void zsh_option(struct buf *out, const struct entry *entry, const char *name)
{
    bool repeats =
        entry->word->kind == OPTION_SETTING && settings[entry->word->setting].type == TYPE_LIST;
    bool is_long = name[1] == '-';

    buf_printf(out, "        '%s%s", repeats ? "*" : "", name);
    if (entry->kind != VALUE_NONE)
        buf_append_str(out, !is_long ? "-" : entry->is_attached ? "=-" : "=");
    buf_append_byte(out, '[');
    append_help(out, entry);
    buf_append_byte(out, ']');
    if (entry->kind != VALUE_NONE)
        zsh_value(out, entry);
    buf_append_str(out, "' \\\n");
}

static void script_zsh(struct buf *out, const struct option_words *words)
{
    buf_append_str(out, "#compdef ai-jail\n"
                        "# zsh completion for ai-jail; made by ai-jail --completions zsh\n\n"
                        "_ai_jail_profiles() {\n"
                        "    compadd -- ${(f)\"$(" LIST_PROFILES ")\"}\n"
                        "}\n\n"
                        "_ai_jail_first() {\n"
                        "    _alternative 'verbs:verb:(status)' 'commands:command:_command_names "
                        "-e'\n"
                        "}\n\n"
                        "_ai_jail() {\n"
                        "    local -i i=2\n"
                        "    while ((i < CURRENT)); do\n"
                        "        case ${words[i]} in\n"
                        "            --) shift i words; ((CURRENT -= i)); _normal -p ai-jail; "
                        "return ;;\n"
                        "            ");
    append_value_options(out, words, "|");
    buf_append_str(out, ") ((i++)) ;;\n"
                        "            -*) ;;\n"
                        "            *) break ;;\n"
                        "        esac\n"
                        "        ((i++))\n"
                        "    done\n"
                        "    _arguments -S -A '-*' \\\n");
    for (size_t i = 0; i < words->n; i++) {
        struct entry entry = entry_of(&words->v[i]);
        _cleanup_free_ char *name = xasprintf("--%s", words->v[i].name);
        const char letter[] = {'-', words->v[i].short_flag, '\0'};

        zsh_option(out, &entry, name);
        if (letter[1])
            zsh_option(out, &entry, letter);
    }
    buf_append_str(out,
                   "        '(-)1:command:_ai_jail_first' \\\n"
                   "        '*::arguments: _normal -p ai-jail'\n"
                   "}\n\n"
                   "if [[ ${funcstack[1]} == _ai_jail || ${funcstack[1]} == _ai-jail ]]; then\n"
                   "    _ai_jail \"$@\"\n"
                   "else\n"
                   "    compdef _ai_jail ai-jail\n"
                   "fi\n");
}

/* ---- fish ------------------------------------------------------------------------------------- */

static const char *const fish_values[] = {
    [VALUE_FILE] = " -r -F",
    [VALUE_DIR] = " -x -a '(__fish_complete_directories)'",
    [VALUE_DOTDIR] = " -x -a '(path basename ~/.*/ 2>/dev/null)'",
    [VALUE_VARIABLE] = " -x -a '(set -nx)'",
    [VALUE_PROFILE] = " -x -a '(" LIST_PROFILES ")'",
};

static void fish_option(struct buf *out, const struct entry *entry)
{
    buf_append_str(out, "complete -c ai-jail -n 'not __ai_jail_command >/dev/null'");
    if (entry->word->short_flag)
        buf_printf(out, " -s %c", entry->word->short_flag);
    buf_printf(out, " -l %s", entry->word->name);
    /* An optional value: fish offers it behind '='. */
    if (entry->kind == VALUE_WORDS) {
        buf_append_str(out, entry->is_attached ? " -f -a '" : " -x -a '");
        append_words(out, entry->words);
        buf_append_byte(out, '\'');
    } else if (entry->kind != VALUE_NONE && !entry->is_attached) {
        buf_append_str(out, fish_values[entry->kind]);
    }
    buf_append_str(out, " -d '");
    append_help(out, entry);
    buf_append_str(out, "'\n");
}

static void script_fish(struct buf *out, const struct option_words *words)
{
    buf_append_str(out, "# fish completion for ai-jail; made by ai-jail --completions fish\n\n"
                        "# Words of the command before the cursor; fails while there is none.\n"
                        "function __ai_jail_command\n"
                        "    set -l words (commandline -cop)\n"
                        "    set -e words[1]\n"
                        "    while set -q words[1]\n"
                        "        set -l word $words[1]\n"
                        "        set -e words[1]\n"
                        "        switch $word\n"
                        "            case --\n"
                        "                string escape -- $words\n"
                        "                return 0\n"
                        "            case ");
    append_value_options(out, words, " ");
    buf_append_str(out, "\n"
                        "                set -e words[1]\n"
                        "            case '-*' status\n"
                        "            case '*'\n"
                        "                string escape -- $word $words\n"
                        "                return 0\n"
                        "        end\n"
                        "    end\n"
                        "    return 1\n"
                        "end\n\n"
                        "# The command's own completion.\n"
                        "function __ai_jail_subcommand\n"
                        "    set -l words (__ai_jail_command)\n"
                        "    complete -C (string join ' ' -- $words (commandline -ct))\n"
                        "end\n\n"
                        "complete -c ai-jail -f\n"
                        "complete -c ai-jail -n 'not string match -q -- \"-*\" (commandline -ct); "
                        "or __ai_jail_command >/dev/null' -x -a '(__ai_jail_subcommand)'\n");
    for (size_t i = 0; i < words->n; i++) {
        struct entry entry = entry_of(&words->v[i]);

        fish_option(out, &entry);
    }
}

int verb_completions(const struct args *args, struct error *error)
{
    static void (*const scripts[])(struct buf *, const struct option_words *) = {
        script_bash, script_zsh, script_fish};
    struct option_words words;
    struct buf out CLEANUP(buf_free);
    int r;

    static_assert(ARRAY_SIZE(scripts) + 1 == ARRAY_SIZE(shell_words), "each shell has a script");
    buf_init(&out, SCRIPT_MAX);
    options_list(&words);
    for (size_t i = 0; i < ARRAY_SIZE(scripts); i++)
        if (str_eq(args->operand, shell_words[i]))
            scripts[i](&out, &words);
    if (!out.len)
        return error_set(error, EINVAL, "--%s does not know this word, only: bash, zsh, fish",
                         verb_options[VERB_COMPLETIONS].flag);
    assert(!out.overflow);
    r = fd_write_all(STDOUT_FILENO, out.data, out.len);
    return r < 0 ? error_set(error, -r, "standard output: %s", strerror(-r)) : 0;
}
