// SPDX-License-Identifier: GPL-3.0-only
/*
 * shebang: the first line of a script.
 *
 * The kernel cuts the line into the interpreter and one argument. If the interpreter is called env,
 * the argument is read as env(1) reads it (-S splits it into words), far enough to know the program
 * that will run: options, assignments, program. Words with quotes, backslashes or variables are not
 * understood; then the program is not known, and the jail shows no more than it would anyway.
 */
#include "policy/shebang.h"

#include "base/path.h"

#include <stdlib.h>
#include <string.h>

#define BLANKS " \t"

/* Short options of env(1), GNU and BSD, by what follows them. */
#define ENV_FLAGS       "iv0"
#define ENV_WITH_VALUE  "uCPaL"
#define ENV_SPLIT_SHORT 'S'

/* Long options whose value may be the next word. */
static const char *const env_long_with_value[] = {"--argv0", "--chdir", "--unset"};
static const char env_long_split[] = "--split-string";

/* The line without "#!" and newline, cut as the kernel cuts it. False if it is none. */
static bool cut_line(char line[SHEBANG_HEAD_BYTES], const char *head, size_t len)
{
    size_t used = len < SHEBANG_HEAD_BYTES - 1 ? len : SHEBANG_HEAD_BYTES - 1;
    const char *newline = memchr(head, '\n', len < SHEBANG_HEAD_BYTES ? len : SHEBANG_HEAD_BYTES);
    size_t name;

    if (len < 2 || head[0] != '#' || head[1] != '!')
        return false;
    if (newline)
        used = (size_t)(newline - head);
    memcpy(line, head + 2, used - 2);
    line[used - 2] = '\0';
    if (newline || len < SHEBANG_HEAD_BYTES)
        return true;
    /* The line goes on: the name of the interpreter must be known to be complete. */
    name = strspn(line, BLANKS);
    name += strcspn(line + name, BLANKS);
    return line[name] || name < used - 2 || strchr(BLANKS, head[SHEBANG_HEAD_BYTES - 1]) != NULL;
}

static const char *skip_word(const char *at)
{
    at += strcspn(at, BLANKS);
    return at + strspn(at, BLANKS);
}

/* Behind one option word of env; NULL if it cannot be understood. */
static const char *skip_env_option(const char *at)
{
    size_t len = strcspn(at, BLANKS);

    if (str_starts(at, env_long_split)) {
        at += strlen(env_long_split);
        return at + strspn(at, "=" BLANKS);
    }
    if (str_starts(at, "--")) {
        for (size_t i = 0; i < ARRAY_SIZE(env_long_with_value); i++)
            if (strlen(env_long_with_value[i]) == len && str_starts(at, env_long_with_value[i]))
                return skip_word(skip_word(at));
        return skip_word(at);
    }
    for (size_t i = 1; i < len; i++) {
        if (at[i] == ENV_SPLIT_SHORT)
            return at + i + 1 + strspn(at + i + 1, BLANKS);
        if (strchr(ENV_WITH_VALUE, at[i]))
            return i + 1 < len ? skip_word(at) : skip_word(skip_word(at));
        if (!strchr(ENV_FLAGS, at[i]))
            return NULL;
    }
    return skip_word(at);
}

/* The program in the argument of env, or NULL. */
static char *env_program(const char *at)
{
    at += strspn(at, BLANKS);
    while (at && at[0] == '-')
        at = skip_env_option(at);
    while (at && *at) {
        size_t len = strcspn(at, BLANKS);

        if (!memchr(at, '=', len)) {
            char *word = xstrndup(at, len);

            if (!strpbrk(word, "'\"\\$#"))
                return word;
            free(word);
            return NULL;
        }
        at = skip_word(at);
    }
    return NULL;
}

bool shebang_parse(struct shebang *shebang, const void *head, size_t len)
{
    char line[SHEBANG_HEAD_BYTES];
    const char *name = line;
    const char *rest;
    size_t name_len;

    *shebang = (struct shebang){0};
    if (!cut_line(line, head, len))
        return false;
    name += strspn(name, BLANKS);
    name_len = strcspn(name, BLANKS);
    if (name_len == 0)
        return false;
    rest = name + name_len;
    shebang->interpreter = xstrndup(name, name_len);
    if (strcmp(path_base(shebang->interpreter), "env") == 0)
        shebang->program = env_program(rest);
    return true;
}

void shebang_free(struct shebang *shebang)
{
    free(shebang->interpreter);
    free(shebang->program);
    *shebang = (struct shebang){0};
}
