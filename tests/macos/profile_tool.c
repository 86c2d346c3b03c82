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
#include "backend/seatbelt.h"
#include "base/fs.h"
#include "config/args.h"
#include "support/fakefs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOME     "/Users/u"
#define TMP      "/private/var/folders/ab/cd/T/ai-jail-4242-0123456789abcdef"
#define TTY      "/dev/ttys007"
#define PORT     54321
#define TEXT_MAX (1 * MIB)

/* One scenario, and what becomes of it. */
struct scenario {
    char *name;
    struct strv words; /* argv of the program */
    struct strv tree;
    struct strv environ;
    char *cwd;
    bool has_pty;
};

struct decided {
    struct fakefs *fakefs;
    struct host host;
    struct args args;
    struct config config;
    struct policy policy;
    struct notes notes;
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

static void make_host(struct decided *decided, const struct scenario *scenario, const char *tree)
{
    struct host *host = &decided->host;
    const char *cwd = scenario->cwd ? scenario->cwd : HOME "/proj";

    decided->fakefs = fakefs_new(tree);
    for (size_t i = 0; i < scenario->tree.n; i++)
        fakefs_add(decided->fakefs, scenario->tree.v[i]);
    strv_push(&host->environ, "HOME=" HOME);
    strv_push(&host->environ, "PATH=/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin");
    strv_push_all(&host->environ, &scenario->environ);
    host->fs = fakefs_fs(decided->fakefs);
    host->uid = 501;
    host->gid = 20;
    host->home = xstrdup(HOME);
    host->home_spelling = xstrdup(HOME);
    host->machine_id = xstrdup("");
    host->ram_bytes = 8 * GIB;
    host->bwrap.fd = -1;
    host->macos = (struct host_macos){.is_on = true, .tmp = xstrdup(TMP), .port = PORT};
    if (fs_resolve(host->fs, cwd, &host->cwd, NULL, NULL) < 0)
        give_up(cwd);
    host->cwd_spelling = xstrdup(cwd);
}

static int decide(struct decided *decided, const struct scenario *scenario, struct error *error)
{
    const struct strv *words = &scenario->words;
    int r = args_parse((int)words->n, words->v, &decided->args, error);

    if (r < 0)
        return r;
    config_builtin(&decided->config);
    config_merge(&decided->config, &decided->args.cli);
    return policy_build(&decided->policy, &decided->config, &decided->host, &decided->args.command,
                        &decided->notes, error);
}

static void decided_free(struct decided *decided)
{
    policy_free(&decided->policy);
    args_free(&decided->args);
    config_free(&decided->config);
    notes_free(&decided->notes);
    host_free(&decided->host);
    fakefs_free(decided->fakefs);
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
    const struct seatbelt_facts facts = {.tty = scenario->has_pty ? TTY : NULL};
    struct decided decided CLEANUP(decided_free) = {0};
    struct error error = {0};
    _cleanup_free_ char *text = NULL;

    if (!scenario->name || (only && !str_eq(only, scenario->name)))
        return;
    make_host(&decided, scenario, tree);
    if (decide(&decided, scenario, &error) == 0)
        text = seatbelt_profile(&decided.policy, &facts, &error);
    if (!only)
        printf("== %s\n", scenario->name);
    if (text)
        printf("%s", text);
    else
        printf("error: %s\n", error.text);
    if (!only)
        printf("== end\n");
    else
        print_notes(&decided.notes);
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
