// SPDX-License-Identifier: GPL-3.0-only
/*
 * update: curl asks the release page, which redirects to the page of the newest release; the last
 * part of that address is its version. The page is chosen when the program is built
 * (AI_JAIL_RELEASE_URL), never by a file or a variable.
 *
 * A file in the state directory is the stamp: its time is when somebody was asked, its content what was
 * answered. Where there can be none nobody is asked, so that it is never more than once a day.
 *
 * It is curl itself that must belong to root, not a program found on PATH; it reads no file of the
 * user's (-q), and of the environment only how the user reaches the network.
 */
#include "update.h"

#include "base/fd.h"
#include "base/os.h"
#include "host_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef AI_JAIL_RELEASE_URL
#define AI_JAIL_RELEASE_URL ""
#endif

/* A test has a page and a curl of its own. */
#ifndef AI_JAIL_CURL
#define AI_JAIL_CURL "/usr/bin/curl"
#endif

#define DAY_S 86400

/* A descriptor of the stamp, which is ours alone; -1: there can be none. */
static int open_stamp(const struct host *host, bool *is_new)
{
    _cleanup_free_ char *own = host_state_dir(host);
    _cleanup_close_ int dir = open(own, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    _cleanup_close_ int fd = -1;
    struct stat st;

    /* host_find_bwrap() has made it. */
    if (dir < 0 || fstat(dir, &st) < 0 || st.st_uid != host->uid ||
        (st.st_mode & (S_IWGRP | S_IWOTH)))
        return -1;
    fd = openat(dir, "update-check", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *is_new = fd < 0 && errno == ENOENT;
    if (*is_new)
        fd = openat(dir, "update-check", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != host->uid ||
        st.st_nlink != 1 || (st.st_mode & (S_IWGRP | S_IWOTH)))
        return -1;
    return steal_fd(&fd);
}

/* What was answered last, if it is a newer version. Whatever else stands there is nothing. */
static void read_stamp(struct statusline_update *update)
{
    char record[1 + UPDATE_STAMP_SIZE + 1] = "/";
    ssize_t n = pread(update->stamp, record + 1, UPDATE_STAMP_SIZE, 0);

    record[n > 0 ? 1 + n : 1] = '\0';
    record[strcspn(record, " \n")] = '\0';
    if (!strchr(record + 1, '/'))
        statusline_update_parse(record, AI_JAIL_VERSION, update->version);
}

/* A time that is still to come is none: the clock was wrong, then or now. */
static bool was_asked_today(int stamp)
{
    time_t now = time(NULL);
    struct stat st;

    return fstat(stamp, &st) == 0 && st.st_mtime <= now && now - st.st_mtime < DAY_S;
}

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

/* Starts curl; false: it is not there, or not root's. */
static bool ask(struct statusline_update *update, const struct host *host)
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

    if (!is_of_root(AI_JAIL_CURL) || os_pipe(fds) < 0)
        return false;
    fd_set_nonblocking(fds[0], true);
    build_env(&env, host);
    update->pid = host_run_start(AI_JAIL_CURL, argv, env.v, fds[1]);
    close(fds[1]);
    if (update->pid < 0) {
        close(fds[0]);
        return false;
    }
    update->fd = fds[0];
    return true;
}

bool update_start(struct statusline_update *update, const struct policy *policy,
                  struct notes *notes)
{
    bool is_new = false;

    *update = (struct statusline_update){.fd = -1, .stamp = -1};
    if (!config_flag(policy->config, SET_UPDATE_CHECK))
        return false;
    if (!AI_JAIL_RELEASE_URL[0]) {
        _cleanup_free_ char *spelling = config_spelling(policy->config, SET_UPDATE_CHECK);

        notes_add(notes, NOTE_INFO, "%s: this build knows no page of releases, nobody is asked",
                  spelling);
        return false;
    }
    update->stamp = open_stamp(policy->host, &is_new);
    if (update->stamp < 0)
        return false;
    read_stamp(update);
    if ((is_new || !was_asked_today(update->stamp)) && futimens(update->stamp, NULL) == 0 &&
        ask(update, policy->host))
        return true;
    close(update->stamp);
    update->stamp = -1;
    return update->version[0];
}
