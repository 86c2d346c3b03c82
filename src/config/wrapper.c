// SPDX-License-Identifier: GPL-3.0-only
/*
 * wrapper: the command line of ai-memory, as far as it decides which agent runs.
 *
 *     ai-memory [global options] run [options] [--] HARNESS [arguments of the harness]
 */
#include "config/wrapper.h"

#include "base/path.h"

#include <string.h>

#define WRAPPER "ai-memory"

struct harness {
    const char *word;
    const char *name;
};

static const struct harness harnesses[] = {
    {"claude", "claude"}, {"claude-code", "claude"}, {"codex", "codex"}, {"opencode", "opencode"},
    {"omp", "omp"},       {"open-code", "opencode"}, {"pi", "pi"},       {"oh-my-pi", "omp"},
};

enum takes {
    TAKES_NOTHING,
    TAKES_ATTACHED, /* nothing, or --option=VALUE */
    TAKES_VALUE,    /* --option VALUE or --option=VALUE */
};

struct wrapper_option {
    const char *name;
    enum takes takes;
};

static const struct wrapper_option before_run[] = {
    {"--data-dir", TAKES_VALUE},
    {"--config", TAKES_VALUE},
};

static const struct wrapper_option behind_run[] = {
    {"--data-dir", TAKES_VALUE},       {"--config", TAKES_VALUE},
    {"--workspace", TAKES_VALUE},      {"--project", TAKES_VALUE},
    {"--workstream", TAKES_VALUE},     {"--new", TAKES_VALUE},
    {"--executable", TAKES_VALUE},     {"--env", TAKES_VALUE},
    {"--env-file", TAKES_VALUE},       {"--profile", TAKES_VALUE},
    {"--yolo", TAKES_NOTHING},         {"--true-yolo", TAKES_NOTHING},
    {"--jail", TAKES_ATTACHED},        {"--no-jail", TAKES_NOTHING},
    {"--fresh", TAKES_NOTHING},        {"--no-autowire", TAKES_NOTHING},
    {"--force-unlock", TAKES_NOTHING},
};

struct words {
    const struct strv *v;
    size_t at;
    const char *executable;
};

static const char *next(const struct words *words)
{
    return words->at < words->v->n ? words->v->v[words->at] : NULL;
}

static const struct wrapper_option *find_option(const struct wrapper_option *rows, size_t n,
                                                const char *word, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(rows[i].name) == len && memcmp(rows[i].name, word, len) == 0)
            return &rows[i];
    return NULL;
}

/* One option with its value; false if it is none of the rows or lacks its value. */
static bool take_option(struct words *words, const struct wrapper_option *rows, size_t n)
{
    const char *word = next(words);
    size_t len = strcspn(word, "=");
    const struct wrapper_option *row = find_option(rows, n, word, len);
    const char *value = word[len] == '=' ? word + len + 1 : NULL;

    if (!row || (value && (row->takes == TAKES_NOTHING || value[0] == '\0')))
        return false;
    words->at++;
    if (row->takes == TAKES_VALUE && !value) {
        value = next(words);
        if (!value || value[0] == '\0')
            return false;
        words->at++;
    }
    if (str_eq(row->name, "--executable"))
        words->executable = value;
    return true;
}

/* Every word up to the first that is no option. */
static bool take_options(struct words *words, const struct wrapper_option *rows, size_t n)
{
    while (next(words) && next(words)[0] == '-' && !str_eq(next(words), "--"))
        if (!take_option(words, rows, n))
            return false;
    return true;
}

static const char *harness_of(struct words *words)
{
    if (!take_options(words, before_run, ARRAY_SIZE(before_run)) || !str_eq(next(words), "run"))
        return NULL;
    words->at++;
    if (!take_options(words, behind_run, ARRAY_SIZE(behind_run)))
        return NULL;
    if (str_eq(next(words), "--"))
        words->at++;
    for (size_t i = 0; next(words) && i < ARRAY_SIZE(harnesses); i++)
        if (str_eq(next(words), harnesses[i].word))
            return harnesses[i].name;
    return NULL;
}

struct wrapper wrapper_of(const struct strv *words)
{
    struct words rest = {.v = words, .at = 1};
    struct wrapper wrapper = {.name = words->n ? path_base(words->v[0]) : "bash"};
    const char *harness;

    if (!str_eq(wrapper.name, WRAPPER))
        return wrapper;
    harness = harness_of(&rest);
    if (harness)
        wrapper = (struct wrapper){
            .name = harness,
            .is_wrapped = true,
            .executable = rest.executable ? rest.executable : harness,
        };
    return wrapper;
}
