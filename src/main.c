// SPDX-License-Identifier: GPL-3.0-only
/*
 * main: argv -> config -> policy -> launch -> print it or run it. The only place that exits.
 *
 * Everything before the session is a pure function of the command line and the host's facts; each
 * step returns its reason for failing, and it is printed here, once.
 */
#include "audit_facts.h"
#include "backend/browser_store.h"
#include "backend/directories.h"
#include "backend/launch.h"
#include "backend/seatbelt.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/os.h"
#include "browser_hint.h"
#include "config/args.h"
#include "config/gather.h"
#include "config/redraw_key.h"
#include "config/wrapper.h"
#include "host.h"
#include "host_gh.h"
#include "policy/hosts.h"
#include "policy/phantom.h"
#include "policy/policy.h"
#include "policy/project.h"
#include "policy/toolchains.h"
#include "pty/isolate.h"
#include "pty/session.h"
#include "sanitize.h"
#include "status_facts.h"
#include "update.h"
#include "verbs/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_OWN_FAILURE 125

extern char **environ;

/* By name, without loading it: a locale that is not installed still says what the terminal shows. */
static bool locale_is_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
        const char *locale = getenv(variables[i]);

        if (locale && locale[0]) /* POSIX.1-2017, 8.2: the first that is set and not empty */
            return strcasestr(locale, ".UTF-8") || strcasestr(locale, ".UTF8");
    }
    return false;
}

static int fail(const struct error *error)
{
    log_line(NOTE_FATAL, "%s", error->text);
    return EXIT_OWN_FAILURE;
}

/* stdout, checked: a full disk or a closed pipe is a failure. */
static int print(char *text)
{
    int r = text ? fd_write_all(STDOUT_FILENO, text, strlen(text)) : -1;

    free(text);
    return r < 0 ? EXIT_OWN_FAILURE : 0;
}

/* -v: each mount with the rule that asked for it, and the limits. */
static void say_plan(const struct policy *policy)
{
    for (size_t i = 0; i < policy->plan.n; i++) {
        const struct plan_entry *entry = &policy->plan.v[i];
        bool moved = entry->source && !str_eq(entry->source, entry->dest);

        log_line(NOTE_VERBOSE, "%s %s%s%s (%s)", plan_kind_name(entry->kind), entry->dest,
                 moved ? " from " : "", moved ? entry->source : "", entry->origin);
    }
    if (policy->rlimits)
        log_line(NOTE_VERBOSE, "limits: %llu processes, %llu descriptors, no core files%s",
                 (unsigned long long)policy->limits.nproc,
                 (unsigned long long)policy->limits.nofile_hard,
                 policy->lockdown ? ", files of at most 1 GiB" : "");
}

/* ", off: Landlock, limits": walls that were switched off; "" if none was. malloc'ed. */
static char *walls_off(const struct policy *policy)
{
    const struct {
        bool is_on;
        const char *name;
    } walls[] = {
        {policy->landlock, "Landlock"},
        {policy->seccomp, "system call filter"},
        {policy->rlimits, "limits"},
        {policy->protect_git, "protection of git"},
        {!config_flag(policy->config, SET_TERMINAL_PASSTHROUGH), "terminal filter"},
    };
    _cleanup_strv_ struct strv off = {0};
    _cleanup_free_ char *names = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(walls); i++)
        if (!walls[i].is_on)
            strv_push(&off, walls[i].name);
    names = strv_join(&off, ", ");
    return off.n ? xasprintf(", off: %s", names) : xstrdup("");
}

static void say_start(const struct policy *policy)
{
    bool is_browser = policy->browser.profile != BROWSER_NONE;
    _cleanup_free_ char *off = walls_off(policy);

    if (log_shows(NOTE_VERBOSE))
        say_plan(policy);
    log_line(NOTE_INFO, "%s%s%s: %s is %s, home is %s, network is %s%s",
             policy->lockdown ? "lockdown" : "jail", is_browser ? ", browser profile " : "",
             is_browser ? browser_profile_name(policy->browser.profile) : "", policy->project,
             policy->lockdown || is_browser ? "read-only" : "writable",
             policy->private_home ? "private and thrown away" : "shown in part",
             policy->network == NETWORK_FULL ? "the host's" : hosts_mode_name(policy->network),
             off);
}

/* Everything that is known once the configuration has been read. */
struct call {
    struct args *args;
    char *const *argv; /* as main got it */
    int argc;
    struct host host;
    struct gathered gathered;
    struct policy policy;
    struct launch launch;
};

/* Lines for the user go there, too, from the first of this process on. */
static struct audit *open_audit(struct call *call, struct notes *notes)
{
    struct audit *audit =
        audit_facts_open(&call->gathered, &call->policy, call->argv, call->argc, notes);

    if (audit)
        log_set_sink(audit_take_line, audit);
    return audit;
}

static void close_audit(struct audit *audit, int code)
{
    struct notes notes = {0};

    audit_close(audit, code);
    log_set_sink(NULL, NULL);
    audit_take_fault(audit, &notes);
    audit_free(audit);
    log_notes(&notes);
}

static void wipe_layer(void *arg, const struct config *layer)
{
    phantom_wipe(arg, config_list(layer, SET_ENV_PASS)->v);
    phantom_wipe(arg, layer->env_file.v);
}

/* From now on the proxy alone has the values of --secret. */
static void wipe_values(struct call *call)
{
    const struct config *configs[] = {&call->args->cli, &call->gathered.config,
                                      call->policy.config};
    struct credentials *list = &call->policy.credentials;

    phantom_wipe(list, environ);
    phantom_wipe(list, call->argv);
    phantom_wipe(list, call->host.environ.v);
    for (size_t i = 0; i < ARRAY_SIZE(configs); i++)
        wipe_layer(list, configs[i]);
    gather_each_layer(&call->gathered, wipe_layer, list);
}

/* Said for this run, and the row that would show the answer is not there: nobody is asked. In a file the
 * option waits for runs that have the row. */
static void note_unused_update(const struct config *config, struct notes *notes)
{
    if (config_flag(config, SET_UPDATE_CHECK) &&
        config->values[SET_UPDATE_CHECK].origin.layer == LAYER_CLI)
        notes_add(notes, NOTE_WARNING, "--%s has no effect: this run has no status bar (--%s)",
                  settings[SET_UPDATE_CHECK].flag, settings[SET_STATUS_BAR].flag);
}

static int run_session(struct call *call)
{
    const struct config *config = call->policy.config;
    struct status_facts status;
    struct statusline_update update;
    struct notes notes = {0};
    bool has_status = status_facts_build(&status, config, &call->policy, &notes);
    struct session_options options = {
        .policy = &call->policy,
        .launch = &call->launch,
        .passthrough = config_flag(config, SET_TERMINAL_PASSTHROUGH),
        .status = has_status ? &status.line : NULL,
        .redraw_key = redraw_key_choose(config, wrapper_of(&call->gathered.command).name, &notes),
        .clipboard = str_eq(config_word(config, SET_CLIPBOARD), "copy"),
    };
    int code;

    if (call->policy.browser.profile == BROWSER_NONE)
        status_facts_remember(config, &call->host, &notes);
    options.audit = open_audit(call, &notes);
    if (!has_status)
        note_unused_update(config, &notes);
    else if (update_start(&update, &call->policy, &notes))
        options.update = &update;
    log_notes(&notes);
    say_start(&call->policy);
    wipe_values(call);
    code = session_run(&options);
    browser_store_release();
    close_audit(options.audit, code);
    status_facts_free(&status);
    return code;
}

static void note_missing_walls(const struct host *host, const struct config *config)
{
    bool wants_landlock = config_flag(config, SET_LANDLOCK) && !host->macos.is_on;

    if (wants_landlock && host->landlock_abi == 0)
        log_line(NOTE_SECURITY, "Landlock is not available in this kernel: one wall is missing");
    else if (wants_landlock && host->landlock_abi < 2)
        log_line(NOTE_SECURITY, "Landlock ABI 1 cannot allow renames: its file rules are left out");
    else if (wants_landlock && host->landlock_abi < 6)
        log_line(NOTE_VERBOSE, "Landlock ABI %d: no scopes for abstract sockets and signals",
                 host->landlock_abi);
    if (config_flag(config, SET_TERMINAL_PASSTHROUGH)) {
        _cleanup_free_ char *spelling = config_spelling(config, SET_TERMINAL_PASSTHROUGH);

        log_line(NOTE_SECURITY, "the terminal filter is off (%s)", spelling);
    }
}

/* --backend: the policy of the other system, with names for what only a run has. */
static int choose_backend(struct call *call, struct error *error)
{
    const struct config *config = &call->gathered.config;

    if (config_is_set(config, SET_BACKEND) && call->args->verb != VERB_DRY_RUN)
        return error_set(error, EINVAL, "--%s shows what a run would be and needs --dry-run",
                         settings[SET_BACKEND].flag);
    if (str_eq(config_word(config, SET_BACKEND), "seatbelt"))
        call->host.macos = (struct host_macos){.is_on = true,
                                               .tmp = xstrdup(SEATBELT_TMP_PLACEHOLDER),
                                               .port = SEATBELT_PORT_PLACEHOLDER};
    return 0;
}

/* In a directory that is refused, what only shows a run says so and goes on, if the user could lift that. */
static int check_project(struct call *call, struct error *error)
{
    struct config *config = &call->gathered.config;
    bool only_shows = call->args->verb == VERB_DRY_RUN || call->args->verb == VERB_WHY;
    struct error stays = {0};
    int r = project_check(&call->host, config_flag(config, SET_ALLOW_BROAD_PROJECT), error);

    if (r == 0 || !only_shows || project_check(&call->host, true, &stays) < 0)
        return r;
    log_line(NOTE_SECURITY, "this would not start: %s", error->text);
    config_set_bool(config, SET_ALLOW_BROAD_PROJECT, true);
    *error = (struct error){0};
    return 0;
}

/* What a launch needs and a verb that explains can do without. */
static int prepare_launch(struct call *call, struct notes *notes, struct error *error)
{
    const struct config *config = &call->gathered.config;
    struct host *host = &call->host;
    bool is_on_macos = host->macos.is_on;
    int r = check_project(call, error);

    if (r == 0)
        r = host_find_backend(host, call->args->verb == VERB_RUN, notes, error);
    if (r < 0)
        return r;
    if (config_flag(config, SET_SECCOMP) && !host->has_seccomp && !is_on_macos)
        return error_set(error, ENOTSUP,
                         "this kernel has no system call filters (CONFIG_SECCOMP_FILTER); "
                         "--no-seccomp starts without them");
    r = gather_check_support(&call->gathered, notes, error);
    if (r < 0)
        return r;
    r = policy_build(&call->policy, config, host, &call->gathered.command, notes, error);
    return r < 0 || is_on_macos ? r : launch_build(&call->launch, &call->policy, error);
}

/* Caches of the jail come and go without a word; what is made among the user's own files is said. */
static int make_directories(struct call *call, struct notes *notes, struct error *error)
{
    _cleanup_free_ char *store = toolchains_store(&call->host);
    int r = directories_make(&call->policy.plan, store, notes, error);

    log_notes(notes);
    return r < 0 ? r : browser_store_hold(&call->policy.browser, error);
}

static int show_profile(struct call *call)
{
    const bool *is_tty = call->host.is_tty;
    struct seatbelt_facts facts = {
        .tty = is_tty[0] || is_tty[1] || is_tty[2] ? SEATBELT_TTY_PLACEHOLDER : NULL,
    };
    struct error error = {0};
    char *text = call->args->json ? seatbelt_json(&call->policy, &facts, &error)
                                  : seatbelt_text(&call->policy, &facts, &error);

    return text ? print(text) : fail(&error);
}

static int launch_or_show(struct call *call)
{
    struct notes notes = {0};
    struct error refused = {0};
    int r = prepare_launch(call, &notes, &refused);

    log_notes(&notes);
    if (r < 0)
        return fail(&refused);
    if (call->host.macos.is_on && call->args->verb == VERB_DRY_RUN)
        return show_profile(call);
    note_missing_walls(&call->host, call->policy.config);
    if (call->args->verb == VERB_DRY_RUN)
        return print(call->args->json ? launch_json(&call->launch, &call->policy)
                                      : launch_text(&call->launch, &call->policy));
    r = make_directories(call, &notes, &refused);
    if (r < 0)
        return fail(&refused);
    verb_init_auto_save(&call->gathered, call->args, &call->host, &notes);
    browser_hint(&call->policy, &call->gathered.config, call->argv, call->argc, &notes);
    host_gh_token(&call->policy, &notes);
    log_notes(&notes);
    return run_session(call);
}

/* A verb that explains works without a policy, too. */
static int explain(struct call *call, struct error *error)
{
    struct notes notes = {0};
    struct error refused = {0};
    bool is_refused = prepare_launch(call, &notes, &refused) < 0;
    struct verb_call verb = {
        .args = call->args,
        .host = &call->host,
        .gathered = &call->gathered,
        .policy = is_refused ? NULL : &call->policy,
        .launch = is_refused ? NULL : &call->launch,
        .refused = is_refused ? &refused : NULL,
    };

    /* What a start would warn about is no answer to a question. */
    if (call->args->verb == VERB_WHY && !log_shows(NOTE_VERBOSE))
        notes_free(&notes);
    log_notes(&notes);
    return call->args->verb == VERB_WHY ? verb_why(&verb, error) : verb_status(&verb, error);
}

static int with_config(struct call *call)
{
    struct verb_call verb = {.args = call->args, .host = &call->host, .gathered = &call->gathered};
    struct notes notes = {0};
    struct error error = {0};
    int r = choose_backend(call, &error);

    if (r < 0)
        return fail(&error);
    switch (call->args->verb) {
    case VERB_STATUS:
    case VERB_WHY:
        r = explain(call, &error);
        break;
    case VERB_INIT:
        r = verb_init(&verb, &notes, &error);
        log_notes(&notes);
        break;
    case VERB_BOOTSTRAP:
        r = verb_bootstrap(&verb, &error);
        break;
    case VERB_OVERLAY_LIST:
    case VERB_OVERLAY_APPLY:
    case VERB_OVERLAY_DISCARD:
        r = verb_overlay(&verb, &error);
        break;
    case VERB_BROWSER_LIST:
    case VERB_BROWSER_FORGET:
        r = verb_browser(&verb, &error);
        break;
    default:
        return launch_or_show(call);
    }
    return r < 0 ? fail(&error) : r;
}

static void setup_log(const struct config *config)
{
    log_setup((struct log_options){
        .quiet = config && config_flag(config, SET_EXEC),
        .verbose = config && config_flag(config, SET_VERBOSE),
        .colour = isatty(STDERR_FILENO) && !getenv("NO_COLOR"),
        .utf8 = locale_is_utf8(),
    });
}

static _Noreturn void with_host(struct args *args, int argc, char *const *argv)
{
    struct call call = {.args = args, .argv = argv, .argc = argc};
    struct notes notes = {0};
    struct error error = {0};
    int r = host_read(&call.host, &error);

    if (r == 0) {
        struct gather_place place = {
            .cwd = call.host.cwd,
            .home = call.host.home,
            .uid = call.host.uid,
        };

        r = gather(&call.gathered, args, &place, &notes, &error);
    }
    log_notes(&args->notes);
    log_notes(&notes);
    /* Nothing is freed: at the end of the process that costs nothing, while here every page would be
     * copied before, being shared with the mounter. */
    exit(r < 0 ? fail(&error) : with_config(&call));
}

static int run(int argc, char **argv)
{
    struct args args;
    struct error error = {0};
    int r;

    setup_log(NULL);
    r = args_parse(argc, argv, &args, &error);
    if (r == 0) {
        setup_log(&args.cli);
        switch (args.verb) {
        case VERB_HELP:
            r = print(args_help());
            break;
        case VERB_VERSION:
            r = print(xstrdup("ai-jail " AI_JAIL_VERSION "\n"));
            break;
        case VERB_SANITIZE:
            r = sanitize_run();
            break;
        case VERB_COMPLETIONS:
            r = verb_completions(&args, &error);
            break;
        case VERB_AUDIT_SHOW:
        case VERB_AUDIT_VERIFY:
            r = verb_audit(&args, &error);
            break;
        case VERB_DOCTOR:
            r = verb_doctor(&args, &error);
            break;
        default:
            with_host(&args, argc, argv);
        }
    }
    args_free(&args);
    return r < 0 ? fail(&error) : r;
}

int main(int argc, char **argv)
{
    struct error error = {0};

    if (fd_fill_stdio() < 0) {
        error_set(&error, EBADF, "a closed standard descriptor cannot be opened on /dev/null");
        return fail(&error);
    }
    /* What the caller left open is not ours, and must never reach the jail. */
    os_close_from(3);
    if (isolate_undumpable() < 0) {
        error_set(&error, EPERM, "prctl(PR_SET_DUMPABLE) is refused");
        return fail(&error);
    }
    return run(argc, argv);
}
