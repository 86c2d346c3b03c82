// SPDX-License-Identifier: GPL-3.0-only
/*
 * diagnose: failures of the start, and the end, in words.
 */
#include "pty/diagnose.h"

#include "base/fd.h"
#include "base/log.h"
#include "policy/secrets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ERRORS_MAX (64 * KIB)
#define LINES_MAX  20

/* ---- bubblewrap ---- */

static bool sysctl_is(const struct fs *fs, const char *path, char value)
{
    char text[16] = "";

    /* Files of procfs have no size, so the head is read instead of the whole. */
    return fs->read_head(fs->ctx, path, text, sizeof(text) - 1) > 0 && text[0] == value &&
           (text[1] == '\n' || text[1] == '\0');
}

struct cause {
    const char *sign; /* stands in bubblewrap's stderr */
    const char *sysctl;
    char value;
    const char *advice;
};

static const struct cause causes[] = {
    {"uid map", "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1',
     "AppArmor forbids user namespaces to this program "
     "(kernel.apparmor_restrict_unprivileged_userns "
     "is 1): install an AppArmor profile with \"userns,\" for bubblewrap, or set the sysctl to 0"},
    {"amespace", "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1',
     "AppArmor forbids user namespaces to this program "
     "(kernel.apparmor_restrict_unprivileged_userns "
     "is 1): install an AppArmor profile with \"userns,\" for bubblewrap, or set the sysctl to 0"},
    {"amespace", "/proc/sys/user/max_user_namespaces", '0',
     "user namespaces are switched off: sysctl user.max_user_namespaces is 0, set it to 15000"},
    {"amespace", "/proc/sys/kernel/unprivileged_userns_clone", '0',
     "user namespaces are forbidden to ordinary users: set sysctl kernel.unprivileged_userns_clone "
     "to 1"},
    {"mount proc", NULL, 0,
     "/proc cannot be mounted: the surrounding container hides parts of its own; start it with an "
     "unmasked /proc (docker: --security-opt systempaths=unconfined)"},
    {"amespace", NULL, 0,
     "a namespace could not be made: the surrounding container or a limit (sysctl "
     "user.max_user_namespaces) forbids it; a container needs to allow clone and unshare with "
     "CLONE_NEWUSER (docker: --security-opt seccomp=unconfined)"},
    {"uid map", NULL, 0,
     "the user namespace could not be set up: the surrounding container forbids it"},
    {"nknown option", NULL, 0, "this bubblewrap is too old; ai-jail needs 0.8 or newer"},
};

static const char *find_advice(const char *text, const struct fs *fs)
{
    for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
        const struct cause *cause = &causes[i];

        if (strstr(text, cause->sign) &&
            (!cause->sysctl || sysctl_is(fs, cause->sysctl, cause->value)))
            return cause->advice;
    }
    return NULL;
}

static void add_lines(const char *text, struct notes *notes)
{
    struct strv lines CLEANUP(strv_free) = {0};
    size_t first;

    strv_split(&lines, text, '\n');
    while (lines.n && lines.v[lines.n - 1][0] == '\0')
        strv_remove(&lines, lines.n - 1);
    first = lines.n > LINES_MAX ? lines.n - LINES_MAX : 0;
    for (size_t i = first; i < lines.n; i++)
        notes_add(notes, NOTE_FATAL, "%s", lines.v[i]);
}

/* bubblewrap names the source of a bind by our descriptor. The entry that it stands for, or NULL. */
static const struct plan_entry *find_source(const char *text, const struct spawn *spawn,
                                            const struct launch *launch)
{
    static const char sign[] = "source path /proc/self/fd/";
    const char *at = strstr(text, sign);
    long number = at ? strtol(at + strlen(sign), NULL, 10) : -1;

    for (size_t i = 0; number >= 0 && i < launch->fd_count && i < spawn->fd_count; i++)
        if (spawn->numbers[i] == number)
            return launch->fds[i].entry;
    return NULL;
}

int diagnose_backend(const struct spawn *spawn, const struct launch *launch,
                     const struct policy *policy, struct notes *notes, struct error *error)
{
    struct buf text CLEANUP(buf_free);
    const struct plan_entry *source;
    const char *advice;

    buf_init(&text, ERRORS_MAX + 8192);
    if (lseek(spawn->errors, 0, SEEK_SET) == 0)
        fd_read_all(spawn->errors, &text, ERRORS_MAX);
    add_lines(buf_cstr(&text), notes);
    source = find_source(buf_cstr(&text), spawn, launch);
    if (source)
        return error_set(
            error, EACCES,
            "%s (%s) cannot be mounted: bubblewrap has no access to it; a directory above "
            "it belongs to another user?",
            source->source ? source->source : source->dest, source->origin);
    advice = find_advice(buf_cstr(&text), policy->host->fs);
    return error_set(error, ENOEXEC, "%s ended before the jail was ready%s%s",
                     policy->host->bwrap.path, advice ? ": " : "", advice ? advice : "");
}

/* ---- launcher ---- */

static int explain_not_found(const struct policy *policy, struct error *error)
{
    const char *name = policy->argv.v[0];
    const char *host_path = policy->command.host_path;

    if (host_path)
        error_set(error, ENOENT,
                  "%s: not found in the jail; the host has it as %s: --map %s would show it", name,
                  host_path, host_path);
    else
        error_set(error, ENOENT, "%s: not found, neither in the jail nor on the host's PATH", name);
    return 127;
}

static int explain_exec(int code, const struct policy *policy, struct error *error)
{
    const char *name = policy->command.host_path ? policy->command.host_path : policy->argv.v[0];
    const char *interpreter = policy->command.interpreter;

    if (code == ENOENT && interpreter)
        error_set(error, code, "%s cannot be executed: its interpreter %s is not in the jail%s",
                  name, interpreter,
                  secrets_hold(policy->host, interpreter) ? "" : "; --map would show it");
    else if (code == EACCES)
        error_set(error, code, "%s cannot be executed: it is not executable (chmod +x?)%s%s", name,
                  interpreter ? ", or its interpreter is not: " : "",
                  interpreter ? interpreter : "");
    else
        error_set(error, code > 0 ? code : EIO, "%s cannot be executed: %s%s%s", name,
                  strerror(code), interpreter ? "; interpreter " : "",
                  interpreter ? interpreter : "");
    return 126;
}

int diagnose_failed(const struct control_message *message, const struct policy *policy,
                    struct error *error)
{
    static const char *const stages[STAGE_COUNT] = {
        [STAGE_ORDERS] = "the launcher cannot read its orders",
        [STAGE_PTY] = "no pseudo-terminal in the jail",
        [STAGE_STDIO] = "standard descriptors in the jail",
        [STAGE_NETWORK] = "a listening socket in the jail",
        [STAGE_FORK] = "fork in the jail",
        [STAGE_LIMITS] = "resource limits",
        [STAGE_LANDLOCK] = "Landlock in the jail (--no-landlock starts without it)",
        [STAGE_SELF_TEST_OPEN] = "self-test: Landlock does not hold, the command was not started",
        [STAGE_SELF_TEST_UNSHARE] =
            "self-test: the system call filter allows new namespaces, the command was not started",
        [STAGE_SELF_TEST_SOCKET] =
            "self-test: the system call filter allows a refused socket family, the command was not "
            "started",
        [STAGE_SANDBOX] = "sandbox-exec cannot be executed",
        [STAGE_DIRECTORY] = "standard input or output is a directory that the jail does not show "
                            "(redirect it to a file or /dev/null, or add --map DIRECTORY)",
        [STAGE_CWD] = "the project directory cannot be entered in the jail",
    };
    int code = message->b;
    const char *what;

    if (message->a == STAGE_NOT_FOUND)
        return explain_not_found(policy, error);
    if (message->a == STAGE_EXEC)
        return explain_exec(code, policy, error);
    what = message->a > 0 && message->a < STAGE_COUNT ? stages[message->a] : NULL;
    error_set(error, code > 0 ? code : EIO, "%s: %s", what ? what : "the launcher failed",
              code > 0 ? strerror(code) : "it was allowed");
    return 125;
}

/* ---- the end ---- */

/* The next paste may be something else than the user copied. */
void diagnose_clipboard(const struct filter *filter)
{
    struct filter_clipboard count = {0};

    if (filter)
        count = filter_clipboard(filter);
    if (count.written + count.refused > 0)
        log_line(NOTE_SECURITY,
                 "clipboard: written by the command: %llu, refused (too long, too soon after "
                 "another, or no plain text): %llu; look at it before you paste",
                 (unsigned long long)count.written, (unsigned long long)count.refused);
}
