// SPDX-License-Identifier: GPL-3.0-only
/*
 * main: argv -> config -> policy -> launch -> print it or run it. The only place that exits.
 *
 * Everything before the session is a pure function of the command line and the host's facts; each
 * step returns its reason for failing, and it is printed here, once.
 */
#include "backend/launch.h"
#include "base/fd.h"
#include "base/log.h"
#include "config/args.h"
#include "host.h"
#include "policy/policy.h"
#include "pty/isolate.h"
#include "pty/session.h"
#include "sanitize.h"
#include "status_facts.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_OWN_FAILURE 125

static bool locale_is_utf8(void)
{
    setlocale(LC_CTYPE, "");
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
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
        log_line(NOTE_VERBOSE, "limits: %llu processes, %llu descriptors, no core files",
                 (unsigned long long)policy->limits.nproc,
                 (unsigned long long)policy->limits.nofile_hard);
}

static void say_start(const struct policy *policy)
{
    if (log_shows(NOTE_VERBOSE))
        say_plan(policy);
    log_line(NOTE_INFO, "jail: %s is writable, home is %s, network is %s", policy->project,
             policy->private_home ? "private and thrown away" : "shown in part",
             policy->network == NETWORK_FULL ? "the host's" : "off");
}

static int run_or_show(const struct args *args, const struct config *config,
                       const struct host *host)
{
    struct policy policy = {0};
    struct launch launch = {0};
    struct notes notes = {0};
    struct error error = {0};
    int code;
    int r = policy_build(&policy, config, host, &args->command, &notes, &error);

    if (r == 0)
        r = launch_build(&launch, &policy, &error);
    log_notes(&notes);
    if (r < 0) {
        code = fail(&error);
    } else if (args->verb == VERB_DRY_RUN) {
        code = print(args->json ? launch_json(&launch, &policy) : launch_text(&launch, &policy));
    } else {
        struct status_facts status;
        bool has_status = status_facts_build(&status, config, &policy);
        struct session_options options = {
            .policy = &policy,
            .launch = &launch,
            .passthrough = config_flag(config, SET_TERMINAL_PASSTHROUGH),
            .status = has_status ? &status.line : NULL,
            .clipboard = str_eq(config_word(config, SET_CLIPBOARD), "copy"),
        };

        say_start(&policy);
        code = session_run(&options);
        status_facts_free(&status);
    }
    launch_free(&launch);
    policy_free(&policy);
    return code;
}

static void note_missing_walls(const struct host *host, const struct config *config)
{
    if (config_flag(config, SET_LANDLOCK) && host->landlock_abi == 0)
        log_line(NOTE_SECURITY, "Landlock is not available in this kernel: one wall is missing");
    else if (config_flag(config, SET_LANDLOCK) && host->landlock_abi < 2)
        log_line(NOTE_SECURITY, "Landlock ABI 1 cannot allow renames: its file rules are left out");
    else if (config_flag(config, SET_LANDLOCK) && host->landlock_abi < 6)
        log_line(NOTE_VERBOSE, "Landlock ABI %d: no scopes for abstract sockets and signals",
                 host->landlock_abi);
    if (config_flag(config, SET_TERMINAL_PASSTHROUGH))
        log_line(NOTE_SECURITY, "the terminal filter is off (--terminal-passthrough)");
}

static int with_host(const struct args *args, const struct config *config)
{
    struct host host;
    struct notes notes = {0};
    struct error error = {0};
    int code;

    if (host_read(&host, &error) < 0) {
        code = fail(&error);
    } else if (host_find_bwrap(&host, args->verb == VERB_RUN, &notes) < 0) {
        log_notes(&notes);
        code = fail(&host.bwrap.why);
    } else if (config_flag(config, SET_SECCOMP) && !host.has_seccomp) {
        error_set(&error, ENOTSUP,
                  "this kernel has no system call filters (CONFIG_SECCOMP_FILTER); "
                  "--no-seccomp starts without them");
        code = fail(&error);
    } else {
        log_notes(&notes);
        note_missing_walls(&host, config);
        code = run_or_show(args, config, &host);
    }
    host_free(&host);
    return code;
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

static int run(int argc, char **argv)
{
    struct args args;
    struct config config;
    struct error error = {0};
    int code;

    setup_log(NULL);
    if (args_parse(argc, argv, &args, &error) < 0) {
        args_free(&args);
        return fail(&error);
    }
    if (args.verb == VERB_HELP) {
        code = print(args_help());
    } else if (args.verb == VERB_VERSION) {
        code = print(xstrdup("ai-jail " AI_JAIL_VERSION "\n"));
    } else if (args.verb == VERB_SANITIZE) {
        code = sanitize_run();
    } else {
        config_builtin(&config);
        config_merge(&config, &args.cli);
        setup_log(&config);
        log_notes(&args.notes);
        code = with_host(&args, &config);
        config_free(&config);
    }
    args_free(&args);
    return code;
}

int main(int argc, char **argv)
{
    struct error error = {0};

    if (fd_fill_stdio() < 0) {
        error_set(&error, EBADF, "a closed standard descriptor cannot be opened on /dev/null");
        return fail(&error);
    }
    /* What the caller left open is not ours, and must never reach the jail. */
    close_range(3, ~0U, 0);
    if (isolate_undumpable() < 0) {
        error_set(&error, EPERM, "prctl(PR_SET_DUMPABLE) is refused");
        return fail(&error);
    }
    return run(argc, argv);
}
