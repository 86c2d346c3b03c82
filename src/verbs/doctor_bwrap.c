// SPDX-License-Identifier: GPL-3.0-only
/*
 * doctor_bwrap: bubblewrap and what it needs from the kernel, by running it.
 *
 * Each check is a jail of one option. What bubblewrap says when it fails is the detail; the fix
 * comes from the kernel's own switches, which are looked at only then.
 */
#include "verbs/doctor.h"

#include "base/fd.h"
#include "base/fs.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define OUTPUT_MAX 4096

struct bwrap_trial {
    const char *id;
    const char *what;       /* detail when it works */
    const char *options[8]; /* beside the ones that every trial has */
    bool needs_disable_userns;
};

static const struct bwrap_trial trials[] = {
    {.id = "user-namespace", .what = "bubblewrap makes one", .options = {"--unshare-user"}},
    {.id = "disable-userns",
     .what = "no further user namespaces inside",
     .options = {"--unshare-user", "--disable-userns"},
     .needs_disable_userns = true},
    {.id = "network-namespace",
     .what = "a loopback of its own",
     .options = {"--unshare-user", "--unshare-net"}},
    {.id = "proc",
     .what = "/proc of the jail's own processes",
     .options = {"--unshare-user", "--unshare-pid", "--proc", "/proc"}},
    {.id = "tmpfs-size",
     .what = "directories in memory with a limit",
     .options = {"--unshare-user", "--size", "65536", "--tmpfs", "/tmp"}},
};

/* A switch of the kernel that forbids user namespaces, and how to change it. */
static const struct kernel_switch {
    const char *path;
    const char *forbids; /* first character(s) of the value that does */
    const char *fix;
} switches[] = {
    {"/proc/sys/user/max_user_namespaces", "0\n",
     "user namespaces are switched off: sysctl -w user.max_user_namespaces=10000"},
    {"/proc/sys/kernel/unprivileged_userns_clone", "0\n",
     "user namespaces are for root alone: sysctl -w kernel.unprivileged_userns_clone=1"},
    {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n",
     "AppArmor forbids user namespaces to programs without a profile: install the distribution's "
     "profile for bubblewrap (apparmor-profiles: bwrap-userns-restrict)"},
};

static const char *find_fix(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
        _cleanup_free_ char *text = fs_read_text(&fs_real, switches[i].path, 64);

        if (text && str_eq(text, switches[i].forbids))
            return switches[i].fix;
    }
    return "look at what bubblewrap says; inside a container, its limits may forbid it";
}

struct bwrap_run {
    int bwrap;
    int output;
    const struct bwrap_trial *trial;
};

/* In the child: becomes bubblewrap. */
static int run_bwrap(void *arg)
{
    const struct bwrap_run *run = arg;
    const char *argv[24] = {"bwrap", "--ro-bind", "/", "/", "--die-with-parent"};
    static const char *const tail[] = {"--", "/bin/sh", "-c", ":"};
    char *const no_environment[] = {NULL};
    size_t n = 5;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (size_t i = 0; i < ARRAY_SIZE(run->trial->options) && run->trial->options[i]; i++)
        argv[n++] = run->trial->options[i];
    for (size_t i = 0; i < ARRAY_SIZE(tail); i++)
        argv[n++] = tail[i];
    if (null < 0 || dup2(null, 0) < 0 || dup2(run->output, 1) < 0 || dup2(run->output, 2) < 0)
        return errno;
    fexecve(run->bwrap, (char *const *)(uintptr_t)argv, no_environment);
    return errno;
}

/* The last line that bubblewrap wrote, malloc'ed; "" if none. */
static char *last_line(int fd)
{
    struct buf text CLEANUP(buf_free);
    const char *line;
    char *at;

    buf_init(&text, OUTPUT_MAX + 1);
    if (lseek(fd, 0, SEEK_SET) < 0 || fd_read_all(fd, &text, OUTPUT_MAX) < 0)
        return xstrdup("");
    at = (char *)(uintptr_t)buf_cstr(&text);
    while (text.len && at[text.len - 1] == '\n')
        at[--text.len] = '\0';
    line = strrchr(at, '\n');
    return xstrdup(line ? line + 1 : at);
}

static void try_one(struct doctor *doctor, const struct bwrap_trial *trial)
{
    struct bwrap_run run = {
        .bwrap = doctor->host.bwrap.fd,
        .output = memfd_create("doctor", MFD_CLOEXEC),
        .trial = trial,
    };
    _cleanup_free_ char *line = NULL;
    int r;

    if (trial->needs_disable_userns && !doctor->host.bwrap.has_disable_userns) {
        doctor_add(doctor, trial->id, DOCTOR_DEGRADED, "bubblewrap 0.8 or newer has it",
                   "bubblewrap does not know it; the system call filter alone refuses them");
        return;
    }
    r = doctor_in_child(run_bwrap, &run);
    line = last_line(run.output);
    if (r == 0)
        doctor_add(doctor, trial->id, DOCTOR_OK, NULL, "%s", trial->what);
    else
        doctor_add(doctor, trial->id, DOCTOR_MISSING, find_fix(), "%s",
                   line[0] ? line : strerror(r));
    if (run.output >= 0)
        close(run.output);
}

void doctor_check_bwrap(struct doctor *doctor)
{
    struct notes notes = {0};

    if (!doctor->has_host)
        return;
    doctor->has_bwrap = host_find_bwrap(&doctor->host, false, &notes) == 0;
    log_notes(&notes);
    if (!doctor->has_bwrap) {
        doctor_add(doctor, "bubblewrap", DOCTOR_MISSING, NULL, "%s", doctor->host.bwrap.why.text);
        return;
    }
    doctor_add(doctor, "bubblewrap", DOCTOR_OK, NULL, "%s, with every option that is needed%s",
               doctor->host.bwrap.path,
               doctor->host.bwrap.has_bind_fd ? "" : "; sources of mounts go by name");
    for (size_t i = 0; i < ARRAY_SIZE(trials); i++)
        try_one(doctor, &trials[i]);
}
