// SPDX-License-Identifier: GPL-3.0-only
/*
 * profile_tool: prints the profiles of command lines on a Mac that is made up.
 *
 *     profile_tool TREE SCENARIOS [NAME]
 *
 * TREE is in the language of tests/support/fakefs.h; SCENARIOS says what it is in its first lines. Each
 * profile stands between "== NAME" and "== end"; where the launch is refused "error: TEXT" stands there
 * instead. With NAME that one alone is printed, without those lines, and its notes go to stderr.
 */
#include "base/fs.h"
#include "support/mac.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (1 * MIB)

/* One scenario. */
struct scenario {
    char *name;
    struct strv words; /* argv of the program */
    struct strv tree;
    struct strv environ;
    char *cwd;
    bool has_pty;
};

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "profile_tool: %s\n", what);
    exit(2);
}

static char *read_file(const char *path)
{
    char *text = fs_read_text(&fs_real, path, TEXT_MAX);

    if (!text)
        give_up(path);
    return text;
}

/* ---- scenarios ---- */

static int hex_digit(char digit)
{
    const char *at = digit ? strchr("0123456789abcdef", digit) : NULL;

    return at ? (int)(at - "0123456789abcdef") : -1;
}

/* \xNN and \\, as in a tree. */
static char *unescape(const char *word)
{
    char *out = xcalloc(strlen(word) + 1, 1);
    size_t n = 0;

    for (; *word; word++) {
        if (word[0] == '\\' && word[1] == 'x' && hex_digit(word[2]) >= 0 &&
            hex_digit(word[3]) >= 0) {
            out[n++] = (char)(hex_digit(word[2]) * 16 + hex_digit(word[3]));
            word += 3;
        } else if (word[0] == '\\' && word[1] == '\\') {
            out[n++] = *word++;
        } else {
            out[n++] = *word;
        }
    }
    return out;
}

static void begin(struct scenario *scenario, const char *name)
{
    *scenario = (struct scenario){.name = xstrdup(name), .has_pty = true};
    strv_push(&scenario->words, "ai-jail");
}

static void read_words(struct scenario *scenario, const char *text)
{
    _cleanup_strv_ struct strv words = {0};

    strv_split(&words, text, ' ');
    for (size_t i = 0; i < words.n; i++)
        strv_push_owned(&scenario->words, unescape(words.v[i]));
}

static void read_line(struct scenario *scenario, const char *line)
{
    const char *rest = strchr(line, ' ');

    if (!scenario->name)
        give_up("a line outside of a scenario");
    if (str_starts(line, "words "))
        read_words(scenario, rest + 1);
    else if (str_starts(line, "tree "))
        strv_push(&scenario->tree, rest + 1);
    else if (str_starts(line, "env "))
        strv_push(&scenario->environ, rest + 1);
    else if (str_starts(line, "cwd "))
        scenario->cwd = unescape(rest + 1);
    else if (str_eq(line, "pty none"))
        scenario->has_pty = false;
    else if (!str_eq(line, "fatal"))
        give_up(line);
}

static void scenario_free(struct scenario *scenario)
{
    free(scenario->name);
    free(scenario->cwd);
    strv_free(&scenario->words);
    strv_free(&scenario->tree);
    strv_free(&scenario->environ);
}

/* ---- one profile ---- */

static bool make_mac(struct mac *mac, const struct scenario *scenario, const char *tree)
{
    struct buf all CLEANUP(buf_free);

    buf_init(&all, TEXT_MAX);
    buf_append_str(&all, tree);
    for (size_t i = 0; i < scenario->tree.n; i++)
        buf_printf(&all, "\n%s\n", scenario->tree.v[i]);
    if (!mac_init(mac, buf_cstr(&all), scenario->cwd))
        return false;
    strv_push_all(&mac->host.environ, &scenario->environ);
    return true;
}

static void print_notes(const struct notes *notes)
{
    static const char *const names[NOTE_COUNT] = {"fatal", "security", "warning", "info",
                                                  "verbose"};

    for (size_t i = 0; i < notes->n; i++)
        fprintf(stderr, "%s: %s\n", names[notes->v[i].class], notes->v[i].text);
}

static void print_profile(const struct scenario *scenario, const char *tree, const char *only)
{
    struct mac mac _cleanup_mac_ = {0};

    if (!scenario->name || (only && !str_eq(only, scenario->name)))
        return;
    if (!make_mac(&mac, scenario, tree))
        give_up("the working directory is not there");
    if (!only)
        printf("== %s\n", scenario->name);
    if (mac_build(&mac, &scenario->words, scenario->has_pty))
        printf("%s", mac.profile);
    else
        printf("error: %s\n", mac.error.text);
    if (!only)
        printf("== end\n");
    else
        print_notes(&mac.notes);
}

int main(int argc, char **argv)
{
    _cleanup_free_ char *tree = NULL;
    _cleanup_free_ char *text = NULL;
    _cleanup_strv_ struct strv lines = {0};
    struct scenario scenario CLEANUP(scenario_free) = {0};
    const char *only = argc > 3 ? argv[3] : NULL;

    if (argc < 3)
        give_up("TREE SCENARIOS [NAME]");
    tree = read_file(argv[1]);
    text = read_file(argv[2]);
    strv_split(&lines, text, '\n');
    for (size_t i = 0; i < lines.n; i++) {
        if (!lines.v[i][0] || lines.v[i][0] == '#')
            continue;
        if (!str_starts(lines.v[i], "scenario ")) {
            read_line(&scenario, lines.v[i]);
            continue;
        }
        print_profile(&scenario, tree, only);
        scenario_free(&scenario);
        begin(&scenario, lines.v[i] + strlen("scenario "));
    }
    print_profile(&scenario, tree, only);
    return 0;
}
