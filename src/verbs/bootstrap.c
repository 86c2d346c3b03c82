// SPDX-License-Identifier: GPL-3.0-only
/*
 * bootstrap: --bootstrap: permission files for the known agents, merged into what is there.
 *
 * The jail is the wall; these files only spare questions about what cannot do harm inside, and ask about
 * what reaches out. The agents are independent: an error with one does not keep the others from theirs.
 */
#include "base/fd.h"
#include "base/log.h"
#include "base/path.h"
#include "verbs/bootstrap_file.h"
#include "verbs/bootstrap_rules.h"
#include "verbs/verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_SOME_FAILED 125

/* In the order in which they are written. */
static const struct bootstrap_agent {
    const char *name;
    const char *file; /* below HOME, or below top */
    char *(*change)(const char *old, size_t len, struct error *error); /* NULL: nothing to write */
} agents[] = {
    {"gemini", ".gemini/policies/ai-jail.toml", bootstrap_gemini},
    {"claude", ".claude/settings.json", bootstrap_claude},
    {"codex", ".codex/config.toml", bootstrap_codex},
    {"opencode", ".config/opencode/opencode.json", bootstrap_opencode},
    {"crush", ".config/crush/crush.json", NULL},
};

/* Where an agent's file lies. */
struct place {
    char *top; /* canonical */
    const char *rest;
};

static int show(const struct bootstrap_file *file, const char *text, struct error *error)
{
    _cleanup_free_ char *document = xasprintf("# %s\n%s\n", file->path, text);
    int r = fd_write_all(STDOUT_FILENO, document, strlen(document));

    return r < 0 ? error_set(error, -r, "standard output: %s", strerror(-r)) : 0;
}

static int write_file(struct bootstrap_file *file, const char *text, struct error *error)
{
    unsigned backup;
    int r = bootstrap_file_replace(file, text, &backup, error);

    if (r < 0)
        return r;
    if (backup)
        log_line(NOTE_INFO, "%s written; the old one is %s.bak.%u", file->path, file->name, backup);
    else
        log_line(NOTE_INFO, "%s written", file->path);
    return 0;
}

static int change(const struct bootstrap_agent *agent, const struct place *place, uid_t uid,
                  bool is_dry, struct error *error)
{
    struct bootstrap_file file CLEANUP(bootstrap_file_close);
    _cleanup_free_ char *text = NULL;
    int r = bootstrap_file_open(&file, place->top, place->rest, uid, !is_dry, error);

    if (r < 0)
        return r;
    text = agent->change(buf_cstr(&file.old), file.old.len, error);
    if (!text && error->code) {
        error_wrap(error, "%s", file.path);
        return -error->code;
    }
    if (!text) {
        log_line(NOTE_INFO, "%s says all that already", file.path);
        return 0;
    }
    return is_dry ? show(&file, text, error) : write_file(&file, text, error);
}

/* CLAUDE_DIR is the user's choice; in the project it would be the project's. False: left out. */
static bool find_claude(struct place *place, const struct verb_call *call, const char *said)
{
    _cleanup_free_ char *dir = NULL;

    if (fs_resolve(call->host->fs, said, &dir, NULL, NULL) < 0)
        dir = xstrdup(said);
    if (path_is_within(dir, call->host->cwd)) {
        log_line(
            NOTE_SECURITY,
            "claude: %s lies inside the project and is left alone: its files are the project's",
            dir);
        return false;
    }
    if (!path_is_within(dir, call->host->home))
        log_line(NOTE_WARNING, "claude: %s lies outside of HOME", dir);
    free(place->top);
    *place = (struct place){steal_ptr(&dir), "settings.json"};
    return true;
}

static int bootstrap(const struct bootstrap_agent *agent, const struct verb_call *call,
                     struct error *error)
{
    const char *claude_dir = config_text(&call->gathered->config, SET_CLAUDE_DIR);
    struct place place = {xstrdup(call->host->home), agent->file};
    bool is_wanted = true;
    int r = 0;

    if (!agent->change)
        log_line(NOTE_INFO, "%s: nothing to write: it asks by itself", agent->name);
    else if (claude_dir && agent->change == bootstrap_claude)
        is_wanted = find_claude(&place, call, claude_dir);
    if (agent->change && is_wanted)
        r = change(agent, &place, call->host->uid, call->args->also_dry, error);
    free(place.top);
    return r;
}

int verb_bootstrap(const struct verb_call *call, struct error *error)
{
    int code = 0;

    (void)error;
    for (size_t i = 0; i < ARRAY_SIZE(agents); i++) {
        struct error fault = {0};

        if (bootstrap(&agents[i], call, &fault) >= 0)
            continue;
        log_line(NOTE_FATAL, "%s: %s", agents[i].name, fault.text);
        code = EXIT_SOME_FAILED;
    }
    return code;
}
