// SPDX-License-Identifier: GPL-3.0-only
/*
 * policy: the decision, made of the parts in the order of the plan's groups.
 *
 * Sources: the merged configuration and the host's facts. Nothing is created and nothing is run.
 */
#include "policy/policy.h"

#include "base/path.h"
#include "config/wrapper.h"
#include "policy/capabilities.h"
#include "policy/git.h"
#include "policy/hidden.h"
#include "policy/home.h"
#include "policy/hosts.h"
#include "policy/lockdown.h"
#include "policy/macos.h"
#include "policy/maps.h"
#include "policy/overlays.h"
#include "policy/phantom.h"
#include "policy/project.h"
#include "policy/system.h"
#include "policy/tighten.h"
#include "policy/toolchains.h"
#include "policy/worktree.h"

#include <errno.h>
#include <stdlib.h>

/* From here on nobody sees what lockdown and a browser drop. */
static int decide_mode(struct policy *policy, const struct config *config, struct notes *notes,
                       struct error *error)
{
    int r = browser_decide(&policy->browser, config, policy->host, &policy->argv, notes, error);
    bool is_browser = policy->browser.profile != BROWSER_NONE;

    policy->lockdown = config_flag(config, SET_LOCKDOWN);
    policy->config = config;
    if (r < 0 || (!policy->lockdown && !is_browser))
        return r;
    policy->config = &policy->tightened;
    if (policy->lockdown)
        r = lockdown_tighten(&policy->tightened, config, policy->host, notes, error);
    else
        tighten_begin(&policy->tightened, config);
    if (r == 0 && is_browser)
        tighten_apply(&policy->tightened, MODE_BROWSER, notes);
    return r;
}

static void decide_switches(struct policy *policy, const struct config *config)
{
    policy->report_file = config_text(config, SET_REPORT);
    policy->private_home = config_flag(config, SET_PRIVATE_HOME);
    policy->landlock = config_flag(config, SET_LANDLOCK);
    policy->seccomp = config_flag(config, SET_SECCOMP);
    policy->rlimits = config_flag(config, SET_RLIMITS);
    policy->allow_debug = config_flag(config, SET_ALLOW_DEBUG);
    policy->by_root = policy->host->uid == 0;
}

/* Before Linux 5.14 the kernel counts the tasks of a user outside too. */
static void decide_limits(struct policy *policy)
{
    policy->limits = (struct limits){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    if (!policy->rlimits)
        return;
    if (!policy->host->macos.is_on)
        policy->limits.nproc = (policy->lockdown ? 1024 : 4096) + policy->host->user_tasks;
    policy->limits.nofile_hard = policy->lockdown ? 4096 : 65536;
    policy->limits.core = 0;
    if (policy->lockdown)
        policy->limits.fsize = 1 * GIB;
}

static void add_project(struct policy *policy)
{
    const struct host *host = policy->host;

    plan_add_bind(&policy->plan, host->fs, GROUP_PROJECT,
                  policy->browser.profile == BROWSER_NONE ? PLAN_RW : PLAN_RO, policy->project,
                  policy->project, "project");
    maps_add_links(&policy->plan, host->fs, GROUP_PROJECT, host->cwd_spelling, "project");
}

/* Our own directories are never visible inside, whatever map would show them, but for the profile of a
 * browser. */
static void add_own_covers(struct policy *policy)
{
    const struct host *host = policy->host;
    _cleanup_strv_ struct strv own = {0};

    project_own_dirs(host, &own);
    for (size_t i = 0; i < own.n; i++) {
        struct plan_entry *cover;

        browser_uncover(&policy->browser, &policy->plan, own.v[i]);
        cover = plan_add_host_cover(&policy->plan, GROUP_OWN, PLAN_COVER_EMPTY, own.v[i],
                                    "ai-jail's own files");
        /* Where a map shows the place of one that is not there yet, the jail could make it, or see
         * what a run makes in it. */
        cover->is_new = !fs_exists(host->fs, own.v[i]);
    }
}

/* What the user asked for, what git would run later, and the policy file of the project, there or
 * not. */
static int add_masks(struct policy *policy, const struct config *config,
                     const struct strv *worktree_dirs, struct notes *notes, struct error *error)
{
    const struct host *host = policy->host;
    _cleanup_free_ char *file = path_join(policy->project, ".ai-jail");
    bool is_hidden = config_flag(config, SET_HIDE_CONFIG);
    int r = mask_rules_build(&policy->masks, config, host, policy->project, notes, error);

    if (r < 0)
        return r;
    mask_rules_add(policy->masks, is_hidden ? PLAN_COVER_EMPTY : PLAN_COVER_RO, file,
                   "policy file");
    policy->protect_git = config_flag(config, SET_PROTECT_GIT);
    if (policy->protect_git) {
        git_pin(&policy->plan, host, policy->project);
        git_protect(policy->masks, host, policy->project, worktree_dirs, notes);
    }
    return mask_rules_walk(policy->masks, &policy->plan, host, notes, error);
}

/* Why a place is not there: what stands where it should. */
static int refuse_place(const struct plan *plan, const char *place, struct error *error)
{
    struct plan_view view = plan_look(plan, place);
    const struct plan_entry *entry = view.entry;

    free(view.host_path);
    if (entry && (entry->group == GROUP_MAPS_OUTSIDE || entry->group == GROUP_MAPS_INSIDE))
        return error_set(error, EINVAL,
                         "%s cannot be placed: %s stands in its way; choose another destination "
                         "for the map (SRC:DST)",
                         place, entry->origin);
    return error_set(error, EINVAL, "%s cannot be placed: the jail has something of its own at %s",
                     place, entry ? entry->dest : "/");
}

/* The command starts in the project and lives in HOME: without them there is no jail to start. */
static int check_places(const struct policy *policy, struct error *error)
{
    const char *const places[] = {policy->host->home, policy->project};

    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        bool found = false;

        for (size_t j = 0; j < policy->plan.n && !found; j++)
            found = policy->plan.v[j].kind <= PLAN_RW && str_eq(policy->plan.v[j].dest, places[i]);
        if (!found)
            return refuse_place(&policy->plan, places[i], error);
    }
    return 0;
}

static void warn_own_program(const struct policy *policy, struct notes *notes)
{
    const char *exe = policy->host->exe;

    if (exe && path_is_within(exe, policy->project))
        notes_add(notes, NOTE_SECURITY,
                  "%s lies inside the project: the command can change the program that jails it",
                  exe);
}

/* A wall that is down or a door that is open, and who said so. */
static const struct weakening {
    enum setting_id id;
    bool when; /* the value that weakens */
    enum note_class class;
    const char *text;
} weakenings[] = {
    {SET_LANDLOCK, false, NOTE_VERBOSE, "Landlock is off"},
    {SET_SECCOMP, false, NOTE_SECURITY, "the system call filter is off"},
    {SET_NETWORK, true, NOTE_INFO, "the command has the host's network"},
    {SET_ALLOW_DEBUG, true, NOTE_INFO, "processes of the jail may trace one another"},
};

static void note_weakened(const struct policy *policy, const struct config *config,
                          struct notes *notes)
{
    if (policy->by_root)
        notes_add(notes, NOTE_SECURITY,
                  "started by root: files that the command writes belong to root; an ordinary user "
                  "is safer");
    for (size_t i = 0; i < ARRAY_SIZE(weakenings); i++) {
        const struct weakening *row = &weakenings[i];
        _cleanup_free_ char *who = config_spelling(config, row->id);

        if (config_flag(config, row->id) == row->when)
            notes_add(notes, row->class, "%s (%s)", row->text, who);
    }
    if (config->env_file.n && !policy->lockdown) {
        _cleanup_free_ char *who = config_entry_spelling(config, SET_ENV_FROM_FILE, 0);

        notes_add(notes, NOTE_INFO, "variables of files that are passed: %zu (%s)",
                  config->env_file.n, who);
    }
}

/* What of the host's HOME and run time the run is given: nothing of it is needed to start. In lockdown
 * only what an agent must be told to work in a jail. */
static int add_host_parts(struct policy *policy, const struct config *config,
                          struct environment_parts *parts, struct notes *notes, struct error *error)
{
    const struct host *host = policy->host;
    int r = agents_add(&policy->plan, parts, &policy->in_step, policy->agent, config, host,
                       policy->project, notes, error);

    if (r < 0 || policy->lockdown)
        return r;
    if (config_flag(config, SET_TOOLCHAINS))
        toolchains_add(&policy->plan, config, host, policy->project, policy->network, notes);
    capabilities_add(&policy->plan, parts, config, host, policy->project, notes);
    return 0;
}

static bool project_says_command(const struct config *config)
{
    const struct value *said = &config->values[SET_COMMAND];

    return said->list.n && said->origins[0].is_untrusted;
}

static int build_plan(struct policy *policy, const struct config *config,
                      struct environment_parts *parts, struct notes *notes, struct error *error)
{
    const struct environment_needs needs = {
        .network = policy->network,
        .argv0 = policy->argv.v[0],
        .lockdown = policy->lockdown,
        .command_dirs = &policy->command.dirs,
        .parts = parts,
    };
    const struct host *host = policy->host;
    struct plan *plan = &policy->plan;
    _cleanup_strv_ struct strv worktree_dirs = {0};
    _cleanup_strv_ struct strv hidden = {0};
    int r;

    if (host->macos.is_on)
        macos_add_system(plan, host);
    else
        system_add(plan, host, policy->network, notes);
    if (policy->lockdown)
        system_add_lockdown(plan, host);
    if (policy->by_root) {
        r = system_mask_root_only(plan, host, error);
        if (r < 0)
            return r;
    }
    home_add(plan, host, policy->project, policy->private_home, notes);
    if (host->macos.is_on && !policy->private_home)
        macos_add_caches(plan, host);
    r = add_host_parts(policy, config, parts, notes, error);
    if (r < 0)
        return r;
    r = phantom_build(&policy->credentials, parts, config, host, policy->network, &policy->hosts,
                      notes, error);
    if (r < 0)
        return r;
    if (config_flag(config, SET_WORKTREE))
        worktree_add(plan, config, host, policy->project, &worktree_dirs, notes);
    else
        worktree_hint(host, policy->project, notes);
    r = maps_add(plan, config, host, policy->project, notes, error);
    if (r < 0)
        return r;
    r = browser_add(&policy->browser, plan, config, host, policy->project, policy->network, error);
    if (r < 0)
        return r;
    r = overlays_add(&policy->overlays, plan, config, host, policy->project, notes, error);
    if (r < 0)
        return r;
    add_project(policy);
    r = add_masks(policy, config, &worktree_dirs, notes, error);
    if (r < 0)
        return r;
    add_own_covers(policy);
    r = hidden_paths(&hidden, config, host, policy->project, error);
    if (r < 0)
        return r;
    hidden_apply(plan, &hidden, notes);
    command_expose(&policy->command, policy->argv.v[0], !project_says_command(config),
                   policy->project, host, plan, notes);
    system_add_nix(plan, host, policy->command.host_path);
    if (!policy->lockdown && config_flag(config, SET_MISE))
        mise_add(&policy->mise, plan, parts, config, host, policy->project, policy->network, notes);
    toolchains_settle(plan, host->fs, notes);
    system_settle(plan, host);
    r = environment_build(&policy->env, config, host, &needs, plan, notes, error);
    if (r < 0)
        return r;
    phantom_note_copies(&policy->credentials, &policy->env, &policy->argv, notes);
    hidden_apply(plan, &hidden, notes); /* what the command brought along */
    if (policy->lockdown)
        lockdown_seal(plan);
    if (host->macos.is_on)
        macos_take_links(&policy->links, plan);
    plan_finish(plan, host->fs, notes);
    agents_settle(&policy->in_step, plan, policy->masks, host);
    return check_places(policy, error);
}

/* The agent that the command is. A project that is not trusted may say the command, but not make a
 * program of its own into one, and so be given an agent's hosts. */
static const char *agent_of(const struct policy *policy, const struct config *config)
{
    if (project_says_command(config) &&
        !command_is_foreign(policy->argv.v[0], policy->project, policy->host))
        return NULL;
    return wrapper_of(&policy->argv).name;
}

int policy_build(struct policy *policy, const struct config *config, const struct host *host,
                 const struct strv *command, struct notes *notes, struct error *error)
{
    struct environment_parts parts CLEANUP(environment_parts_free) = {0};
    const char *agent;
    int r;

    *policy = (struct policy){.host = host, .project = xstrdup(host->cwd)};
    r = project_check(host, config_flag(config, SET_ALLOW_BROAD_PROJECT), error);
    if (r < 0)
        return r;
    if (command->n)
        strv_push_all(&policy->argv, command);
    else
        strv_push(&policy->argv, "bash");
    if (host->macos.is_on) {
        r = macos_adapt(&policy->adapted, config, notes, error);
        if (r < 0)
            return r;
        config = &policy->adapted;
    }
    r = decide_mode(policy, config, notes, error);
    if (r < 0)
        return r;
    config = policy->config;
    decide_switches(policy, config);
    decide_limits(policy);
    agent = agent_of(policy, config);
    policy->agent = agent ? agents_find(agent) : NULL;
    r = hosts_decide(&policy->network, &policy->hosts, config, agent, notes, error);
    if (r == 0)
        r = ports_decide(&policy->forward, &policy->publish, config, policy->network, notes, error);
    if (r < 0)
        return r;
    hosts_note_command(&policy->argv, agent, policy->network, notes);
    browser_extend(&policy->browser, &policy->argv, config, policy->network, notes);
    if (policy->network == NETWORK_FILTERED)
        parents_read(&policy->parents, &host->environ, notes);
    warn_own_program(policy, notes);
    note_weakened(policy, config, notes);
    return build_plan(policy, config, &parts, notes, error);
}

void policy_free(struct policy *policy)
{
    free(policy->project);
    strv_free(&policy->links);
    strv_free(&policy->argv);
    strv_free(&policy->env);
    command_free(&policy->command);
    browser_free(&policy->browser);
    plan_free(&policy->plan);
    allow_free(&policy->hosts);
    credentials_free(&policy->credentials);
    parents_free(&policy->parents);
    mask_rules_free(policy->masks);
    overlays_free(&policy->overlays);
    in_step_free(&policy->in_step);
    mise_free(&policy->mise);
    config_free(&policy->tightened);
    config_free(&policy->adapted);
    *policy = (struct policy){0};
}
