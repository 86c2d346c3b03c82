// SPDX-License-Identifier: GPL-3.0-only
/*
 * agents_add: what a row of the table of agents brings into the plan and the environment.
 *
 * Directories are bound where they are; a link is followed to where a directory of the user's may be
 * shown, and what is absent is planned as a new one. Nothing is made here.
 */
#include "base/path.h"
#include "policy/agents_parts.h"
#include "policy/home.h"
#include "policy/maps.h"
#include "policy/project.h"
#include "policy/secrets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CLAUDE_VARIABLE "CLAUDE_CONFIG_DIR"

/* ---- directories ---- */

/* --hide-dotdir names the first component below HOME, with or without its dot. */
bool agents_is_hidden(const struct config *config, const char *below_home)
{
    const struct strv *names = config_list(config, SET_HIDE_DOTDIRS);
    size_t len = strcspn(below_home, "/");

    if (str_eq(below_home, CLAUDE_DIR ".json"))
        len = strlen(CLAUDE_DIR);
    for (size_t i = 0; i < names->n; i++) {
        const char *bare = names->v[i] + (names->v[i][0] == '.');

        if (strlen(bare) == len - 1 && strncmp(bare, below_home + 1, len - 1) == 0)
            return true;
    }
    return false;
}

static bool is_owned(const struct host *host, const char *path)
{
    struct fs_stat st;

    return fs_stat(host->fs, path, true, &st) == 0 && st.uid == host->uid;
}

/* Where a directory of HOME that is absent would be: the deepest one above it that is there, by its
 * canonical name, and the rest. malloc'ed; NULL with the reason. */
static char *place_of_new(const struct adding *adding, const char *path, const char **why)
{
    const struct host *host = adding->host;
    _cleanup_free_ char *above = path_parent(path);
    _cleanup_free_ char *place = NULL;
    struct fs_stat st;

    while (fs_stat(host->fs, above, false, &st) == -ENOENT) {
        char *parent = path_parent(above);

        free(above);
        above = parent;
    }
    place = home_accept_dir(host, adding->project, above, NULL);
    *why = !place                   ? "the directory above it cannot be used"
           : !is_owned(host, place) ? "the directory above it belongs to somebody else"
                                    : NULL;
    return *why ? NULL : path_join(place, path_rest(path, above));
}

static void say_left_out(const struct adding *adding, const char *path, const char *why)
{
    notes_add(adding->notes, NOTE_WARNING, "%s is not shown (" AGENTS_ORIGIN "): %s", path, why);
}

static void add_new_dir(const struct adding *adding, const char *path)
{
    const char *why;
    _cleanup_free_ char *source = NULL;

    if (!is_owned(adding->host, adding->host->home))
        why = "your home directory belongs to somebody else";
    else
        source = place_of_new(adding, path, &why);
    if (source)
        plan_add_new_dir(adding->plan, adding->host->fs, GROUP_HOME_PARTS, PLAN_RW, source, path,
                         AGENTS_ORIGIN);
    else
        say_left_out(adding, path, why);
}

static bool is_secret(const char *below_home)
{
    for (size_t i = 0; secret_dotdirs[i]; i++)
        if (str_eq(secret_dotdirs[i], below_home))
            return true;
    return false;
}

/* Canonical source of what is there, or NULL. */
char *agents_accept(const struct adding *adding, const char *path, const char *below_home)
{
    const struct host *host = adding->host;
    _cleanup_free_ char *source = home_accept_dir(host, adding->project, path, below_home);

    /* Behind a link anything may lie; the directory of that name is the agent's whatever is in it. */
    if (source && !str_eq(source, path) && !is_secret(below_home) &&
        home_holds_secrets(host, source))
        return NULL;
    return steal_ptr(&source);
}

static void add_dir(const struct adding *adding, const struct state_dir *dir)
{
    const struct host *host = adding->host;
    _cleanup_free_ char *path = path_join(host->home, dir->path);
    _cleanup_free_ char *source = NULL;
    struct fs_stat st;
    int r = fs_stat(host->fs, path, false, &st);

    if (agents_is_hidden(adding->config, dir->path) || (r == -ENOENT && !dir->is_made))
        return;
    if (r == -ENOENT) {
        add_new_dir(adding, path);
        return;
    }
    source = agents_accept(adding, path, dir->path);
    if (!source) {
        say_left_out(adding, path, "it is no directory, or a link to a place that must not be");
        return;
    }
    plan_add_bind(adding->plan, host->fs, GROUP_HOME_PARTS, PLAN_RW, source, path, AGENTS_ORIGIN);
    if (is_secret(dir->path))
        home_uncover(adding->plan, host, dir->path);
}

/* ---- files kept in step ---- */

/* Where the file is, or would be; malloc'ed. NULL with the reason. */
static char *place_of_file(const struct adding *adding, const char *path, const char **why)
{
    const struct host *host = adding->host;
    _cleanup_free_ char *canonical = NULL;
    _cleanup_free_ char *dir = NULL;
    struct fs_stat st;
    int r = fs_resolve(host->fs, path, &canonical, NULL, NULL);

    *why = NULL;
    if (r == -ENOENT && fs_stat(host->fs, path, false, &st) == -ENOENT)
        canonical = xstrdup(path);
    else if (r < 0 || fs_stat(host->fs, canonical, false, &st) < 0 || st.type != FS_FILE)
        *why = "it is no regular file";
    else if (st.uid != host->uid)
        *why = "it belongs to somebody else";
    else if (!str_eq(canonical, path) &&
             (path_is_within(canonical, adding->project) || secrets_hold(host, canonical)))
        *why = "it is a link to a place that must not be";
    if (*why)
        return NULL;
    dir = path_parent(canonical);
    if (!is_owned(host, dir)) {
        *why = "the directory that holds it belongs to somebody else";
        return NULL;
    }
    return steal_ptr(&canonical);
}

static void add_file(const struct adding *adding, const char *below_home)
{
    struct in_step *in_step = adding->in_step;
    _cleanup_free_ char *path = path_join(adding->host->home, below_home);
    const char *why;
    char *place;

    if (agents_is_hidden(adding->config, below_home))
        return;
    place = place_of_file(adding, path, &why);
    if (!place) {
        say_left_out(adding, path, why);
        return;
    }
    assert(in_step->n < ARRAY_SIZE(in_step->v));
    in_step->v[in_step->n++] = (struct in_step_file){place, steal_ptr(&path)};
}

/* ---- keys ---- */

/* They come before --env and --env-from-file, which therefore decide. */
static void add_keys(const struct adding *adding, const struct agent *agent)
{
    for (size_t i = 0; agent->keys[i]; i++) {
        const char *value = host_getenv(adding->host, agent->keys[i]);

        if (value)
            strv_pushf(&adding->parts->keys, "%s=%s", agent->keys[i], value);
    }
}

/* ---- --claude-dir ---- */

static bool is_everybodys(const char *path)
{
    static const char *const trees[] = {"/proc", "/dev", "/sys"};

    for (size_t i = 0; i < ARRAY_SIZE(trees); i++)
        if (path_is_within(path, trees[i]))
            return true;
    return false;
}

static bool is_our_own(const struct host *host, const char *path)
{
    _cleanup_strv_ struct strv own = {0};

    project_own_dirs(host, &own);
    for (size_t i = 0; i < own.n; i++)
        if (path_is_within(path, own.v[i]))
            return true;
    return false;
}

/* Why the directory cannot be the agent's, or NULL. */
static const char *refuse_own_dir(const struct adding *adding, const char *canonical)
{
    const struct host *host = adding->host;

    if (!fs_is_dir(host->fs, canonical))
        return "it is not a directory";
    if (path_is_within(canonical, adding->project))
        return "it lies inside the project, which would choose the agent's settings; name one "
               "outside";
    if (path_is_within(host->home, canonical))
        return "it is your home directory or holds it; name a directory below";
    if (is_everybodys(canonical) || is_our_own(host, canonical) || secrets_hold(host, canonical))
        return "a jail never shows it; name a directory of its own";
    return NULL;
}

static int add_own_dir(const struct adding *adding, const char *dir, struct error *error)
{
    const struct host *host = adding->host;
    _cleanup_free_ char *spelling = config_spelling(adding->config, SET_CLAUDE_DIR);
    _cleanup_free_ char *spelled = path_clean(dir);
    _cleanup_free_ char *origin = xasprintf(AGENTS_ORIGIN ", %s", spelling);
    _cleanup_free_ char *canonical = NULL;
    const char *why;
    int r = fs_resolve(host->fs, spelled, &canonical, NULL, NULL);

    if (r < 0)
        return error_set(error, -r, "%s %s: %s; it must exist", spelling, dir, strerror(-r));
    why = refuse_own_dir(adding, canonical);
    if (why)
        return error_set(error, EINVAL, "%s %s: %s", spelling, dir, why);
    plan_add_bind(adding->plan, host->fs, GROUP_HOME_PARTS, PLAN_RW, canonical, canonical, origin);
    maps_add_links(adding->plan, host->fs, GROUP_HOME_PARTS, spelled, origin);
    strv_pushf(&adding->parts->defaults, CLAUDE_VARIABLE "=%s", spelled);
    return 0;
}

/* ---- all of it ---- */

static int add_state(const struct adding *adding, const struct agent *agent, struct error *error)
{
    const char *own_dir = agent->has_own_dir ? config_text(adding->config, SET_CLAUDE_DIR) : NULL;
    const struct state_dir *dirs =
        adding->host->macos.is_on && agent->macos_dirs[0].path ? agent->macos_dirs : agent->dirs;

    if (own_dir) {
        int r = add_own_dir(adding, own_dir, error);

        if (r < 0)
            return r;
    }
    for (size_t i = 0; i < ARRAY_SIZE(agent->dirs) && dirs[i].path; i++)
        if (!own_dir || !str_eq(dirs[i].path, CLAUDE_DIR))
            add_dir(adding, &dirs[i]);
    for (size_t i = 0; !own_dir && i < ARRAY_SIZE(agent->files) && agent->files[i]; i++)
        add_file(adding, agent->files[i]);
    if (agent->add)
        agent->add(adding);
    add_keys(adding, agent);
    return 0;
}

/* Said for this run, and nobody takes it. In a file it waits for the runs of claude. */
static void note_unused_dir(const struct agent *agent, const struct config *config,
                            struct notes *notes)
{
    const char *why = !agent || !agent->has_own_dir           ? "the command is not claude"
                      : !config_flag(config, SET_AGENT_STATE) ? "agent state is off"
                                                              : NULL;

    if (why && config_text(config, SET_CLAUDE_DIR) &&
        config->values[SET_CLAUDE_DIR].origin.layer == LAYER_CLI)
        notes_add(notes, NOTE_WARNING, "--%s has no effect: %s", settings[SET_CLAUDE_DIR].flag,
                  why);
}

int agents_add(struct plan *plan, struct environment_parts *parts, struct in_step *in_step,
               const struct agent *agent, const struct config *config, const struct host *host,
               const char *project, struct notes *notes, struct error *error)
{
    const struct adding adding = {plan, parts, in_step, config, host, project, notes};

    note_unused_dir(agent, config, notes);
    if (!agent)
        return 0;
    for (size_t i = 0; agent->defaults[i]; i++)
        strv_push(&parts->defaults, agent->defaults[i]);
    if (agent->hint)
        notes_add(notes, NOTE_INFO, "%s", agent->hint);
    if (config_flag(config, SET_LOCKDOWN) || !config_flag(config, SET_AGENT_STATE))
        return 0;
    return add_state(&adding, agent, error);
}
