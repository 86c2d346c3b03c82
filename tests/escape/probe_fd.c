// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_fd: inherited descriptors, environment and command lines.
 */
#include "probe.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#define NUMBER_LAST 1023

/* The caller has 7, 9, 11, 13, 15, 17 and 250 open without close-on-exec. */
static void only_standard(struct trial *t)
{
    DIR *dir;

    for (int fd = 3; fd <= NUMBER_LAST; fd++)
        trial_call(t, 0, RESULT(fcntl(fd, F_GETFD)), "fcntl(%d, F_GETFD)", fd);
    dir = opendir("/proc/self/fd");
    trial_must(t, dir != NULL, "opendir(/proc/self/fd)");
    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
        long fd = strtol(e->d_name, NULL, 10);
        trial_must(t, e->d_name[0] == '.' || fd < 3 || fd == dirfd(dir), "descriptor %s",
                   e->d_name);
    }
    if (dir != NULL)
        closedir(dir);
}

static void inherited_directory(struct trial *t)
{
    char target[64];

    trial_call(t, 0, RESULT(openat(9, ".ssh/id_ed25519", O_RDONLY | O_CLOEXEC)),
               "openat(9, .ssh/id_ed25519)");
    trial_call(t, 0, RESULT(fchdir(9)), "fchdir(9)");
    trial_call(t, 1, RESULT(readlink("/proc/self/fd/9", target, sizeof target)),
               "readlink(/proc/self/fd/9)");
}

/* The fact "closed" names those of 0 to 2 that the caller had closed. */
static void closed_standard(struct trial *t)
{
    struct stat st;

    for (int fd = 0; fd < 3; fd++) {
        bool closed = strchr(fact("closed"), '0' + fd) != NULL;
        bool is_open = fstat(fd, &st) == 0;
        bool null = is_open && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
        trial_must(t, is_open && !S_ISSOCK(st.st_mode), "descriptor %d", fd);
        trial_must(t, !closed || null, "descriptor %d is not /dev/null", fd);
    }
}

static void no_channel(struct trial *t)
{
    char byte = 'x';
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    int domain;
    socklen_t len = sizeof domain;

    for (int fd = 0; fd < 3; fd++)
        trial_must(t, getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) < 0,
                   "descriptor %d is a socket", fd);
    for (int fd = 3; fd <= NUMBER_LAST; fd++)
        trial_call(t, 0, RESULT(sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL)), "sendmsg(%d)",
                   fd);
}

/* Looks for the token in FILE of every process. */
static unsigned token_hits(const char *file)
{
    static char text[1 << 20];
    const char *token = fact_token();
    char path[300];
    unsigned hits = 0;
    DIR *dir = token[0] != '\0' ? opendir("/proc") : NULL;

    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
        const char *at = text;
        long n;
        if (!isdigit((unsigned char)e->d_name[0]) && strcmp(e->d_name, "self") != 0)
            continue;
        snprintf(path, sizeof path, "/proc/%s/%s", e->d_name, file);
        n = file_read(path, text, sizeof text);
        while (n > 0 && (at = memmem(at, (size_t)(text + n - at), token, strlen(token))) != NULL) {
            hits++;
            at += strlen(token);
        }
    }
    if (dir != NULL)
        closedir(dir);
    return hits;
}

/* Sixty variables of the caller hold the token. */
static void environment_secrets(struct trial *t)
{
    extern char **environ;
    const char *token = fact_token();
    unsigned hits = 0;

    if (token[0] == '\0') {
        trial_blind(t, "there is no token");
        return;
    }
    for (char **entry = environ; *entry != NULL; entry++)
        hits += strstr(*entry, token) != NULL;
    if (t->control) {
        trial_call(t, 0, hits >= 60 ? 1 : -ENOENT, "%u variables", hits);
        return;
    }
    trial_must(t, hits == 0, "%u variables hold the token", hits);
    hits = token_hits("environ");
    trial_must(t, hits == 0, "%u hits in /proc/*/environ", hits);
}

/* A variable passed on purpose is in no command line; in lockdown it is not passed at all. */
static void command_lines(struct trial *t)
{
    const char *value = getenv("ESCAPE_PASSED");

    if (t->lockdown)
        trial_must(t, value == NULL, "--env was passed");
    else
        trial_must(t, value != NULL && strcmp(value, fact_token()) == 0, "--env was not passed");
    trial_must(t, token_hits("cmdline") == 0, "the token is in /proc/*/cmdline");
}

static void host_name(struct trial *t)
{
    char text[128] = "", host[128];
    struct utsname names;

    snprintf(host, sizeof host, "%s", fact("hostname"));
    uname(&names);
    trial_must(t, strcmp(names.nodename, host) != 0, "uname gives %s", names.nodename);
    gethostname(text, sizeof text);
    trial_must(t, strcmp(text, host) != 0, "gethostname gives %s", text);
    memset(text, 0, sizeof text);
    file_read("/proc/sys/kernel/hostname", text, sizeof text - 1);
    text[strcspn(text, "\n")] = '\0';
    trial_must(t, strcmp(text, host) != 0, "kernel/hostname gives %s", text);
    if (!t->control)
        trial_must(t, strcmp(text, "ai-sandbox") == 0, "the name is %s", text);
}

const struct probe probes_fd[] = {
    {"E-FD-01", only_standard, "EBADF", EVERY | ALONE, CONTROL_BWRAP, NULL, "EBADF"},
    {"E-FD-02", inherited_directory, "EBADF; ENOENT", EVERY | ALONE, CONTROL_SAME, NULL,
     "EBADF; ENOENT"},
    {"E-FD-03", closed_standard, "", EVERY | ALONE, CONTROL_NONE, NULL, ""},
    {"E-FD-04", no_channel, "EBADF", EVERY, CONTROL_NONE, NULL, "EBADF"},
    {"E-ENV-01", environment_secrets, "", EVERY, CONTROL_SAME, NULL, ""},
    {"E-ENV-02", command_lines, "", EVERY | ALONE, CONTROL_NONE, NULL, ""},
    {"E-ENV-06", host_name, "", EVERY, CONTROL_SAME, NULL, ""},
    {0},
};
