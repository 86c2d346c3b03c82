// SPDX-License-Identifier: GPL-3.0-only
/*
 * update: curl asks the release page, which redirects to the page of the newest release; the last
 * part of that address is its version. The page is chosen when the program is built
 * (AI_JAIL_RELEASE_URL), never by a file or a variable.
 *
 * It is curl itself that must belong to root, not a program found on PATH; it reads no file of the
 * user's (-q), and of the environment only how the user reaches the network.
 */
#include "update.h"

#include "base/fd.h"
#include "base/os.h"
#include "host_run.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef AI_JAIL_RELEASE_URL
#define AI_JAIL_RELEASE_URL ""
#endif

/* A test has a page and a curl of its own. */
#ifndef AI_JAIL_CURL
#define AI_JAIL_CURL "/usr/bin/curl"
#endif

static void build_env(struct strv *env, const struct host *host)
{
    static const char *const names[] = {
        "http_proxy", "https_proxy", "HTTPS_PROXY",   "all_proxy",    "ALL_PROXY",
        "no_proxy",   "NO_PROXY",    "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (host_getenv(host, names[i]))
            strv_pushf(env, "%s=%s", names[i], host_getenv(host, names[i]));
}

static bool is_of_root(const char *program)
{
    struct stat st;

    return stat(program, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == 0 &&
           !(st.st_mode & (S_IWGRP | S_IWOTH));
}

bool update_start(struct statusline_update *update, const struct policy *policy,
                  struct notes *notes)
{
    char *const argv[] = {(char[]){"curl"},
                          (char[]){"-q"},
                          (char[]){"--silent"},
                          (char[]){"--proto"},
                          (char[]){"=https"},
                          (char[]){"--max-time"},
                          (char[]){"5"},
                          (char[]){"--max-filesize"},
                          (char[]){"65536"},
                          (char[]){"--output"},
                          (char[]){"/dev/null"},
                          (char[]){"--write-out"},
                          (char[]){"%{redirect_url}"},
                          (char[]){AI_JAIL_RELEASE_URL},
                          NULL};
    _cleanup_strv_ struct strv env = {0};
    int fds[2];

    *update = (struct statusline_update){.fd = -1};
    if (!config_flag(policy->config, SET_UPDATE_CHECK))
        return false;
    if (!AI_JAIL_RELEASE_URL[0]) {
        _cleanup_free_ char *spelling = config_spelling(policy->config, SET_UPDATE_CHECK);

        notes_add(notes, NOTE_INFO, "%s: this build knows no page of releases, nobody is asked",
                  spelling);
        return false;
    }
    if (!is_of_root(AI_JAIL_CURL) || os_pipe(fds) < 0)
        return false;
    fd_set_nonblocking(fds[0], true);
    build_env(&env, policy->host);
    update->pid = host_run_start(AI_JAIL_CURL, argv, env.v, fds[1]);
    close(fds[1]);
    if (update->pid < 0) {
        close(fds[0]);
        return false;
    }
    update->fd = fds[0];
    return true;
}
