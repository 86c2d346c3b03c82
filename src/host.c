// SPDX-License-Identifier: GPL-3.0-only
/*
 * host: reads the facts about the caller. Those about the machine, and what runs a jail on it, are read by
 * host_linux.c and host_bwrap.c, or by host_macos.c and host_sandbox_exec.c.
 */
#include "host.h"

#include "base/os.h"
#include "base/path.h"

#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

const char *host_getenv(const struct host *host, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < host->environ.n; i++) {
        const char *entry = host->environ.v[i];

        if (strncmp(entry, name, len) == 0 && entry[len] == '=')
            return entry + len + 1;
    }
    return NULL;
}

char *host_state_dir(const struct host *host)
{
    _cleanup_free_ char *state =
        path_base_dir(host_getenv(host, "XDG_STATE_HOME"), host->home, ".local/state");

    return path_join(state, "ai-jail");
}

static const char *passwd_home(uid_t uid)
{
    const struct passwd *entry = getpwuid(uid);

    return entry && entry->pw_dir ? entry->pw_dir : "";
}

static int read_home(struct host *host, struct error *error)
{
    const char *home = host_getenv(host, "HOME");
    int r;

    if (!home || home[0] != '/')
        home = passwd_home(host->uid);
    if (home[0] != '/')
        return error_set(error, ENOENT,
                         "no home directory: HOME is unset and uid %u has none in the password "
                         "database; set HOME",
                         host->uid);
    host->home_spelling = path_clean(home);
    r = fs_resolve(host->fs, host->home_spelling, &host->home, NULL, NULL);
    if (r < 0)
        return error_set(error, -r, "HOME %s: %s", home, strerror(-r));
    if (str_eq(host->home, "/"))
        return error_set(error, EINVAL, "HOME is /: refused; set HOME to a directory of your own");
    if (!fs_is_dir(host->fs, host->home))
        return error_set(error, ENOTDIR, "HOME %s is not a directory", home);
    return 0;
}

static int read_cwd(struct host *host, struct error *error)
{
    const char *pwd = host_getenv(host, "PWD");
    struct fs_stat here;
    struct fs_stat named;

    host->cwd = getcwd(NULL, 0);
    if (!host->cwd || host->cwd[0] != '/')
        return error_set(error, errno ? errno : ENOENT,
                         "the working directory cannot be named (%s); change to the project first",
                         strerror(errno ? errno : ENOENT));
    if (pwd && pwd[0] == '/' && fs_stat(host->fs, pwd, true, &named) == 0 &&
        fs_stat(host->fs, host->cwd, true, &here) == 0 && named.dev == here.dev &&
        named.ino == here.ino)
        host->cwd_spelling = path_clean(pwd);
    else
        host->cwd_spelling = xstrdup(host->cwd);
    return 0;
}

static void read_signals(struct host *host)
{
    sigset_t mask;

    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int sig = 1; sig <= 64; sig++) {
        uint64_t bit = 1ULL << (sig - 1);
        struct sigaction action;

        if (sigismember(&mask, sig) == 1)
            host->sigmask |= bit;
        if (sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            host->sigignore |= bit;
    }
    signal(SIGCHLD, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN);
}

static void read_groups(struct host *host)
{
    int count = getgroups(0, NULL);

    if (count <= 0)
        return;
    host->groups = xcalloc((size_t)count, sizeof(*host->groups));
    count = getgroups(count, host->groups);
    host->group_count = count > 0 ? (size_t)count : 0;
}

int host_read(struct host *host, struct error *error)
{
    int r;

    *host = (struct host){
        .cache = fs_cache_new(&fs_real),
        .uid = geteuid(),
        .gid = getegid(),
        .bwrap.fd = -1,
        .random = os_random,
    };
    host->fs = fs_cache_fs(host->cache);
    for (char **entry = environ; *entry; entry++)
        strv_push(&host->environ, *entry);
    read_signals(host);
    read_groups(host);
    r = read_home(host, error);
    if (r < 0)
        return r;
    r = read_cwd(host, error);
    if (r < 0)
        return r;
    host_read_machine(host);
    for (int fd = 0; fd <= 2; fd++)
        host->is_tty[fd] = isatty(fd);
    return 0;
}

void host_free(struct host *host)
{
    fs_cache_free(host->cache);
    free(host->groups);
    free(host->home);
    free(host->home_spelling);
    free(host->cwd);
    free(host->cwd_spelling);
    strv_free(&host->environ);
    free(host->exe);
    free(host->machine_id);
    free(host->bwrap.path);
    free(host->macos.tmp);
    if (host->bwrap.fd >= 0)
        close(host->bwrap.fd);
    *host = (struct host){.bwrap.fd = -1};
}
