// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_policy: the policy file, ai-jail's own state, and ai-jail inside itself.
 */
#include "probe.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void policy_file(struct trial *t)
{
    char buf[64];
    int fd;

    trial_call(t, 0, file_read(".ai-jail", buf, sizeof buf), "read(.ai-jail)");
    if (t->control)
        return;
    fd = open("escape-new", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    close(fd);
    trial_call(t, 1, file_write(".ai-jail", NULL), "open(.ai-jail, O_WRONLY)");
    trial_call(t, 1, RESULT(truncate(".ai-jail", 0)), "truncate(.ai-jail)");
    trial_call(t, 2, RESULT(rename("escape-new", ".ai-jail")), "rename over .ai-jail");
    trial_call(t, 2, RESULT(unlink(".ai-jail")), "unlink(.ai-jail)");
    unlink("escape-new");
}

/* What it writes stays in the jail; the harness compares the host's files. */
static void global_file(struct trial *t)
{
    char path[PATH_MAX + 32];
    char home[PATH_MAX];
    int fd;

    snprintf(home, sizeof home, "%s", fact("home"));
    snprintf(path, sizeof path, "%s/.ai-jail", home);
    fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0 && write(fd, "network = true\n", 15) != 15)
        trial_must(t, false, "write(~/.ai-jail)");
    close(fd);
    snprintf(path, sizeof path, "%s/.config", home);
    mkdir(path, 0700);
    strcat(path, "/ai-jail");
    mkdir(path, 0700);
    strcat(path, "/x");
    fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    close(fd);
}

static void own_state(struct trial *t)
{
    char path[PATH_MAX];
    size_t at = 0;

    while (fact_each("state_dirs", &at, path, sizeof path)) {
        long fd = RESULT(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (fd >= 0)
            close((int)fd);
        trial_call(t, 0, fd, "open(%s)", path);
    }
}

/* A second ai-jail inside the first: it has to fail by itself. */
static void nested_run(struct trial *t)
{
    char program[PATH_MAX + 16], home[PATH_MAX];
    long rc;

    snprintf(program, sizeof program, "%s/ai-jail", probe_dir());
    snprintf(home, sizeof home, "%s", fact("home"));
    const char *const argv[] = {program, "--network", "--rw-map", home, "true", NULL};
    rc = program_run(argv);
    /* The exit status of "any failure of ai-jail itself". */
    trial_call(t, 0, rc == 125 ? -EPERM : rc, "ai-jail --network --rw-map HOME true");
}

static bool holds(const char *text, size_t len, const char *word)
{
    return word[0] != '\0' && memmem(text, len, word, strlen(word)) != NULL;
}

static void search_process(struct trial *t, const char *pid)
{
    static const char *const files[] = {"cmdline", "environ"};
    static char text[262144];
    char path[300], word[PATH_MAX];
    long n;

    for (size_t i = 0; i < 2; i++) {
        size_t at = 0;
        snprintf(path, sizeof path, "/proc/%s/%s", pid, files[i]);
        n = file_read(path, text, sizeof text);
        while (n > 0 && fact_each("policy_words", &at, word, sizeof word))
            trial_must(t, !holds(text, (size_t)n, word), "%s names %s", path, word);
    }
    snprintf(path, sizeof path, "/proc/%s/exe", pid);
    n = readlink(path, text, sizeof text);
    trial_must(t, n <= 0 || !holds(text, (size_t)n, "ai-jail/"), "%s is %.*s", path,
               (int)(n > 0 ? n : 0), text);
}

/* mountinfo may name destinations, not where the sources are on the host. */
static void search_mounts(struct trial *t)
{
    static char text[262144];
    char word[PATH_MAX];
    size_t at = 0;
    long n = file_read("/proc/self/mountinfo", text, sizeof text - 1);

    text[n > 0 ? n : 0] = '\0';
    trial_must(t, n > 0, "read(mountinfo)");
    while (fact_each("policy_words", &at, word, sizeof word))
        trial_must(t, !holds(text, (size_t)(n > 0 ? n : 0), word), "mountinfo names %s", word);
}

static void policy_words(struct trial *t)
{
    DIR *dir = opendir("/proc");

    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;)
        if (isdigit((unsigned char)e->d_name[0]))
            search_process(t, e->d_name);
    if (dir != NULL)
        closedir(dir);
    if (!t->control)
        search_mounts(t);
}

const struct probe probes_policy[] = {
    {"E-POL-01", policy_file, "ZERO; EACCES EROFS; EBUSY", NORMAL, CONTROL_SAME, NULL,
     "ZERO; EACCES EROFS; EBUSY"},
    {"E-POL-01", policy_file, "ZERO; EACCES EROFS; EBUSY EROFS", ONLY_LOCKDOWN, CONTROL_SAME, NULL,
     NULL},
    {"E-POL-03", global_file, "", EVERY, CONTROL_NONE, NULL, ""},
    {"E-POL-04", own_state, "ENOENT", EVERY, CONTROL_SAME, NULL, "ENOENT"},
    {"E-POL-05", nested_run, "EPERM", EVERY, CONTROL_SAME, NULL, "EPERM"},
    {"E-POL-07", policy_words, "", EVERY, CONTROL_NONE, NULL, ""},
    {0},
};
