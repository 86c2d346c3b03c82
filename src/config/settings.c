// SPDX-License-Identifier: GPL-3.0-only
/*
 * settings: the table itself.
 *
 * A row is there when the program does what the row says, never before. Flags are always positive;
 * a key that says the opposite (no_landlock) is marked as inverted, so that everything else in the
 * program thinks in flags. The strict column is in terms of the flag, too.
 */
#include "config/settings.h"

#include "base/buf.h"

#include <string.h>

#define WORDS_TEXT_MAX 1024

static const char *env_fault(const char *entry)
{
    return entry[0] == '=' ? "no name before the '=': write NAME or NAME=VALUE" : NULL;
}

static const char *const status_bar_words[] = {"pastel", "dark", "light", NULL};
static const char *const clipboard_words[] = {"copy", "off", NULL};

const struct setting settings[SET_COUNT] = {
    [SET_RO_MAPS] = {.id = SET_RO_MAPS,
                     .key = "ro_maps",
                     .flag = "map",
                     .alias = "ro-map",
                     /* "map" is too common a word to warn about */
                     .capability = FORM_ALIAS,
                     .type = TYPE_LIST,
                     .merge = MERGE_APPEND,
                     .trust = TRUST_INSIDE,
                     .section = "Files",
                     .arg = "PATH[:DST]",
                     .help = "Show PATH read-only, at DST if given. Repeatable; '\\:' is a colon "
                             "inside a name."},
    [SET_RW_MAPS] = {.id = SET_RW_MAPS,
                     .key = "rw_maps",
                     .flag = "rw-map",
                     .capability = FORM_FLAG,
                     .type = TYPE_LIST,
                     .merge = MERGE_APPEND,
                     .trust = TRUST_INSIDE,
                     .section = "Files",
                     .arg = "PATH[:DST]",
                     .help = "Show PATH writable, at DST if given. Repeatable."},
    [SET_PRIVATE_HOME] =
        {.id = SET_PRIVATE_HOME,
         .key = "private_home",
         .flag = "private-home",
         .has_twin = true,
         .capability = FORM_FLAG | FORM_TWIN,
         .type = TYPE_BOOL,
         .merge = MERGE_REPLACE,
         .trust = TRUST_TIGHTEN,
         .preset = true,
         .strict = true,
         .section = "Files",
         .help = "HOME is an empty directory in memory. Off: the dot directories of HOME are "
                 "shown, state of agents and build tools writable; credential stores never."},
    [SET_ALLOW_BROAD_PROJECT] = {.id = SET_ALLOW_BROAD_PROJECT,
                                 .flag = "allow-broad-project",
                                 .type = TYPE_BOOL,
                                 .merge = MERGE_REPLACE,
                                 .trust = TRUST_CLI_ONLY,
                                 .section = "Files",
                                 .help = "Start in a directory that is refused as a project "
                                         "because it holds too much (/, HOME, /etc ...)."},
    [SET_LANDLOCK] = {.id = SET_LANDLOCK,
                      .key = "no_landlock",
                      .flag = "landlock",
                      .has_twin = true,
                      .inverted = true,
                      .capability = FORM_FLAG | FORM_TWIN,
                      .type = TYPE_BOOL,
                      .merge = MERGE_REPLACE,
                      .trust = TRUST_TIGHTEN,
                      .preset = true,
                      .strict = true,
                      .section = "Protection",
                      .help = "Check every file access a second time with Landlock."},
    [SET_SECCOMP] = {.id = SET_SECCOMP,
                     .key = "no_seccomp",
                     .flag = "seccomp",
                     .has_twin = true,
                     .inverted = true,
                     .capability = FORM_FLAG | FORM_TWIN,
                     .type = TYPE_BOOL,
                     .merge = MERGE_REPLACE,
                     .trust = TRUST_TIGHTEN,
                     .preset = true,
                     .strict = true,
                     .section = "Protection",
                     .help = "Refuse dangerous system calls with a seccomp filter."},
    [SET_RLIMITS] = {.id = SET_RLIMITS,
                     .key = "no_rlimits",
                     .flag = "rlimits",
                     .has_twin = true,
                     .inverted = true,
                     .capability = FORM_FLAG | FORM_TWIN,
                     .type = TYPE_BOOL,
                     .merge = MERGE_REPLACE,
                     .trust = TRUST_TIGHTEN,
                     .preset = true,
                     .strict = true,
                     .section = "Protection",
                     .help = "Limit processes and open files, and write no core files."},
    [SET_ALLOW_DEBUG] = {.id = SET_ALLOW_DEBUG,
                         .key = "allow_debug",
                         .flag = "allow-debug",
                         .has_twin = true,
                         .type = TYPE_BOOL,
                         .merge = MERGE_REPLACE,
                         .trust = TRUST_TIGHTEN,
                         .section = "Protection",
                         .help = "Let debuggers and tracers work inside the jail (ptrace)."},
    /* Three-valued in files: unset means off as long as there is nothing between on and off. */
    [SET_NETWORK] = {.id = SET_NETWORK,
                     .key = "network",
                     .flag = "network",
                     .has_twin = true,
                     .capability = FORM_FLAG | FORM_TWIN,
                     .type = TYPE_BOOL,
                     .merge = MERGE_REPLACE,
                     .trust = TRUST_TIGHTEN,
                     .section = "Network",
                     .help = "Use the network of the host. Off: only a loopback of its own, no "
                             "way out."},
    [SET_ENV_PASS] = {.id = SET_ENV_PASS,
                      .key = "env_pass",
                      .flag = "env",
                      .type = TYPE_LIST,
                      .merge = MERGE_APPEND_ALL,
                      .trust = TRUST_REFUSED,
                      .section = "Environment",
                      .arg = "NAME[=VALUE]",
                      .help = "Pass one variable, or set it to VALUE. Repeatable; the last entry "
                              "for a name wins.",
                      .fault = env_fault},
    [SET_INHERIT_ENV] = {.id = SET_INHERIT_ENV,
                         .key = "inherit_env",
                         .flag = "inherit-env",
                         .has_twin = true,
                         .capability = FORM_FLAG,
                         .type = TYPE_BOOL,
                         .merge = MERGE_REPLACE,
                         .trust = TRUST_TIGHTEN,
                         .section = "Environment",
                         .help = "Pass the whole environment, secrets included, except variables "
                                 "that lead out of the jail."},
    /* Remembered one day in a file of the program's own; in no file that a user writes. */
    [SET_STATUS_BAR] = {.id = SET_STATUS_BAR,
                        .flag = "status-bar",
                        .short_flag = 's',
                        .has_twin = true,
                        .type = TYPE_WORD,
                        .merge = MERGE_REPLACE,
                        .trust = TRUST_CLI_ONLY,
                        .section = "Terminal and messages",
                        .help = "Reserve the last row of the terminal for a line that says what "
                                "the jail allows.",
                        .words = status_bar_words,
                        .bare_word = "pastel",
                        .twin_word = "off",
                        .preset_word = "off"},
    [SET_EXEC] = {.id = SET_EXEC,
                  .flag = "exec",
                  .type = TYPE_BOOL,
                  .merge = MERGE_REPLACE,
                  .trust = TRUST_CLI_ONLY,
                  .section = "Terminal and messages",
                  .help = "Quiet, for scripts: only errors and security messages are shown."},
    [SET_TERMINAL_PASSTHROUGH] = {.id = SET_TERMINAL_PASSTHROUGH,
                                  .key = "terminal_passthrough",
                                  .flag = "terminal-passthrough",
                                  .has_twin = true,
                                  .capability = FORM_FLAG,
                                  .type = TYPE_BOOL,
                                  .merge = MERGE_REPLACE,
                                  .trust = TRUST_TIGHTEN,
                                  .section = "Terminal and messages",
                                  .help = "Give the command's output to the terminal unfiltered."},
    [SET_CLIPBOARD] = {.id = SET_CLIPBOARD,
                       .key = "clipboard",
                       .flag = "clipboard",
                       .has_twin = true,
                       .type = TYPE_WORD,
                       .merge = MERGE_REPLACE,
                       .trust = TRUST_TIGHTEN,
                       .section = "Terminal and messages",
                       .help = "Copy: the command may put text into the clipboard of the terminal. "
                               "It can never read it.",
                       .words = clipboard_words,
                       .bare_word = "copy",
                       .twin_word = "off",
                       .preset_word = "off",
                       .strict_word = "off"},
    [SET_VERBOSE] = {.id = SET_VERBOSE,
                     .flag = "verbose",
                     .short_flag = 'v',
                     .type = TYPE_BOOL,
                     .merge = MERGE_REPLACE,
                     .trust = TRUST_CLI_ONLY,
                     .section = "Terminal and messages",
                     .help = "Say on stderr what was decided and why."},
};

const struct setting *settings_by_flag(const char *name, bool *negated)
{
    bool is_twin = str_starts(name, "no-");
    bool ignored;

    if (!negated)
        negated = &ignored;
    for (size_t i = 0; i < SET_COUNT; i++) {
        const struct setting *row = &settings[i];

        *negated = false;
        if (str_eq(name, row->flag) || (row->alias && str_eq(name, row->alias)))
            return row;
        *negated = true;
        if (is_twin && row->has_twin && str_eq(name + strlen("no-"), row->flag))
            return row;
    }
    *negated = false;
    return NULL;
}

const char *settings_find_word(const struct setting *row, const char *text)
{
    assert(row->type == TYPE_WORD);
    for (size_t i = 0; row->words[i]; i++)
        if (str_eq(row->words[i], text))
            return row->words[i];
    return NULL;
}

char *settings_join_words(const struct setting *row, const char *separator)
{
    struct buf text CLEANUP(buf_free);

    assert(row->type == TYPE_WORD);
    buf_init(&text, WORDS_TEXT_MAX);
    for (size_t i = 0; row->words[i]; i++)
        buf_printf(&text, "%s%s", i ? separator : "", row->words[i]);
    return buf_take_cstr(&text);
}
